"""Print a run's arm table: recall with its spread, worst and best run, and what stands beside recall.

RUN is a folder or the name of a run in the project's results/; without it, the newest run. A run graded in several ways
has a table for each; they are never mixed. Truncated handoffs are left out unless asked for. An arm that was edited
between two starts has a line for each version; --latest leaves out those that the project no longer has.

--delivered shows what the pipeline as a whole hands up: where a fork failed, its stored handoff (stale_by above 0) if
it is fresh enough, else the harness's own summary (the arm `stock`), else nothing.

examples:
  bench table
  bench table quickstart --by tag
  bench table quickstart --by distance
  bench table made-up --by distractors
  bench table quickstart --frontier tokens
  bench table quickstart --latest
  bench table results/quickstart --by fixture --json
  bench table nightly --delivered
  bench table nightly --to csv --out arms.csv
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from bench.atomic import write_bytes
from bench.cli.output import emit_json
from bench.errors import BenchError

if TYPE_CHECKING:
    import pandas as pd

    from bench.runs.index import Run

UNITS = ("carry", "write", "tokens")
FORMATS = ("csv", "parquet", "md")
BY = ("tag", "speaker", "distance", "times-said", "distractors", "step")


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("run", metavar="RUN", nargs="?", help="a folder, or a name in results/; default the newest")
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--delivered", action="store_true", help="what is handed up where forks fail, beside the forks")
    which.add_argument(
        "--by", choices=("fixture", *BY), help="a table for each fixture; or recall by a property of the facts"
    )
    parser.add_argument("--frontier", choices=UNITS, help="recall against a cost: which arms are worth it")
    parser.add_argument("--with-truncated", action="store_true", help="rank handoffs that were cut off, too")
    parser.add_argument(
        "--latest", action="store_true", help="leave out versions of arms that the project no longer has"
    )
    parser.add_argument("--to", choices=FORMATS, help="every column of every line in this format; md as people read it")
    parser.add_argument("--out", type=Path, metavar="FILE", help="where --to writes; default standard output")
    parser.add_argument("--json", action="store_true", help="print every column of every line as JSON")


def run(args: Namespace) -> int:
    from bench.frames import records
    from bench.runs.index import open_run
    from bench.runs.notes import without_superseded
    from bench.runs.told import show_arms, show_by

    if args.out and not args.to:
        raise BenchError("--out takes the format from --to; say --to csv, parquet or md")
    opened = open_run(args.run)
    if args.to:
        return _export(opened, args)
    if args.frontier:
        return _frontier(opened, args)
    if args.delivered:
        return _delivered(opened, with_truncated=args.with_truncated, as_json=args.json)
    if args.json:
        frame = _frame(opened, args)
        emit_json(records(without_superseded(opened, frame)[0] if args.latest else frame))
    elif args.by in BY:
        print(show_by(opened, args.by, with_truncated=args.with_truncated, latest=args.latest))
    else:
        print(show_arms(opened, by=args.by, with_truncated=args.with_truncated, latest=args.latest))
    return 0


def _export(opened: Run, args: Namespace) -> int:
    from bench.exporting.tables import as_bytes, as_markdown
    from bench.runs.notes import without_superseded
    from bench.runs.told import show_arms, show_by

    if args.frontier or args.delivered or args.json:
        raise BenchError("--to is of the arm table and its --by; --frontier and --delivered print JSON with --json")
    if args.to == "md":
        by = show_by if args.by in BY else show_arms
        told = by(opened, by=args.by, with_truncated=args.with_truncated, latest=args.latest)
        data = as_markdown(told).encode()
    else:
        frame = _frame(opened, args)
        data = as_bytes(without_superseded(opened, frame)[0] if args.latest else frame, args.to)
    if args.out:
        write_bytes(args.out, data)
    elif args.to == "parquet":
        raise BenchError("Parquet is no text; say --out FILE")
    else:
        print(data.decode(), end="")
    return 0


def _frame(opened: Run, args: Namespace) -> pd.DataFrame:
    """Every column of every line of what is asked for; by step, of both tables that are printed."""
    from bench.runs.steps import step_table
    from bench.runs.told import TABLES_BY
    from bench.runs.view import arm_table, fixture_table

    views = {None: arm_table, "fixture": fixture_table} | TABLES_BY | {"step": step_table}
    return views[args.by](opened, with_truncated=args.with_truncated)


def _delivered(opened: Run, *, with_truncated: bool, as_json: bool) -> int:
    from bench.frames import records
    from bench.runs.delivered import delivered_cells, delivered_table, show_delivered

    if as_json:
        views = {"arms": delivered_table, "cells": delivered_cells}
        emit_json({name: records(view(opened, with_truncated=with_truncated)) for name, view in views.items()})
    else:
        print(show_delivered(opened, with_truncated=with_truncated))
    return 0


def _frontier(opened: Run, args: Namespace) -> int:
    from bench.frames import records
    from bench.runs.frontier import frontier, show_frontier
    from bench.runs.view import gradings

    if args.json:
        ways = [(one, frontier(opened, args.frontier, grading=one)) for one in gradings(opened)]
        emit_json([{"grader": way.grader, "scope": way.scope, **line} for way, t in ways for line in records(t)])
    else:
        print(show_frontier(opened, args.frontier, with_truncated=args.with_truncated))
    return 0
