"""Pins: the turns a person typed, which come back word for word after the handoff."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from bench.transcripts.model import Message, Text
from bench.transcripts.origin import PERSON, origin_of

HEADING = "## What the user typed, word for word"
PREFACE = (
    "The user's own messages of the conversation that this handoff stands for, oldest first, unchanged. "
    "They are the record, not a new request: the handoff above says what has come of them."
)
FENCE_CHAR = "~"
SHORTEST_FENCE = 3


def is_pinnable(message: Message) -> bool:
    """Whether a person typed the message: it has words, it is theirs, and it carries no tool result."""
    return (
        message.role == "user"
        and message.author == "person"
        and bool(message.spoken.strip())
        and not message.tool_results
    )


def pinned(messages: Iterable[Message]) -> tuple[str, ...]:
    """The person's words of every pinnable turn, oldest first.

    Images stay behind, and so does text that the harness hung onto the turn: it comes back by itself.
    """
    return tuple(_typed(m) for m in messages if is_pinnable(m))


def pin_skip_counts(messages: Iterable[Message]) -> dict[str, int]:
    """User turns with words that nobody typed, by what produced them: a filter gone wrong shows as a number."""
    skipped = (
        m.origin or m.author
        for m in messages
        if m.role == "user" and m.author != "person" and m.spoken.strip() and not m.tool_results
    )
    return dict(Counter(skipped))


def pointer(index: int, chars: int) -> str:
    """What stands in place of the `index`-th pinned turn where it is too long to carry."""
    return f"[message {index} of the user, {chars:,} characters, is left out for its size]"


def render_pins(turns: Sequence[str]) -> str:
    """The pinned turns under a heading, each between fences that occur in none of them; empty without turns."""
    if not turns:
        return ""
    fence = _fence(turns)
    blocks = [f"Message {i} of {len(turns)}:\n{fence}\n{turn}\n{fence}" for i, turn in enumerate(turns, 1)]
    return "\n\n".join([HEADING, PREFACE, *blocks])


def _typed(message: Message) -> str:
    own = [b.text for b in message.blocks if isinstance(b, Text) and origin_of(b.text) == PERSON]
    return "\n".join(own) if "".join(own).strip() else message.spoken


def _fence(turns: Iterable[str]) -> str:
    runs = (len(run) for turn in turns for run in re.findall(f"{FENCE_CHAR}+", turn))
    return FENCE_CHAR * max(SHORTEST_FENCE, max(runs, default=0) + 1)
