"""A conversation as plain text, for readers (people, small models) that take no blocks."""

from __future__ import annotations

from collections.abc import Sequence

from bench.transcripts.model import Block, Image, Message, Other, Text, Thinking, ToolResult, ToolUse

_SPEAKERS = {"person": "User", "assistant": "Assistant", "tool": "Tools", "compaction": "Summary of what came before"}


def render(messages: Sequence[Message], result_chars: int) -> str:
    """The conversation as text, a paragraph a message: who speaks, then the text, calls and results.

    A tool result longer than `result_chars` characters is cut to that length and says what was cut. No thinking.
    """
    names = {use.id: use.name for m in messages for use in m.tool_uses}
    paragraphs = (_message(m, names, result_chars) for m in messages)
    return "\n\n".join(p for p in paragraphs if p) + "\n" if messages else ""


def _message(message: Message, names: dict[str, str], result_chars: int) -> str:
    parts = [part for b in message.blocks if (part := _block(b, names, result_chars))]
    if not parts:
        return ""
    if message.author == "tool":
        return "\n".join(parts)
    return f"{_speaker(message)}:\n" + "\n".join(parts)


def _speaker(message: Message) -> str:
    if message.author == "harness":
        return f"Harness ({message.origin})" if message.origin else "Harness"
    if message.author == "assistant" and message.role == "user":
        return "Prompt of the calling agent"
    return _SPEAKERS[message.author]


def _block(block: Block, names: dict[str, str], result_chars: int) -> str:
    match block:
        case Text(text):
            return text.strip()
        case ToolUse(_, name, input_json):
            return f"[call {name}] {input_json}"
        case ToolResult():
            name = names.get(block.tool_use_id, "a tool")
            failed = ", failed" if block.is_error else ""
            return f"[result of {name}{failed}] {_result(block, result_chars)}"
        case Image(media_type):
            return f"[{media_type} left out]"
        case Other(kind, json):
            return f"[{kind}] {cut(json, result_chars)}"
        case Thinking():
            return ""


def _result(result: ToolResult, result_chars: int) -> str:
    images = sum(isinstance(b, Image) for b in result.content)
    note = f" [{images} image(s) left out]" if images else ""
    return cut(result.text, result_chars) + note


def cut(text: str, chars: int) -> str:
    """`text` if it has at most `chars` characters, else its beginning and a note of how much was cut."""
    if len(text) <= chars:
        return text
    return f"{text[:chars]} [cut: {len(text) - chars:,} of {len(text):,} characters]"
