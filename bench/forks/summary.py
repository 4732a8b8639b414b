"""What a run came to: cells by outcome, money, how well the cache was used, and what is missing."""

from __future__ import annotations

import dataclasses
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.calls.exits import EXIT_BUDGET, EXIT_DONE, EXIT_FAILED, EXIT_INTERRUPTED, MOST_NAMED, gravest
from bench.calls.journal import Finished
from bench.calls.money import Money
from bench.calls.pricing import Pricing
from bench.errors import shown
from bench.grading.results import GraderResult
from bench.rows import CallRow
from bench.text import printable
from bench.transcripts.model import Usage


@dataclass(frozen=True)
class CacheUse:
    """How the forks' prompts were charged. Tokens and USD; USD None where a price is unknown."""

    calls: int = 0
    writes: int = 0
    """Calls that wrote a cache entry."""
    reads: int = 0
    """Calls that read one."""
    prompt_tokens: int = 0
    read_tokens: int = 0
    input_usd: float | None = 0.0
    floor_usd: float | None = 0.0
    """One write of each context and reads of it ever after."""

    @property
    def hit_share(self) -> float | None:
        """Share of the prompt tokens that were read from cache; None without calls."""
        return self.read_tokens / self.prompt_tokens if self.prompt_tokens else None


@dataclass(frozen=True)
class RunSummary:
    """What a run came to. `str()` gives the lines a person reads."""

    run: str
    folder: Path
    cells: int
    """Cells of the sweep, those of models that cannot be asked here aside."""
    done_before: int
    outcomes: Mapping[str, int]
    missing: tuple[str, ...]
    """Cells without an outcome."""
    failures: Mapping[str, str]
    """Cell -> why it has none."""
    skipped: Mapping[str, str]
    """Model -> why it could not be asked."""
    stopped: str | None
    by_budget: bool
    interrupted: bool
    money: Money
    cache: CacheUse
    expected_usd: float | None
    """What the plan expected those calls of this start to cost that were answered …"""
    billed_usd: float | None
    """… and what they did cost; None where a price is unknown."""
    misses: tuple[str, ...] = ()
    """Forks that should have read the cache and did not, and why."""
    grading: tuple[GraderResult, ...] = ()
    """What its graders came to; empty where nothing was to be graded."""

    @property
    def exit_status(self) -> int:
        """0 complete, 1 finished with failed cells or missing grades, 3 stopped by the cap, 130 interrupted."""
        if self.interrupted:
            return EXIT_INTERRUPTED
        if self.by_budget and self.missing:
            return EXIT_BUDGET
        return gravest([EXIT_FAILED if self.missing else EXIT_DONE, *(g.exit_status for g in self.grading)])

    def as_json(self) -> dict[str, object]:
        """All of it in plain values, with its exit status."""
        return {**dataclasses.asdict(self), "folder": str(self.folder), "exit_status": self.exit_status}

    def lines(self) -> list[str]:
        """The summary, a line each."""
        out = [f"{self.run}: {self._counted()}"]
        if self.stopped is not None:
            out.append(f"stopped: {self.stopped}")
        out += [f"skipped {model}: {why}" for model, why in self.skipped.items()]
        out += self._missing()
        if self.cache.calls:
            out += [self._spent(), self._cached(), *self._missed()]
        if self.expected_usd and self.billed_usd is not None:
            off = 100 * (self.billed_usd / self.expected_usd - 1)
            out.append(f"estimate: ${self.expected_usd:.4f} expected, ${self.billed_usd:.4f} billed ({off:+.0f} %)")
        out += [line for result in self.grading if result.asks for line in result.lines()]
        out += [note for result in self.grading if not result.asks for note in result.notes]
        return [printable(line) for line in out]

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def _counted(self) -> str:
        there = self.cells - len(self.missing)
        kinds = ", ".join(f"{n} {outcome}" for outcome, n in sorted(self.outcomes.items(), key=lambda kv: -kv[1]))
        before = f"; {self.done_before} were there before" if self.done_before else ""
        return f"{there} of {self.cells} cells done ({kinds or 'none'}){before}, in {shown(self.folder)}"

    def _missing(self) -> list[str]:
        if not self.missing:
            return []
        out = [f"missing: {len(self.missing)} cells; start the sweep again to run just these"]
        for cell in self.missing[:MOST_NAMED]:
            why = self.failures.get(cell)
            out.append(f"  {cell}{f': {why}' if why else ''}")
        more = len(self.missing) - MOST_NAMED
        return [*out, f"  and {more} more"] if more > 0 else out

    def _spent(self) -> str:
        money = self.money
        out = f"spent: ${money.spent_usd:.4f} (list prices)"
        if money.unpriced_calls:
            out += f", {money.unpriced_calls} calls without a known price"
        if money.possibly_calls:
            out += f"; possibly billed: {money.possibly_calls} calls, at most ${money.possibly_usd:.4f}"
        return out

    def _cached(self) -> str:
        use = self.cache
        out = f"cache: {use.writes} writes, {use.reads} reads in {use.calls} forks"
        if use.hit_share is not None:
            out += f", {100 * use.hit_share:.0f} % of the prompt tokens read from it"
        if use.input_usd and use.floor_usd is not None:
            out += f"; input ${use.input_usd:.4f}, at least possible ${use.floor_usd:.4f}"
        return out

    def _missed(self) -> list[str]:
        more = len(self.misses) - MOST_NAMED
        named = [f"cache miss: {told}" for told in self.misses[:MOST_NAMED]]
        return [*named, f"  and {more} more"] if more > 0 else named


