"""Copilot CLI event logs (JSON Lines): the reader.

Every line is an event. Messages and tool results are the conversation; what a subagent says carries its id and stands
beside it. A prompt stands in an event of its own and again in the hook that saw it, which counts only where it is the
only trace.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from msgspec import Struct

from bench.transcripts.blocks import arguments_json, result_content
from bench.transcripts.conversation import Conversation, Turn, messages_of
from bench.transcripts.head import Head
from bench.transcripts.lines import BUFFER_BYTES, TOO_DEEP, read_lines
from bench.transcripts.model import (
    Block,
    Compaction,
    Counts,
    Side,
    Spent,
    Text,
    Thinking,
    ToolResult,
    ToolUse,
    Transcript,
    Unread,
    Usage,
)
from bench.transcripts.origin import authored
from bench.transcripts.values import count_of, dict_of, dicts_of, number_of, text_of

NAME = "copilot-cli"
KINDS = ("session.", "user.message", "assistant.", "tool.execution_", "hook.")
ABORTED = "aborted"

Json = dict[str, object]


class Event(Struct):
    """One line."""

    type: Any = None
    id: Any = None
    timestamp: Any = None
    agentId: Any = None
    data: Any = None


class CopilotCli:
    """The reader of Copilot CLI's event logs."""

    name = NAME
    told = "Copilot CLI events (JSONL)"

    def detect(self, head: Head) -> bool:
        """Whether one of the first lines is an event of Copilot CLI: a dotted type, and data."""
        return any(
            isinstance(kind := r.get("type"), str) and kind.startswith(KINDS) and isinstance(r.get("data"), dict)
            for r in head.records
        )

    def read(self, path: Path) -> list[Transcript]:
        """The one session of the file."""
        unread: list[Unread] = []
        log = Log()
        with path.open("rb", buffering=BUFFER_BYTES) as stream:
            for number, event in read_lines(stream, Event, unread):
                try:
                    log.take(number, event)
                except RecursionError:
                    unread.append(Unread(number, TOO_DEEP))
        return [log.transcript(unread)]


