"""Actions and observations of OpenHands (first generation) played through."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from bench.transcripts.blocks import compact_json
from bench.transcripts.chat import calls_of, content_of, usage_of
from bench.transcripts.conversation import Conversation, Turn
from bench.transcripts.model import Author, Block, Compaction, Image, Other, Role, Text, ToolResult, ToolUse
from bench.transcripts.origin import authored
from bench.transcripts.values import dict_of, dicts_of, number_of, text_of

Json = dict[str, object]
MOST_DIGITS = 19
"""Of an event's number; longer ids are no numbers of events."""
SILENT = ("change_agent_state", "null", "recall", "condensation_request", "pause", "resume", "stop", "start")
"""Actions that neither say nor do anything in the conversation."""
QUIET = ("agent_state_changed", "null", "success")
"""Observations that the model is not shown."""


@dataclass
class Forgotten:
    """The events that condensations took from the model."""

    ids: set[str] = field(default_factory=set)
    spans: list[tuple[int, int]] = field(default_factory=list)
    """First and last id of ranges."""

    def add(self, args: Json) -> None:
        """What one condensation names: ids, or the first and the last of a range."""
        ids = args.get("forgotten_event_ids")
        if isinstance(ids, list):
            self.ids.update(n for v in ids if (n := name_of(v)))
        first, last = number_of(args.get("forgotten_events_start_id")), number_of(args.get("forgotten_events_end_id"))
        if first is not None and last is not None:
            self.spans.append((first, last))

    def holds(self, id_: str) -> bool:
        """Whether the event of that id is forgotten."""
        number = int(id_) if id_.isdecimal() and len(id_) < MOST_DIGITS else -1
        return id_ in self.ids or any(first <= number <= last for first, last in self.spans)


@dataclass
class Events:
    """What the events of a run have told so far."""

    conversation: Conversation = field(default_factory=Conversation)
    records: Counter[str] = field(default_factory=Counter)
    system: str | None = None
    tools_json: str | None = None
    _said: list[tuple[int, str]] = field(default_factory=list)
    """Key and id of every event that said something."""
    _forgotten: Forgotten = field(default_factory=lambda: Forgotten())
    _answers: dict[str, Turn] = field(default_factory=dict)
    """Turns by the id of the model's response, which parallel calls share."""
    _key: int = 0

    def _turn(
        self, role: Role, author: Author, blocks: list[Block], event: Json, number: int, origin: str | None = None
    ) -> Turn:
        id_ = name_of(event.get("id"))
        time = text_of(event.get("timestamp"))
        turn = Turn(role=role, author=author, origin=origin, blocks=blocks, key=self._key, id=id_, time=time)
        turn.line, turn.record_ids = number, [id_] if id_ else []
        return self.conversation.add(turn)

    def _answer(self, response: str | None, blocks: list[Block], event: Json, number: int) -> Turn:
        """The turn of that response of the model: a further event of it adds its calls and what it had not said."""
        known = self._answers.get(response) if response else None
        if known is None:
            turn = self._turn("assistant", "assistant", blocks, event, number)
            if response:
                self._answers[response] = turn
            return turn
        self.conversation.grow(known, [b for b in blocks if b not in known.blocks], name_of(event.get("id")))
        return known

    def _result(self, call: str, content: Iterable[Block], event: Json, number: int, *, failed: bool) -> None:
        result = ToolResult(call, tuple(b for b in content if isinstance(b, Text | Image | Other)), failed)
        time = text_of(event.get("timestamp"))
        self.conversation.answer(result, self._key, id_=name_of(event.get("id")), time=time, line=number)

    def _condense(self, event: Json, args: Json, number: int) -> None:
        """The model goes on without the forgotten events, and without those that an earlier one forgot."""
        self._forgotten.add(args)
        summary = text_of(args.get("summary"))
        kept = [key for key, id_ in self._said if not self._forgotten.holds(id_)]
        point = Compaction(at=0, summary=summary, time=text_of(event.get("timestamp")), line=number)
        self.conversation.compact(point, self._key, kept=kept, id_=name_of(event.get("id")))