def cache_use(calls: Iterable[Finished], pricing: Pricing) -> CacheUse:
    """How the prompts of answered forks were charged, against the floor of their groups."""
    groups: dict[tuple[str, str, str | None], list[Finished]] = {}
    for finished in (c for c in calls if c.call.purpose == "fork"):
        entry = (finished.call.model, finished.context_sha256, finished.reply.effort)
        groups.setdefault(entry, []).append(finished)
    uses = [_group_use([f.call for f in members], pricing) for members in groups.values()]
    return CacheUse(
        calls=sum(u.calls for u in uses),
        writes=sum(u.writes for u in uses),
        reads=sum(u.reads for u in uses),
        prompt_tokens=sum(u.prompt_tokens for u in uses),
        read_tokens=sum(u.read_tokens for u in uses),
        input_usd=_total(u.input_usd for u in uses),
        floor_usd=_total(u.floor_usd for u in uses),
    )


def _group_use(calls: Sequence[CallRow], pricing: Pricing) -> CacheUse:
    """One context's calls. The floor's entry is as large as the largest that any of them wrote or read."""
    usages = [_usage(c) for c in calls]
    billing = calls[0].billing or "direct"
    wrote = "cache_write_1h" if billing == "batch" else "cache_write_5m"
    prompts = [u.input + u.cache_read + u.cache_write_5m + u.cache_write_1h for u in usages]
    entry = max(u.cache_read + u.cache_write_5m + u.cache_write_1h for u in usages)
    asked: list[float | None] = []
    floor: list[float | None] = []
    for i, (call, usage, prompt) in enumerate(zip(calls, usages, prompts, strict=True)):
        held = min(entry, prompt)
        best = Usage(input=prompt - held, cache_read=held if i else 0, **{wrote: 0 if i else held})
        asked.append(pricing.cost(usage, call.model, call.started_at, billing=call.billing).usd_api)
        floor.append(pricing.cost(best, call.model, call.started_at, billing=billing).usd_api)
    return CacheUse(
        calls=len(calls),
        writes=sum(u.cache_write_5m + u.cache_write_1h > 0 for u in usages),
        reads=sum(u.cache_read > 0 for u in usages),
        prompt_tokens=sum(prompts),
        read_tokens=sum(u.cache_read for u in usages),
        input_usd=_total(asked),
        floor_usd=_total(floor),
    )


def _usage(call: CallRow) -> Usage:
    """The input side of a call's usage."""
    return Usage(
        input=call.input_tokens or 0,
        cache_read=call.cache_read_tokens or 0,
        cache_write_5m=call.cache_write_5m_tokens or 0,
        cache_write_1h=call.cache_write_1h_tokens or 0,
    )


def _total(values: Iterable[float | None]) -> float | None:
    known = list(values)
    return None if None in known else math.fsum(v for v in known if v is not None)


def tally(outcomes: Iterable[str]) -> dict[str, int]:
    """Outcome -> how many."""
    return dict(Counter(outcomes))
