"""Run and grade a sweep: plan it, ask what is missing, grade what is new, rebuild the tables.

Started again it does exactly the cells that are missing; an edited prompt makes new cells beside the old ones.

With --until, the arms are looked at after the sweep's replicates, twice as many, and so on, and only those that are
not decided get more; with --run-sd, known from earlier runs, after every replicate. With --screen, the better half of
the arms goes on each round: a ranking, not a finding. Both
write their rule into the run's folder before the first fork, and go on by it when started again.

exit status: 0 complete, 1 finished with failed cells, 2 bad input, 3 stopped by the budget, 130 interrupted

examples:
  bench run quickstart
  bench run sweeps/nightly.toml --dry-run
  bench run nightly --arms inventory,short --replicates 4 --budget-usd 5
  bench run nightly --until 0.05 --most 12 --worth 3
  bench run nightly --until 0.05 --run-sd 3.1
  bench run prompts-of-the-week --screen
"""

from __future__ import annotations

import sys
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.cli.output import emit, emit_json
from bench.errors import BenchError, shown
from bench.text import printable

if TYPE_CHECKING:
    from bench.forks.plan import Plan
    from bench.forks.summary import RunSummary
    from bench.sequential.until import Until


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("sweep", metavar="SWEEP", help="a sweep file, or the name of one in sweeps/")
    for name in ("fixtures", "arms", "models"):
        parser.add_argument(f"--{name}", type=_names, metavar="A,B", help=f"only these {name}")
    parser.add_argument("--replicates", type=int, metavar="N", help="how often each cell of a model is run")
    parser.add_argument("--chain", type=int, metavar="N", help="compactions in a row")
    parser.add_argument(
        "--stale-by", type=_staleness, metavar="N,M", help="messages the handoff lags behind; or 'policy'"
    )
    budget = parser.add_mutually_exclusive_group()
    budget.add_argument("--budget-usd", type=float, metavar="X", help="hard stop for the whole run, in USD")
    budget.add_argument("--no-budget", action="store_true", help="run paid models without a cap")
    parser.add_argument("--concurrency", type=int, metavar="N", help="forks in flight at once")
    parser.add_argument("--batch", action="store_true", help="ask through Message Batches: half price, within a day")
    parser.add_argument("--run", metavar="NAME", help="the run's name; default the sweep file's")
    parser.add_argument("--results-dir", type=Path, metavar="DIR", help="where runs lie; default results/")
    parser.add_argument("--dry-run", action="store_true", help="print the plan with its costs; ask and write nothing")
    parser.add_argument("--watch", action="store_true", help="a live table of cells, where stderr is a terminal")
    early = parser.add_mutually_exclusive_group()
    early.add_argument("--until", type=float, metavar="ALPHA", help="add replicates to undecided arms by planned looks")
    early.add_argument("--screen", action="store_true", help="halve the arms round by round; a ranking")
    parser.add_argument("--most", type=int, metavar="N", help="with --until: replicates at the last look; default 4x")
    parser.add_argument("--worth", type=float, metavar="POINTS", help="with --until: the difference worth seeing; 5")
    parser.add_argument(
        "--run-sd", type=float, metavar="POINTS", help="with --until: a known SD of runs; looks after every replicate"
    )
    parser.add_argument("--no-grade", action="store_true", help="leave grading to 'bench grade'")
    parser.add_argument("--json", action="store_true", help="print the plan or the summary as JSON")


OVERRIDES = (
    "fixtures", "arms", "models", "replicates", "chain", "stale_by", "budget_usd", "no_budget", "concurrency", "batch",
    "run", "results_dir",
)  # fmt: skip
"""Arguments that change what the sweep file says."""


def run(args: Namespace) -> int:
    from bench.forks.progress import progress_on
    from bench.forks.resolve import find_sweep
    from bench.forks.run import RunInterrupted, plan_sweep, run_sweep
    from bench.forks.store import Store
    from bench.forks.watching import watch_on
    from bench.runs.index import build_index

    path = find_sweep(args.sweep)
    overrides = {name: getattr(args, name) for name in OVERRIDES}
    _check_early(args)
    if args.dry_run:
        _print_plan(plan_sweep(path, **_at_most(args, path, overrides)), as_json=args.json)
        return 0
    if args.until is not None or args.screen:
        return _early(args, path, overrides)
    progress = (watch_on(sys.stderr) if args.watch else None) or progress_on(sys.stderr)
    try:
        summary = run_sweep(path, progress=progress, grade=not args.no_grade, **overrides)
    except RunInterrupted as interrupted:
        _print_summary(interrupted.summary, as_json=args.json)
        return interrupted.summary.exit_status
    build_index(Store(summary.folder))
    _print_summary(summary, as_json=args.json)
    return summary.exit_status