class Run(Events):
    """A run of the first generation."""

    def take(self, number: int, event: Json) -> None:
        """One event."""
        self._key += 1
        action, observation = text_of(event.get("action")), text_of(event.get("observation"))
        name = f"action:{action}" if action else f"observation:{observation}" if observation else "(none)"
        self.records[name] += 1
        before = len(self.conversation.turns)
        if action:
            self._act(action, event, number)
        elif observation and observation not in QUIET:
            self._observe(observation, event, number)
        if action != "condensation" and (observation or len(self.conversation.turns) > before):
            self._said.append((self._key, name_of(event.get("id")) or ""))

    def _act(self, action: str, event: Json, number: int) -> None:
        args = dict_of(event.get("args"))
        if action == "system":
            self.system = self.system or text_of(args.get("content"))
        elif action == "condensation":
            self._condense(event, args, number)
        elif event.get("source") == "user":
            self._from_user(action, args, event, number)
        elif action in ("message", "finish"):
            self._say(args, event, number)
        elif action not in SILENT:
            self._call(action, args, event, number)

    def _from_user(self, action: str, args: Json, event: Json, number: int) -> None:
        if action == "message":
            urls = args.get("image_urls")
            images = content_of([{"type": "image", "image_urls": urls}]) if isinstance(urls, list) else []
            blocks = [*content_of(args.get("content")), *images]
            author, origin = authored(tuple(blocks))
            self._turn("user", author, blocks, event, number, origin)
        elif action not in SILENT:
            self._turn("user", "harness", [Text(compact_json({action: args}))], event, number, "shell")

    def _say(self, args: Json, event: Json, number: int) -> None:
        """A message of the agent, or its last words: finishing is no call of a tool."""
        response = _response(event)
        text = _spoken(response) or next(
            (t for k in ("content", "final_thought", "thought") if (t := text_of(args.get(k)))), None
        )
        self._respond(response, [Text(text)] if text else [], event, number)

    def _call(self, action: str, args: Json, event: Json, number: int) -> None:
        response = _response(event)
        text = _spoken(response) or text_of(args.get("thought"))
        blocks: list[Block] = [Text(text)] if text else []
        self._respond(response, [*blocks, _use(action, args, event, response)], event, number)

    def _respond(self, response: Json, blocks: list[Block], event: Json, number: int) -> None:
        turn = self._answer(text_of(response.get("id")), blocks, event, number)
        turn.model = turn.model or text_of(response.get("model"))
        turn.usage = turn.usage or usage_of(response.get("usage"))

    def _observe(self, observation: str, event: Json, number: int) -> None:
        content = content_of(event.get("content"))
        if observation == "recall":
            if content:
                self._turn("user", "harness", content, event, number, "recall")
            return
        self._result(_call_id(event, "cause"), content, event, number, failed=observation in ("error", "user_rejected"))


def name_of(value: object) -> str | None:
    """The id of an event, a number or a text, as text."""
    number = number_of(value)
    return text_of(value) if number is None else str(number)


def _response(event: Json) -> Json:
    return dict_of(dict_of(event.get("tool_call_metadata")).get("model_response"))


def _message(response: Json) -> Json:
    choices = dicts_of(response.get("choices"))
    return dict_of(choices[0].get("message")) if choices else {}


def _spoken(response: Json) -> str | None:
    return "\n".join(b.text for b in content_of(_message(response).get("content")) if isinstance(b, Text)) or None


def _call_id(event: Json, source: str) -> str:
    """The model's id of the call, else the number of the event that made it."""
    told = text_of(dict_of(event.get("tool_call_metadata")).get("tool_call_id"))
    return told or f"event-{name_of(event.get(source))}"


def _use(action: str, args: Json, event: Json, response: Json) -> ToolUse:
    """The call as the model made it; where the event does not keep that, the action with its arguments."""
    id_ = _call_id(event, "id")
    made = next((use for use in calls_of(_message(response), 0) if use.id == id_), None)
    if made is not None:
        return made
    name = text_of(dict_of(event.get("tool_call_metadata")).get("function_name")) or action
    return ToolUse(id_, name, compact_json({k: v for k, v in args.items() if k != "thought"}))
