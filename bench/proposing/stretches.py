"""A transcript as a model reads it for a key: numbered messages in stretches, each between fences of its own. Pure."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bench.text import clip
from bench.transcripts.model import Message, ToolResult

STRETCH_CHARS = 80_000
"""Of one stretch: about 20k tokens, which a model still reads closely."""
MESSAGE_CHARS = 6_000
RESULT_CHARS = 1_500
"""Longest message, and longest tool result, that is shown whole."""
FENCE_DIGITS = 16


@dataclass(frozen=True)
class Stretch:
    """Messages `first` to `last` of the main line as one text, between fences that no line of it can be."""

    first: int
    last: int
    text: str


def stretches(messages: Sequence[Message], room: int = STRETCH_CHARS) -> tuple[Stretch, ...]:
    """The whole conversation in stretches of at most `room` characters each, cut between messages.

    A message that is longer than a stretch stands alone, cut to its room. Messages without text are left out.
    """
    found: list[Stretch] = []
    held: list[tuple[int, str]] = []
    for i, shown in _shown(messages, min(MESSAGE_CHARS, room)):
        if held and sum(len(text) for _, text in held) + len(shown) > room:
            found.append(_stretch(held))
            held = []
        held.append((i, shown))
    return (*found, _stretch(held)) if held else tuple(found)


def _shown(messages: Sequence[Message], chars: int) -> Iterator[tuple[int, str]]:
    for i, message in enumerate(messages):
        text = "\n".join(part for b in message.blocks if (part := _part(message, b)))
        if text.strip():
            head = f"[message {i}, {message.author}]\n"
            yield i, head + clip(text, max(chars - len(head), 1)) + "\n\n"


def _part(message: Message, block: object) -> str:
    if isinstance(block, ToolResult):
        return clip(block.text, RESULT_CHARS)
    alone = Message(role=message.role, author=message.author, blocks=(block,))  # type: ignore[arg-type]
    return alone.text


def _stretch(held: Sequence[tuple[int, str]]) -> Stretch:
    """The fence is a hash of what stands inside, so that the same text gives the same bytes and cannot hold it."""
    inner = "".join(text for _, text in held).rstrip("\n")
    code = hashlib.sha256(inner.encode("utf-8", "replace")).hexdigest()[:FENCE_DIGITS]
    text = (
        f"Messages {held[0][0]} to {held[-1][0]} of a conversation stand between the two lines with the code {code}."
        f"\n\n<<<<< {code}\n{inner}\n{code} >>>>>"
    )
    return Stretch(held[0][0], held[-1][0], text)
