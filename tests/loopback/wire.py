"""What goes over the wire: the events of a streamed message, the body of a whole one, of an error, of a count."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

Json = dict[str, object]


@dataclass(frozen=True)
class Block:
    """One content block: its start, its deltas, and how many output tokens each delta stands for."""

    start: Json
    deltas: tuple[Json, ...]


def text_block(text: str, pieces: int = 4) -> Block:
    """A text block, streamed in about `pieces` deltas."""
    step = max(1, -(-len(text) // pieces))
    parts = [text[i : i + step] for i in range(0, len(text), step)]
    return Block({"type": "text", "text": ""}, tuple({"type": "text_delta", "text": p} for p in parts))


def thinking_block() -> Block:
    """A thinking block as recent models send it: empty text and a signature."""
    return Block(
        {"type": "thinking", "thinking": "", "signature": ""},
        ({"type": "signature_delta", "signature": "c2ln"},),
    )


def tool_block(name: str, arguments: Mapping[str, object], n: int) -> Block:
    """A tool call whose arguments come in two halves."""
    text = json.dumps(arguments)
    half = len(text) // 2
    return Block(
        {"type": "tool_use", "id": f"toolu_{n}", "name": name, "input": {}},
        tuple({"type": "input_json_delta", "partial_json": part} for part in (text[:half], text[half:])),
    )


def compaction_block(summary: str | None) -> Block:
    """The server's own summary, whole in the block's start; None where it has none."""
    return Block({"type": "compaction", "content": summary, "signature": "c2ln"}, ())


def message_start(message_id: str, model: str, usage: Json) -> Json:
    message = {
        "id": message_id, "type": "message", "role": "assistant", "model": model, "content": [],
        "stop_reason": None, "stop_sequence": None, "usage": usage,
    }  # fmt: skip
    return {"type": "message_start", "message": message}


def content_events(blocks: Iterable[Block]) -> list[Json]:
    """Start, deltas and stop of each block."""
    events: list[Json] = []
    for index, block in enumerate(blocks):
        events.append({"type": "content_block_start", "index": index, "content_block": block.start})
        events += [{"type": "content_block_delta", "index": index, "delta": d} for d in block.deltas]
        events.append({"type": "content_block_stop", "index": index})
    return events


def message_delta(stop_reason: str, output_tokens: int, stop_details: Json | None = None) -> Json:
    delta: Json = {"stop_reason": stop_reason, "stop_sequence": None}
    if stop_details is not None:
        delta["stop_details"] = stop_details
    return {"type": "message_delta", "delta": delta, "usage": {"output_tokens": output_tokens}}


MESSAGE_STOP: Json = {"type": "message_stop"}
PING: Json = {"type": "ping"}


def whole_message(message_id: str, model: str, content: list[Json], stop_reason: str, usage: Json) -> Json:
    """The body of a message that was not streamed."""
    return {
        "id": message_id, "type": "message", "role": "assistant", "model": model, "content": content,
        "stop_reason": stop_reason, "stop_sequence": None, "usage": usage,
    }  # fmt: skip


def error_body(type_: str, message: str, request_id: str, error_code: str | None = None) -> Json:
    error: Json = {"type": type_, "message": message}
    if error_code is not None:
        error["details"] = {"error_code": error_code}
    return {"type": "error", "error": error, "request_id": request_id}


def event_bytes(event: Json) -> bytes:
    """`event: <type>`, `data: <json>`, empty line; not ASCII-escaped, as the API sends it."""
    data = json.dumps(event, ensure_ascii=False, separators=(",", ":"))
    return f"event: {event['type']}\ndata: {data}\n\n".encode()
