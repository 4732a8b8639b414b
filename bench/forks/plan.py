"""What a sweep will ask and what that may cost, before anything is paid. Pure: counts come in as numbers."""

from __future__ import annotations

import dataclasses
import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from bench.calls.guard import COUNT_FACTOR, COUNT_SLACK_TOKENS
from bench.calls.pricing import Pricing
from bench.contexts.caching import cacheable_tokens
from bench.errors import BenchError
from bench.forks.cells import Cell
from bench.forks.fork import Fork
from bench.forks.grid import Build, Decided
from bench.models.protocol import Count
from bench.text import estimate_tokens
from bench.transcripts.model import Usage

EXPECTED_OUTPUT_TOKENS = 2000
"""A handoff of 8 KB, as the shipped prompts bring them; only the expected cost rests on it, never a cap."""


@dataclass(frozen=True)
class Sized:
    """A fork with its prompt counted and priced. USD; None where the model's price is unknown."""

    fork: Fork
    count: Count
    cached_tokens: int | None
    """Of the prompt, what the group's cache will hold; None where the model's cache is not known."""
    low_usd: float | None
    expected_input_usd: float | None
    expected_usd: float | None
    worst_usd: float | None
    cached: bool = True
    """Whether the prompt is to be cached: in a batch that few others share it would cost more."""
    grading_usd: float | None = 0.0
    """What grading its outputs is expected to cost …"""
    grading_worst_usd: float | None = 0.0
    """… and may cost, all second looks included."""
    later_usd: float = 0.0
    """What the steps of its chains that come after it are expected to cost, grading included; see `with_later`."""

    @property
    def after_worst_usd(self) -> float:
        """What is reserved beside it while it is in flight: grading at its worst, and the steps after it."""
        return (self.grading_worst_usd or 0.0) + self.later_usd

    @property
    def after_usd(self) -> float:
        """What is kept once it is answered."""
        return (self.grading_usd or 0.0) + self.later_usd


@dataclass(frozen=True)
class Plan:
    """Everything that is left to do in a run, and what that may cost."""

    run: str
    asked: tuple[Sized, ...]
    """What needs a call: commitments passes first, then forks."""
    answered: tuple[Fork, ...]
    """Those whose reply is on disk, with cells still to be written."""
    decided: tuple[Decided, ...]
    builds: tuple[Build, ...]
    later: tuple[Sized, ...]
    """Forks of a chain whose step before is not done, a cell each, by estimate …"""
    later_builds: tuple[Build, ...]
    """… and outputs of arms without a model."""
    skipped: Mapping[str, str]
    """Model that cannot be asked here -> why."""
    cells: tuple[Cell, ...]
    """All of the sweep, those that wait for a skipped model aside. Of a tail like another arm only the place counts."""
    done: int
    """How many of them have an outcome already."""
    other_grading_usd: float = 0.0
    """What judging is expected to cost of outputs that are there without a grade, or come without a call."""
    lost: tuple[tuple[Fork, str], ...] = ()
    """Commitments passes that cannot be asked, and why; handoffs are built without them."""
    batched: frozenset[str] = frozenset()
    """Models that are asked through Message Batches."""
    notes: tuple[str, ...] = ()
    """What was repaired to make the contexts, a line each."""

    @property
    def told(self) -> str:
        """How many calls there are to make: `2 forks and 1 commitments pass`."""
        return _told(self.asked)

    @property
    def told_later(self) -> str:
        """How many there are after them; empty where there are none."""
        return _told(self.later) if self.later else ""

    @property
    def groups(self) -> dict[str, list[Sized]]:
        """fixture/model -> its forks to ask, in order."""
        out: dict[str, list[Sized]] = {}
        for sized in self.asked:
            out.setdefault(sized.fork.group, []).append(sized)
        return out

    def total(self, which: str) -> float | None:
        """The sum of one of the forks' costs (`low_usd`, …), later steps included; None where any is unknown."""
        values = [getattr(s, which) for s in (*self.asked, *self.later)]
        return None if None in values else math.fsum(values)


def _told(calls: Sequence[Sized]) -> str:
    passes = sum(s.fork.is_pass for s in calls)
    forks = f"{len(calls) - passes} forks"
    return f"{forks} and {passes} commitments pass{'es' if passes > 1 else ''}" if passes else forks


