"""A transcript as the Messages API takes it: its turns, repaired where the API needs it, every repair counted.

Nothing said is lost: what cannot stand in its own form (a result without its call, an image that cannot be sent, a
block of an unknown kind) stays as text in its place. Only thinking and blank text go.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Literal, cast

import msgspec
from msgspec import Struct

from bench.contexts.tools import safe_name
from bench.contexts.validate import IMAGE_TYPES, MAX_IMAGE_BYTES, TOOL_ID, image_bytes
from bench.transcripts.model import Block, Image, Message, Other, Text, Thinking, ToolResult, ToolUse

Json = dict[str, object]

NO_RESULT = "[no result of this call was recorded]"
OPENING = "[the recorded conversation begins here]"

_SURROGATE = re.compile(r"[\ud800-\udfff]")
_UNSAFE_ID = re.compile(r"[^a-zA-Z0-9_-]")


class Repairs(Struct, frozen=True, kw_only=True):
    """What was done to a transcript to make a context of it; each a count."""

    thinking_removed: int = 0
    blank_removed: int = 0
    """Blank text blocks, and messages that held nothing else."""
    merged: int = 0
    """Messages joined to the one before, of the same role."""
    orphan_calls: int = 0
    """Calls without a result; a result saying so was put in."""
    orphan_results: int = 0
    """Results without a call; kept as text."""
    moved_results: int = 0
    """Results that stood later than the turn after their call."""
    renamed: int = 0
    """Tool names and call ids with characters the API refuses, and ids that stood twice."""
    wrapped_inputs: int = 0
    """Call arguments that were no object."""
    images_kept: int = 0
    images_noted: int = 0
    others_as_text: int = 0
    system_as_user: int = 0
    """System turns inside the conversation, sent as the user's."""
    opened: int = 0
    """1 where a first user message had to be put before the assistant's."""


@dataclass
class _Call:
    id: str
    answer: Json | None = None
    """Its tool_result block, once met."""
    turn: int = -1
    """Number of the turn that held the answer."""


@dataclass
class _Turn:
    role: Literal["user", "assistant"]
    blocks: list[Json] = field(default_factory=list)
    calls: list[_Call] = field(default_factory=list)
    numbers: set[int] = field(default_factory=set)
    """Numbers of the messages in it."""


