"""The part of a run that grades: what is kept for it while forks are asked, and the grading itself.

Graders are loaded only here and when they are needed: a run without a judge imports none of this.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from bench.calls.outside import Outside
from bench.forks.plan import Plan
from bench.forks.planning import Laid
from bench.forks.summary import RunSummary
from bench.plugins import open_grader
from bench.sweepfile import BUILT_IN

if TYPE_CHECKING:
    from bench.grading.means import Means


def graded(summary: RunSummary, laid: Laid, outside: Outside) -> RunSummary:
    """The summary with what the sweep's graders came to over every output of its fixtures that had no grade yet."""
    from bench.grading.results import GradingInterrupted
    from bench.grading.run import grade_run

    sweep, fixtures = laid.resolved.sweep, {f.name: f for f in laid.resolved.fixtures}
    try:
        results = grade_run(laid.store, sweep.graders, sweep.seed, fixtures, means=_means(laid, outside))
    except GradingInterrupted as interrupted:
        return dataclasses.replace(summary, grading=interrupted.results, interrupted=True)
    return dataclasses.replace(summary, grading=results)


async def check_graders(laid: Laid, outside: Outside) -> None:
    """Nothing where every grader could grade; raises BenchError, before anything is paid, where one could not."""
    for spec in laid.resolved.sweep.graders:
        if spec.kind not in BUILT_IN:
            open_grader(spec.kind)
    if _has_judge(laid):
        from bench.grading.means import check_judges

        await check_judges(laid.resolved.sweep.graders, _means(laid, outside))


def with_grading(plan: Plan, laid: Laid) -> Plan:
    """The plan with what judging costs, of its forks' outputs and of all others."""
    if not _has_judge(laid):
        return plan
    from bench.grading.judge.reserve import Reserve

    reserve = Reserve(laid)
    return dataclasses.replace(reserve.with_grading(plan), other_grading_usd=reserve.expected_usd(plan))


def _has_judge(laid: Laid) -> bool:
    return any(spec.kind == "judge" for spec in laid.resolved.sweep.graders)


def _means(laid: Laid, outside: Outside) -> Means:
    """What graders may use; the sweep's budget is that of forks and graders together."""
    from bench.grading.means import Means

    resolved = laid.resolved
    return Means(
        outside=outside,
        budget_usd=resolved.sweep.budget_usd,
        no_budget=resolved.no_budget,
        concurrency=resolved.sweep.concurrency,
        batch=resolved.batch,
        timeout_s=resolved.sweep.timeout_s,
        prices=resolved.prices,
    )
