"""The prefix of a commitments pass: what is judged of a conversation, as plain text under one breakpoint."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from bench.contexts.context import Prepared, text_context
from bench.handoff.commitments import INPUT_CHARS, commitments_input
from bench.text import estimate_tokens
from bench.transcripts.model import Message

CHARS_A_TOKEN = 3
"""Of a small model's tokenizer, at the least, over code and logs: what a window of so many tokens surely holds."""
FENCE_DIGITS = 16


def input_room(window: int | None, max_tokens: int, instruction: str) -> int:
    """Characters that the pass is given by a model of that window, at most INPUT_CHARS."""
    if window is None:
        return INPUT_CHARS
    return max(0, min(INPUT_CHARS, (window - max_tokens - estimate_tokens(instruction)) * CHARS_A_TOKEN))


def commitments_context(messages: Sequence[Message], room: int) -> Prepared | None:
    """The context of the pass over what the assistant said, `room` characters at most; None where it said nothing.

    The fence is a hash of what stands between the fences, so the same conversation gives the same bytes, and no text
    can hold its own.
    """
    if not any(m.role == "assistant" and m.spoken.strip() for m in messages):
        return None
    unfenced = commitments_input(messages, fence="-" * FENCE_DIGITS, budget=room)
    fence = hashlib.sha256(unfenced.encode("utf-8", "replace")).hexdigest()[:FENCE_DIGITS]
    return text_context(commitments_input(messages, fence=fence, budget=room))
