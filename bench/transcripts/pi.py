"""pi session files (JSON Lines, versions 1 to 3) and those of its forks: the reader.

lines -> entries -> the branch of a leaf -> turns and compactions; each step is a module of its own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from msgspec.structs import replace

from bench.errors import BenchError
from bench.transcripts.conversation import Conversation
from bench.transcripts.head import Head
from bench.transcripts.lines import BUFFER_BYTES
from bench.transcripts.model import Compaction, Counts, Side, Transcript, Unread
from bench.transcripts.pi_entries import HEADER, Entry, Tree, read_entries
from bench.transcripts.pi_turns import say
from bench.transcripts.values import dicts_of, number_of, text_of

NAME = "pi"
HIDDEN = "hidden-range"
"""Trigger of the micro compaction that a marker of hidden entries is."""


class Pi:
    """The reader of pi's session files."""

    name = NAME
    told = "pi session (JSONL, also oh-my-pi and OpenClaw)"

    def detect(self, head: Head) -> bool:
        """Whether one of the head's records is a pi header: a session with an id and a time or version."""
        return any(
            r.get("type") == HEADER and isinstance(r.get("id"), str) and ("version" in r or "timestamp" in r)
            for r in head.records
        )

    def read(self, path: Path) -> list[Transcript]:
        """The sessions of the file, each along the branch to its newest leaf."""
        unread: list[Unread] = []
        first, *others = [_transcript(entries, None) for entries in read_file(path, unread)]
        return [replace(first, unread=tuple(unread)), *others]

    def read_branch(self, path: Path, leaf: str) -> Transcript:
        """The session that holds `leaf`, along the branch to it. Raises BenchError where none holds it."""
        unread: list[Unread] = []
        entries = _holding(path, read_file(path, unread), leaf)
        return replace(_transcript(entries, leaf), unread=tuple(unread))


def read_file(path: Path, unread: list[Unread]) -> list[list[Entry]]:
    """The entries of each session of the file; what could not be read goes to `unread`."""
    with path.open("rb", buffering=BUFFER_BYTES) as stream:
        return read_entries(stream, unread)


def branch_in(path: Path, leaf: str | None = None) -> tuple[list[Entry], dict[int, int]]:
    """The entries of the branch that reading follows; and the place of each compaction -> that of its first kept entry.

    Raises BenchError where `leaf` names no entry of the file.
    """
    sessions = read_file(path, [])
    if leaf is None:
        entries = next((s for s in sessions if any(e.message for e in s)), sessions[0])
    else:
        entries = _holding(path, sessions, leaf)
    tree = Tree(entries)
    branch = tree.branch(leaf)
    return branch, _kept_from(tree, branch)


def _holding(path: Path, sessions: Sequence[list[Entry]], leaf: str) -> list[Entry]:
    for entries in sessions:
        if any(e.id == leaf and e.kind != HEADER for e in entries):
            return entries
    raise BenchError(f"holds no entry '{leaf}' to be a leaf; 'bench transcript --json' lists leaves", path=path)


def _transcript(entries: Sequence[Entry], leaf: str | None) -> Transcript:
    tree = Tree(entries)
    branch = tree.branch(leaf)
    line = _conversation(tree, branch).finish()
    header = next((e.data for e in entries if e.kind == HEADER), None)
    system = next((text for e in branch if e.kind == "session_init" and (text := text_of(e.data.systemPrompt))), None)
    version = number_of(header.version) if header else None
    return Transcript(
        format=NAME,
        messages=line.messages,
        sides=tuple(side for others in tree.others(branch) if (side := _side(tree, others))),
        compactions=line.compactions,
        records=dict(Counter(e.counted_as for e in entries)),
        session_id=text_of(header.id) if header else None,
        cwd=text_of(header.cwd) if header else None,
        harness_version=f"v{version or 1}",
        system=system,
        counted=_counts(entries),
    )


