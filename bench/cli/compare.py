"""Compare the arms of a run with the first of them: a sentence an arm, and the table behind it.

Differences are paired: same fixtures, same atoms. With two fixtures or more the 95 % interval speaks of transcripts
like these, with one of its facts only; where there is none, the reason is told, and else what the design can see.
RUN is a folder or the name of a run in the project's results/; without it, the newest run.

With --baseline, each arm is held against the same arm of an earlier run instead, which must have measured the same:
same fixtures, keys and graders. --fail-below says how far recall may fall, in points: -3 fails an arm only where all
of the 95 % interval of its change is below -3. See docs/ci-gate.md.

exit status: 0 compared, 1 an arm failed against the baseline, 2 bad input, or runs that cannot be compared

examples:
  bench compare
  bench compare quickstart inventory nine-sections
  bench compare quickstart inventory short --margin 3
  bench compare quickstart --json
  bench compare nightly --baseline last-release --fail-below -3
"""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError, Namespace
from math import isfinite
from typing import TYPE_CHECKING

from bench.cli.output import emit_json
from bench.errors import BenchError
from bench.runs.words import signed
from bench.text import printable

if TYPE_CHECKING:
    from bench.runs.index import Run

EXIT_FAILED = 1


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("run", metavar="RUN", nargs="?", help="a folder, or a name in results/; default the newest")
    parser.add_argument("arms", metavar="ARM", nargs="*", help="arms to compare with the first; default all")
    parser.add_argument("--baseline", metavar="RUN0", help="hold each arm against the same arm of this earlier run")
    parser.add_argument(
        "--fail-below", type=_points, metavar="POINTS", help="exit 1 where recall has changed by less, say -3"
    )
    parser.add_argument(
        "--margin",
        type=_margin,
        metavar="POINTS",
        help="say, too, which arms are not worse by so much, fixed beforehand",
    )
    parser.add_argument("--with-truncated", action="store_true", help="rank handoffs that were cut off, too")
    parser.add_argument("--json", action="store_true", help="print the lines as JSON")


def run(args: Namespace) -> int:
    from bench.runs.index import open_run
    from bench.runs.told import show_comparison

    if args.baseline is not None:
        return _gate(args)
    if args.fail_below is not None:
        raise BenchError("--fail-below needs a run to hold this one against; add --baseline RUN0")
    opened = open_run(args.run)
    if args.json:
        emit_json(_json_rows(opened, args))
    else:
        print(show_comparison(opened, *args.arms, with_truncated=args.with_truncated, margin=args.margin))
    return 0


def _json_rows(opened: Run, args: Namespace) -> list[dict[str, object]]:
    """A line an arm; `interval` is [low, high] or null, `costs` its measures, and `limits` says why there is no
    interval and what else the design cannot tell."""
    from bench.analysis.arms.measures import COLUMNS
    from bench.analysis.comparing.compare import cannot_be_said
    from bench.frames import records
    from bench.runs.left_out import arms_left_out
    from bench.runs.view import compare, gradings, measures

    rows: list[dict[str, object]] = []
    for grading in gradings(opened):
        asked = {"grading": grading, "with_truncated": args.with_truncated}
        found = compare(opened, *args.arms, **asked, margin=args.margin)
        costs: dict[object, dict[object, object]] = {}
        taken = measures(opened, *args.arms, **asked)
        for one in records(taken):
            costs.setdefault(one["name"], {})[one["measure"]] = {c: one[c] for c in COLUMNS if c != "measure"}
        dropped = [] if args.arms else arms_left_out(opened, found)
        for row in records(found):
            why = row["why_no_interval"]
            interval = None if row["low"] is None else [row["low"], row["high"]]
            limits = [*([] if why is None else [f"no interval: {why}"]), *dropped, *cannot_be_said(found)]
            rows.append({**row, "interval": interval, "costs": costs.get(row["name"], {}), "limits": limits})
    return rows


def _gate(args: Namespace) -> int:
    """Print a line an arm; 1 where one of them failed."""
    from bench.analysis.comparing.gate import FAIL
    from bench.frames import records
    from bench.runs.baseline import against_baseline
    from bench.runs.index import open_run

    opened = open_run(args.run)
    lines = records(
        against_baseline(
            opened,
            _baseline(opened, args.baseline),
            *args.arms,
            fail_below=args.fail_below,
            with_truncated=args.with_truncated,
        )
    )
    if args.json:
        emit_json(lines)
    else:
        several = len({(line["grader"], line["scope"]) for line in lines}) > 1
        print("\n".join(printable(_told(line, several)) for line in lines))
    return EXIT_FAILED if any(line["verdict"] == FAIL for line in lines) else 0


def _baseline(opened: Run, name: str) -> Run:
    """The earlier run. Raises BenchError, which says how to compare with it, where the name is an arm's."""
    from bench.runs.index import open_run

    try:
        return open_run(name)
    except BenchError:
        labels = {mark.label for marks in opened.store.run_json().arms.values() for mark in marks}
        if name not in labels:
            raise
    told = f"to hold its arms against '{name}', name that first: bench compare {opened.name} {name}"
    raise BenchError(f"--baseline takes an earlier run, '{name}' is an arm; {told}", path=opened.root)


def _told(line: dict[str, object], several: bool) -> str:
    """`fail         short: -5.1 points, n 3 against 3 on 1 fixture; 95 % interval -6.9 to -3.3 on these facts, …`."""
    how = f" ({line['grader']} on the {line['scope']})" if several else ""
    verdict = "" if line["verdict"] is None else f"{line['verdict']:<13}"
    head = f"{verdict}{line['name']}{how}: "
    if not isinstance(line["change"], float):
        return f"{head}{line['why']}"
    fixtures = f"{line['fixtures']} fixture{'' if line['fixtures'] == 1 else 's'}"
    runs = f"n {line['n']} against {line['baseline_n']} on {fixtures}"
    return f"{head}{signed(line['change'])} points, {runs}; {line['why']}"


def _margin(text: str) -> float:
    points = _points(text)
    if points <= 0:
        raise ArgumentTypeError(f"a margin is above 0 points, is {text}")
    return points


def _points(text: str) -> float:
    try:
        points = float(text)
    except ValueError:
        points = float("nan")
    if not isfinite(points):
        raise ArgumentTypeError(f"'{text}' is no number of points, such as -3")
    return points
