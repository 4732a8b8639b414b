"""Compare the arms of a run with the first of them: mean recall, runs, spread, difference in points.

Differences are paired: same fixtures, same atoms. They come without an interval, and what the design cannot tell is
said under the table. RUN is a folder or the name of a run in the project's results/; without it, the newest run.

examples:
  bench compare
  bench compare quickstart inventory nine-sections
  bench compare quickstart --json
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from bench.cli.output import emit_json

if TYPE_CHECKING:
    from bench.index import Run


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("run", metavar="RUN", nargs="?", help="a folder, or a name in results/; default the newest")
    parser.add_argument("arms", metavar="ARM", nargs="*", help="arms to compare with the first; default all")
    parser.add_argument("--with-truncated", action="store_true", help="rank handoffs that were cut off, too")
    parser.add_argument("--json", action="store_true", help="print the lines as JSON")


def run(args: Namespace) -> int:
    from bench.index import open_run
    from bench.told import show_comparison

    opened = open_run(args.run)
    if args.json:
        emit_json(_json_rows(opened, args))
    else:
        print(show_comparison(opened, *args.arms, with_truncated=args.with_truncated))
    return 0


def _json_rows(opened: Run, args: Namespace) -> list[dict[str, object]]:
    """A line an arm; `interval` is null, and `limits` says so and what else the design cannot tell."""
    from bench.analysis.compare import NO_INTERVAL, cannot_be_said
    from bench.frames import records
    from bench.run_view import compare, gradings

    rows: list[dict[str, object]] = []
    for grading in gradings(opened):
        found = compare(opened, *args.arms, grading=grading, with_truncated=args.with_truncated)
        limits = [NO_INTERVAL, *cannot_be_said(found)]
        rows += [{**row, "interval": None, "limits": limits} for row in records(found)]
    return rows
