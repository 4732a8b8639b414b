"""Entries of a pi branch as turns of a conversation: who speaks in each, and what it says."""

from __future__ import annotations

from bench.transcripts.blocks import arguments_json, block_of, result_content
from bench.transcripts.conversation import Conversation, Turn
from bench.transcripts.model import Author, Block, Image, Message, Role, Text, Thinking, ToolResult, ToolUse, Usage
from bench.transcripts.origin import authored
from bench.transcripts.pi_entries import Entry, PiMessage
from bench.transcripts.values import count_of, dict_of, number_of, text_of

BY_AGENT = "agent"
"""oh-my-pi's attribution of a prompt that another agent wrote."""
BRANCH_SUMMARY, SHELL = "branch-summary", "shell"


def say(conversation: Conversation, entry: Entry) -> bool:
    """Whether the entry says something; then it is in the conversation now. Compactions are not said here."""
    message = entry.message
    if message is not None and message.role == "toolResult":
        result = ToolResult(
            text_of(message.toolCallId) or "", result_content(_shaped(message.content)), message.isError is True
        )
        conversation.answer(result, entry.index, id_=entry.id, time=text_of(entry.data.timestamp), line=entry.line)
        return True
    turn = turn_of(entry)
    if turn is not None:
        conversation.add(turn)
    return turn is not None


def turn_of(entry: Entry) -> Turn | None:
    """The entry as a turn; None for tool results and for entries that say nothing to the model."""
    data, message = entry.data, entry.message
    match entry.kind:
        case "custom_message":
            return _harness(entry, _blocks(data.content), text_of(data.customType))
        case "branch_summary" if text_of(data.summary):
            return _harness(entry, [Text(data.summary)], BRANCH_SUMMARY)
    if message is None:
        return None
    match message.role:
        case "user":
            return _user(entry, message)
        case "assistant":
            return _answer(entry, message)
        case "bashExecution" if message.excludeFromContext is not True:
            return _turn(entry, "user", "harness", [Text(_ran(message))], SHELL)
        case "custom" | "hookMessage":
            return _harness(entry, _blocks(message.content), text_of(message.customType))
        case "branchSummary" if text_of(message.summary):
            return _harness(entry, [Text(message.summary)], BRANCH_SUMMARY)
        case "compactionSummary" if text_of(message.summary):
            return _turn(entry, "user", "compaction", [Text(message.summary)])
        case "developer":
            return _turn(entry, "system", "harness", _blocks(message.content), "developer")
    return None


def chars_of(entry: Entry) -> int:
    """Characters that the entry's own text takes in a context: `Message.chars` of what it says."""
    conversation = Conversation()
    say(conversation, entry)
    messages: tuple[Message, ...] = conversation.finish().messages
    return sum(m.chars for m in messages)


def _user(entry: Entry, message: PiMessage) -> Turn:
    blocks = _blocks(message.content)
    author, origin = authored(tuple(blocks))
    if author == "person" and message.attribution == BY_AGENT:
        author, origin = "assistant", "subagent-prompt"
    return _turn(entry, "user", author, blocks, origin)


def _harness(entry: Entry, blocks: list[Block], origin: str | None) -> Turn:
    return _turn(entry, "user", "harness", blocks, origin or "extension")


def _answer(entry: Entry, message: PiMessage) -> Turn:
    turn = _turn(entry, "assistant", "assistant", _blocks(message.content))
    turn.model = text_of(message.model)
    turn.usage = usage_of(message.usage)
    turn.stop_reason = text_of(message.stopReason)
    return turn


def _turn(entry: Entry, role: Role, author: Author, blocks: list[Block], origin: str | None = None) -> Turn:
    return Turn(
        role=role,
        author=author,
        blocks=blocks,
        key=entry.index,
        origin=origin,
        id=entry.id,
        record_ids=[entry.id] if entry.id else [],
        time=text_of(entry.data.timestamp),
        line=entry.line,
    )


def usage_of(usage: object) -> Usage | None:
    """pi's counters, whose input excludes the cache as the Messages API's does; None for an aborted turn's zeros."""
    counts = dict_of(usage)
    found = Usage(
        input=count_of(counts.get("input")),
        output=count_of(counts.get("output")),
        cache_read=count_of(counts.get("cacheRead")),
        cache_write_5m=count_of(counts.get("cacheWrite")),
    )
    return None if found == Usage() else found


def _blocks(content: object) -> list[Block]:
    if isinstance(content, str):
        return [Text(content)] if content else []
    return [_block(part) for part in content] if isinstance(content, list) else []


def _block(part: object) -> Block:
    if not isinstance(part, dict):
        return block_of(part)
    match part:
        case {"type": "toolCall", "name": str(name)}:
            return ToolUse(text_of(part.get("id")) or "", name, arguments_json(part.get("arguments")))
        case {"type": "thinking", "thinking": str(text)}:
            return Thinking(text)
        case {"type": "image", "mimeType": str(media_type), "data": str(data)}:
            return Image(media_type, data)
    return block_of(part)


def _shaped(content: object) -> object:
    """A result's content with pi's images in the Messages API's shape; forks write a plain string."""
    if not isinstance(content, list):
        return content
    return [_image(part) if isinstance(part, dict) and "mimeType" in part else part for part in content]


def _image(part: dict[str, object]) -> dict[str, object]:
    source = {"type": "base64", "media_type": part.get("mimeType"), "data": part.get("data")}
    return {"type": part.get("type"), "source": source}


def _ran(message: PiMessage) -> str:
    """A command that the person ran, and what it printed."""
    lines = [f"$ {text_of(message.command) or ''}", text_of(message.output) or "(no output)"]
    if message.cancelled is True:
        lines.append("(cancelled)")
    elif code := number_of(message.exitCode):
        lines.append(f"(exit code {code})")
    return "\n".join(lines)
