"""The rules that the Messages API holds a request's prefix to; a context that breaks one is refused before any call.

Stricter than the API where servers differ: roles alternate, the results of a turn's calls open the next turn, and no
thinking is left.
"""

from __future__ import annotations

import binascii
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from bench.errors import BenchError

Block = Mapping[str, object]

TOOL_NAME = re.compile(r"[a-zA-Z0-9_-]{1,128}\Z")
TOOL_ID = re.compile(r"[a-zA-Z0-9_-]{1,256}\Z")
IMAGE_TYPES = ("image/jpeg", "image/png", "image/gif", "image/webp")
MAX_IMAGE_BYTES = 5_000_000
"""Of one image, decoded: the API's limit."""
MAX_MESSAGES = 100_000
MAX_BODY_BYTES = 32_000_000
"""Of a whole request."""

_KEYS = {
    "text": {"type", "text", "cache_control"},
    "image": {"type", "source", "cache_control"},
    "tool_use": {"type", "id", "name", "input", "cache_control"},
    "tool_result": {"type", "tool_use_id", "content", "is_error", "cache_control"},
}
_ALLOWED = {"user": ("text", "image", "tool_result"), "assistant": ("text", "tool_use")}


class Fault(NamedTuple):
    """One rule broken. `message` is a 0-based index into the request's messages, None for what stands before them."""

    message: int | None
    what: str

    def __str__(self) -> str:
        return self.what if self.message is None else f"message {self.message}: {self.what}"


def validate_messages(messages: Sequence[Block], tools: Sequence[Block] = ()) -> None:
    """Nothing where the API would take the prefix; raises BenchError naming the first message it would refuse."""
    for fault in faults(messages, tools):
        raise BenchError(f"the API would refuse this context: {fault}")


def faults(messages: Sequence[Block], tools: Sequence[Block] = ()) -> Iterator[Fault]:
    """Every rule that the prefix breaks, in the order of the messages."""
    yield from tool_faults(tools)
    if not messages:
        yield Fault(None, "there is no message")
        return
    if len(messages) > MAX_MESSAGES:
        yield Fault(None, f"{len(messages)} messages; at most {MAX_MESSAGES} are allowed")
    if messages[0].get("role") != "user":
        yield Fault(0, "the first message is not the user's")
    yield from _order_faults(messages)
    seen: set[str] = set()
    for i, message in enumerate(messages):
        yield from (Fault(i, what) for what in _message_faults(message, seen))
    yield from _pairing_faults(messages)
    yield from _breakpoint_faults(messages)


def blocks_of(message: Block) -> Sequence[Block]:
    """The blocks of a request's message; none where its content is not a list."""
    content = message.get("content")
    return content if isinstance(content, list) else ()


def tool_faults(tools: Sequence[Block]) -> Iterator[Fault]:
    """What the API would refuse about tool definitions."""
    names: set[object] = set()
    for tool in tools:
        name = tool.get("name")
        if not isinstance(name, str) or not TOOL_NAME.match(name):
            yield Fault(None, f"tool name {name!r} holds other characters than letters, digits, '_' and '-'")
        if name in names:
            yield Fault(None, f"tool {name!r} is defined twice")
        names.add(name)
        schema = tool.get("input_schema")
        if tool.get("type", "custom") == "custom" and not _is_object_schema(schema):
            yield Fault(None, f"tool {name!r} has no input_schema of type object")


def _is_object_schema(schema: object) -> bool:
    return isinstance(schema, Mapping) and schema.get("type") == "object"


def _order_faults(messages: Sequence[Block]) -> Iterator[Fault]:
    for i, (before, after) in enumerate(pairwise(messages), 1):
        if before.get("role") == after.get("role"):
            yield Fault(i, f"two {after.get('role')} messages in a row")


