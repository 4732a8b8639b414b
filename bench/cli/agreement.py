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


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("run", metavar="RUN", nargs="?", help="a folder, or a name in results/; default the newest")
    parser.add_argument("--atoms", action="store_true", help="also list the atoms on which passes differ")
    parser.add_argument("--json", action="store_true", help="print the tables as JSON")


def run(args: Namespace) -> int:
    from bench.frames import records
    from bench.runs.agreement import agreements, show_agreement
    from bench.runs.index import open_run

    opened = open_run(args.run)
    if not args.json:
        print(show_agreement(opened, atoms=args.atoms))
        return 0
    of = {name: records(table) for name, table in agreements(opened)._asdict().items()}
    people = {name: of.pop(name) for name in ("errors", "corrected")}
    emit_json(of | {"people": people})
    return 0
