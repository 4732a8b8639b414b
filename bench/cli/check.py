"""Check fixtures, keys, arms and sweeps; every finding names file and line.

A key must be answerable from its transcript: patterns compile and match where they say they do, nothing that was
"never" said stands there, and the transcript itself grades 1.0.

examples:
  bench check                                everything in the project
  bench check fixtures/rate-limiter          one fixture
  bench check --stamp fixtures/rate-limiter  write tokens and sha256 of its transcript into fixture.yaml
"""

from __future__ import annotations

import argparse
from pathlib import Path

from bench.checks import Report, check_paths, check_project
from bench.cli.output import emit_json
from bench.errors import BenchError, Problems, shown
from bench.project import find_project


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "paths", nargs="*", type=Path, metavar="PATH", help="a fixture's folder, an arm, a sweep (default: all)"
    )
    parser.add_argument("--stamp", action="store_true", help="write tokens and sha256 into fixture.yaml first")
    parser.add_argument("--json", action="store_true", help="print counts and findings as JSON")


def run(args: argparse.Namespace) -> int:
    if args.paths:
        report = check_paths(args.paths, with_stamp=args.stamp)
    else:
        report = check_project(find_project(), with_stamp=args.stamp)
    if args.json:
        emit_json(as_json(report))
        return BenchError.exit_status if report.problems else 0
    if report.problems:
        raise Problems(report.problems)
    stamped = f" ({report.stamped} stamped)" if report.stamped else ""
    print(f"{report}{stamped}")
    return 0


def as_json(report: Report) -> dict[str, object]:
    """The report as JSON types, paths as a person would type them."""
    problems = [
        {"path": None if p.path is None else shown(p.path), "line": p.line, "message": p.message}
        for p in report.problems
    ]
    return {
        "fixtures": report.fixtures,
        "arms": report.arms,
        "sweeps": report.sweeps,
        "stamped": report.stamped,
        "problems": problems,
    }
