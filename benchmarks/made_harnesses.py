"""Made sessions as other harnesses write them, of the same conversations. The same seed gives the same bytes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from random import Random

from benchmarks.made import SEED, Json, conversation


def pi_session(size: int, seed: int = SEED) -> str:
    """A session as pi writes it: an entry a message, each result twice (`details`), of about `size` bytes."""
    return _until(size, {"type": "session", "version": 3, "id": "s", "timestamp": _time(0)}, _pi(Random(seed)))


def codex_session(size: int, seed: int = SEED) -> str:
    """A rollout as Codex writes it: an item a part of a message, events beside them, of about `size` bytes."""
    meta: Json = {"timestamp": _time(0), "type": "session_meta", "payload": {"id": "s", "cli_version": "0.142.2"}}
    return _until(size, meta, _codex(Random(seed)))


def _pi(rng: Random) -> Iterator[Json]:
    parent = None
    for n, message in enumerate(conversation(rng)):
        for part, inner in enumerate(_pi_messages(n, message)):
            id_ = f"{n:06x}{part:02x}"
            yield {"type": "message", "id": id_, "parentId": parent, "timestamp": _time(n), "message": inner}
            parent = id_


def _pi_messages(n: int, message: Json) -> Iterator[Json]:
    content = message["content"]
    blocks = content if isinstance(content, list) else [{"type": "text", "text": content}]
    if message["role"] == "assistant":
        usage = {"input": 9, "output": 40, "cacheRead": n * 100, "cacheWrite": 300, "totalTokens": n * 100 + 349}
        told = [_pi_block(b) for b in blocks]
        yield {"role": "assistant", "content": told, "model": "m", "usage": usage, "stopReason": "stop", "timestamp": n}
        return
    for block in blocks:
        if block["type"] != "tool_result":
            yield {"role": "user", "content": [block], "timestamp": n}
            continue
        text = block["content"]
        details = {"display": text, "truncated": False}
        shown = [{"type": "text", "text": text}]
        yield {"role": "toolResult", "toolCallId": block["tool_use_id"], "content": shown, "details": details}


def _pi_block(block: Json) -> Json:
    if block["type"] == "tool_use":
        return {"type": "toolCall", "id": block["id"], "name": "bash", "arguments": block["input"]}
    return block


def _codex(rng: Random) -> Iterator[Json]:
    total = 0
    for n, message in enumerate(conversation(rng)):
        content = message["content"]
        blocks = content if isinstance(content, list) else [{"type": "text", "text": content}]
        for block in blocks:
            for kind, payload in _codex_lines(str(message["role"]), block):
                yield {"timestamp": _time(n), "type": kind, "payload": payload}
        if message["role"] == "assistant":
            total += n * 100 + 309
            last = {"input_tokens": n * 100 + 309, "cached_input_tokens": n * 100, "output_tokens": 40}
            info = {"total_token_usage": {"input_tokens": total, "output_tokens": n * 40}, "last_token_usage": last}
            yield {"timestamp": _time(n), "type": "event_msg", "payload": {"type": "token_count", "info": info}}


def _codex_lines(role: str, block: Json) -> Iterator[tuple[str, Json]]:
    match block:
        case {"type": "text", "text": text}:
            part = "output_text" if role == "assistant" else "input_text"
            event = "agent_message" if role == "assistant" else "user_message"
            yield "response_item", {"type": "message", "role": role, "content": [{"type": part, "text": text}]}
            yield "event_msg", {"type": event, "message": text}
        case {"type": "tool_use", "id": id_, "input": given}:
            yield "response_item", {"type": "reasoning", "summary": [], "encrypted_content": "x" * 1200}
            arguments = json.dumps(given)
            yield "response_item", {"type": "function_call", "name": "shell", "arguments": arguments, "call_id": id_}
        case {"tool_use_id": id_, "content": text}:
            yield "response_item", {"type": "function_call_output", "call_id": id_, "output": text}


def _until(size: int, head: Json, records: Iterator[Json]) -> str:
    lines = [json.dumps(head) + "\n"]
    held = len(lines[0])
    while held < size:
        lines.append(json.dumps(next(records)) + "\n")
        held += len(lines[-1])
    return "".join(lines)


def _time(n: int) -> str:
    return f"2026-01-{1 + n // 1440 % 28:02}T{n // 60 % 24:02}:{n % 60:02}:00.000Z"
