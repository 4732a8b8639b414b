"""Cache misses: a prompt that should have been read from cache and was not, and which of its blocks differed.

Forks over one context send the same blocks, so that a miss says: a setting differed, or the server let the entry go.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from bench.models.protocol import Request
from bench.transcripts.model import Usage

HIT_SHARE = 0.9
"""A read of less than this share of what an earlier request of the group held is a miss: servers round to blocks."""


class Held(NamedTuple):
    """A request whose prompt is in the cache: its tokens there, and from when on it can be read (seconds)."""

    request: Request
    tokens: int
    at: float


class CacheWatch:
    """Watches the answers of one run as they come."""

    def __init__(self) -> None:
        self._held: dict[str, Held] = {}
        """Group and context -> the newest request that wrote or read the entry."""

    def miss(self, group: str, request: Request, usage: Usage | None, started: float, began: float) -> str | None:
        """Why the answer to a request was a miss, as far as it can be told; None for a hit, and for the first of all.

        Call it once for each answer, in order. `began`: its first content. Times in seconds.
        """
        if usage is None or not request.cached:
            return None
        key = f"{group} {request.context.sha256}"
        earlier = self._held.get(key)
        held = usage.cache_read + usage.cache_write_5m + usage.cache_write_1h
        if held:
            self._held[key] = Held(request, held, began)
        if earlier is None or earlier.at > started or usage.cache_read >= HIT_SHARE * earlier.tokens:
            return None
        read = f"read {usage.cache_read} tokens from cache where {earlier.tokens} were held"
        differs = difference(earlier.request, request)
        if differs is not None:
            return f"{read}: {differs} differed"
        return f"{read}: no block differed; the server let it go, {started - earlier.at:.0f} s after it was last used"


def difference(a: Request, b: Request) -> str | None:
    """The first part of two prompts' prefixes that differs, in the order in which a cache reads them; None for none."""
    if a.cache_ttl != b.cache_ttl:
        return f"the cache's lifetime ({a.cache_ttl}, {b.cache_ttl})"
    if a.context.sha256 != b.context.sha256:
        mine, other = json.loads(a.context.body), json.loads(b.context.body)
        for part in ("tools", "system", "messages"):
            if mine[part] != other[part]:
                return _first_difference(part, mine[part], other[part])
    if a.schema != b.schema:
        return "the answer's schema, which stands in the system prompt,"
    return f"effort ({a.effort}, {b.effort})" if a.effort != b.effort else None


def _first_difference(part: str, a: object, b: object) -> str:
    if not isinstance(a, Sequence) or not isinstance(b, Sequence) or isinstance(a, str) or isinstance(b, str):
        return part
    blocks = [dict(_blocks(part, side)) for side in (a, b)]
    names = [*blocks[0], *(n for n in blocks[1] if n not in blocks[0])]
    return next((n for n in names if blocks[0].get(n) != blocks[1].get(n)), part)


def _blocks(part: str, entries: Sequence[object]) -> Iterator[tuple[str, object]]:
    """Each block of a list of tools or messages by its place: `messages[3].content[1]`."""
    for i, entry in enumerate(entries):
        match entry:
            case {"role": role, "content": list(content)}:
                yield f"{part}[{i}].role", role
                yield from ((f"{part}[{i}].content[{j}]", block) for j, block in enumerate(content))
            case _:
                yield f"{part}[{i}]", entry
