"""What subscribers are told of a fork, and what a run keeps of their work beside it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from msgspec import Struct

Ended = Literal["ok", "denied", "threw", "timed out"]


class Begun(Struct, frozen=True, kw_only=True):
    """A fork that is being asked, as subscribers are told of it."""

    run: str
    fixture: str
    model: str
    arms: tuple[str, ...]
    """The arms whose outputs are made of its reply."""
    replicate: int
    stale_by: int
    context_sha256: str
    context: bytes
    """The request's prefix as JSON: {"system", "tools", "messages"}, the same bytes that the model is sent."""
    instruction: str


class Beside(Struct, frozen=True, kw_only=True):
    """What came of one subscriber's work beside one fork."""

    name: str
    outcome: Ended
    detail: str | None = None
    seconds: float


def told(beside: Sequence[Beside]) -> str | None:
    """The column of an output's row: `indexer: ok, notes: timed out`; None where nobody worked beside its fork."""
    return ", ".join(f"{one.name}: {one.outcome}" for one in beside) or None
