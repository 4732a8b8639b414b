"""Grade the outputs of a run, and rebuild its tables.

Only what has no grade yet for its text, its key and this grader is graded: run it again after a change of a key. With
no options the graders of the run's sweep are used.

examples:
  bench grade quickstart                     a run in the project's results/
  bench grade results/quickstart             a run's folder
  bench grade quickstart --scope summary     the models' replies alone, without pins and other parts
"""

from __future__ import annotations

import argparse
from typing import get_args

from bench.cli.output import say
from bench.grading.blind import Scope
from bench.grading.run import grade_run
from bench.grading.subjects import fixtures_of
from bench.index import build_index, find_run
from bench.sweepfile import GraderSpec


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("run", metavar="RUN", help="a run's folder, or its name in results/")
    parser.add_argument("--grader", choices=("lexical", "judge", "human"), help="this grader instead of the sweep's")
    parser.add_argument("--scope", choices=get_args(Scope), help="the whole handoff, or the model's reply alone")


def run(args: argparse.Namespace) -> int:
    store = find_run(args.run)
    made = store.run_json()
    if args.grader or args.scope:
        graders: tuple[GraderSpec, ...] = (GraderSpec(kind=args.grader or "lexical", scope=args.scope or "handoff"),)
    else:
        graders = made.sweep.graders
    graded: dict[str, int] = {}

    def count(grader: str, done: int, _total: int) -> None:
        graded[grader] = done

    grade_run(store, graders, made.seed, fixtures_of(made, store.root), count)
    build_index(store)
    for grader, outputs in graded.items():
        say(f"{grader}: {outputs} outputs graded")
    if not graded:
        say("no output to grade")
    return 0
