"""Gemini CLI session files: one JSON document, or JSON Lines that are a log of changes to one.

In the log a message is written whole each time that it grows (the last version counts, at the first one's place),
`$rewindTo` takes back a message and all after it, and `$set` replaces facts of the session. A `$set` of messages is
what the model was sent from then on, not what was said: after a compression it begins with the summary.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from bench.transcripts.conversation import Conversation
from bench.transcripts.gemini_turns import calls_in, said, snapshot_in, turn_of, words
from bench.transcripts.head import Head, read_head
from bench.transcripts.lines import BUFFER_BYTES, TOO_DEEP, read_lines
from bench.transcripts.model import Compaction, Counts, Side, Transcript, Unread
from bench.transcripts.values import dict_of, dicts_of, text_of, texts_of

NAME = "gemini-cli"
COMPRESSED = re.compile(r"compressed from:? (\d+) to (\d+) tokens")
"""What an info record says of a compression, with the tokens before and after."""

Json = dict[str, object]


@dataclass
class Slot:
    """A message in its newest version, or (without a record) a compression."""

    line: int
    record: Json | None = None
    summary: str | None = None
    before: int | None = None
    after: int | None = None
    kept: set[tuple[str, str]] = field(default_factory=set)
    """Who said what of the messages that the model was still sent."""


class GeminiCli:
    """The reader of Gemini CLI's session files."""

    name = NAME
    told = "Gemini CLI session (JSON or JSONL)"

    def detect(self, head: Head) -> bool:
        """Whether the document, or one of the first lines, is of Gemini CLI."""
        if isinstance(head.document, dict) and "messages" in head.document:
            return {"sessionId", "projectHash"} <= set(head.document)
        return any({"sessionId", "projectHash"} <= set(r) or "$rewindTo" in r or "$set" in r for r in head.records)

    def read(self, path: Path) -> list[Transcript]:
        """The one session of the file."""
        unread: list[Unread] = []
        log = Log(unread)
        document = read_head(path).document
        if isinstance(document, dict) and "messages" in document:
            log.facts.update({k: v for k, v in document.items() if k != "messages"})
            messages = document["messages"] if isinstance(document["messages"], list) else []
            log.replay(enumerate(messages, start=1))
        else:
            with path.open("rb", buffering=BUFFER_BYTES) as stream:
                log.replay(read_lines(stream, dict, unread))
        return [_transcript(log, unread)]


class Log:
    """The changes played through: the messages that stand, and those that were taken back."""

    def __init__(self, unread: list[Unread]) -> None:
        self.facts: Json = {}
        self.slots: dict[str, Slot] = {}
        self.undone: list[list[Slot]] = []
        self.records: Counter[str] = Counter()
        self._unread = unread

    def replay(self, changes: Iterable[tuple[int, object]]) -> None:
        """Take in every change, with the line that it stands on."""
        for line, change in changes:
            if isinstance(change, dict):
                self._take(line, change)
            else:
                self._unread.append(Unread(line, "no message: it is no object"))

    def _take(self, line: int, change: Json) -> None:
        rewind, patch = change.get("$rewindTo"), change.get("$set")
        kind = text_of(change.get("type"))
        name = "$rewindTo" if isinstance(rewind, str) else "$set" if isinstance(patch, dict) else kind or "metadata"
        self.records[name] += 1
        if isinstance(rewind, str):
            self._rewind(line, rewind)
        elif isinstance(patch, dict):
            self._set(line, patch)
        elif kind is None:
            self._set(line, change)
        elif kind in ("user", "gemini"):
            slot = self.slots.setdefault(text_of(change.get("id")) or f"line-{line}", Slot(line))
            slot.record = change
        elif tokens := COMPRESSED.search(words(change.get("content"))):
            point = self._compression(line)
            point.before, point.after = int(tokens[1]), int(tokens[2])

    def _set(self, line: int, patch: Json) -> None:
        self.facts.update({k: v for k, v in patch.items() if k != "messages"})
        sent = dicts_of(patch.get("messages"))
        summary = next((text for m in sent if (text := snapshot_in(m))), None)
        if summary is not None:
            point = self._compression(line)
            point.summary, point.kept = summary, {said(m) for m in sent if not snapshot_in(m)}
        elif not self.slots and sent:
            # the header of a log may carry the messages that were there already
            self.replay((line, m) for m in sent)

    def _compression(self, line: int) -> Slot:
        """The compression that the newest slot is, or a new one: note and replaced messages come in either order."""
        newest = next(reversed(self.slots.values()), None)
        if newest is not None and newest.record is None:
            return newest
        return self.slots.setdefault(f"compression-{line}", Slot(line))

    def _rewind(self, line: int, to: str) -> None:
        names = list(self.slots)
        if to not in self.slots:
            self._unread.append(Unread(line, "goes back to a message that the file does not hold"))
            return
        self.undone.append([self.slots.pop(name) for name in names[names.index(to) :]])


def _transcript(log: Log, unread: list[Unread]) -> Transcript:
    by_agent = log.facts.get("kind") == "subagent"
    line = _conversation(log.slots.values(), unread, by_agent=by_agent).finish()
    undone = (_conversation(slots, unread, by_agent=by_agent).finish().messages for slots in log.undone)
    sides = (Side(kind="branch", id=m[0].id or f"line-{m[0].line}", messages=m) for m in undone if m)
    return Transcript(
        format=NAME,
        messages=line.messages,
        sides=tuple(sides),
        compactions=line.compactions,
        unread=tuple(sorted(unread, key=lambda u: u.line)),
        records=dict(log.records),
        session_id=text_of(log.facts.get("sessionId")),
        cwd=next(iter(texts_of(log.facts.get("directories"))), None),
        counted=_counts(list(_records(log))),
    )


def _conversation(slots: Iterable[Slot], unread: list[Unread], *, by_agent: bool) -> Conversation:
    conversation = Conversation()
    keys: dict[tuple[str, str], int] = {}
    for key, slot in enumerate(slots):
        if slot.record is None:
            point = Compaction(
                at=0, summary=slot.summary, tokens_before=slot.before, tokens_after=slot.after, line=slot.line
            )
            # the results of a kept answer stand in the answer's own record
            kept = [keys[name] for name in slot.kept if name in keys]
            conversation.compact(point, key, kept=(*kept, *(-k - 1 for k in kept)))
            continue
        try:
            turn, results = turn_of(slot.record, key, slot.line, by_agent=by_agent)
        except RecursionError:
            unread.append(Unread(slot.line, TOO_DEEP))
            continue
        if turn is not None:
            keys[said(slot.record)] = key
            conversation.add(turn)
        for result in results:
            conversation.answer(result, -key - 1, time=text_of(slot.record.get("timestamp")), line=slot.line)
    return conversation


def _records(log: Log) -> Iterator[Json]:
    every: Sequence[Slot] = [*log.slots.values(), *(slot for slots in log.undone for slot in slots)]
    return (slot.record for slot in every if slot.record is not None)


def _counts(records: Sequence[Json]) -> Counts:
    typed = [r for r in records if r.get("type") == "user"]
    answers = [r for r in records if r.get("type") == "gemini"]
    calls = {use.id for n, r in enumerate(answers) for use in calls_in(dict_of(r), n)}
    return Counts(
        user=sum(turn is not None for turn, _ in (turn_of(r, 0, 0, by_agent=False) for r in typed)),
        assistant=len(answers),
        tool_calls=len(calls),
    )
