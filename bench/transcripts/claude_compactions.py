"""The compaction points of a Claude Code session, from its boundary records and summaries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bench.transcripts.assemble import Assembled
from bench.transcripts.claude_records import MICRO, Record
from bench.transcripts.model import Compaction, Message
from bench.transcripts.values import number_of, text_of, texts_of


def compactions(line: Assembled) -> tuple[Compaction, ...]:
    """Every compaction of the main line in order. A summary without a boundary record (older versions) is one too."""
    found: list[Compaction] = []
    used: set[int] = set()
    for n, (record, at) in enumerate(line.marks):
        if record.type.endswith(MICRO):
            found.append(_micro(record, at))
            continue
        until = next((a for r, a in line.marks[n + 1 :] if not r.type.endswith(MICRO)), len(line.messages))
        summary_at = _summary_at(line.messages, at, until)
        used.update(() if summary_at is None else (summary_at,))
        found.append(_full(record, at, summary_at, line))
    for i, message in enumerate(line.messages):
        if message.author == "compaction" and i not in used:
            found.append(Compaction(at=i, summary=message.spoken, summary_at=i, time=message.time, line=message.line))
    return tuple(sorted(found, key=lambda c: (c.at, c.line or 0)))


def _summary_at(messages: Sequence[Message], at: int, until: int) -> int | None:
    """Where the summary of the boundary before message `at` stands: the first one before the model speaks again."""
    for i in range(at, until):
        if messages[i].author == "compaction":
            return i
        if messages[i].role == "assistant":
            return None
    return None


def _full(record: Record, at: int, summary_at: int | None, line: Assembled) -> Compaction:
    preserved = {line.index_of[uuid] for uuid in _preserved(record.details) if uuid in line.index_of}
    return Compaction(
        at=at,
        trigger=text_of(record.details.get("trigger")),
        summary=None if summary_at is None else line.messages[summary_at].spoken,
        summary_at=summary_at,
        preserved=tuple(sorted(i for i in preserved if i < at)),
        tokens_before=number_of(record.details.get("preTokens")),
        tokens_after=number_of(record.details.get("postTokens")),
        time=record.time,
        line=record.line,
    )


def _micro(record: Record, at: int) -> Compaction:
    before, saved = number_of(record.details.get("preTokens")), number_of(record.details.get("tokensSaved"))
    return Compaction(
        at=at,
        kind="micro",
        trigger=text_of(record.details.get("trigger")),
        cleared=texts_of(record.details.get("compactedToolIds")),
        tokens_before=before,
        tokens_after=None if before is None or saved is None else before - saved,
        time=record.time,
        line=record.line,
    )


def _preserved(details: Mapping[str, object]) -> tuple[str, ...]:
    """uuids of the records that stayed in the context word for word."""
    named = details.get("preservedMessages")
    if not isinstance(named, dict):
        return ()
    return texts_of(named.get("allUuids")) or texts_of(named.get("uuids"))
