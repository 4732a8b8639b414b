"""Messages API JSON: a document with `messages` (a request body, a saved session) or `loglines`, a bare list, or one
message a line, which is also how the bench writes transcripts (`bench.transcripts.write`)."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, cast, get_args

import msgspec
from msgspec.structs import replace

from bench.transcripts import claude_code
from bench.transcripts.blocks import blocks_of, compact_json, usage_of
from bench.transcripts.head import Head, read_head
from bench.transcripts.lines import BUFFER_BYTES, TOO_DEEP, read_lines
from bench.transcripts.model import Author, Block, Compaction, Message, Other, Role, Transcript, Unread
from bench.transcripts.origin import authored
from bench.transcripts.values import text_of, time_of

NAME = "anthropic-messages"
Entry = Mapping[Any, object]
AUTHORS = get_args(Author)
COMPACTIONS, COMPACTIONS_AFTER = "compactions", "compactions_after"
"""Keys of our own lines: compactions right before the message, and after it where it is the last."""


class WrittenCompaction(msgspec.Struct, omit_defaults=True):
    """A compaction as our own lines carry it; its place is the line it stands on."""

    kind: str = "full"
    trigger: str | None = None
    summary: str | None = None
    summary_at: int | None = None
    preserved: tuple[int, ...] = ()
    cleared: tuple[str, ...] = ()
    tokens_before: int | None = None
    tokens_after: int | None = None
    time: str | None = None


class AnthropicMessages:
    """The reader of Messages API JSON and JSON Lines."""

    name = NAME
    told = "Anthropic Messages JSON or JSONL"

    def detect(self, head: Head) -> bool:
        """Whether the file is made of messages with the roles user and assistant."""
        match head.document:
            case {"loglines": list(entries)}:
                return all(isinstance(e, dict) for e in entries)
            case {"messages": list(entries)}:
                return all(_is_message(e) for e in entries)
            case list(entries):
                return bool(entries) and all(_is_message(e) for e in entries)
            case _:
                return bool(head.records) and all(_is_message(r) for r in head.records)

    def read(self, path: Path) -> list[Transcript]:
        """The one session of the file (or the sessions of a document of log lines)."""
        unread: list[Unread] = []
        document = read_head(path).document
        match document:
            case {"loglines": list(entries)}:
                # Claude Code's records in one document; their line is the number of the entry
                data = b"\n".join(msgspec.json.encode(e) for e in entries)
                return [replace(t, format=NAME) for t in claude_code.read_stream(io.BytesIO(data))]
            case {"messages": list(entries)} if isinstance(document, dict):
                read = _transcript(enumerate(entries, start=1), unread)
                system, tools, session = _system(document), _tools(document), _session(document)
                return [replace(read, system=system, tools_json=tools, session_id=session)]
            case list(entries):
                return [_transcript(enumerate(entries, start=1), unread)]
        with path.open("rb", buffering=BUFFER_BYTES) as stream:
            return [_transcript(read_lines(stream, dict, unread), unread)]


def _is_message(entry: object) -> bool:
    if not isinstance(entry, dict) or not isinstance(entry.get("content"), str | list):
        return False
    role = entry.get("role")
    return role in ("user", "assistant") or (role == "system" and "author" in entry)


def _transcript(entries: Iterable[tuple[int, object]], unread: list[Unread]) -> Transcript:
    messages: list[Message] = []
    compactions: list[Compaction] = []
    records: Counter[str] = Counter()
    for line, entry in entries:
        records[str(entry.get("role", "(none)")) if isinstance(entry, dict) else "(not an object)"] += 1
        if not _is_message(entry):
            unread.append(Unread(line, "no message: it needs a role (user or assistant) and content"))
            continue
        entry = cast(Entry, entry)
        try:
            message = _message(entry, line)
        except RecursionError:
            unread.append(Unread(line, TOO_DEEP))
            continue
        compactions += _compactions(entry.get(COMPACTIONS), len(messages), line, unread)
        compactions += _inside(message, len(messages))
        messages.append(message)
        compactions += _compactions(entry.get(COMPACTIONS_AFTER), len(messages), line, unread)
    return Transcript(
        format=NAME,
        messages=tuple(messages),
        compactions=tuple(_within(c, messages) for c in compactions),
        unread=tuple(sorted(unread, key=lambda u: u.line)),
        records=dict(records),
    )


def _message(entry: Entry, line: int) -> Message:
    blocks = blocks_of(entry.get("content")) or ()
    role = cast(Role, entry["role"])
    author: Author = "assistant"
    origin: str | None = None
    if role != "assistant":
        author, origin = authored(blocks)
    told = entry.get("author")
    if told is not None and told in AUTHORS:
        author, origin = cast(Author, told), text_of(entry.get("origin"))
    info = entry.get("modelInfo")
    ids = entry.get("record_ids")
    id_ = text_of(entry.get("id"))
    return Message(
        role=role,
        author=author,
        origin=origin,
        blocks=blocks,
        id=id_,
        record_ids=tuple(i for i in ids if isinstance(i, str)) if isinstance(ids, list) else (id_,) if id_ else (),
        time=time_of(entry.get("time") or entry.get("timestamp") or entry.get("ts")),
        model=text_of(entry.get("model")) or (text_of(info.get("id")) if isinstance(info, dict) else None),
        usage=usage_of(entry.get("usage")),
        stop_reason=text_of(entry.get("stop_reason")),
        line=line,
    )


def _inside(message: Message, at: int) -> list[Compaction]:
    """The server's own compaction: a block at the head of an answer; everything before it is dropped from then on."""
    return [
        Compaction(at=at, trigger="server", summary=_summary(b), summary_at=at, time=message.time, line=message.line)
        for b in message.blocks
        if isinstance(b, Other) and b.kind == "compaction"
    ]


def _summary(block: Other) -> str | None:
    content = msgspec.json.decode(block.json).get("content")
    return content if isinstance(content, str) else None


def _compactions(written: object, at: int, line: int, unread: list[Unread]) -> list[Compaction]:
    """The compactions that our own line carries."""
    if written is None:
        return []
    try:
        found = msgspec.convert(written, list[WrittenCompaction])
    except msgspec.ValidationError as error:
        unread.append(Unread(line, f"compactions that cannot be read: {error}"))
        return []
    return [
        Compaction(
            at=at,
            kind="micro" if c.kind == "micro" else "full",
            line=line,
            **{f: getattr(c, f) for f in WrittenCompaction.__struct_fields__ if f != "kind"},
        )
        for c in found
    ]


def _within(compaction: Compaction, messages: list[Message]) -> Compaction:
    """The compaction with only such places as the file has; the summary is its message's where it has one."""
    at = compaction.summary_at
    if at is not None and not 0 <= at < len(messages):
        at = None
    summary = compaction.summary if compaction.summary is not None or at is None else messages[at].spoken
    preserved = tuple(i for i in compaction.preserved if 0 <= i < compaction.at)
    return replace(compaction, summary=summary, summary_at=at, preserved=preserved)


def _system(body: Entry) -> str | None:
    blocks: tuple[Block, ...] = blocks_of(body.get("system") or body.get("system_prompt")) or ()
    return "\n".join(text for b in blocks if isinstance(text := getattr(b, "text", None), str)) or None


def _tools(body: Entry) -> str | None:
    tools = body.get("tools")
    return compact_json(tools) if isinstance(tools, list) and tools else None


def _session(body: Entry) -> str | None:
    return text_of(body.get("sessionId")) or text_of(body.get("session_id"))
