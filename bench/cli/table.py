"""Print a run's arm table: recall with its spread, worst and best run, and what stands beside recall.

RUN is a folder or the name of a run in the project's results/; without it, the newest run. A run graded in several ways
has a table for each; they are never mixed. Truncated handoffs are left out unless asked for. An arm that was edited
between two starts has a line for each version; --latest leaves out those that the project no longer has.

examples:
  bench table
  bench table quickstart --by tag
  bench table quickstart --by distance
  bench table quickstart --latest
  bench table results/quickstart --by fixture --json
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from bench.cli.output import emit_json

BY = ("tag", "speaker", "distance", "times-said", "step")


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("run", metavar="RUN", nargs="?", help="a folder, or a name in results/; default the newest")
    parser.add_argument(
        "--by", choices=("fixture", *BY), help="a table for each fixture; or recall by a property of the facts"
    )
    parser.add_argument("--with-truncated", action="store_true", help="rank handoffs that were cut off, too")
    parser.add_argument(
        "--latest", action="store_true", help="leave out versions of arms that the project no longer has"
    )
    parser.add_argument("--json", action="store_true", help="print every column of every line as JSON")


def run(args: Namespace) -> int:
    from bench.frames import records
    from bench.index import open_run
    from bench.run_view import arm_table, fixture_table
    from bench.told import TABLES_BY, show_arms, show_by, without_superseded

    opened = open_run(args.run)
    if args.json:
        views = {None: arm_table, "fixture": fixture_table} | TABLES_BY
        frame = views[args.by](opened, with_truncated=args.with_truncated)
        emit_json(records(without_superseded(opened, frame)[0] if args.latest else frame))
    elif args.by in BY:
        print(show_by(opened, args.by, with_truncated=args.with_truncated, latest=args.latest))
    else:
        print(show_arms(opened, by=args.by, with_truncated=args.with_truncated, latest=args.latest))
    return 0
