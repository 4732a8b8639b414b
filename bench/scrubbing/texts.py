"""Every text of a transcript, and the transcript with another text in the place of each: one walk for both."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
from msgspec.structs import replace

from bench.transcripts.model import Block, Image, Message, Other, Text, Thinking, ToolResult, ToolUse, Transcript

Where = int | str
"""Index of a message in the main line, or the name of what stands beside it ('system', 'tools', 'summary')."""
Mend = Callable[[Where, str], str]
"""What is to stand in the place of a text."""


def mended(transcript: Transcript, mend: Mend) -> Transcript:
    """The transcript with `mend` applied to each text of its main line, system prompt, tools, summaries and folder.

    Names of tools and models are texts (a model may be a path or an address); image data, ids and times are none.
    JSON is walked value by value (names of members too) and written anew only where something changed.
    """
    compactions = tuple(
        replace(c, summary=None if c.summary is None else mend("summary", c.summary)) for c in transcript.compactions
    )
    return replace(
        transcript,
        messages=tuple(_message(i, m, mend) for i, m in enumerate(transcript.messages)),
        compactions=compactions,
        system=None if transcript.system is None else mend("system", transcript.system),
        tools_json=None if transcript.tools_json is None else in_json("tools", transcript.tools_json, mend),
        cwd=None if transcript.cwd is None else mend("folder", transcript.cwd),
        branch=None if transcript.branch is None else mend("branch", transcript.branch),
    )


def in_json(where: Where, text: str, mend: Mend) -> str:
    """The JSON text with every string in it mended; as it was where nothing changed. What is no JSON is one text."""
    try:
        value = msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeEncodeError):
        return mend(where, text)
    after = in_value(where, value, mend)
    return text if after == value else msgspec.json.encode(after).decode()


def in_value(where: Where, value: object, mend: Mend) -> object:
    """The value of JSON with every string in it mended, the names of members too."""
    match value:
        case str():
            return mend(where, value)
        case list():
            return [in_value(where, item, mend) for item in value]
        case dict():
            return {mend(where, name): in_value(where, item, mend) for name, item in value.items()}
        case _:
            return value


def _message(at: int, message: Message, mend: Mend) -> Message:
    blocks = tuple(_block(at, block, mend) for block in message.blocks)
    model = None if message.model is None else mend(at, message.model)
    same = blocks == message.blocks and model == message.model
    return message if same else replace(message, blocks=blocks, model=model)


def _block(at: int, block: Block, mend: Mend) -> Block:
    match block:
        case Text(text):
            return Text(mend(at, text))
        case Thinking(text):
            return Thinking(mend(at, text))
        case ToolUse(id_, name, input_json):
            return ToolUse(id_, mend(at, name), in_json(at, input_json, mend))
        case ToolResult():
            return replace(block, content=tuple(_content(at, inner, mend) for inner in block.content))
        case Other(kind, json):
            return Other(kind, in_json(at, json, mend))
        case _:
            return block


def _content(at: int, inner: Text | Image | Other, mend: Mend) -> Text | Image | Other:
    match inner:
        case Text(text):
            return Text(mend(at, text))
        case Other(kind, json):
            return Other(kind, in_json(at, json, mend))
        case _:
            return inner
