"""The entries of a pi session file (versions 1 to 3, and its forks), and the branch of them that a leaf ends.

Version 1 is a flat list without ids: each entry follows the one before, and a compaction counts where its first kept
entry stands. Later versions are a tree of ids. Forks drift: entries without ids stand amid those with, and parents are
named that the file does not hold; both then follow what stands before them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, BinaryIO

from msgspec import UNSET, Struct

from bench.transcripts.lines import read_lines
from bench.transcripts.model import Unread
from bench.transcripts.values import number_of, text_of, texts_of

HEADER = "session"
LEAF = "leaf"
"""An entry that moves the end of the conversation to another one."""


class PiMessage(Struct):
    """What is used of an entry's message. The rest (`details`, a provider's payload) repeats it, often larger."""

    role: Any = None
    content: Any = None
    model: Any = None
    usage: Any = None
    stopReason: Any = None
    toolCallId: Any = None
    isError: Any = None
    attribution: Any = None
    command: Any = None
    output: Any = None
    exitCode: Any = None
    cancelled: Any = None
    excludeFromContext: Any = None
    customType: Any = None
    summary: Any = None


class PiLine(Struct):
    """What is used of a line, under its names in the file."""

    type: Any = None
    id: Any = None
    parentId: Any = UNSET
    timestamp: Any = None
    version: Any = None
    cwd: Any = None
    message: PiMessage | list[Any] | str | int | float | bool | None = None
    summary: Any = None
    firstKeptEntryId: Any = None
    firstKeptEntryIndex: Any = None
    tokensBefore: Any = None
    fromHook: Any = None
    customType: Any = None
    content: Any = None
    attribution: Any = None
    targetId: Any = None
    systemPrompt: Any = None
    recordIds: Any = None
    coversRecordIds: Any = None
    firstRecordId: Any = None
    lastRecordId: Any = None
    text: Any = None


class Entry(Struct, frozen=True, kw_only=True):
    """One entry. `index` counts the file's entries from 0, the header among them, as version 1 does."""

    index: int
    line: int
    kind: str
    id: str | None
    data: PiLine
    message: PiMessage | None = None
    """Of an entry of the kind 'message' that holds one."""

    @property
    def counted_as(self) -> str:
        """The entry's name in the counts of records: 'message:<role>' for messages."""
        return self.kind if self.message is None else f"message:{text_of(self.message.role) or '(none)'}"

    @property
    def covers(self) -> tuple[str, ...]:
        """The entries whose place a checkpoint's text takes: those it names, the first and the last of its range."""
        if self.kind != "compact_checkpoint":
            return ()
        ends = (text_of(self.data.firstRecordId), text_of(self.data.lastRecordId))
        return tuple(dict.fromkeys((*texts_of(self.data.coversRecordIds), *filter(None, ends))))

    @property
    def hides(self) -> tuple[str, ...]:
        """The entries that a marker hides."""
        return texts_of(self.data.recordIds) if self.kind == "hidden_range" else ()


class Tree:
    """The entries of one file as trees, by their indices in file order; the header stands outside."""

    def __init__(self, entries: Sequence[Entry]) -> None:
        self.entries = entries
        self._index = {e.id: e.index for e in entries if e.id and e.kind != HEADER}
        self.parents = self._parents()
        self.children: dict[int, list[int]] = {}
        for i, parent in self.parents.items():
            if parent is not None:
                self.children.setdefault(parent, []).append(i)

    def branch(self, leaf: str | None = None) -> list[Entry]:
        """The entries from the root to the newest leaf, or to the newest leaf at or below the one that `leaf` names.

        Nothing where no entry has that id.
        """
        named = None if leaf is None else self._index.get(leaf)
        at = self._newest() if leaf is None else None if named is None else self._below(named)
        path: list[int] = []
        seen: set[int] = set()
        while at is not None and at not in seen:
            seen.add(at)
            path.append(at)
            at = self.parents[at]
        return [self.entries[i] for i in reversed(path)]

    def others(self, branch: Sequence[Entry]) -> list[list[Entry]]:
        """What hangs beside the branch: for each place where it was left, all below, in file order."""
        seen = {e.index for e in branch}
        found = []
        # what only a ring of parents leads to has no root, and comes last
        roots = [i for i, parent in self.parents.items() if parent is None or parent in seen]
        for root in (*roots, *self.parents):
            below: list[int] = []
            stack = [root]
            while stack:
                at = stack.pop()
                if at not in seen:
                    seen.add(at)
                    below.append(at)
                    stack += self.children.get(at, ())
            if below:
                found.append([self.entries[i] for i in sorted(below)])
        return found

    def first_kept(self, compaction: Entry) -> int | None:
        """Index of the oldest entry that a compaction kept; None where it names none that the file holds."""
        counted = number_of(compaction.data.firstKeptEntryIndex)
        if counted is not None:
            return counted if 0 < counted < len(self.entries) else None
        named = text_of(compaction.data.firstKeptEntryId)
        return self._index.get(named) if named else None

    def target(self, entry: Entry) -> int | None:
        """Index of the entry that a label or a leaf points at."""
        named = text_of(entry.data.targetId)
        return self._index.get(named) if named else None

    def _parents(self) -> dict[int, int | None]:
        parents: dict[int, int | None] = {}
        nameless: dict[int, int] = {}
        before: int | None = None
        for e in self.entries:
            if e.kind == HEADER:
                continue
            named = e.data.parentId
            found = self._index.get(named) if isinstance(named, str) else None
            if found is None or found == e.index:
                # null says that it has none; a lost or unnamed one follows what stands before it
                found = None if named is None else before
            while found in nameless:
                # nothing can name an entry without an id, so the next one behind its parent goes on from it
                found = nameless.pop(found)
            parents[e.index] = found
            if e.id is None and found is not None and found == before:
                nameless[found] = e.index
            before = e.index
        return parents

    def _newest(self) -> int | None:
        """The last entry of the file, or what a leaf entry there points at."""
        last = next(reversed(self.parents), None)
        if last is not None and self.entries[last].kind == LEAF:
            target = self.target(self.entries[last])
            return last if target is None else target
        return last

    def _below(self, at: int) -> int:
        seen = {at}
        while below := [c for c in self.children.get(at, ()) if c not in seen]:
            at = max(below)
            seen.add(at)
        return at


def read_entries(stream: BinaryIO, unread: list[Unread]) -> list[list[Entry]]:
    """The entries of each session in file order; a header with another id begins another session.

    A message entry without a message is named in `unread` and stays.
    """
    sessions: list[list[Entry]] = [[]]
    headed: str | None = None
    for number, data in read_lines(stream, PiLine, unread):
        kind, id_ = text_of(data.type) or "(none)", text_of(data.id)
        if kind == HEADER:
            if headed and id_ != headed:
                sessions.append([])
            headed = id_ or headed
        message = data.message if kind == "message" and isinstance(data.message, PiMessage) else None
        if kind == "message" and message is None:
            unread.append(Unread(number, "a message entry without a message"))
        entry = Entry(index=len(sessions[-1]), line=number, kind=kind, id=id_, data=data, message=message)
        sessions[-1].append(entry)
    return sessions
