"""Claude Code session files (JSONL): the reader.

records -> sessions -> main line and sides -> messages, compactions and counts; each step is a module of its own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO

from msgspec.structs import replace

from bench.errors import BenchError
from bench.transcripts.assemble import assemble
from bench.transcripts.claude_compactions import compactions
from bench.transcripts.claude_queue import queued_prompts, without_repeats
from bench.transcripts.claude_records import Record, read_records
from bench.transcripts.claude_tree import main_line
from bench.transcripts.head import Head
from bench.transcripts.lines import BUFFER_BYTES
from bench.transcripts.model import Counts, Side, ToolResult, Transcript, Unread

NAME = "claude-code"


class ClaudeCode:
    """The reader of Claude Code's session files."""

    name = NAME
    told = "Claude Code session (JSONL)"

    def detect(self, head: Head) -> bool:
        """Whether any of the head's records is one that only Claude Code writes."""
        return any(_is_ours(record) for record in head.records)

    def read(self, path: Path) -> list[Transcript]:
        """The sessions of the file, the first one first; also one that holds no message."""
        with path.open("rb", buffering=BUFFER_BYTES) as stream:
            return read_stream(stream)

    def read_branch(self, path: Path, leaf: str) -> Transcript:
        """The session that holds the record `leaf` on its own line, along the branch through it."""
        unread: list[Unread] = []
        with path.open("rb", buffering=BUFFER_BYTES) as stream:
            sessions = _sessions(read_records(stream, unread))
        for records in sessions:
            if any(r.uuid == leaf and not r.sidechain for r in records):
                return _with_unread(_transcript(records, leaf), unread)
        raise BenchError(f"holds no record '{leaf}' to be a leaf; 'bench transcript --json' lists leaves", path=path)


def read_stream(stream: BinaryIO) -> list[Transcript]:
    """The sessions of an open file. What could not be read is named on the first."""
    unread: list[Unread] = []
    records = read_records(stream, unread)
    sessions = _sessions(records)
    first, *others = [_transcript(session) for session in sessions] or [_transcript([])]
    return [_with_unread(first, unread), *others]


def _is_ours(record: dict[str, object]) -> bool:
    kind, message = record.get("type"), record.get("message")
    if record.get("_type") == "hive-mind-meta":
        return True
    if not isinstance(kind, str) or (isinstance(message, dict) and "parts" in message):
        return False
    if kind in ("user", "assistant"):
        return isinstance(message, dict) and "content" in message
    return ("uuid" in record and "sessionId" in record) or (
        (kind == "summary" and "leafUuid" in record)
        or (kind == "file-history-snapshot" and "snapshot" in record)
        or (kind == "queue-operation" and "operation" in record)
    )


def _sessions(records: list[Record]) -> list[list[Record]]:
    """The records by session, in order of appearance. Sessions that are linked by a parent are one (a resumed or
    forked session keeps its history); records that name no session, and sessions without a message, join the first."""
    names = list(dict.fromkeys(r.session for r in records if r.session and r.role))
    if len(names) < 2:
        return [records] if records else []
    home = {name: name for name in names}
    owner: dict[str, str] = {}
    for record in records:
        if record.uuid and record.session in home:
            owner.setdefault(record.uuid, record.session)
    own = {(r.session, r.uuid) for r in records}
    for record in records:
        if record.session in home and record.parent in owner and (record.session, record.parent) not in own:
            _join(home, _root(home, owner[record.parent]), _root(home, record.session))
    groups: dict[str, list[Record]] = {_root(home, name): [] for name in names}
    first = next(iter(groups))
    for record in records:
        groups[_root(home, record.session) if record.session in home else first].append(record)
    return list(groups.values())


def _root(home: dict[str, str], name: str) -> str:
    while home[name] != name:
        name = home[name]
    return name


def _join(home: dict[str, str], a: str, b: str) -> None:
    if a != b:
        home[b] = a