@dataclass
class Log:
    """What the events have told so far."""

    main: Conversation = field(default_factory=Conversation)
    agents: dict[str, Conversation] = field(default_factory=dict)
    undone: list[list[Turn]] = field(default_factory=list)
    records: Counter[str] = field(default_factory=Counter)
    start: Json = field(default_factory=dict)
    context: Json = field(default_factory=dict)
    model: str | None = None
    system: str | None = None
    users: int = 0
    answers: int = 0
    calls: set[str] = field(default_factory=set)
    _metrics: dict[int | None, tuple[str | None, Json]] = field(default_factory=dict)
    """Of each run of the program: when it ended, and its running totals."""
    _hooked: list[tuple[Event, int]] = field(default_factory=list)
    """Prompts that a hook saw, while no message event was."""
    _events: dict[str, int] = field(default_factory=dict)
    _key: int = 0

    def take(self, number: int, event: Event) -> None:
        """One event."""
        self._key += 1
        kind, data = text_of(event.type) or "(none)", dict_of(event.data)
        self.records[kind] += 1
        if id_ := text_of(event.id):
            self._events[id_] = self._key
        line = self._line(event, data)
        match kind:
            case "session.start" | "session.resume":
                self.start = {**data, **self.start}
                self.context.update(dict_of(data.get("context")))
                self.model = text_of(data.get("selectedModel")) or self.model
            case "session.model_change":
                self.model = text_of(data.get("newModel")) or self.model
            case "system.message" if line is self.main:
                self.system = self.system or text_of(data.get("content"))
            case "user.message":
                self._hooked.clear()
                self._prompt(line, event, number, text_of(data.get("content")) or "")
            case "hook.start" if data.get("hookType") == "userPromptSubmitted" and not self.users:
                self._hooked.append((event, number))
            case "assistant.message":
                self._answer(line, event, number, data)
            case "assistant.usage":
                self._count(line, data)
            case "tool.execution_start":
                self._started(line, event, number, data)
            case "tool.execution_complete":
                line.answer(_result(data), self._key, id_=text_of(event.id), time=text_of(event.timestamp), line=number)
            case "session.compaction_complete" if data.get("success") is not False and line is self.main:
                self.main.compact(_compaction(event, data, number), self._key, id_=text_of(event.id))
            case "session.snapshot_rewind":
                self._rewind(data)
            case "abort" if line.turns and line.turns[-1].role == "assistant":
                line.turns[-1].stop_reason = ABORTED
            case "session.shutdown":
                run = number_of(data.get("sessionStartTime"))
                self._metrics[run] = text_of(event.timestamp), dict_of(data.get("modelMetrics"))

    def transcript(self, unread: list[Unread]) -> Transcript:
        """The session."""
        for event, number in self._hooked:
            prompt = text_of(dict_of(dict_of(event.data).get("input")).get("prompt"))
            self._key += 1
            self._prompt(self.main, event, number, prompt or "", at=self._events.get(text_of(event.id) or ""))
        line = self.main.finish()
        beside = (("sidechain", id_, c.turns) for id_, c in self.agents.items())
        taken_back = (("branch", turns[0].id or f"line-{turns[0].line}", turns) for turns in self.undone if turns)
        return Transcript(
            format=NAME,
            messages=line.messages,
            sides=tuple(
                Side(kind="branch" if kind == "branch" else "sidechain", id=id_, messages=messages_of(turns))
                for kind, id_, turns in (*taken_back, *beside)
            ),
            compactions=line.compactions,
            unread=tuple(sorted(unread, key=lambda u: u.line)),
            records=dict(self.records),
            session_id=text_of(self.start.get("sessionId")),
            cwd=text_of(self.context.get("cwd")),
            branch=text_of(self.context.get("branch")),
            harness_version=text_of(self.start.get("copilotVersion")),
            system=self.system,
            spent=self._spent(),
            counted=Counts(user=self.users, assistant=self.answers, tool_calls=len(self.calls)),
        )

    def _line(self, event: Event, data: Json) -> Conversation:
        agent = text_of(event.agentId) or text_of(data.get("parentToolCallId"))
        return self.agents.setdefault(agent, Conversation()) if agent else self.main

    def _prompt(self, line: Conversation, event: Event, number: int, text: str, at: int | None = None) -> None:
        self.users += 1
        blocks: list[Block] = [Text(text)] if text else []
        author, origin = authored(tuple(blocks))
        if line is not self.main and author == "person":
            author, origin = "assistant", "subagent-prompt"
        turn = self._turn(event, number, Turn(role="user", author=author, blocks=blocks, key=self._key, origin=origin))
        # a prompt that only a hook saw stands where the hook did
        behind = None if at is None else next((i for i, t in enumerate(line.turns) if t.key > at), None)
        line.add(turn) if behind is None else line.insert(behind, turn)

    def _answer(self, line: Conversation, event: Event, number: int, data: Json) -> None:
        self.answers += 1
        thought, text = text_of(data.get("reasoningText")), text_of(data.get("content"))
        blocks: list[Block] = [Thinking(thought)] if thought else []
        blocks += [Text(text)] if text else []
        for n, request in enumerate(dicts_of(data.get("toolRequests"))):
            id_ = text_of(request.get("toolCallId")) or f"call-{self._key}-{n}"
            blocks.append(
                ToolUse(id_, text_of(request.get("name")) or "tool", arguments_json(request.get("arguments")))
            )
        self.calls.update(b.id for b in blocks if isinstance(b, ToolUse))
        turn = self._turn(event, number, Turn(role="assistant", author="assistant", blocks=blocks, key=self._key))
        turn.model = text_of(data.get("model")) or self.model
        line.add(turn)

    def _started(self, line: Conversation, event: Event, number: int, data: Json) -> None:
        """A call that no answer asked for in so many words is one of the newest answer's."""
        id_ = text_of(data.get("toolCallId"))
        if id_ is None or id_ in self.calls:
            return
        self.calls.add(id_)
        use = ToolUse(id_, text_of(data.get("toolName")) or "tool", arguments_json(data.get("arguments")))
        if line.turns and line.turns[-1].role == "assistant" and not line.turns[-1].results:
            line.grow(line.turns[-1], [use])
            return
        alone = Turn(role="assistant", author="assistant", blocks=[use], key=self._key, model=self.model)
        line.add(self._turn(event, number, alone))

    def _turn(self, event: Event, number: int, turn: Turn) -> Turn:
        turn.id, turn.time, turn.line = text_of(event.id), text_of(event.timestamp), number
        turn.record_ids = [turn.id] if turn.id else []
        return turn

    def _count(self, line: Conversation, data: Json) -> None:
        answer = next((t for t in reversed(line.turns) if t.role == "assistant" and t.usage is None), None)
        if answer is not None:
            answer.usage = usage_of(data)

    def _rewind(self, data: Json) -> None:
        """The event that is named and all after it are undone."""
        to = self._events.get(text_of(data.get("upToEventId")) or "")
        if to is not None:
            place = next((i for i, t in enumerate(self.main.turns) if t.key >= to), len(self.main.turns))
            self.undone.append(self.main.cut(place))

    def _spent(self) -> tuple[Spent, ...]:
        """What the runs of the program used, by model; zeros are counters that the provider never filled."""
        found = []
        for time, models in self._metrics.values():
            for model, told in models.items():
                usage = usage_of(dict_of(dict_of(told).get("usage")))
                requests = number_of(dict_of(dict_of(told).get("requests")).get("count"))
                if usage is not None:
                    found.append(Spent(model=model, usage=usage, requests=requests, time=time))
        return tuple(found)


def usage_of(counts: Json) -> Usage | None:
    """Copilot counts what was read from and written to the cache as input; here it is apart."""
    read, written = count_of(counts.get("cacheReadTokens")), count_of(counts.get("cacheWriteTokens"))
    fresh = max(count_of(counts.get("inputTokens")) - read - written, 0)
    output = count_of(counts.get("outputTokens"))
    found = Usage(input=fresh, output=output, cache_read=read, cache_write_5m=written)
    return None if found == Usage() else found


def _compaction(event: Event, data: Json, number: int) -> Compaction:
    return Compaction(
        at=0,
        trigger=text_of(data.get("trigger")),
        summary=text_of(data.get("summaryContent")),
        tokens_before=number_of(data.get("preCompactionTokens")),
        tokens_after=number_of(data.get("postCompactionTokens")),
        time=text_of(event.timestamp),
        line=number,
    )


def _result(data: Json) -> ToolResult:
    result = data.get("result")
    content = dict_of(result).get("content") if isinstance(result, dict) else result
    if content is None:
        error = data.get("error")
        content = text_of(dict_of(error).get("message")) if isinstance(error, dict) else error
    return ToolResult(text_of(data.get("toolCallId")) or "", result_content(content), data.get("success") is False)
