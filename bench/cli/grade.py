"""Grade the outputs of a run, and rebuild its tables.

Only what has no grade yet for its text, its key and this grader is graded: run it again after a change of a key, or to
make what is missing. With no options the graders of the run's sweep are used. A judge's calls count against the budget
of the whole run, forks included.

exit status: 0 complete, 1 with grades missing, 2 bad input, 3 stopped by the budget, 130 interrupted

examples:
  bench grade quickstart                     a run in the project's results/
  bench grade quickstart --scope summary     the models' replies alone, without pins and other parts
  bench grade nightly --grader judge --model claude-opus-5-5 --passes 3 --dry-run
  bench grade nightly --grader my-grader     a grader of your own: docs/add-a-grader.md
  bench grade nightly --human                write blind sheets for people, in grades/human/sheets/
  bench grade nightly --human --read a.csv   make grades of sheets that were filled in
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, get_args

from bench.cli.output import emit, emit_json, say
from bench.errors import BenchError
from bench.sweepfile import BUILT_IN, GraderSpec, Scope

if TYPE_CHECKING:
    from bench.fixtures import Fixture
    from bench.grading.means import Means
    from bench.grading.outputs import GradedStore
    from bench.grading.results import GraderResult

PLAN = (
    "grader",
    "grades",
    "made",
    "to_make",
    "calls",
    "prompt_tokens",
    "tokens_source",
    "billing",
    "expected_usd",
    "worst_usd",
)
TELL_EVERY = 10
"""Grades between two lines of progress."""


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("run", metavar="RUN", help="a run's folder, or its name in results/")
    told = f"{', '.join(BUILT_IN)}, or one that a package offers; instead of the sweep's graders"
    parser.add_argument("--grader", metavar="KIND", help=told)
    parser.add_argument("--human", action="store_true", help="the same as --grader human")
    parser.add_argument("--read", nargs="+", type=Path, metavar="FILE", help="sheets that people have filled in")
    parser.add_argument("--scope", choices=get_args(Scope), help="the whole handoff, or the model's reply alone")
    parser.add_argument("--model", metavar="M", help="the judge")
    parser.add_argument(
        "--passes", type=int, metavar="N", help="how often a judge, people or a package's grader grade each output"
    )
    budget = parser.add_mutually_exclusive_group()
    budget.add_argument("--budget-usd", type=float, metavar="X", help="hard stop for the whole run, in USD")
    budget.add_argument("--no-budget", action="store_true", help="ask a paid judge without a cap")
    parser.add_argument("--batch", action="store_true", help="ask a judge through Message Batches: half price")
    parser.add_argument("--dry-run", action="store_true", help="print what would be asked and its cost; ask nothing")
    parser.add_argument("--json", action="store_true", help="print the plan or the results as JSON")


def run(args: argparse.Namespace) -> int:
    from bench.calls.exits import gravest
    from bench.grading.means import means_of
    from bench.grading.results import GradingInterrupted
    from bench.grading.run import check_graders, grade_run
    from bench.grading.subjects import fixtures_of
    from bench.runs.index import build_index, find_run

    store = find_run(args.run)
    made = store.run_json()
    graders = _graders(args, made.sweep.graders)
    check_graders(graders)
    fixtures = fixtures_of(made, store.root)
    means = means_of(made.sweep, store.root, budget_usd=args.budget_usd, no_budget=args.no_budget, batch=args.batch)
    if args.dry_run:
        lines = [line for spec in graders if (line := _planned(store, spec, made.seed, fixtures, means))]
        emit(lines, PLAN, as_json=args.json)
        return 0
    try:
        if args.read:
            from bench.grading.human_grades import read_human

            results: tuple[GraderResult, ...] = (read_human(store, graders[0], made.seed, fixtures, args.read),)
        else:
            results = grade_run(store, graders, made.seed, fixtures, _progress, means=means)
    except GradingInterrupted as interrupted:
        results = interrupted.results
    build_index(store)
    if args.json:
        emit_json([{**asdict(r), "exit_status": r.exit_status} for r in results])
    else:
        print("\n".join(line for result in results for line in result.lines()))
    return gravest(r.exit_status for r in results)


def _graders(args: argparse.Namespace, of_sweep: tuple[GraderSpec, ...]) -> tuple[GraderSpec, ...]:
    """The sweep's graders, or the one that the options name."""
    if not (args.grader or args.human or args.scope or args.model or args.passes):
        if args.read:
            raise BenchError("--read takes sheets of people; say --human as well")
        return of_sweep
    kind: str = "human" if args.human else args.grader or ("judge" if args.model or args.passes else "lexical")
    if args.read and kind != "human":
        raise BenchError("--read takes sheets of people; say --human as well")
    return (GraderSpec(kind=kind, scope=args.scope or "handoff", model=args.model, passes=args.passes or 1),)


def _planned(
    store: GradedStore, spec: GraderSpec, seed: int, fixtures: Mapping[str, Fixture], means: Means
) -> dict[str, object] | None:
    """What the grader would do, as a line of the table; None for a judge that is not here."""
    if spec.kind == "judge":
        return _planned_judge(store, spec, seed, fixtures, means)
    from bench.grading.graders import grader_folder
    from bench.grading.outputs import due, sealed_outputs

    dues = list(due(store, spec, sealed_outputs(store, spec, seed), fixtures, _sha256(spec)))
    made = sum(d.graded for d in dues)
    free = {"calls": 0, "expected_usd": 0.0, "worst_usd": 0.0}
    return {"grader": grader_folder(spec), "grades": len(dues), "made": made, "to_make": len(dues) - made, **free}


def _sha256(spec: GraderSpec) -> str:
    """The version of a grader that asks no model."""
    match spec.kind:
        case "human":
            from bench.grading.human_sheets import human_sha256

            return human_sha256()
        case "lexical":
            from bench.grading.lexical_grades import lexical_sha256

            return lexical_sha256()
    from bench.grading.plugin_grades import plugin_sha256
    from bench.plugins import open_grader

    return plugin_sha256(spec.kind, open_grader(spec.kind))


def _planned_judge(
    store: GradedStore, spec: GraderSpec, seed: int, fixtures: Mapping[str, Fixture], means: Means
) -> dict[str, object] | None:
    from bench.grading.judge.run import plan_judge
    from bench.models.protocol import ModelMissing

    try:
        plan = plan_judge(store, spec, seed, fixtures, means)
    except ModelMissing as missing:
        say(f"{spec.model} is skipped: {missing}")
        return None
    counts = [plan.counts[s.cell_key] for s in plan.asked]
    return {
        "grader": plan.grader,
        "grades": plan.grades,
        "made": plan.grades - plan.left,
        "to_make": plan.left,
        "calls": plan.questions,
        "prompt_tokens": max((c.tokens for c in counts), default=None),
        "tokens_source": min((c.source for c in counts), default=None),
        "billing": "batch" if means.batches(spec.model or "") else "direct",
        "expected_usd": plan.expense.expected_usd,
        "worst_usd": plan.expense.worst_usd,
    }


def _progress(grader: str, done: int, total: int) -> None:
    if not grader.startswith(("lexical", "human")) and (done == total or done % TELL_EVERY == 0):
        say(f"{grader}: {done}/{total} grades")
