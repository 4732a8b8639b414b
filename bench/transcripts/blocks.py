"""Content of the Messages API (and of what harnesses made of it) as blocks of the model."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from bench.transcripts.model import Block, Image, Other, Text, Thinking, ToolResult, ToolUse, Usage
from bench.transcripts.values import count_of, text_of

UNTYPED = "unknown"
"""Kind of a block that names none."""


def blocks_of(content: object) -> tuple[Block, ...] | None:
    """The blocks of a message's `content`: a string, or a list of blocks and bare strings. None where it is neither."""
    match content:
        case "":
            return ()
        case str():
            return (Text(content),)
        case list():
            return tuple(block_of(part) for part in content)
        case _:
            return None


def usage_of(usage: object) -> Usage | None:
    """Tokens of one answer as the API reported them; cache writes without a lifetime count as five minutes.

    Some harnesses keep the API's names in camel case.
    """
    if not isinstance(usage, dict):
        return None
    parts = usage.get("cache_creation")
    lifetimes = parts if isinstance(parts, dict) else {}
    hour = count_of(lifetimes.get("ephemeral_1h_input_tokens"))
    written = count_of(usage.get("cache_creation_input_tokens", usage.get("cacheCreationInputTokens")))
    return Usage(
        input=count_of(usage.get("input_tokens", usage.get("inputTokens"))),
        output=count_of(usage.get("output_tokens", usage.get("outputTokens"))),
        cache_read=count_of(usage.get("cache_read_input_tokens", usage.get("cacheReadInputTokens"))),
        cache_write_5m=count_of(lifetimes.get("ephemeral_5m_input_tokens", max(written - hour, 0))),
        cache_write_1h=hour,
    )


def compact_json(value: object) -> str:
    """`value` as JSON without spaces, keys in their order."""
    return msgspec.json.encode(value).decode()


def arguments_json(arguments: object) -> str:
    """The arguments of a call as compact JSON: an object, or JSON in a string; what is no JSON stands under `raw`."""
    if not isinstance(arguments, str):
        return compact_json({} if arguments is None else arguments)
    try:
        return compact_json(msgspec.json.decode(arguments)) if arguments else "{}"
    except (msgspec.DecodeError, RecursionError):
        return compact_json({"raw": arguments})


def block_of(part: object) -> Block:
    """One part of a message's content; what is of no known kind is kept as it is."""
    if isinstance(part, str):
        return Text(part)
    if not isinstance(part, dict):
        return _other(part)
    match part.get("type"):
        case "text" if isinstance(part.get("text"), str):
            return Text(part["text"])
        case "thinking" | "redacted_thinking":
            text = part.get("thinking")
            return Thinking(text if isinstance(text, str) else "")
        case "tool_use" if isinstance(part.get("name"), str):
            return ToolUse(text_of(part.get("id")) or "", part["name"], compact_json(part.get("input", {})))
        case "tool_result":
            content = result_content(part.get("content"))
            return ToolResult(text_of(part.get("tool_use_id")) or "", content, part.get("is_error") is True)
        case "image" | "document" if isinstance(part.get("source"), dict):
            return _image(part, part["source"])
        case _:
            return _other(part)


def _other(part: object) -> Other:
    kind = part.get("type") if isinstance(part, dict) else None
    return Other(kind if isinstance(kind, str) else UNTYPED, compact_json(part))


def result_content(content: object) -> tuple[Text | Image | Other, ...]:
    """The content of a tool's result: a string, or a list of blocks; anything else is kept as it is."""
    if content is None or content == "":
        return ()
    if not isinstance(content, list):
        return (Text(content) if isinstance(content, str) else _other(content),)
    blocks = (block_of(part) for part in content)
    return tuple(
        b if isinstance(b, Text | Image | Other) else _other(part) for b, part in zip(blocks, content, strict=True)
    )


def _image(part: Mapping[str, object], source: Mapping[str, object]) -> Block:
    media_type, data = source.get("media_type"), source.get("data")
    match source.get("type"):
        case "text" if isinstance(data, str):
            return Text(data)
        case "base64" if isinstance(media_type, str) and isinstance(data, str):
            return Image(media_type, data)
        case "url" | "file" | "absent":
            return Image(media_type if isinstance(media_type, str) else f"{part['type']}/*")
        case _:
            return _other(part)
