"""The records of a Claude Code session file: one light `Record` a line, its message already in the model's blocks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, BinaryIO

from msgspec import UNSET, Struct

from bench.transcripts.blocks import blocks_of, usage_of
from bench.transcripts.lines import TOO_DEEP, read_lines
from bench.transcripts.model import Author, Block, ToolUse, Unread, Usage
from bench.transcripts.origin import authored
from bench.transcripts.values import text_of

BOUNDARY = "compact_boundary"
MICRO = "microcompact_boundary"
BOUNDARIES = (f"system:{BOUNDARY}", f"system:{MICRO}")
SYNTHETIC = "<synthetic>"


class _Line(Struct):
    """What is used of a line, under its names in the file; any type, since harness versions differ. The rest of the
    line (`toolUseResult` repeats each result, often larger) is skipped without being decoded."""

    type: Any = None
    _type: Any = None
    subtype: Any = None
    uuid: Any = None
    parentUuid: Any = UNSET
    logicalParentUuid: Any = None
    sessionId: Any = None
    session_id: Any = None
    timestamp: Any = None
    cwd: Any = None
    gitBranch: Any = None
    version: Any = None
    isSidechain: Any = None
    isMeta: Any = None
    isCompactSummary: Any = None
    isApiErrorMessage: Any = None
    agentId: Any = None
    origin: Any = None
    message: Any = None
    attachment: Any = None
    operation: Any = None
    content: Any = None
    data: Any = None
    compactMetadata: Any = None
    microcompactMetadata: Any = None


class Record(Struct, kw_only=True):
    """One record. `role` is set where it is a message of the conversation; the tree runs through all kinds."""

    line: int
    type: str
    """The record's type, 'system:<subtype>' for system records, '(none)' where it names none."""
    uuid: str | None = None
    parent: str | None = None
    parent_null: bool = False
    """The record says that it has no parent (null), instead of naming none."""
    logical_parent: str | None = None
    session: str | None = None
    time: str | None = None
    cwd: str | None = None
    branch: str | None = None
    version: str | None = None
    sidechain: bool = False
    agent: str | None = None
    """The agent whose conversation a side record belongs to."""
    progress: bool = False
    """A progress record that carries a subagent's message: a copy of what the subagent's own file holds."""
    role: str | None = None
    """'user' or 'assistant'."""
    author: Author = "person"
    origin: str | None = None
    blocks: tuple[Block, ...] = ()
    answer: str | None = None
    """message.id, which the fragments of one answer share."""
    model: str | None = None
    usage: Usage | None = None
    stop_reason: str | None = None
    queued: bool = False
    """Typed while the model worked; stands here because no user record repeats it."""
    queue: tuple[str, str] | None = None
    """A queue operation and its text."""
    details: Mapping[str, object] = {}
    """compactMetadata or microcompactMetadata."""
    calls: tuple[str, ...] = ()
    """Ids of the calls among the blocks."""

    @property
    def is_boundary(self) -> bool:
        return self.type in BOUNDARIES


def read_records(stream: BinaryIO, unread: list[Unread]) -> list[Record]:
    """All records in file order. A message that holds no content is named in `unread` and stays as a bare record."""
    records = []
    for number, line in read_lines(stream, _Line, unread):
        try:
            records.append(_record(number, line, unread))
        except RecursionError:
            unread.append(Unread(number, TOO_DEEP))
    return records


def _record(number: int, line: _Line, unread: list[Unread]) -> Record:
    record = Record(
        line=number,
        type=_type_of(line),
        uuid=text_of(line.uuid),
        parent=text_of(line.parentUuid),
        parent_null=line.parentUuid is None,
        session=text_of(line.sessionId) or text_of(line.session_id),
        time=text_of(line.timestamp),
        cwd=text_of(line.cwd),
        branch=text_of(line.gitBranch),
        version=text_of(line.version),
        sidechain=line.isSidechain is True,
    )
    if line.logicalParentUuid is not None or line.agentId is not None:
        record.logical_parent, record.agent = text_of(line.logicalParentUuid), text_of(line.agentId)
    match line.type:
        case "user" | "assistant":
            _add_message(record, line, unread)
        case "summary" if isinstance(line.message, dict):
            # some files keep the compaction's summary so, as the boundary's child
            _add_message(record, line, unread, role="user")
            record.author, record.origin = "compaction", None
        case "progress":
            _add_progress(record, line, unread)
        case "attachment":
            _add_queued(record, line.attachment)
        case "queue-operation":
            record.queue = (text_of(line.operation) or "", _plain(line.content))
        case "system":
            details = line.compactMetadata if line.subtype == BOUNDARY else line.microcompactMetadata
            record.details = details if isinstance(details, dict) else {}
    return record


def _type_of(line: _Line) -> str:
    if line.type == "system" and isinstance(line.subtype, str):
        return f"system:{line.subtype}"
    return text_of(line.type) or text_of(line._type) or "(none)"


def _add_message(record: Record, line: _Line, unread: list[Unread], role: str | None = None) -> None:
    message = line.message
    blocks = blocks_of(message.get("content")) if isinstance(message, dict) else None
    if blocks is None:
        unread.append(Unread(record.line, f"a record of type {line.type} without readable message content"))
        return
    record.role, record.blocks = role or line.type, blocks
    if record.role == "assistant":
        record.calls = tuple([b.id for b in blocks if isinstance(b, ToolUse)])
        _add_answer(record, message, line)
    elif line.isCompactSummary is True:
        record.author = "compaction"
    else:
        declared = line.origin.get("kind") if isinstance(line.origin, dict) else None
        record.author, record.origin = authored(blocks, meta=line.isMeta is True, declared=text_of(declared))
        if record.sidechain and record.author == "person":
            # a subagent's prompt is written by the model that sent it
            record.author, record.origin = "assistant", "subagent-prompt"


def _add_answer(record: Record, message: Mapping[str, object], line: _Line) -> None:
    record.author = "assistant"
    record.answer = text_of(message.get("id"))
    record.model = text_of(message.get("model"))
    record.usage = usage_of(message.get("usage"))
    record.stop_reason = text_of(message.get("stop_reason"))
    if line.isApiErrorMessage is True:
        record.author, record.origin = "harness", "api-error"
    elif record.model == SYNTHETIC:
        record.author, record.origin = "harness", "synthetic"


def _add_progress(record: Record, line: _Line, unread: list[Unread]) -> None:
    """A subagent's message, where this progress record carries one."""
    data = line.data
    inner = data.get("message") if isinstance(data, dict) else None
    if not isinstance(inner, dict) or inner.get("type") not in ("user", "assistant"):
        return
    copy = _Line(type=inner["type"], message=inner.get("message"), isMeta=inner.get("isMeta"))
    record.progress = record.sidechain = True
    record.agent = text_of(data.get("agentId")) or record.agent
    _add_message(record, copy, unread)


def _add_queued(record: Record, attachment: object) -> None:
    """A prompt that was typed while the model worked and handed to it as an attachment."""
    if not isinstance(attachment, dict) or attachment.get("type") != "queued_command":
        return
    blocks = blocks_of(attachment.get("prompt"))
    if blocks:
        origin = attachment.get("origin")
        declared = text_of(origin.get("kind")) if isinstance(origin, dict) else None
        record.role, record.blocks, record.queued = "user", blocks, True
        record.author, record.origin = authored(blocks, declared=declared)


def _plain(content: object) -> str:
    """The text of a queue operation's content, a string or a list of blocks."""
    return "\n".join(text for b in blocks_of(content) or () if isinstance(text := getattr(b, "text", None), str))