class _Builder:
    """Turns in the making. One use: `add` each message, then `finish`."""

    def __init__(self, *, images: bool) -> None:
        self.images = images
        self.turns: list[_Turn] = []
        self.counts: dict[str, int] = {}
        self.open: dict[str, _Call] = {}
        self.ids: set[str] = set()

    def count(self, what: str, n: int = 1) -> None:
        self.counts[what] = self.counts.get(what, 0) + n

    def add(self, number: int, message: Message) -> None:
        if message.role == "system":
            self.count("system_as_user")
        turn = _Turn("assistant" if message.role == "assistant" else "user", numbers={number})
        for block in message.blocks:
            self._add_block(turn, block, number)
        self.turns.append(turn)

    def _add_block(self, turn: _Turn, block: Block, number: int) -> None:
        match block:
            case Thinking():
                self.count("thinking_removed")
            case Text(text) if not text.strip():
                self.count("blank_removed")
            case Text(text):
                turn.blocks.append(_text(text))
            case Image():
                turn.blocks.append(self._image(block, may_send=turn.role == "user"))
            case ToolUse() if turn.role == "assistant":
                turn.blocks.append(self._call(turn, block))
            case ToolUse(_, name, input_json):
                self.count("others_as_text")
                turn.blocks.append(_text(f"[call of {name}] {input_json}"))
            case ToolResult():
                self._result(turn, block, number)
            case Other("redacted_thinking", _):
                self.count("thinking_removed")
            case Other(kind, json):
                self.count("others_as_text")
                turn.blocks.append(_text(f"[{kind}] {json}"))

    def _image(self, image: Image, *, may_send: bool) -> Json:
        size = image_bytes(image.data) if self.images and may_send and image.media_type in IMAGE_TYPES else None
        if size is None or size > MAX_IMAGE_BYTES:
            self.count("images_noted")
            return _text(f"[image {image.media_type}]")
        self.count("images_kept")
        return {"type": "image", "source": {"type": "base64", "media_type": image.media_type, "data": image.data}}

    def _call(self, turn: _Turn, use: ToolUse) -> Json:
        name, id_ = safe_name(use.name), self._fresh_id(use.id)
        self.count("renamed", (name != use.name) + (id_ != use.id))
        call = _Call(id_)
        turn.calls.append(call)
        self.open[use.id] = call
        return {"type": "tool_use", "id": id_, "name": name, "input": self._arguments(use.input_json)}

    def _fresh_id(self, id_: str) -> str:
        base = id_ if TOOL_ID.match(id_) else _UNSAFE_ID.sub("_", id_)[:200] or "call"
        fresh, n = base, 1
        while fresh in self.ids:
            n += 1
            fresh = f"{base}-{n}"
        self.ids.add(fresh)
        return fresh

    def _arguments(self, text: str) -> Json:
        try:
            value = msgspec.json.decode(text)
        except (msgspec.DecodeError, UnicodeEncodeError):
            value = _clean(text)
        if isinstance(value, dict):
            return value
        self.count("wrapped_inputs")
        return {"value": value}

    def _result(self, turn: _Turn, result: ToolResult, number: int) -> None:
        content: list[Json] = []
        for part in result.content:
            match part:
                case Text(text) if text.strip():
                    content.append(_text(text))
                case Image():
                    content.append(self._image(part, may_send=turn.role == "user"))
                case Other(kind, json):
                    self.count("others_as_text")
                    content.append(_text(f"[{kind}] {json}"))
        call = self.open.pop(result.tool_use_id, None) if turn.role == "user" else None
        if call is None:
            self.count("orphan_results")
            turn.blocks += [_text("[result of a call that is not in this conversation]"), *content]
            return
        call.turn = number
        call.answer = {"type": "tool_result", "tool_use_id": call.id, "content": content}
        if result.is_error:
            call.answer["is_error"] = True

    def finish(self) -> list[Json]:
        """The request's messages: merged, each call answered in the turn after it, opened by the user."""
        turns = self._merged()
        if turns and turns[-1].calls:
            turns.append(_Turn("user"))
        for turn, after in pairwise(turns):
            after.blocks[:0] = [self._answer(call, after) for call in turn.calls]
        if turns and turns[0].role == "assistant":
            self.count("opened")
            turns.insert(0, _Turn("user", [_text(OPENING)]))
        return [{"role": t.role, "content": t.blocks} for t in turns]

    def _merged(self) -> list[_Turn]:
        """Turns of alternating roles. A turn whose answers all belong further up is left out."""
        out: list[_Turn] = []
        for turn in self.turns:
            last = out[-1] if out else None
            if last is not None and last.role == turn.role:
                self.count("merged")
                last.blocks += turn.blocks
                last.calls += turn.calls
                last.numbers |= turn.numbers
            elif turn.blocks or (last is not None and last.calls):
                out.append(turn)
        return out

    def _answer(self, call: _Call, after: _Turn) -> Json:
        if call.answer is None:
            self.count("orphan_calls")
            return {"type": "tool_result", "tool_use_id": call.id, "content": [_text(NO_RESULT)], "is_error": True}
        self.count("moved_results", call.turn not in after.numbers)
        return call.answer


def native_messages(messages: Iterable[Message], *, images: bool) -> tuple[list[Json], Repairs]:
    """The messages as a request holds them, without a cache breakpoint, and what was repaired.

    `images`: whether images are sent; a note stands for those that are not. Empty where nothing was said.
    """
    builder = _Builder(images=images)
    for number, message in enumerate(messages):
        builder.add(number, message)
    out = builder.finish()
    return out, Repairs(**builder.counts)


def calls_in(messages: Sequence[Json]) -> Iterator[tuple[str, Json]]:
    """Name and arguments of every call in a request's messages, in order."""
    for block in (b for m in messages for b in cast(list[Json], m["content"])):
        if block["type"] == "tool_use":
            yield cast(str, block["name"]), cast(Json, block["input"])


def _text(text: str) -> Json:
    return {"type": "text", "text": _clean(text)}


def _clean(text: str) -> str:
    """`text` without lone surrogates, which no UTF-8 body can hold."""
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)
