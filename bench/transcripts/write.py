"""A transcript as the bench writes it: one Messages API message a line, with what the API does not carry beside it."""

from __future__ import annotations

import msgspec
from msgspec import Raw

from bench.transcripts.anthropic_messages import COMPACTIONS, COMPACTIONS_AFTER, WrittenCompaction
from bench.transcripts.model import (
    Block,
    Compaction,
    Image,
    Message,
    Other,
    Text,
    Thinking,
    ToolResult,
    ToolUse,
    Transcript,
    Usage,
)


def to_jsonl(transcript: Transcript) -> str:
    """The main line and its compactions as JSON Lines; the anthropic-messages reader reads back the same messages."""
    messages = transcript.messages
    lines = []
    for i, message in enumerate(messages):
        entry = message_json(message)
        for key, at in ((COMPACTIONS, i), (COMPACTIONS_AFTER, i + 1 if i + 1 == len(messages) else -1)):
            if here := [
                _compaction(c, messages) for c in transcript.compactions if c.at == at and not _is_block(c, messages)
            ]:
                entry[key] = here
        lines.append(msgspec.json.encode(entry).decode() + "\n")
    return "".join(lines)


def message_json(message: Message) -> dict[str, object]:
    """The message as plain data for JSON: role and content as the Messages API has them, then the bench's own keys."""
    entry: dict[str, object] = {
        "role": message.role,
        "content": [block_json(b) for b in message.blocks],
        "id": message.id,
        "record_ids": message.record_ids if message.record_ids != ((message.id,) if message.id else ()) else None,
        "time": message.time,
        "author": message.author,
        "origin": message.origin,
        "model": message.model,
        "usage": None if message.usage is None else _usage(message.usage),
        "stop_reason": message.stop_reason,
    }
    return {k: v for k, v in entry.items() if v is not None}


def block_json(block: Block) -> object:
    """The block as the Messages API writes it; a block of an unknown kind as it was."""
    match block:
        case Text(text):
            return {"type": "text", "text": text}
        case Thinking(text):
            return {"type": "thinking", "thinking": text}
        case Image(media_type, data):
            kind = "image" if media_type.startswith("image/") else "document"
            return {"type": kind, "source": _source(media_type, data)}
        case ToolUse(id_, name, input_json):
            return {"type": "tool_use", "id": id_, "name": name, "input": Raw(input_json.encode())}
        case ToolResult(id_, content, is_error):
            result: dict[str, object] = {"type": "tool_result", "tool_use_id": id_}
            result["content"] = [block_json(b) for b in content]
            return {**result, "is_error": True} if is_error else result
        case Other(_, json):
            return Raw(json.encode())


def _source(media_type: str, data: str | None) -> dict[str, str]:
    if data is None:
        return {"type": "absent", "media_type": media_type}
    return {"type": "base64", "media_type": media_type, "data": data}


def _usage(usage: Usage) -> dict[str, object]:
    return {
        "input_tokens": usage.input,
        "output_tokens": usage.output,
        "cache_read_input_tokens": usage.cache_read,
        "cache_creation_input_tokens": usage.cache_write_5m + usage.cache_write_1h,
        "cache_creation": {
            "ephemeral_5m_input_tokens": usage.cache_write_5m,
            "ephemeral_1h_input_tokens": usage.cache_write_1h,
        },
    }


def _compaction(compaction: Compaction, messages: tuple[Message, ...]) -> WrittenCompaction:
    """The compaction for its line; a summary that stands as a message is not written twice."""
    fields = {f: getattr(compaction, f) for f in WrittenCompaction.__struct_fields__}
    at = compaction.summary_at
    if at is not None and at < len(messages) and messages[at].spoken == compaction.summary:
        fields["summary"] = None
    return WrittenCompaction(**fields)


def _is_block(compaction: Compaction, messages: tuple[Message, ...]) -> bool:
    """Whether the compaction stands in a message as a block of the server's, so that reading finds it there."""
    at = compaction.at
    blocks = messages[at].blocks if at < len(messages) else ()
    return compaction.summary_at == at and any(isinstance(b, Other) and b.kind == "compaction" for b in blocks)