def _check_early(args: Namespace) -> None:
    """Options that mean nothing together."""
    if args.until is None and any(v is not None for v in (args.most, args.worth, args.run_sd)):
        raise BenchError("--most, --worth and --run-sd belong to --until ALPHA")
    if args.no_grade and (args.until is not None or args.screen):
        raise BenchError("a run that is looked at is graded; leave out --no-grade")


def _at_most(args: Namespace, path: Path, overrides: dict[str, Any]) -> dict[str, Any]:
    """What a dry run plans: with --until, every arm at the last look. The rule is told."""
    if args.until is None and not args.screen:
        return overrides
    from bench.forks.resolve import overrides_of, resolve
    from bench.sequential.screen import screen_rule
    from bench.sequential.until import until_rule
    from bench.sequential.words import rule_line

    resolved = resolve(path, overrides_of(**overrides))
    rule = screen_rule(resolved) if args.screen else until_rule(resolved, _until(args))
    print(printable(rule_line(rule)), file=sys.stderr if args.json else sys.stdout)
    return overrides if args.screen else overrides | {"replicates": rule.looks[-1]}


def _until(args: Namespace) -> Until:
    from bench.analysis.comparing.compare import WORTH_SEEING
    from bench.sequential.until import Until

    worth = WORTH_SEEING if args.worth is None else args.worth
    return Until(alpha=args.until, most=args.most, worth_seeing=worth, run_sd=args.run_sd)


def _early(args: Namespace, path: Path, overrides: dict[str, Any]) -> int:
    """A run that a rule stops: planned looks, or a screening."""
    from bench.forks.progress import progress_on
    from bench.forks.run import RunInterrupted
    from bench.forks.watching import watch_on
    from bench.sequential.screen import screen
    from bench.sequential.until import run_until

    progress = (watch_on(sys.stderr) if args.watch else None) or progress_on(sys.stderr)

    def tell(line: str) -> None:
        print(printable(line), file=sys.stderr if args.json else sys.stdout, flush=True)

    try:
        if args.screen:
            stopped = screen(path, progress=progress, tell=tell, **overrides)
        else:
            stopped = run_until(path, _until(args), progress=progress, tell=tell, **overrides)
    except RunInterrupted as interrupted:
        _print_summary(interrupted.summary, as_json=args.json)
        return interrupted.summary.exit_status
    if args.json:
        emit_json(stopped.as_json())
    else:
        print("\n".join(stopped.lines()))
        print(f"arm table: bench table {shown(stopped.summary.folder)}")
    return stopped.exit_status


def _print_plan(plan: Plan, *, as_json: bool) -> None:
    from msgspec.structs import asdict

    from bench.forks.plan_table import columns, plan_lines
    from bench.prices import meant

    lines = plan_lines(plan)
    emit([asdict(line) for line in lines], columns(lines), as_json=as_json)
    if as_json:
        return
    low, expected, worst = (plan.total(f"{which}_usd") for which in ("low", "expected", "worst"))
    later = f", {plan.told_later} after them (sizes estimated)" if plan.later else ""
    print(f"{len(plan.cells)} cells, {plan.done} of them done; {plan.told} to ask{later}")
    if (plan.asked or plan.later) and expected is not None:
        print(f"cost: ${low:.4f} at least, ${expected:.4f} expected, ${worst:.4f} at most")
    elif plan.asked or plan.later:
        slips = filter(None, (meant(model) for model in sorted({cell.model for cell in plan.cells})))
        hints = [f"did you mean '{name}'?" for name in slips]
        print("; ".join(["cost: not known, a price is missing", *hints]))
    judging, most = plan.total("grading_usd"), plan.total("grading_worst_usd")
    if judging is not None and most is not None and judging + plan.other_grading_usd:
        expected_all = judging + plan.other_grading_usd
        print(f"judging: ${expected_all:.4f} expected; ${most:.4f} at most for what the forks bring")
    for line in (*plan.notes, *(f"{model} is skipped: {why}" for model, why in plan.skipped.items())):
        print(printable(line))


def _print_summary(summary: RunSummary, *, as_json: bool) -> None:
    if as_json:
        emit_json(summary.as_json())
    else:
        print("\n".join(summary.lines()))
        print(f"arm table: bench table {shown(summary.folder)}")


def _names(text: str) -> tuple[str, ...]:
    names = tuple(part.strip() for part in text.split(",") if part.strip())
    if not names:
        raise ArgumentTypeError("names, separated by commas")
    return names


def _staleness(text: str) -> tuple[int, ...] | str:
    if text.strip() == "policy":
        return "policy"
    try:
        return tuple(int(part) for part in text.split(","))
    except ValueError:
        raise ArgumentTypeError("whole numbers, separated by commas, or 'policy'") from None
