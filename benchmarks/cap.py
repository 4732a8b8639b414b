"""Spending past the cap, under adverse usage: answers as long as they may be, prompts dearer than counted, calls that
break off after they were billed.

The model keeps its own bill; the cap is held against that, not against what the run says of itself.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, date, datetime
from functools import partial
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from bench.calls.retry import RetryPolicy
from bench.forks.run import run_sweep
from bench.models.protocol import Attempt, Reply, Request
from bench.prices import cost
from bench.text import estimate_tokens
from bench.transcripts.model import Usage
from benchmarks.line import Line, at_most
from benchmarks.made import SEED
from benchmarks.measure import MEMORY_DISK, in_child, timed
from benchmarks.world import MODEL, REPLY, InProcess, only, project

SWEEPS = 40
FORKS = 40
STARTS = 3
"""Of each sweep, over the same budget: a resumed run must know what was spent."""
MOST_USD = 8.0
"""A call's worst case is about 0.33 USD, so most budgets end a run midway."""
DAY = date(2026, 11, 30)
NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)


def run(size: float = 1.0) -> list[Line]:
    """The most by which a bill went past its cap, in cents; below 0 is what was left."""
    sweeps = max(1, round(SWEEPS * size))
    (worst, stopped, calls), took = in_child(timed, partial(_spent, sweeps))
    what = f"{sweeps} capped sweeps of {FORKS} forks, {STARTS} starts each: past the cap"
    note = f"{calls:,} calls were billed; the cap ended {stopped} of the sweeps"
    return [at_most(0, max(0.0, 100 * worst), "cents", what, took, note=note)]


class Adverse(InProcess):
    """Bills what it can: up to 5 % and 500 tokens above the count, all of the answer allowed, broken calls too."""

    def __init__(self, rng: Random) -> None:
        super().__init__()
        self._rng = rng
        self.bills: list[float] = []

    async def ask(
        self,
        request: Request,
        *,
        timeout_s: float,  # noqa: ARG002  # the protocol's
        on_first: Callable[[], None],
    ) -> Reply | Attempt:
        rng = self._rng
        await asyncio.sleep(rng.uniform(0, 0.004))
        prompt = (await self.count(request)).tokens
        charged = math.floor(1.05 * prompt) + rng.randint(0, 500)
        usage = Usage(output=rng.choice((estimate_tokens(REPLY), request.max_tokens)), cache_write_5m=charged)
        told = rng.random()
        if told < 0.1:
            return _broken("429", "no")
        self.bills.append(cost(usage, MODEL, DAY).usd_api or 0.0)
        if told < 0.2:
            return _broken("dropped", "possibly")
        if told < 0.25:
            return _broken("dropped late", "yes", usage)
        on_first()
        await asyncio.sleep(rng.uniform(0, 0.004))
        return Reply(text=REPLY, stop_reason="end_turn", usage=usage)


def _broken(detail: str, billed: str, usage: Usage | None = None) -> Attempt:
    return Attempt(
        outcome="api-error", detail=detail, started_at=f"{DAY}T12:00:00Z", seconds=0.0, usage=usage,
        billed=billed,  # type: ignore[arg-type]
    )  # fmt: skip


def _spent(sweeps: int) -> tuple[float, int, int]:
    """The most that a bill was above its cap (USD), sweeps that the cap ended, calls billed."""
    worst, stopped, calls = -math.inf, 0, 0
    with TemporaryDirectory(dir=MEMORY_DISK) as folder:
        sweep = project(Path(folder) / "project", FORKS, concurrency=8)
        for n in range(sweeps):
            rng = Random(SEED + n)
            model = Adverse(rng)
            world = replace(only(model), now=lambda: NOON, retry=RetryPolicy(first_s=0.0, most_s=0.0))
            budget = rng.uniform(0.1, MOST_USD)
            for _ in range(STARTS):
                summary = run_sweep(sweep, outside=world, grade=False, budget_usd=budget, run=f"run-{n}")
            worst = max(worst, math.fsum(model.bills) - budget)
            stopped += summary.by_budget
            calls += len(model.bills)
    return worst, stopped, calls
