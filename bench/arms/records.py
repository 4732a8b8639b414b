"""Records: what a session's branch is made of when it is cut to a budget; and a transcript as such records."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

from msgspec import Struct

from bench.text import tokens_of_chars
from bench.transcripts.model import Compaction, Message, Text, Transcript

RecordKind = Literal["message", "custom_message", "branch_summary", "hidden", "checkpoint", "compaction", "other"]
PRICED: frozenset[str] = frozenset({"message", "custom_message", "branch_summary", "checkpoint", "compaction"})
"""Kinds that put text of their own into a context; `hidden` and `other` put none."""


class Record(Struct, frozen=True, kw_only=True):
    """One record of a branch, root first. `chars` is the length of the text that it puts into a context."""

    kind: RecordKind
    id: str
    chars: int = 0
    ids: tuple[str, ...] = ()
    """The records that a `hidden` marker hides, or that a `checkpoint` covers (its first and last among them)."""
    first_kept: str | None = None
    """The oldest record that a `compaction` kept where it stands; all older ones left the context."""


class Entry(Struct, frozen=True):
    """A record of a transcript and the message whose text it stands for (of a compaction: its summary)."""

    record: Record
    message: Message


def estimate(record: Record) -> int:
    """Estimated tokens that the record's own text takes: ceil(characters / 4), 0 for kinds without text."""
    return tokens_of_chars(record.chars) if record.kind in PRICED else 0


def entries_of(transcript: Transcript, chars: Callable[[Message], int]) -> list[Entry]:
    """The main line as entries in branch order; `chars` says what a message's text takes.

    A compaction stands after the messages it preserved, which move up to it, so that one "first kept" id tells them
    from those it dropped. Its summary counts once, there. Micro compactions change no record: their messages are whole.
    """
    points = sorted((c for c in transcript.compactions if c.kind == "full"), key=lambda c: c.at)
    summaries = {c.summary_at for c in points}
    entries: list[Entry] = []
    done = 0
    for n, point in enumerate(points):
        entries += _messages(transcript, range(done, point.at), summaries, chars)
        done = max(done, point.at)
        entries = _compacted(entries, point, _summary(transcript, point), f"c{n}", chars)
    return entries + _messages(transcript, range(done, len(transcript.messages)), summaries, chars)


def _messages(
    transcript: Transcript, at: range, summaries: set[int | None], chars: Callable[[Message], int]
) -> list[Entry]:
    chosen = ((i, transcript.messages[i]) for i in at if i not in summaries)
    return [Entry(Record(kind="message", id=f"m{i}", chars=chars(m)), m) for i, m in chosen]


def _compacted(
    entries: Sequence[Entry], point: Compaction, summary: Message, id_: str, chars: Callable[[Message], int]
) -> list[Entry]:
    preserved = {f"m{i}" for i in point.preserved}
    kept = [e for e in entries if e.record.id in preserved]
    dropped = [e for e in entries if e.record.id not in preserved]
    record = Record(kind="compaction", id=id_, chars=chars(summary), first_kept=kept[0].record.id if kept else id_)
    return [*dropped, *kept, Entry(record, summary)]


def _summary(transcript: Transcript, point: Compaction) -> Message:
    if point.summary_at is not None:
        return transcript.messages[point.summary_at]
    text = Text(point.summary or "")
    return Message(role="user", author="compaction", blocks=(text,), time=point.time)
