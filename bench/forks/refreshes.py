"""What a plan tells of a sweep's chain and staleness: steps that ask for nothing; how stale the refresh rule leaves
handoffs, and what it costs."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

from bench.chains.refresh_cost import refresh_costs, total_usd
from bench.chains.staleness import replay, staleness
from bench.fixtures import Fixture
from bench.forks.resolve import Resolved
from bench.text import count, estimate_tokens


def early_notes(resolved: Resolved, today: date) -> Iterator[str]:
    """A line for each step by which nothing of a key is established, and for each fixture under the refresh rule."""
    for fixture in resolved.fixtures:
        empty = [str(n) for n in range(1, len(fixture.cuts) + 1) if not fixture.key_at(n).atoms]
        if empty:
            yield f"{fixture.name}: no fact of the key is established by step {', '.join(empty)}; no recall there"
    yield from _refreshes(resolved, today)


def _refreshes(resolved: Resolved, today: date) -> Iterator[str]:
    if not resolved.by_policy:
        return
    for fixture in resolved.fixtures:
        found = replay(fixture.transcript)
        told = staleness(found)
        end = "no handoff" if found.at_end is None else f"one {found.at_end} messages behind"
        line = f"{fixture.name}: by the refresh rule a compaction at its end finds {end}"
        if told.median is not None and told.without is not None and told.too_stale is not None:
            line += f"; at a random moment {told.median} (median of those that find one), none in"
            line += f" {100 * told.without:.0f} %, too stale in {100 * told.too_stale:.0f} %"
        if not found.timed:
            line += "; its messages tell no times"
        yield line
        yield from _costs(resolved, fixture, today)


def _costs(resolved: Resolved, fixture: Fixture, today: date) -> Iterator[str]:
    """What the refreshes of each model cost, with the instruction of the sweep's first prompt."""
    asking = next((a for a in resolved.arms if a.arm.asks_model), None)
    if asking is None:
        return
    found = replay(fixture.transcript)
    for model in resolved.sweep.models:
        costs = refresh_costs(
            fixture.transcript,
            found,
            today=today,
            model=model,
            instruction_tokens=estimate_tokens(asking.instruction),
            table=resolved.prices,
        )
        usd = total_usd(costs)
        why = next((c.reason for c in costs if c.reason), None)
        spent = f"cost not known: {why}" if usd is None else f"about ${usd:.4f}"
        yield f"{fixture.name}: refreshed {count(len(costs), 'time')} over the session by {model}, {spent}"
