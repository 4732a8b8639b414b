"""The items of a Codex rollout: what is used of a line, and what an item says in blocks of the model."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from bench.transcripts.blocks import arguments_json, block_of, compact_json
from bench.transcripts.chat import image_of
from bench.transcripts.model import Block, Text, Thinking, ToolResult, ToolUse, Usage
from bench.transcripts.origin import Openings
from bench.transcripts.values import count_of, dict_of, dicts_of, number_of, text_of

OPENINGS: Openings = (
    ("# AGENTS.md instructions", "rules"),
    ("<user_instructions>", "rules"),
    ("<INSTRUCTIONS>", "rules"),
    ("<environment_context>", "environment"),
    ("<recommended_plugins>", "plugins"),
    ("<skill>", "skill"),
    ("<turn_aborted>", "interrupt"),
    ("<user_shell_command>", "shell"),
    ("<subagent_notification>", "subagent"),
    ("<task>", "task"),
)
"""What Codex, or a program that drives it, puts into the user's role."""


class Item(Struct):
    """A response item, or an event: what is used of it, under its names in the file."""

    type: Any = None
    id: Any = None
    role: Any = None
    content: Any = None
    summary: Any = None
    name: Any = None
    call_id: Any = None
    arguments: Any = None
    input: Any = None
    action: Any = None
    output: Any = None
    message: Any = None
    text: Any = None
    replacement_history: Any = None
    info: Any = None
    num_turns: Any = None
    author: Any = None
    # of session_meta and turn_context
    session_id: Any = None
    cwd: Any = None
    cli_version: Any = None
    instructions: Any = None
    base_instructions: Any = None
    git: Any = None
    source: Any = None
    forked_from_id: Any = None
    model: Any = None


class RolloutLine(Item):
    """One line: an envelope with a payload, or (until September 2025) an item without one."""

    timestamp: Any = None
    payload: Item | list[Any] | str | int | float | bool | None = None
    record_type: Any = None


def spoken(content: object) -> list[Block]:
    """The content of a message item: a string, or a list of text and image parts."""
    if isinstance(content, str):
        return [Text(content)] if content else []
    return [_part(part) for part in content] if isinstance(content, list) else []


def thought(item: Item) -> Thinking:
    """A reasoning item; its text is empty where all of it is encrypted."""
    parts = (*dicts_of(item.summary), *dicts_of(item.content))
    return Thinking("\n".join(text for part in parts if (text := text_of(part.get("text")))))


def is_call(item: Item) -> bool:
    """Whether the item is a tool call of any kind: function_call, custom_tool_call, web_search_call, ..."""
    return isinstance(item.type, str) and item.type.endswith("_call")


def is_output(item: Item) -> bool:
    """Whether the item is what a tool gave back: function_call_output, tool_search_output, ..."""
    return isinstance(item.type, str) and item.type.endswith("_output")


def call_of(item: Item, key: int) -> ToolUse:
    """The call; one without an id gets `call-<key>`. What it was given is JSON in a string, raw text, or an action."""
    name = text_of(item.name) or str(item.type).removesuffix("_call")
    return ToolUse(text_of(item.call_id) or text_of(item.id) or f"call-{key}", name, _given(item))


def result_of(item: Item) -> ToolResult:
    """The result: a string, a list of blocks, or an object that holds one of these beside a success flag."""
    output, failed = item.output, False
    if isinstance(output, dict) and ("content" in output or "body" in output):
        failed = output.get("success") is False
        output = output.get("content", output.get("body"))
    blocks: list[Block] = [] if output is None else spoken(output) or [_part(output)] if output != "" else []
    content = tuple(b for b in blocks if not isinstance(b, Thinking | ToolUse | ToolResult))
    return ToolResult(text_of(item.call_id) or text_of(item.id) or "", content, failed)


class Counter:
    """Tokens by answer out of running totals: a total that is only told again counts nothing."""

    def __init__(self) -> None:
        self._total: dict[str, object] = {}
        self.context: int | None = None
        """Tokens of the newest answer's prompt and output: what the context held then."""

    def taken(self, info: object) -> Usage | None:
        """What was used since the last count; None where that is nothing, or not told."""
        told = dict_of(info)
        total, last = dict_of(told.get("total_token_usage")), dict_of(told.get("last_token_usage"))
        if not total or total == self._total:
            return None
        before, self._total = self._total, total
        if not last:
            grown = all(count_of(v) >= count_of(before.get(k)) for k, v in total.items())
            last = {k: count_of(v) - count_of(before.get(k)) for k, v in total.items()} if grown else total
        usage = usage_of(last)
        if usage is not None:
            self.context = number_of(last.get("total_tokens"))
        return usage

    def left(self, info: object) -> int | None:
        """What a compaction left in the context: told as the size of an answer that used nothing."""
        told = dict_of(info)
        last = dict_of(told.get("last_token_usage"))
        again = dict_of(told.get("total_token_usage")) == self._total
        return (count_of(last.get("total_tokens")) or None) if again and usage_of(last) is None else None


def usage_of(counts: dict[str, object]) -> Usage | None:
    """One answer's tokens. Codex counts what was read from and written to the cache as input; here it is apart."""
    read, written = count_of(counts.get("cached_input_tokens")), count_of(counts.get("cache_write_input_tokens"))
    fresh = max(count_of(counts.get("input_tokens")) - read - written, 0)
    output = count_of(counts.get("output_tokens"))
    found = Usage(input=fresh, output=output, cache_read=read, cache_write_5m=written)
    return None if found == Usage() else found


def _given(item: Item) -> str:
    if isinstance(item.input, str):
        return compact_json({"input": item.input})
    return arguments_json(next((v for v in (item.arguments, item.input, item.action) if v not in (None, "")), None))


def _part(part: object) -> Block:
    match part:
        case {"type": "input_text" | "output_text" | "text" | "summary_text" | "reasoning_text", "text": str(text)}:
            return Text(text)
        case {"type": "input_image", "image_url": str(url)}:
            return image_of(url)
    return block_of(part)