def _transcript(records: list[Record], leaf: str | None = None) -> Transcript:
    counted = _counts(records)
    records = without_repeats(_without_copies(records))
    ahead = [r for r in records if not r.sidechain]
    beside = _by_agent([r for r in records if r.sidechain and (r.role or r.is_boundary)])
    main, branches = main_line(ahead, leaf)
    if not any(r.role for r in main) and (whole := [c for c in beside if not c[0].progress]):
        # a subagent's own file: the newest of its conversations is the main line
        main = max(whole, key=lambda c: c[-1].line)
        beside.remove(main)
    line = assemble(_with_queued(main, queued_prompts(records)))
    last = {name: next((v for r in reversed(main) if (v := getattr(r, name))), None) for name in _LATEST}
    return Transcript(
        format=NAME,
        messages=line.messages,
        sides=(
            *(_side("branch", branch) for branch in branches),
            *(_side("sidechain", conversation) for conversation in beside),
        ),
        compactions=compactions(line),
        records=dict(Counter(r.type for r in records)),
        session_id=last["session"] or next((r.session for r in records if r.session), None),
        cwd=last["cwd"],
        branch=last["branch"],
        harness_version=last["version"],
        counted=counted,
    )


_LATEST = ("session", "cwd", "branch", "version")
"""What a session's records say again and again; the newest of the main line stands."""


def _without_copies(records: list[Record]) -> list[Record]:
    """The records without repeats of the same message under the same uuid (two writers, a resumed session)."""
    seen: dict[str, Record] = {}
    kept = []
    for record in records:
        if record.uuid and record.role:
            known = seen.setdefault(record.uuid, record)
            if known is not record and known.role == record.role and known.blocks == record.blocks:
                record.role, record.blocks, record.calls, record.uuid = None, (), (), None
        kept.append(record)
    return kept


def _by_agent(records: list[Record]) -> list[list[Record]]:
    """Side records by conversation: by the agent they name, else by the root that their parents lead to."""
    root_of: dict[str, str] = {}
    groups: dict[str, list[Record]] = {}
    for record in records:
        root = record.agent or root_of.get(record.parent or "") or record.uuid or str(record.line)
        if record.uuid:
            root_of[record.uuid] = root
        groups.setdefault(root, []).append(record)
    return list(groups.values())


def _side(kind: str, records: Sequence[Record]) -> Side:
    name = next((r.agent for r in records if r.agent), None) or next((r.uuid for r in records if r.uuid), None)
    return Side(
        kind="branch" if kind == "branch" else "sidechain",
        id=name or f"line-{records[0].line}",
        messages=assemble(records).messages,
    )


def _with_queued(main: list[Record], queued: list[Record]) -> list[Record]:
    """The main line with each queued prompt behind all that stood before it in the file."""
    places: dict[int, list[Record]] = {}
    by_line = sorted((record.line, at) for at, record in enumerate(main))
    passed, last = 0, -1
    for prompt in sorted(queued, key=lambda r: r.line):
        while passed < len(by_line) and by_line[passed][0] <= prompt.line:
            last = max(last, by_line[passed][1])
            passed += 1
        places.setdefault(last, []).append(prompt)
    line = places.get(-1, [])
    for at, record in enumerate(main):
        line += [record, *places.get(at, [])]
    return line


def _counts(records: list[Record]) -> Counts:
    """Counts over user and assistant records. Progress copies and queued prompts are not records of their own."""
    own = [r for r in records if r.role and r.type in ("user", "assistant") and not r.progress]
    answers = [r for r in own if r.role == "assistant"]
    return Counts(
        user=sum(r.role == "user" and any(not isinstance(b, ToolResult) for b in r.blocks) for r in own),
        assistant=len({r.answer or r.line for r in answers}),
        tool_calls=len({call for r in answers for call in r.calls}),
    )


def _with_unread(transcript: Transcript, unread: list[Unread]) -> Transcript:
    return replace(transcript, unread=tuple(sorted(unread, key=lambda u: u.line)))