def with_later(plan: Plan) -> Plan:
    """The plan, each fork with what the later steps of its chains are expected to cost; an unknown price counts 0."""
    after: dict[tuple[object, ...], float] = {}
    for one in plan.later:
        chain = _chain(one.fork.cells[0])
        after[chain] = math.fsum((after.get(chain, 0.0), one.expected_usd or 0.0, one.grading_usd or 0.0))
    asked = (
        s
        if s.fork.is_pass
        else dataclasses.replace(s, later_usd=math.fsum(after.get(_chain(c), 0.0) for c in s.fork.cells))
        for s in plan.asked
    )
    return dataclasses.replace(plan, asked=tuple(asked)) if after else plan


def _chain(cell: Cell) -> tuple[object, ...]:
    return cell.fixture, cell.arm, cell.model, cell.replicate, cell.stale_by


def without_failed(plan: Plan, failures: Collection[str]) -> Plan:
    """The plan without what this start has given up already. `failures`: places of cells."""
    asked = (s for s in plan.asked if not all(str(cell) in failures for cell in s.fork.cells))
    builds = (b for b in plan.builds if str(b.cell()) not in failures)
    return dataclasses.replace(plan, asked=tuple(asked), builds=tuple(builds))


def size(
    forks: Iterable[Fork],
    counts: Mapping[tuple[str, str, str], Count],
    windows: Mapping[str, int | None],
    pricing: Pricing,
) -> tuple[list[Sized], list[Decided]]:
    """The forks priced, and the cells of those that do not fit their model's window.

    `counts`: by (model, context, instruction). The first fork over a context writes the cache, the others read it.
    """
    forks = list(forks)
    sharing = Counter((fork.group, fork.cache_entry) for fork in forks)
    asked: list[Sized] = []
    misfits: list[Decided] = []
    warmed: set[tuple[str, str]] = set()
    for fork in forks:
        count = counts[fork.model, fork.context_sha256, fork.instruction]
        window = windows[fork.model]
        if window is not None and count.tokens + fork.max_tokens > window:
            why = (
                f"{count.tokens} prompt tokens + max_tokens {fork.max_tokens} exceed the window of {window}; "
                "lower max_tokens, or take a model with a larger window"
            )
            misfits += [Decided(cell, "does-not-fit", why) for cell in fork.cells]
            continue
        entry = (fork.group, fork.cache_entry)
        asked.append(sized(fork, count, pricing, warm=entry in warmed, sharing=sharing[entry]))
        warmed.add(entry)
    return asked, misfits


def sized(fork: Fork, count: Count, pricing: Pricing, *, warm: bool, sharing: int = 1) -> Sized:
    """The fork priced; `warm`: an earlier one of its group has written its context into the cache.

    `sharing`: how many forks of its group ask over that context.
    """
    prefix = max(0, count.tokens - estimate_tokens(fork.instruction))
    cached = cacheable_tokens(fork.model, prefix)
    held = cached or 0
    pays = pricing.caching_pays(fork.model, held, sharing)
    if not pays:
        cached = held = 0
    read, written = (held, 0) if warm else (0, held)
    wrote = f"cache_write_{pricing.ttl}"
    asked = Usage(input=count.tokens - held, cache_read=read, **{wrote: written})
    answered = Usage(
        input=asked.input,
        output=min(EXPECTED_OUTPUT_TOKENS, fork.max_tokens),
        cache_read=read,
        **{wrote: written},
    )
    least = max(0, math.floor(count.tokens / COUNT_FACTOR) - COUNT_SLACK_TOKENS)
    return Sized(
        fork=fork,
        count=count,
        cached_tokens=cached,
        low_usd=pricing.cost(Usage(cache_read=least), fork.model).usd_api,
        expected_input_usd=pricing.cost(asked, fork.model).usd_api,
        expected_usd=pricing.cost(answered, fork.model).usd_api,
        worst_usd=pricing.worst(fork.model, count.tokens, fork.max_tokens),
        cached=pays,
    )


def check_budget(asked: Sequence[Sized], budget_usd: float | None, *, no_budget: bool) -> None:
    """Nothing where the forks may be paid for; raises BenchError, before the first call, where they may not.

    A paid model needs a budget or an explicit --no-budget; with a budget, every price must be known.
    """
    for sized in asked:
        model, worst = sized.fork.model, sized.worst_usd
        if budget_usd is None and not no_budget and worst != 0:
            raise BenchError(f"'{model}' is paid for and the sweep has no budget_usd; set it, or use --no-budget")
        if budget_usd is not None and worst is None:
            raise BenchError(f"no price is known for '{model}', so a budget cannot hold; use --no-budget")
