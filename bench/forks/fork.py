"""Forks: one request each, as a pure description, with the cells that wait for its reply."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from bench.forks.cells import Cell
from bench.models.protocol import Context, Request

PASSES = " commitments"
"""Behind fixture and model in the group of commitments passes."""


class Fork(Struct, frozen=True, kw_only=True):
    """One request and the cells that wait for its reply: a pure description, with the context by its hash."""

    reply_sha256: str
    """Names the reply: a hash of the request, the replicate, and the fixture, so that no two groups write one file."""
    fixture: str
    model: str
    context_sha256: str
    instruction: str
    max_tokens: int
    effort: str | None
    replicate: int
    cells: tuple[Cell, ...]
    compaction: bool = False
    """The server compacts the conversation itself."""
    purpose: Literal["fork", "commitments"] = "fork"

    @property
    def is_pass(self) -> bool:
        """Whether it is a commitments pass, whose reply is a part of its cells' handoffs and not their summary."""
        return self.purpose == "commitments"

    @property
    def group(self) -> str:
        """Whose lock is held for it. Passes have one of their own: forks of several models may share them."""
        return f"{self.fixture}/{self.model}{PASSES if self.is_pass else ''}"

    @property
    def cache_entry(self) -> str:
        """Forks of a group with the same one share an entry of the cache; a changed effort misses."""
        return f"{self.context_sha256} {self.effort}"


def request_of(fork: Fork, context: Context, cache_ttl: Literal["5m", "1h"] = "5m") -> Request:
    """The fork's request over its context."""
    return Request(
        context=context,
        instruction=fork.instruction,
        max_tokens=fork.max_tokens,
        effort=fork.effort,
        cache_ttl=cache_ttl,
        compaction=fork.compaction,
    )
