"""The exact request prefix of a group of forks: built once, the same bytes for every arm."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Literal

import msgspec
from msgspec import Struct

from bench.contexts.native import Json, Repairs, calls_in, native_messages
from bench.contexts.tools import ToolDefinition, definitions
from bench.contexts.validate import MAX_BODY_BYTES, blocks_of, validate_messages
from bench.errors import BenchError
from bench.models.protocol import Context
from bench.text import tokens_of_chars
from bench.transcripts.model import IMAGE_CHARS, Message, Transcript

Mode = Literal["native", "rendered"]

RESULT_CHARS = 2000
"""A rendered context cuts tool results to this many characters (pi's rule for the text its summary is written from)."""
RENDERED_HEAD = f"The conversation so far, as plain text; tool results are cut to {RESULT_CHARS} characters.\n\n"
BREAKPOINT = {"type": "ephemeral"}


class Prepared(Struct, frozen=True):
    """A context and what was done to the transcript to make it."""

    context: Context
    repairs: Repairs


def build_context(
    transcript: Transcript, mode: Mode, *, system: str = "", tools: Sequence[ToolDefinition] = (), images: bool = True
) -> Context:
    """The context of a transcript's main line; see `prepare`. Raises BenchError where nothing is said in it."""
    prepared = prepare(transcript.messages, mode, system=system, tools=tools, images=images)
    if prepared is None:
        raise BenchError("nothing to fork: the conversation holds no text")
    return prepared.context


def prepare(
    messages: Sequence[Message],
    mode: Mode,
    *,
    system: str = "",
    tools: Sequence[ToolDefinition] = (),
    images: bool = True,
) -> Prepared | None:
    """The request prefix of a conversation and its repairs, or None where nothing is said in it.

    `native`: the harness's messages with calls and results, under `system` and `tools` (the fixture's, if it has them;
    tools without a definition get one made from their calls). Leading system messages join `system`.
    `rendered`: the conversation as plain text in one user block; `system` and `tools` are those of an agent at work and
    stay out. `images`: whether they are sent or noted. Raises BenchError where the API would refuse the result.
    """
    if mode == "rendered":
        return _rendered(messages)
    lead = next((i for i, m in enumerate(messages) if m.role != "system"), len(messages))
    body, repairs = native_messages(messages[lead:], images=images)
    if not body:
        return None
    said = "\n\n".join(t for t in (system, *(m.text for m in messages[:lead])) if t.strip())
    return _sealed("native", said, definitions(calls_in(body), tools), body, repairs)


def _rendered(messages: Sequence[Message]) -> Prepared | None:
    from bench.transcripts.render import render

    text = render(messages, RESULT_CHARS)
    return text_context(RENDERED_HEAD + text) if text.strip() else None


def text_context(text: str) -> Prepared:
    """A context of one text, in one block of the user's: a rendered conversation, or what is read off one."""
    block: Json = {"type": "text", "text": text}
    return _sealed("rendered", "", [], [{"role": "user", "content": [block]}], Repairs())


def _sealed(
    mode: Mode, system: str, tools: Sequence[ToolDefinition], messages: Sequence[Json], repairs: Repairs
) -> Prepared:
    """The context with its breakpoint, checked; `body` is canonical: fixed key order, compact, UTF-8."""
    last = blocks_of(messages[-1])[-1]
    assert isinstance(last, dict)
    last["cache_control"] = BREAKPOINT
    validate_messages(messages, tools)
    body = msgspec.json.encode({"system": system, "tools": list(tools), "messages": list(messages)})
    if len(body) > MAX_BODY_BYTES:
        raise BenchError(f"the API would refuse this context: {len(body):,} bytes, of {MAX_BODY_BYTES:,} allowed")
    tokens = tokens_of_chars(len(system) + len(msgspec.json.encode(tools)) + sum(map(_chars, messages)))
    context = Context(mode=mode, body=body, sha256=hashlib.sha256(body).hexdigest(), tokens=tokens)
    return Prepared(context, repairs)


def _chars(block: object) -> int:
    """Characters of the text in a part of a request, an image counted as IMAGE_CHARS."""
    match block:
        case {"type": "image"}:
            return IMAGE_CHARS
        case {"type": "text", "text": str(text)}:
            return len(text)
        case {"type": "tool_use", "name": str(name), "input": arguments}:
            return len(name) + len(msgspec.json.encode(arguments))
        case {"content": list(blocks)}:
            return sum(map(_chars, blocks))
        case _:
            return 0
