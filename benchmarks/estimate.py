"""The dry run's estimate against the bill: the loopback server counts prompts and charges for them by the API's rules.

Its counts are off from what it charges, as the API's are, by up to two percent either way.
"""

from __future__ import annotations

import math
import os
from datetime import date
from functools import partial
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import NamedTuple

from bench.forks.run import plan_sweep, run_sweep
from bench.forks.store import Store
from bench.prices import cost
from bench.rows import CallRow
from bench.transcripts.model import Usage
from benchmarks.latency import KEY
from benchmarks.line import Line, at_most
from benchmarks.made import SEED
from benchmarks.measure import MEMORY_DISK, in_child, timed
from benchmarks.world import MODEL, REPLY, loopback, project

SWEEPS = 12
FORKS = (2, 12, 60)
CONTEXT_BYTES = (1_500, 30_000, 400_000)
"""Below the smallest prompt that is cached, and up to 100,000 tokens."""
COUNT_OFF = 0.02


class Guess(NamedTuple):
    """Of one sweep: how far the expected cost of the prompts was off (share), and whether the bill was inside."""

    input_off: float
    inside: bool


def run(size: float = 1.0) -> list[Line]:
    """How far the expected input cost was off at most, and how many bills were outside low..worst."""
    sweeps = max(1, round(SWEEPS * size))
    guesses, took = in_child(timed, partial(_guessed, sweeps))
    most = max(abs(g.input_off) for g in guesses)
    mean = math.fsum(abs(g.input_off) for g in guesses) / sweeps
    outside = sum(not g.inside for g in guesses)
    what = f"dry runs of {sweeps} sweeps"
    note = f"{100 * mean:.2f} % in the mean"
    return [
        at_most(5.0, 100 * most, "%", f"{what}: input off the bill at most", took, note=note),
        at_most(0, outside, "bills", f"{what}: outside low..worst", took),
    ]


def _guessed(sweeps: int) -> list[Guess]:
    loopback()
    from loopback import LoopbackServer, say  # type: ignore[import-not-found]

    guesses = []
    for n in range(sweeps):
        rng = Random(SEED + n)
        answers = [say(REPLY * times) for times in (1, 2, 8)]
        script = lambda _asked, rng=rng, answers=answers: rng.choice(answers)  # noqa: E731
        off = 1 + rng.uniform(-COUNT_OFF, COUNT_OFF)
        with LoopbackServer(script, count_factor=off) as server, TemporaryDirectory(dir=MEMORY_DISK) as folder:
            os.environ |= {"ANTHROPIC_BASE_URL": server.url, "ANTHROPIC_API_KEY": KEY}
            sweep = project(
                Path(folder) / "project", FORKS[n % 3], context_bytes=CONTEXT_BYTES[n // 3 % 3], fixtures=1 + n % 2
            )
            guesses.append(_guess(sweep))
    return guesses


def _guess(sweep: Path) -> Guess:
    plan = plan_sweep(sweep, no_budget=True)
    low, worst = plan.total("low_usd"), plan.total("worst_usd")
    expected = plan.total("expected_input_usd")
    summary = run_sweep(sweep, grade=False, no_budget=True)
    calls = Store(summary.folder).calls()
    billed = math.fsum(call.usd_api or 0.0 for call in calls)
    prompts = math.fsum(map(_of_prompt, calls))
    assert None not in (low, worst, expected) and not summary.missing, summary
    return Guess(expected / prompts - 1, low <= billed <= worst)  # type: ignore[operator]


def _of_prompt(call: CallRow) -> float:
    """What the call's prompt cost, USD."""
    usage = Usage(
        input=call.input_tokens or 0,
        cache_read=call.cache_read_tokens or 0,
        cache_write_5m=call.cache_write_5m_tokens or 0,
        cache_write_1h=call.cache_write_1h_tokens or 0,
    )
    return cost(usage, MODEL, date.fromisoformat(call.started_at[:10])).usd_api or 0.0
