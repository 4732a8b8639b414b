"""What refreshing a handoff costs, refresh by refresh: an estimate from what the session's own answers were charged.

A refresh at a turn's end is asked over what the turn's last answer was sent, which the cache still holds, and that
answer: so that prompt is read, the answer is written, and the instruction is new. The handoff itself is of a size that
nobody knows before; it is told beside the cost.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from datetime import date
from typing import Literal

from msgspec import Struct

from bench.chains.staleness import Refresh, Replay
from bench.contexts.caching import cacheable_tokens
from bench.errors import BenchError
from bench.models.usage import prompt_tokens
from bench.prices import cost
from bench.pricetable import PriceTable
from bench.transcripts.model import Message, Transcript, Usage

HANDOFF_TOKENS = 2000
"""What a handoff is taken to be long unless told otherwise: 8 KB, as the shipped prompts bring them."""


class RefreshCost(Struct, frozen=True, kw_only=True):
    """One refresh. Tokens and USD at list price; None with the `reason` where something is not known."""

    at: int
    model: str | None
    tokens_source: Literal["reported", "estimated"]
    """Of the prompt: the session's own usage, or characters / 4 of its messages (then without system and tools)."""
    prompt_tokens: int
    cache_read_tokens: int | None = None
    usd: float | None = None
    reason: str | None = None


def refresh_costs(
    transcript: Transcript,
    found: Replay,
    *,
    today: date,
    model: str | None = None,
    instruction_tokens: int = 0,
    handoff_tokens: int = HANDOFF_TOKENS,
    table: PriceTable | None = None,
) -> tuple[RefreshCost, ...]:
    """What each refresh costs.

    `model`: who writes, at the prices of `today`. Without one it is the model of the answer before, at the prices of
    its day (`today` where the session tells none).
    """
    day = today if model else None
    return tuple(
        _cost(transcript.messages, r, day or _day(r.time, today), model, instruction_tokens, handoff_tokens, table)
        for r in found.refreshes
    )


def total_usd(costs: Iterable[RefreshCost]) -> float | None:
    """Their sum; None where any is not known."""
    values = [c.usd for c in costs]
    return None if None in values else math.fsum(v for v in values if v is not None)


def _cost(
    messages: tuple[Message, ...],
    refresh: Refresh,
    when: date,
    model: str | None,
    asked: int,
    written: int,
    table: PriceTable | None,
) -> RefreshCost:
    said = messages[: refresh.at]
    name = model or next((m.model for m in reversed(said) if m.model), None)
    sent, answer, source = _sizes(said)
    row = RefreshCost(at=refresh.at, model=name, tokens_source=source, prompt_tokens=sent + answer + asked)
    if name is None:
        return _with(row, reason="the session names no model; --model gives one")
    held = _cached(name, sent)
    if held is None:
        return _with(row, reason=f"how '{name}' caches is not known")
    written_now = answer if held or _cached(name, sent + answer) else 0
    usage = Usage(
        input=sent - held + answer - written_now + asked, output=written, cache_read=held, cache_write_5m=written_now
    )
    priced = cost(usage, name, when, table=table)
    return _with(row, cache_read=held, usd=priced.usd_api, reason=priced.reason)


def _sizes(said: tuple[Message, ...]) -> tuple[int, int, Literal["reported", "estimated"]]:
    """Tokens of what the newest answer was sent, and of that answer and all behind it."""
    behind = 0
    for message in reversed(said):
        if message.author == "compaction":  # what was sent before it was another conversation
            break
        if message.usage is not None and prompt_tokens(message.usage):
            return prompt_tokens(message.usage), message.usage.output + behind, "reported"
        behind += message.tokens
    return sum(m.tokens for m in said[:-1]), said[-1].tokens if said else 0, "estimated"


def _cached(model: str, tokens: int) -> int | None:
    try:
        return cacheable_tokens(model, tokens)
    except BenchError:  # a session may name what no sweep could ask
        return None


def _with(
    row: RefreshCost, *, cache_read: int | None = None, usd: float | None = None, reason: str | None
) -> RefreshCost:
    return RefreshCost(
        at=row.at,
        model=row.model,
        tokens_source=row.tokens_source,
        prompt_tokens=row.prompt_tokens,
        cache_read_tokens=cache_read,
        usd=usd,
        reason=reason,
    )


def _day(time: str | None, today: date) -> date:
    try:
        return date.fromisoformat((time or "")[:10])
    except ValueError:
        return today
