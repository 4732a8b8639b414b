"""Where a conversation was begun anew: handoffs that stand in it, and the harness's own summaries."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

from msgspec import Struct

from bench.handoff.lineage import Lineage, handoff_lineage_of
from bench.transcripts.model import Message
from bench.transcripts.origin import origin_of


class Opener(Struct, frozen=True, kw_only=True):
    """What a compaction left at the head of a new window. `n`: by the lineage of a handoff, else counted.

    `chars`: None where the file does not hold its text.
    """

    kind: Literal["handoff", "stock"]
    index: int
    n: int
    chars: int | None


class PriorHandoff(Struct, frozen=True):
    """The handoff that a conversation goes on from: its message, and its lineage."""

    index: int
    lineage: Lineage


def openers_in(messages: Sequence[Message]) -> tuple[Opener, ...]:
    """Every opener of the messages, in order."""
    found: list[Opener] = []
    for kind, index, lineage in _openers(messages):
        n = lineage.n if lineage is not None else len(found) + 1
        found.append(Opener(kind=kind, index=index, n=n, chars=len(messages[index].spoken)))
    return tuple(found)


def prior_handoff_in(messages: Sequence[Message]) -> PriorHandoff | None:
    """The newest handoff in the messages; None where there is none. A handoff that is only quoted is none."""
    return next(
        (PriorHandoff(i, lineage) for i in reversed(range(len(messages))) if (lineage := lineage_in(messages[i]))), None
    )


def lineage_in(message: Message) -> Lineage | None:
    """The lineage of a message that is a handoff; a message that carries tool results is none."""
    return None if message.tool_results else handoff_lineage_of(message.spoken)


def _openers(messages: Sequence[Message]) -> Iterator[tuple[Literal["handoff", "stock"], int, Lineage | None]]:
    for index, message in enumerate(messages):
        lineage = lineage_in(message)
        if lineage is not None:
            yield "handoff", index, lineage
        elif message.role == "user" and not message.tool_results and _is_summary(message):
            yield "stock", index, None


def _is_summary(message: Message) -> bool:
    return message.author == "compaction" or origin_of(message.spoken) == "continuation"
