"""The main line in the making: answers that grow record by record, each with the results of its calls behind it.

Readers add turns in reading order. A result goes to the turn that made the call, however much later it stands in the
file, so that the messages alternate as an API takes them. Compactions stand between turns, and the newest turns can be
cut off (a person went back).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from msgspec.structs import replace

from bench.transcripts.model import Author, Block, Compaction, Message, Role, Text, ToolResult, ToolUse, Usage


@dataclass(slots=True, kw_only=True)
class Turn:
    """A message that may still grow, and the results that answer its calls."""

    role: Role
    author: Author
    blocks: list[Block]
    key: int
    """Of the record that began it: readers number their records."""
    origin: str | None = None
    id: str | None = None
    record_ids: list[str] = field(default_factory=list)
    time: str | None = None
    model: str | None = None
    usage: Usage | None = None
    stop_reason: str | None = None
    line: int | None = None
    results: list[ToolResult] = field(default_factory=list)
    result_ids: list[str] = field(default_factory=list)
    result_keys: list[int] = field(default_factory=list)
    result_time: str | None = None
    result_line: int | None = None

    def messages(self) -> tuple[Message, ...]:
        """The message, and after it the one that holds its results."""
        own = Message(
            role=self.role,
            author=self.author,
            origin=self.origin,
            blocks=tuple(self.blocks),
            id=self.id,
            record_ids=tuple(self.record_ids),
            time=self.time,
            model=self.model,
            usage=self.usage,
            stop_reason=self.stop_reason,
            line=self.line,
        )
        if not self.results:
            return (own,)
        answered = Message(
            role="user",
            author="tool",
            blocks=tuple(self.results),
            id=self.result_ids[0] if self.result_ids else None,
            record_ids=tuple(self.result_ids),
            time=self.result_time,
            line=self.result_line,
        )
        return own, answered


@dataclass(frozen=True)
class Line:
    """A finished conversation."""

    messages: tuple[Message, ...]
    compactions: tuple[Compaction, ...]
    index_of: dict[int, int]
    """Key of a record -> index of the message that it began or, for a result, stands in."""


class Conversation:
    """Turns in reading order, and the compactions between them."""

    def __init__(self) -> None:
        self.turns: list[Turn] = []
        self._callers: dict[str, Turn] = {}
        self._points: list[tuple[Compaction, int, tuple[int, ...]]] = []

    def add(self, turn: Turn) -> Turn:
        """The turn, now the newest."""
        self.turns.append(turn)
        self._note(turn, turn.blocks)
        return turn

    def insert(self, at: int, turn: Turn) -> Turn:
        """The turn, now at index `at`; it arrived before what stands behind it."""
        self.turns.insert(at, turn)
        self._points = [(point, place + (place > at), kept) for point, place, kept in self._points]
        self._note(turn, turn.blocks)
        return turn

    def grow(self, turn: Turn, blocks: Iterable[Block], record_id: str | None = None) -> None:
        """More blocks of the same message."""
        more = list(blocks)
        turn.blocks += more
        if record_id:
            turn.record_ids.append(record_id)
        self._note(turn, more)

    def answer(
        self, result: ToolResult, key: int, *, id_: str | None = None, time: str | None = None, line: int | None = None
    ) -> None:
        """A tool's result. A second one of the same call is a copy; one without its call is a turn of its own."""
        ids = [id_] if id_ else []
        caller = self._callers.get(result.tool_use_id)
        if caller is None:
            alone = Turn(role="user", author="tool", blocks=[result], key=key, id=id_, record_ids=ids, time=time)
            alone.line = line
            self.add(alone)
            return
        if not caller.results:
            caller.result_time, caller.result_line = time, line
        caller.result_ids += ids
        caller.result_keys.append(key)
        if not any(r.tool_use_id == result.tool_use_id for r in caller.results):
            caller.results.append(result)

    def compact(self, point: Compaction, key: int, *, kept: Iterable[int] = (), id_: str | None = None) -> None:
        """A compaction behind the newest turn; its summary, where it has one, is the next turn.

        `point` says nothing of places yet. `kept`: keys of the records that stayed in the context word for word.
        """
        self._points.append((point, len(self.turns), tuple(kept)))
        if point.summary:
            summary = Turn(role="user", author="compaction", blocks=[Text(point.summary)], key=key, id=id_)
            summary.record_ids = [id_] if id_ else []
            summary.time, summary.line = point.time, point.line
            self.add(summary)

    def measured(self, tokens_after: int) -> None:
        """What the newest compaction left in the context, where the harness tells it later."""
        if self._points:
            point, at, kept = self._points[-1]
            self._points[-1] = (replace(point, tokens_after=tokens_after), at, kept)

    def cut(self, at: int) -> list[Turn]:
        """The turns from index `at` on, taken off, and the compactions among them with them."""
        off = self.turns[at:]
        del self.turns[at:]
        self._points = [point for point in self._points if point[1] <= at]
        gone = {id(turn) for turn in off}
        self._callers = {call: turn for call, turn in self._callers.items() if id(turn) not in gone}
        return off

    def finish(self) -> Line:
        """The messages of all turns, and the compactions at their places among them."""
        messages: list[Message] = []
        index_of: dict[int, int] = {}
        starts: list[int] = []
        for turn in self.turns:
            starts.append(len(messages))
            index_of[turn.key] = len(messages)
            index_of.update(dict.fromkeys(turn.result_keys, len(messages) + 1))
            messages += turn.messages()
        starts.append(len(messages))
        points = tuple(_placed(point, starts[at], kept, index_of) for point, at, kept in self._points)
        return Line(tuple(messages), points, index_of)

    def _note(self, turn: Turn, blocks: Iterable[Block]) -> None:
        self._callers.update({b.id: turn for b in blocks if isinstance(b, ToolUse) and b.id})


def messages_of(turns: Iterable[Turn]) -> tuple[Message, ...]:
    """The messages of turns that stand beside the main line."""
    return tuple(message for turn in turns for message in turn.messages())


def _placed(point: Compaction, at: int, kept: tuple[int, ...], index_of: dict[int, int]) -> Compaction:
    preserved = sorted({i for key in kept if (i := index_of.get(key, at)) < at})
    return replace(point, at=at, summary_at=at if point.summary else None, preserved=tuple(preserved))
