"""SWE-agent trajectories (one JSON document): the reader.

`history` is the chat with the model, `trajectory` tells the same step by step and stands in where there is no history.
Older runs have no tool calls: an action is text in a code fence, and what came of it is a message in the user's role.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from msgspec.structs import replace

from bench.errors import BenchError
from bench.transcripts.chat import calls_of, content_of
from bench.transcripts.conversation import Conversation, Turn
from bench.transcripts.head import Head, read_head
from bench.transcripts.model import (
    Author,
    Block,
    Image,
    Other,
    Role,
    Side,
    Spent,
    Text,
    ToolResult,
    ToolUse,
    Transcript,
    Unread,
    Usage,
)
from bench.transcripts.values import count_of, dict_of, number_of, text_of, texts_of

NAME = "swe-agent"

Json = dict[str, object]


class SweAgent:
    """The reader of SWE-agent's trajectories."""

    name = NAME
    told = "SWE-agent trajectory (JSON)"

    def detect(self, head: Head) -> bool:
        """Whether the document holds a trajectory of steps."""
        return isinstance(head.document, dict) and isinstance(head.document.get("trajectory"), list)

    def read(self, path: Path) -> list[Transcript]:
        """The one session of the file."""
        document = read_head(path).document
        if not isinstance(document, dict):
            raise BenchError("is no trajectory any more", path=path)
        return [_transcript(document)]


def _transcript(document: Json) -> Transcript:
    steps = document.get("trajectory")
    steps = steps if isinstance(steps, list) else []
    history = document.get("history")
    entries = history if isinstance(history, list) and history else list(_told(steps))
    unread: list[Unread] = []
    lines: dict[str, Conversation] = {}
    calls = Calls()
    records: Counter[str] = Counter()
    system = None
    for number, entry in enumerate(entries, start=1):
        if not isinstance(entry, dict):
            unread.append(Unread(number, "no message: it is no object"))
            continue
        records[text_of(entry.get("role")) or "(none)"] += 1
        line = lines.setdefault(text_of(entry.get("agent")) or "", Conversation())
        if entry.get("role") == "system" and system is None:
            system = "\n".join(b.text for b in content_of(entry.get("content")) if isinstance(b, Text))
            continue
        _say(line, calls, entry, number)
    main, *others = [(name, line.finish()) for name, line in lines.items()] or [("", Conversation().finish())]
    return Transcript(
        format=NAME,
        messages=main[1].messages,
        sides=tuple(Side(kind="sidechain", id=name or "agent", messages=line.messages) for name, line in others),
        unread=tuple(unread),
        records={**records, **({"trajectory_steps": len(steps)} if steps else {})},
        session_id=text_of(document.get("instance_id")) or None,
        system=system or None,
        spent=_spent(document),
    )


def _told(steps: list[object]) -> Iterator[Json]:
    """The steps as messages."""
    for step in steps:
        told = dict_of(step)
        yield {"role": "assistant", "content": told.get("response") or told.get("thought") or ""}
        yield {"role": "user", "content": told.get("observation") or ""}


class Calls:
    """Ids of calls. A replay gives several calls the id of one; the later ones get a number behind it."""

    def __init__(self) -> None:
        self._uses: Counter[str] = Counter()

    def named(self, use: ToolUse) -> ToolUse:
        """The call under an id of its own."""
        self._uses[use.id] += 1
        return replace(use, id=self.newest(use.id))

    def newest(self, id_: str) -> str:
        """The id that the newest call of this id has here."""
        return id_ if self._uses[id_] < 2 else f"{id_}~{self._uses[id_]}"


def _say(line: Conversation, calls: Calls, entry: Json, number: int) -> None:
    blocks = content_of(entry.get("content")) or content_of(entry.get("thought"))
    match entry.get("role"):
        case "assistant":
            uses = [calls.named(use) for use in calls_of(entry, number)]
            line.add(_turn("assistant", "assistant", [*blocks, *uses], number))
        case "tool":
            asked = (*texts_of(entry.get("tool_call_ids")), text_of(entry.get("tool_call_id")) or "")[0]
            content = tuple(b for b in blocks if isinstance(b, Text | Image | Other))
            line.answer(ToolResult(calls.newest(asked), content), number, line=number)
        case "user":
            # the task comes first; what the role says later is what an action printed
            author: Author = "tool" if any(t.role == "assistant" for t in line.turns) else "person"
            turn = _turn("user", author, blocks, number)
            if entry.get("is_demo") is True:
                turn.author, turn.origin = "harness", "demonstration"
            line.add(turn)
        case _:
            line.add(_turn("system", "harness", blocks, number, text_of(entry.get("role"))))


def _turn(role: Role, author: Author, blocks: list[Block], number: int, origin: str | None = None) -> Turn:
    return Turn(role=role, author=author, blocks=blocks, key=number, line=number, origin=origin)


def _spent(document: Json) -> tuple[Spent, ...]:
    """What the run used, told for the whole of it; what of it came from a cache is not told."""
    stats = dict_of(dict_of(document.get("info")).get("model_stats"))
    usage = Usage(input=count_of(stats.get("tokens_sent")), output=count_of(stats.get("tokens_received")))
    if usage == Usage():
        return ()
    agent = dict_of(dict_of(document.get("replay_config")).get("agent"))
    model = text_of(dict_of(agent.get("model")).get("name"))
    return (Spent(model=model, usage=usage, requests=number_of(stats.get("api_calls"))),)