def _conversation(tree: Tree, branch: Sequence[Entry]) -> Conversation:
    conversation = Conversation()
    kept_from = _kept_from(tree, branch)
    calls = {e.id: e.message.toolCallId for e in branch if e.message and e.message.role == "toolResult"}
    covered: set[str] = set()
    begin, summary = 0, list[int]()
    for at, entry in enumerate(branch):
        covered.update(entry.covers)
        match entry.kind:
            case "compaction":
                begin, summary = kept_from[at], [entry.index]
                kept = _whole(branch[begin:at], covered)
                conversation.compact(_compaction(entry), entry.index, kept=kept, id_=entry.id)
            case "compact_checkpoint":
                # all stays that it does not cover, and that the compaction before it did not drop
                kept = [*_whole(branch[begin:at], covered), *summary]
                conversation.compact(_checkpoint(entry), entry.index, kept=kept, id_=entry.id)
            case "hidden_range":
                conversation.compact(_hidden(entry, calls), entry.index)
            case _:
                say(conversation, entry)
    return conversation


def _kept_from(tree: Tree, branch: Sequence[Entry]) -> dict[int, int]:
    """Place of each compaction on the branch -> where the entries begin that it kept; its own place if it kept none.

    The first kept entry may be of any kind. One that stands on another branch is no beginning, as pi has it; a label
    there stands for the entry that it names.
    """
    place = {e.index: i for i, e in enumerate(branch)}
    found = {}
    for at, entry in enumerate(branch):
        if entry.kind == "compaction":
            first = tree.first_kept(entry)
            if first is not None and first not in place:
                first = tree.target(tree.entries[first])
            found[at] = at if first is None else min(place.get(first, at), at)
    return found


def _whole(kept: Sequence[Entry], covered: set[str]) -> list[int]:
    """Keys of the kept entries that stand in the context as they are; an older compaction's summary does not."""
    return [e.index for e in kept if e.kind != "compaction" and e.id not in covered]


def _compaction(entry: Entry) -> Compaction:
    return Compaction(
        at=0,
        trigger="extension" if entry.data.fromHook is True else None,
        summary=text_of(entry.data.summary),
        tokens_before=number_of(entry.data.tokensBefore),
        time=text_of(entry.data.timestamp),
        line=entry.line,
    )


def _checkpoint(entry: Entry) -> Compaction:
    summary, time = text_of(entry.data.text), text_of(entry.data.timestamp)
    return Compaction(at=0, trigger="checkpoint", summary=summary, time=time, line=entry.line)


def _hidden(entry: Entry, calls: Mapping[str | None, object]) -> Compaction:
    """What the marker hides of results; other hidden entries stay whole, as the model has no sign for them.

    `calls`: id of a result's entry -> the call that it answers.
    """
    cleared = tuple(call for id_ in entry.hides if (call := text_of(calls.get(id_))))
    time = text_of(entry.data.timestamp)
    return Compaction(at=0, kind="micro", trigger=HIDDEN, cleared=cleared, time=time, line=entry.line)


def _side(tree: Tree, entries: Sequence[Entry]) -> Side | None:
    conversation = Conversation()
    for entry in entries:
        say(conversation, entry)
    messages = conversation.finish().messages
    if not messages:
        return None
    leaf = max(e.index for e in entries)
    name = next((e.id for e in reversed(entries) if e.id), None)
    return Side(kind="branch", id=name or f"line-{tree.entries[leaf].line}", messages=messages)


def _counts(entries: Sequence[Entry]) -> Counts:
    messages = [m for e in entries if (m := e.message)]
    calls = [
        (text_of(part.get("id")) or object())
        for m in messages
        if m.role == "assistant"
        for part in dicts_of(m.content)
        if part.get("type") == "toolCall"
    ]
    return Counts(
        user=sum(m.role == "user" for m in messages),
        assistant=sum(m.role == "assistant" for m in messages),
        tool_calls=len(set(calls)),
    )
