"""Run and grade a sweep: plan it, ask what is missing, grade what is new, rebuild the tables.

Started again it does exactly the cells that are missing; an edited prompt makes new cells beside the old ones.

exit status: 0 complete, 1 finished with failed cells, 2 bad input, 3 stopped by the budget, 130 interrupted

examples:
  bench run quickstart
  bench run sweeps/nightly.toml --dry-run
  bench run nightly --arms inventory,short --replicates 4 --budget-usd 5
"""

from __future__ import annotations

import dataclasses
import sys
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from bench.cli.output import emit, emit_json
from bench.errors import shown
from bench.text import printable

if TYPE_CHECKING:
    from bench.forks.plan import Plan
    from bench.forks.summary import RunSummary


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("sweep", metavar="SWEEP", help="a sweep file, or the name of one in sweeps/")
    for name in ("fixtures", "arms", "models"):
        parser.add_argument(f"--{name}", type=_names, metavar="A,B", help=f"only these {name}")
    parser.add_argument("--replicates", type=int, metavar="N", help="how often each cell of a model is run")
    parser.add_argument("--stale-by", type=_numbers, metavar="N,M", help="messages the handoff lags behind")
    budget = parser.add_mutually_exclusive_group()
    budget.add_argument("--budget-usd", type=float, metavar="X", help="hard stop for the whole run, in USD")
    budget.add_argument("--no-budget", action="store_true", help="run paid models without a cap")
    parser.add_argument("--concurrency", type=int, metavar="N", help="forks in flight at once")
    parser.add_argument("--batch", action="store_true", help="ask through Message Batches: half price, within a day")
    parser.add_argument("--run", metavar="NAME", help="the run's name; default the sweep file's")
    parser.add_argument("--results-dir", type=Path, metavar="DIR", help="where runs lie; default results/")
    parser.add_argument("--dry-run", action="store_true", help="print the plan with its costs; ask and write nothing")
    parser.add_argument("--watch", action="store_true", help="a live table of cells, where stderr is a terminal")
    parser.add_argument("--no-grade", action="store_true", help="leave grading to 'bench grade'")
    parser.add_argument("--json", action="store_true", help="print the plan or the summary as JSON")


OVERRIDES = (
    "fixtures", "arms", "models", "replicates", "stale_by", "budget_usd", "no_budget", "concurrency", "batch",
    "run", "results_dir",
)  # fmt: skip
"""Arguments that change what the sweep file says."""


def run(args: Namespace) -> int:
    from bench.forks.progress import progress_on
    from bench.forks.resolve import find_sweep
    from bench.forks.run import RunInterrupted, plan_sweep, run_sweep
    from bench.forks.store import Store
    from bench.forks.watching import watch_on
    from bench.index import build_index

    path = find_sweep(args.sweep)
    overrides = {name: getattr(args, name) for name in OVERRIDES}
    if args.dry_run:
        _print_plan(plan_sweep(path, **overrides), as_json=args.json)
        return 0
    progress = (watch_on(sys.stderr) if args.watch else None) or progress_on(sys.stderr)
    try:
        summary = run_sweep(path, progress=progress, grade=not args.no_grade, **overrides)
    except RunInterrupted as interrupted:
        _print_summary(interrupted.summary, as_json=args.json)
        return interrupted.summary.exit_status
    build_index(Store(summary.folder))
    _print_summary(summary, as_json=args.json)
    return summary.exit_status


def _print_plan(plan: Plan, *, as_json: bool) -> None:
    from msgspec.structs import asdict

    from bench.forks.plan_table import COLUMNS, plan_lines

    lines = [asdict(line) for line in plan_lines(plan)]
    emit(lines, COLUMNS, as_json=as_json)
    if as_json:
        return
    low, expected, worst = (plan.total(f"{which}_usd") for which in ("low", "expected", "worst"))
    print(f"{len(plan.cells)} cells, {plan.done} of them done; {len(plan.asked)} forks to ask")
    if plan.asked and expected is not None:
        print(f"cost: ${low:.4f} at least, ${expected:.4f} expected, ${worst:.4f} at most")
    elif plan.asked:
        print("cost: not known, a price is missing")
    judging, most = plan.total("grading_usd"), plan.total("grading_worst_usd")
    if judging is not None and most is not None and judging + plan.other_grading_usd:
        expected_all = judging + plan.other_grading_usd
        print(f"judging: ${expected_all:.4f} expected; ${most:.4f} at most for what the forks bring")
    for line in (*plan.notes, *(f"{model} is skipped: {why}" for model, why in plan.skipped.items())):
        print(printable(line))


def _print_summary(summary: RunSummary, *, as_json: bool) -> None:
    if as_json:
        emit_json({**dataclasses.asdict(summary), "folder": str(summary.folder), "exit_status": summary.exit_status})
    else:
        print("\n".join(summary.lines()))
        print(f"arm table: bench table {shown(summary.folder)}")


def _names(text: str) -> tuple[str, ...]:
    names = tuple(part.strip() for part in text.split(",") if part.strip())
    if not names:
        raise ArgumentTypeError("names, separated by commas")
    return names


def _numbers(text: str) -> tuple[int, ...]:
    try:
        return tuple(int(part) for part in text.split(","))
    except ValueError:
        raise ArgumentTypeError("whole numbers, separated by commas") from None
