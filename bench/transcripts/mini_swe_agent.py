"""mini-swe-agent trajectories: the reader. A document with `messages`, or (at first) the bare list of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from bench.transcripts.chat import calls_of, content_of, usage_of
from bench.transcripts.conversation import Conversation, Turn
from bench.transcripts.head import Head, read_head
from bench.transcripts.model import Author, Block, Image, Other, Text, ToolResult, Transcript, Unread
from bench.transcripts.origin import Openings, authored
from bench.transcripts.values import dict_of, text_of

NAME = "mini-swe-agent"
FORMAT = "mini-swe-agent"
"""How `trajectory_format` begins."""
MARKS = ("<returncode>", "mswea_bash_command", "COMPLETE_TASK_AND_SUBMIT", "MINI_SWE_AGENT_FINAL_OUTPUT")
"""What tells a bare list of messages as this harness's: what its prompts ask for, and what it answers."""
OPENINGS: Openings = (("Format error", "format-error"), ("Please always provide EXACTLY ONE action", "format-error"))
FENCE = "```"

Json = dict[str, object]


class MiniSweAgent:
    """The reader of mini-swe-agent's trajectories."""

    name = NAME
    told = "mini-swe-agent trajectory (JSON)"

    def detect(self, head: Head) -> bool:
        """Whether the document names the format, or is a chat in which the harness's own marks stand."""
        match head.document:
            case {"trajectory_format": str(name), "messages": list()}:
                return name.startswith(FORMAT)
            case {"messages": list(entries), "info": dict(info)}:
                return "mini_version" in info or _is_marked(entries)
            case list(entries):
                return _is_marked(entries)
        return False

    def read(self, path: Path) -> list[Transcript]:
        """The one session of the file."""
        document = read_head(path).document
        told = dict_of(document)
        entries = told.get("messages", document)
        return [_transcript(told, entries if isinstance(entries, list) else [])]


def _is_marked(entries: Sequence[object]) -> bool:
    roles = {e.get("role") for e in entries if isinstance(e, dict) and isinstance(e.get("role"), str)}
    texts = (e.get("content") for e in entries if isinstance(e, dict))
    return "assistant" in roles and any(isinstance(t, str) and any(mark in t for mark in MARKS) for t in texts)


def _transcript(document: Json, entries: Sequence[object]) -> Transcript:
    conversation = Conversation()
    records: Counter[str] = Counter()
    unread: list[Unread] = []
    system = None
    for number, entry in enumerate(entries, start=1):
        if not isinstance(entry, dict):
            unread.append(Unread(number, "no message: it is no object"))
            continue
        records[text_of(entry.get("role")) or text_of(entry.get("type")) or "(none)"] += 1
        if entry.get("role") == "system" and system is None:
            system = "\n".join(b.text for b in content_of(entry.get("content")) if isinstance(b, Text))
            continue
        _say(conversation, entry, number)
    info = dict_of(document.get("info"))
    config = dict_of(dict_of(info.get("config")).get("model"))
    for turn in conversation.turns:
        if turn.role == "assistant":
            turn.model = turn.model or text_of(config.get("model_name"))
    return Transcript(
        format=NAME,
        messages=conversation.finish().messages,
        unread=tuple(unread),
        records=dict(records),
        session_id=text_of(document.get("instance_id")),
        harness_version=text_of(info.get("mini_version")),
        system=system or None,
    )


def _say(conversation: Conversation, entry: Json, number: int) -> None:
    blocks = content_of(entry.get("content"))
    match entry.get("role"):
        case "assistant":
            response = dict_of(dict_of(entry.get("extra")).get("response"))
            turn = Turn(role="assistant", author="assistant", blocks=[*blocks, *calls_of(entry, number)], key=number)
            turn.line, turn.model, turn.usage = number, text_of(response.get("model")), usage_of(response.get("usage"))
            conversation.add(turn)
        case "tool":
            content = tuple(b for b in blocks if isinstance(b, Text | Image | Other))
            conversation.answer(ToolResult(text_of(entry.get("tool_call_id")) or "", content), number, line=number)
        case "user":
            author, origin = _speaker(conversation, blocks)
            conversation.add(Turn(role="user", author=author, blocks=blocks, key=number, line=number, origin=origin))
        case role:
            origin = text_of(role) or text_of(entry.get("type"))
            conversation.add(Turn(role="user", author="harness", blocks=blocks, key=number, line=number, origin=origin))


def _speaker(conversation: Conversation, blocks: list[Block]) -> tuple[Author, str | None]:
    """Who speaks in the user's role: the task comes first; after an action it is what the action printed."""
    author, origin = authored(tuple(blocks), openings=OPENINGS)
    before = conversation.turns[-1] if conversation.turns else None
    acted = (
        before is not None
        and before.role == "assistant"
        and any(FENCE in b.text for b in before.blocks if isinstance(b, Text))
    )
    return ("tool", None) if acted and author == "person" else (author, origin)
