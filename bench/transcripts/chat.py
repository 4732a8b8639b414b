"""Chat messages as OpenAI's API writes them (role, content, tool_calls), which several harnesses keep."""

from __future__ import annotations

from bench.transcripts.blocks import arguments_json, block_of
from bench.transcripts.model import Block, Image, Text, ToolUse, Usage
from bench.transcripts.values import count_of, dict_of, dicts_of, text_of

Json = dict[str, object]


def content_of(content: object) -> list[Block]:
    """The content of a chat message: a string, or text and image parts."""
    if isinstance(content, str):
        return [Text(content)] if content else []
    return [block for part in content for block in _part(part)] if isinstance(content, list) else []


def calls_of(message: Json, key: int) -> list[ToolUse]:
    """The tool calls of a chat message; one without an id gets one of `key` and its place."""
    found = []
    for n, call in enumerate(dicts_of(message.get("tool_calls"))):
        function = dict_of(call.get("function"))
        id_ = text_of(call.get("id")) or f"call-{key}-{n}"
        name = text_of(function.get("name")) or text_of(call.get("name")) or "tool"
        found.append(ToolUse(id_, name, arguments_json(function.get("arguments", call.get("arguments")))))
    return found


def usage_of(usage: object) -> Usage | None:
    """Tokens of a chat completion, whose prompt counts the cache in; None where it counted nothing."""
    told = dict_of(usage)
    details = dict_of(told.get("prompt_tokens_details"))
    read = count_of(told.get("cache_read_input_tokens")) or count_of(details.get("cached_tokens"))
    written = count_of(told.get("cache_creation_input_tokens"))
    fresh = max(count_of(told.get("prompt_tokens")) - read - written, 0)
    output = count_of(told.get("completion_tokens"))
    found = Usage(input=fresh, output=output, cache_read=read, cache_write_5m=written)
    return None if found == Usage() else found


def _part(part: object) -> list[Block]:
    match part:
        case {"type": "image_url", "image_url": {"url": str(url)}}:
            return [image_of(url)]
        case {"type": "image", "image_urls": list(urls)}:
            return [image_of(url) for url in urls if isinstance(url, str)]
    return [block_of(part)]


def image_of(url: str) -> Image:
    """The image of a data URL, or a place for one that only is pointed at."""
    head, comma, data = url.partition(";base64,")
    if comma and head.startswith("data:"):
        return Image(head.removeprefix("data:"), data)
    return Image("image/*")
