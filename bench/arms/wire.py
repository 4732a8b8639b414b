"""A transcript as the Messages API would take it: what a command arm reads on its stdin."""

from __future__ import annotations

import msgspec

from bench.transcripts.model import Block, Image, Message, Other, Text, Thinking, ToolResult, ToolUse, Transcript

VERSION = 1
IMAGE_NOTE = "[an image; the transcript holds no copy]"

Json = dict[str, object]


def stdin_of(transcript: Transcript) -> bytes:
    """{"version", "tokens", "messages"} as JSON: nothing in it names an arm, a fixture or a file of ours.

    A message of the role system, which the API has no place for in a conversation, goes in as one of the user's. Each
    message also says whether a person `typed` it: tool results, harness and system texts have the role user, too.
    """
    messages: list[Json] = [
        {
            "role": "assistant" if m.role == "assistant" else "user",
            "typed": m.author == "person",
            "content": content,
        }
        for m in transcript.messages
        if (content := _content(m))
    ]
    return msgspec.json.encode({"version": VERSION, "tokens": transcript.tokens, "messages": messages})


def _content(message: Message) -> list[Json]:
    return [_block(b) for b in message.blocks if not isinstance(b, Thinking)]


def _block(block: Block) -> Json:
    match block:
        case Text(text):
            return {"type": "text", "text": text}
        case Image(media_type, data):
            if data is None:
                return {"type": "text", "text": IMAGE_NOTE}
            kind = "image" if media_type.startswith("image/") else "document"
            return {"type": kind, "source": {"type": "base64", "media_type": media_type, "data": data}}
        case ToolUse(id_, name, input_json):
            return {"type": "tool_use", "id": id_, "name": name, "input": _decoded(input_json)}
        case ToolResult(id_, content, is_error):
            inner = [_block(b) for b in content]
            return {"type": "tool_result", "tool_use_id": id_, "content": inner, "is_error": is_error}
        case Other(kind, json):
            return {"type": "text", "text": f"[{kind}] {json}"}
        case Thinking():
            raise TypeError("thinking is never sent on")


def _decoded(json: str) -> object:
    """The arguments of a call; as `{"raw": text}` where a harness kept what is no JSON."""
    try:
        return msgspec.json.decode(json)
    except msgspec.DecodeError:
        return {"raw": json}
