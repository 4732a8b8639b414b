"""What the model saw: the context at a compaction, out of a main line that holds the whole history."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from bench.errors import BenchError
from bench.transcripts.model import Block, Compaction, Message, Text, ToolResult, Transcript

CLEARED = "[Old tool result content cleared]"
"""What a micro-compaction leaves in the place of a result."""


def full_compactions(transcript: Transcript) -> tuple[Compaction, ...]:
    """The compactions that wrote a new context; micro ones only cleared tool results."""
    return tuple(c for c in transcript.compactions if c.kind == "full")


def told_compactions(compactions: Sequence[Compaction]) -> str:
    """How many of which kind, in words: "2", or "2 full, 1 micro (7 tool results cleared, nothing summed up)"."""
    micro = [c for c in compactions if c.kind == "micro"]
    full = len(compactions) - len(micro)
    if not micro:
        return str(full)
    cleared = sum(len(c.cleared) for c in micro)
    return f"{full} full, {len(micro)} micro ({cleared} tool results cleared, nothing summed up)"


def seen_at(transcript: Transcript, k: int | None = None) -> Transcript:
    """The conversation as the model had it at its k-th compaction (1-based), or at the end of the session.

    The summary of the compaction before, the messages that this one kept word for word, and all after; results that
    were cleared meanwhile stand as `CLEARED`. Raises BenchError where there is no k-th compaction.
    """
    fulls = full_compactions(transcript)
    end = _end(transcript, fulls, k)
    earlier = _earlier(transcript, k)
    indices = list(range(end))
    if before := [c for c in earlier if c.kind == "full"]:
        last = before[-1]
        summary = [] if last.summary_at is None else [last.summary_at]
        indices = [*summary, *last.preserved, *(i for i in range(last.at, end) if i != last.summary_at)]
    cleared = {call for c in earlier for call in c.cleared}
    messages = tuple(_cleared(transcript.messages[i], cleared) for i in indices)
    return replace(transcript, messages=messages, sides=(), compactions=(), counted=None)


def summary_indices(transcript: Transcript) -> set[int]:
    """The messages of the main line that are a harness's own summary."""
    return {c.summary_at for c in full_compactions(transcript) if c.summary_at is not None}


def stretch(transcript: Transcript, start: int, end: int) -> tuple[Message, ...]:
    """The main line from `start` up to `end` as the model had it then, without the summaries that its harness wrote.

    Results that were cleared by `end` stand as `CLEARED`.
    """
    cleared = {call for c in transcript.compactions if c.at <= end for call in c.cleared}
    summaries = summary_indices(transcript)
    return tuple(_cleared(transcript.messages[i], cleared) for i in range(start, end) if i not in summaries)


def whole_until(transcript: Transcript, k: int | None = None) -> Transcript:
    """The whole history up to the k-th compaction (or the end), with the compactions before it.

    Raises BenchError where there is no k-th compaction.
    """
    end = _end(transcript, full_compactions(transcript), k)
    return replace(
        transcript, messages=transcript.messages[:end], sides=(), compactions=_earlier(transcript, k), counted=None
    )


def _earlier(transcript: Transcript, k: int | None) -> tuple[Compaction, ...]:
    """The compactions of either kind before the k-th full one; all of them where k is None."""
    if k is None:
        return transcript.compactions
    this = full_compactions(transcript)[k - 1]
    return transcript.compactions[: next(i for i, c in enumerate(transcript.compactions) if c is this)]


def _end(transcript: Transcript, fulls: tuple[Compaction, ...], k: int | None) -> int:
    if k is None:
        return len(transcript.messages)
    if not 1 <= k <= len(fulls):
        there = f"has {len(fulls)}" if fulls else "has none"
        raise BenchError(f"there is no compaction {k}: the session {there}")
    return fulls[k - 1].at


def _cleared(message: Message, cleared: set[str]) -> Message:
    if not cleared or not any(isinstance(b, ToolResult) and b.tool_use_id in cleared for b in message.blocks):
        return message
    blocks: tuple[Block, ...] = tuple(
        replace(b, content=(Text(CLEARED),)) if isinstance(b, ToolResult) and b.tool_use_id in cleared else b
        for b in message.blocks
    )
    return replace(message, blocks=blocks)