def _message_faults(message: Block, seen: set[str]) -> Iterator[str]:
    role = message.get("role")
    if role not in _ALLOWED:
        yield f"role {role!r} is neither user nor assistant"
        return
    if not blocks_of(message):
        yield "has no content"
    for block in blocks_of(message):
        kind = block.get("type")
        if kind not in _ALLOWED[str(role)]:
            yield f"a {kind} block cannot stand in a message of the {role}"
            continue
        extra = block.keys() - _KEYS[str(kind)]
        if extra:
            yield f"a {kind} block has unknown fields: {', '.join(sorted(extra))}"
        match kind:
            case "text":
                yield from _text_faults(block)
            case "image":
                yield from _image_faults(block)
            case "tool_use":
                yield from _call_faults(block, seen)
            case "tool_result":
                yield from _result_faults(block)


def _text_faults(block: Block) -> Iterator[str]:
    text = block.get("text")
    if not isinstance(text, str) or not text.strip():
        yield "a text block is empty"


def _image_faults(block: Block) -> Iterator[str]:
    source = block.get("source")
    if not isinstance(source, Mapping) or source.get("type") != "base64":
        yield "an image has no base64 source"
        return
    if source.get("media_type") not in IMAGE_TYPES:
        yield f"an image of type {source.get('media_type')!r}; the API takes {', '.join(IMAGE_TYPES)}"
    size = image_bytes(source.get("data"))
    if size is None:
        yield "an image's data is not base64"
    elif size > MAX_IMAGE_BYTES:
        yield f"an image of {size} bytes; at most {MAX_IMAGE_BYTES} are allowed"


def image_bytes(data: object) -> int | None:
    """Bytes of an image given as base64; None where it is no base64 or holds nothing."""
    if not isinstance(data, str):
        return None
    try:
        return len(binascii.a2b_base64(data, strict_mode=True)) or None
    except (binascii.Error, ValueError):
        return None


def _call_faults(block: Block, seen: set[str]) -> Iterator[str]:
    id_, name = block.get("id"), block.get("name")
    if not isinstance(id_, str) or not TOOL_ID.match(id_):
        yield f"a tool call's id {id_!r} holds other characters than letters, digits, '_' and '-'"
    elif id_ in seen:
        yield f"tool call id {id_!r} stands twice"
    else:
        seen.add(id_)
    if not isinstance(name, str) or not TOOL_NAME.match(name):
        yield f"tool name {name!r} holds other characters than letters, digits, '_' and '-'"
    if not isinstance(block.get("input"), Mapping):
        yield "a tool call's input is no object"


def _result_faults(block: Block) -> Iterator[str]:
    content = block.get("content", [])
    if not isinstance(content, list):
        yield "a tool result's content is no list of blocks"
        return
    for inner in content:
        match inner.get("type"):
            case "text":
                yield from _text_faults(inner)
            case "image":
                yield from _image_faults(inner)
            case kind:
                yield f"a {kind} block cannot stand in a tool result"


def _pairing_faults(messages: Sequence[Block]) -> Iterator[Fault]:
    """Each call is answered once, in the next message, and before anything else that stands there."""
    due: set[object] = set()
    for i, message in enumerate(messages):
        blocks = blocks_of(message)
        results = [b for b in blocks if b.get("type") == "tool_result"]
        if any(b.get("type") == "tool_result" for b in blocks[len(results) :]):
            yield Fault(i, "a tool result stands after other content")
        for result in results:
            if result.get("tool_use_id") not in due:
                yield Fault(i, f"tool result {result.get('tool_use_id')!r} answers no call of the message before")
            due.discard(result.get("tool_use_id"))
        for missing in sorted(map(str, due)):
            yield Fault(i, f"no result for tool call {missing!r} of the message before")
        due = {b.get("id") for b in blocks if b.get("type") == "tool_use"}
    for missing in sorted(map(str, due)):
        yield Fault(len(messages) - 1, f"no result for tool call {missing!r}, and no message follows")


def _breakpoint_faults(messages: Sequence[Block]) -> Iterator[Fault]:
    marked = [
        (i, j) for i, m in enumerate(messages) for j, b in enumerate(blocks_of(m)) if b.get("cache_control") is not None
    ]
    last = (len(messages) - 1, len(blocks_of(messages[-1])) - 1)
    if marked != [last]:
        yield Fault(last[0], "the one cache breakpoint is not on the last block")
