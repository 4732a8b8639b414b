"""Say how far a run's graders agree, with each other and from pass to pass.

agreement: share of verdicts that are the same. kappa (Cohen) and alpha (Krippendorff, nominal): agreement beyond what
chance would bring, 1 at best, with their 95 % intervals; a dash where that cannot be said. ac1 (Gwet) stands beside
them: where nearly all is carried, both are low though graders agree. flip rate: share of pass pairs that differ on an
atom. whole: variance of a pass's recall over what single flips would bring; far above 1, whole passes are stricter or
laxer. Passes show how much a grader wavers, not what it gets wrong each time: that takes people's grades ('bench grade
RUN --human'). With them, each arm's share of carried atoms is corrected. RUN is a folder or the name of a run in the
project's results/; without it, the newest run.

examples:
  bench agreement
  bench agreement nightly --atoms       the atoms on which passes differ most
  bench agreement nightly --json
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from bench.cli.output import emit_json
from bench.texttable import table

CHOSEN = (
    "disputes: the verdicts that a person disputed, as that person reads them; they are chosen for disagreement, so "
    "agreement with them says nothing of how often a grader errs ('bench grade RUN --human' does)"
)
RESTS_ON = (
    "sensitivity, specificity: of the atoms that people call carried, or not, the share that the grader calls so;"
    " partial is not carried\ncorrected: the grader's share, corrected by both; supposes that it errs alike in all arms"
    "\npeople: people's mean credit, from their grades of the labelled atoms and the grader's on the rest; supposes"
    " that these are a random sample\nboth in per cent with 95 % intervals, unweighted, of these outputs only; a dash"
    " where it cannot be said"
)
MOST_ATOMS = 20
"""Lines of `--atoms` in text; --json has all."""


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("run", metavar="RUN", nargs="?", help="a folder, or a name in results/; default the newest")
    parser.add_argument("--atoms", action="store_true", help="also list the atoms on which passes differ")
    parser.add_argument("--json", action="store_true", help="print the tables as JSON")


def run(args: Namespace) -> int:
    from bench.analysis.graders.against_people import ERRORS, corrected_recalls, grader_errors
    from bench.analysis.graders.disputes import READER
    from bench.analysis.graders.run_agreement import BETWEEN, FLIPS, WITHIN, atom_flips, between_graders, between_passes
    from bench.frames import records
    from bench.runs.index import open_run
    from bench.runs.view import read_grades

    grades = read_grades(open_run(args.run))
    between, within = records(between_graders(grades)), records(between_passes(grades))
    flips = [line for line in records(atom_flips(grades)) if line["flip_rate"]] if args.atoms or args.json else []
    errors, arms = records(grader_errors(grades)), records(corrected_recalls(grades))
    if args.json:
        people = {"errors": errors, "corrected": arms}
        emit_json({"graders": between, "passes": within, "atoms": flips, "people": people})
        return 0
    parts = [
        f"between graders\n{table(between, BETWEEN)}" if between else "between graders: fewer than two graded this run",
        f"between passes\n{table(within, WITHIN)}" if within else "between passes: no grader made several",
    ]
    if any(READER in (line["grader"], line["other"]) for line in between):
        parts.append(CHOSEN)
    if errors:
        told = [_corrected(line) for line in arms]
        parts += [f"against people\n{table(errors, ERRORS)}", f"corrected\n{table(told, list(told[0]))}", RESTS_ON]
    if args.atoms:
        more = f"\nand {len(flips) - MOST_ATOMS} more" if len(flips) > MOST_ATOMS else ""
        parts.append(f"atoms\n{table(flips[:MOST_ATOMS], FLIPS)}{more}" if flips else "atoms: no two passes differ")
    print("\n\n".join(parts))
    return 0


def _corrected(line: dict[str, object]) -> dict[str, object]:
    """A line as people read it: per cent, each with its interval."""
    from bench.text import Figure

    def told(name: str) -> Figure | None:
        point, low, high = (line[f"{name}{end}"] for end in ("", "_low", "_high"))
        if not (isinstance(point, int | float) and isinstance(low, int | float) and isinstance(high, int | float)):
            return None
        return Figure(f"{100 * point:.1f} ({100 * low:.1f} to {100 * high:.1f})")

    share = line["share"]
    return {
        **{c: line[c] for c in ("scope", "grader", "arm", "model", "chain_step", "stale_by", "atoms", "labelled")},
        "share": Figure(f"{100 * share:.1f}") if isinstance(share, int | float) else None,
        "corrected": told("corrected"), "people": told("people"),
    }  # fmt: skip
