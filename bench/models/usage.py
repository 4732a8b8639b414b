"""Usage as the wire reports it, as the bench's one `Usage`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal

from bench.transcripts.model import Usage

Ttl = Literal["5m", "1h"]


def usage_of(raw: Mapping[str, object] | None, ttl: Ttl = "5m") -> Usage | None:
    """The usage of one request; None where the server reported nothing.

    With server-side compaction the top-level counters leave its pass out, so the sum over `iterations` counts instead.
    `ttl`: the lifetime asked for, which writes without a split belong to.
    """
    if raw is None:
        return None
    passes = passes_of(raw, ttl)
    return add_usage(passes) if passes else None


def passes_of(raw: Mapping[str, object], ttl: Ttl = "5m") -> tuple[Usage, ...]:
    """The usage of each sampling pass: the entries of `iterations`, else the request; () where nothing is told."""
    iterations = raw.get("iterations")
    entries = [e for e in iterations if isinstance(e, Mapping)] if isinstance(iterations, list) else []
    found = (_one(entry, ttl) for entry in entries or [raw])
    return tuple(u for u in found if u is not None)


def add_usage(parts: Iterable[Usage]) -> Usage:
    """The sum, class by class."""
    total = Usage()
    for u in parts:
        total = Usage(
            input=total.input + u.input,
            output=total.output + u.output,
            cache_read=total.cache_read + u.cache_read,
            cache_write_5m=total.cache_write_5m + u.cache_write_5m,
            cache_write_1h=total.cache_write_1h + u.cache_write_1h,
        )
    return total


def prompt_tokens(usage: Usage) -> int:
    """What the request's prompt was charged as: input, cache writes and cache reads together."""
    return usage.input + usage.cache_read + usage.cache_write_5m + usage.cache_write_1h


def _one(raw: Mapping[str, object], ttl: Ttl) -> Usage | None:
    if not any(_is_count(raw.get(name)) for name in ("input_tokens", "output_tokens")):
        return None
    split = raw.get("cache_creation")
    split = split if isinstance(split, Mapping) else {}
    writes = {lifetime: _count(split.get(f"ephemeral_{lifetime}_input_tokens")) for lifetime in ("5m", "1h")}
    # the split comes only with the start of a stream; what the total holds beyond it is of the lifetime asked for
    writes[ttl] += max(0, _count(raw.get("cache_creation_input_tokens")) - sum(writes.values()))
    return Usage(
        input=_count(raw.get("input_tokens")),
        output=_count(raw.get("output_tokens")),
        cache_read=_count(raw.get("cache_read_input_tokens")),
        cache_write_5m=writes["5m"],
        cache_write_1h=writes["1h"],
    )


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _count(value: object) -> int:
    """The counter, 0 where a server leaves it out (all but input and output may be absent)."""
    return value if isinstance(value, int) and _is_count(value) else 0
