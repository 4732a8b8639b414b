"""Messages of Gemini CLI as turns: parts, thoughts, tool calls with their results inside, tokens."""

from __future__ import annotations

from bench.transcripts.blocks import block_of, compact_json
from bench.transcripts.conversation import Turn
from bench.transcripts.model import Block, Image, Other, Role, Text, Thinking, ToolResult, ToolUse, Usage
from bench.transcripts.origin import Openings, authored
from bench.transcripts.values import count_of, dict_of, dicts_of, text_of

OPENINGS: Openings = (("<session_context>", "environment"), ("<hook_context>", "hook"))
SNAPSHOT = "<state_snapshot>"
"""What the summary of a compression holds."""
FAILED = ("error", "cancelled")

Json = dict[str, object]


def turn_of(record: Json, key: int, line: int, *, by_agent: bool) -> tuple[Turn | None, list[ToolResult]]:
    """The message as a turn (None where it only answers calls), and the results that stand in it."""
    blocks, results = _parts(record.get("content"), key)
    if record.get("type") != "gemini":
        if not blocks:
            return None, results
        author, origin = authored(tuple(blocks), openings=OPENINGS)
        if by_agent and author == "person":
            author, origin = "assistant", "subagent-prompt"
        turn = _turn(record, "user", blocks, key, line)
        turn.author, turn.origin = author, origin
        return turn, results
    thoughts = (f"{text_of(t.get('subject')) or ''}\n{text_of(t.get('description')) or ''}" for t in _thoughts(record))
    said_ = [b for b in blocks if not isinstance(b, ToolUse)]
    turn = _turn(record, "assistant", [*map(Thinking, thoughts), *said_, *calls_in(record, key)], key, line)
    turn.model, turn.usage = text_of(record.get("model")), usage_of(record.get("tokens"))
    return turn, [*results, *_results(record, key)]


def calls_in(record: Json, key: int) -> list[ToolUse]:
    """The calls of an answer; one that has no id gets one of `key` and its place."""
    told = dicts_of(record.get("toolCalls"))
    if not told:
        return [b for b in _parts(record.get("content"), key)[0] if isinstance(b, ToolUse)]
    named = ((_call_id(call, key, n), text_of(call.get("name")) or "tool", call) for n, call in enumerate(told))
    return [ToolUse(id_, name, compact_json(call.get("args") or {})) for id_, name, call in named]


def usage_of(tokens: object) -> Usage | None:
    """One answer's tokens: what was cached is part of Gemini's input, thoughts are no part of its output.

    All zeros are a place that was never filled in, so None.
    """
    told = dict_of(tokens)
    cached = count_of(told.get("cached"))
    fresh = max(count_of(told.get("input")) - cached, 0) + count_of(told.get("tool"))
    found = Usage(input=fresh, output=count_of(told.get("output")) + count_of(told.get("thoughts")), cache_read=cached)
    return None if found == Usage() else found


def words(content: object) -> str:
    """The text of a message's content."""
    return "\n".join(b.text for b in _parts(content)[0] if isinstance(b, Text))


def said(record: Json) -> tuple[str, str]:
    """Who said what: how a message is known again under another id."""
    calls = ",".join(use.name for use in calls_in(record, 0)) if record.get("type") == "gemini" else ""
    return f"{record.get('type')}:{calls}", words(record.get("content"))


def snapshot_in(record: Json) -> str | None:
    """The summary that a message carries, None where it is no summary."""
    text = words(record.get("content")) if record.get("type") == "user" else ""
    return text if SNAPSHOT in text else None


def _turn(record: Json, role: Role, blocks: list[Block], key: int, line: int) -> Turn:
    id_, time = text_of(record.get("id")), text_of(record.get("timestamp"))
    ids = [id_] if id_ else []
    return Turn(role=role, author="assistant", blocks=blocks, key=key, id=id_, record_ids=ids, time=time, line=line)


def _thoughts(record: Json) -> list[Json]:
    return dicts_of(record.get("thoughts"))


def _call_id(call: Json, key: int, n: int) -> str:
    return text_of(call.get("id")) or f"call-{key}-{n}"


def _results(record: Json, key: int) -> list[ToolResult]:
    found = []
    for n, call in enumerate(dicts_of(record.get("toolCalls"))):
        told = call.get("result")
        if told is None:
            continue
        _, answers = _parts(told)
        content = tuple(block for answer in answers for block in answer.content)
        plain = _plain(told)
        found.append(ToolResult(_call_id(call, key, n), content or plain, call.get("status") in FAILED))
    return found


def _plain(told: object) -> tuple[Text | Image | Other, ...]:
    """A result that is no function response: a string, or parts."""
    return tuple(b for b in _parts(told)[0] if isinstance(b, Text | Image | Other))


def _parts(content: object, key: int = 0) -> tuple[list[Block], list[ToolResult]]:
    """The blocks of a string, a part or a list of parts; and the function responses among them."""
    parts = content if isinstance(content, list) else [] if content in (None, "") else [content]
    blocks: list[Block] = []
    results: list[ToolResult] = []
    for n, part in enumerate(parts):
        match part:
            case {"functionResponse": dict(answer)}:
                results.append(ToolResult(text_of(answer.get("id")) or "", _answer(answer.get("response"))))
            case {"functionCall": dict(call)}:
                id_, name = text_of(call.get("id")) or f"part-{key}-{n}", text_of(call.get("name")) or "tool"
                blocks.append(ToolUse(id_, name, compact_json(call.get("args") or {})))
            case {"text": str(text)} if part.get("thought") is True:
                blocks.append(Thinking(text))
            case {"text": str(text)}:
                blocks.append(Text(text))
            case {"inlineData": {"mimeType": str(media_type), "data": str(data)}}:
                blocks.append(Image(media_type, data))
            case _:
                blocks.append(block_of(part))
    return blocks, results


def _answer(response: object) -> tuple[Text | Image | Other, ...]:
    told = dict_of(response)
    for name in ("output", "error"):
        text = told.get(name)
        if isinstance(text, str):
            return (Text(text),) if text else ()
    return () if response is None else (Text(compact_json(response)),)
