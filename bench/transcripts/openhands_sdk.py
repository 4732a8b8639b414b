"""Events of the OpenHands SDK played through: each names its kind."""

from __future__ import annotations

from collections.abc import Iterable

from bench.transcripts.blocks import arguments_json, compact_json
from bench.transcripts.chat import content_of
from bench.transcripts.model import Block, Text, Thinking, ToolUse
from bench.transcripts.openhands_run import Events, name_of
from bench.transcripts.origin import authored
from bench.transcripts.values import dict_of, text_of

Json = dict[str, object]
RESULTS = ("ObservationEvent", "AgentErrorEvent", "UserRejectObservation")
KINDS = frozenset(
    (
        "SystemPromptEvent", "MessageEvent", "ActionEvent", *RESULTS, "Condensation", "CondensationRequest",
        "CondensationSummaryEvent", "PauseEvent", "TokenEvent", "StreamingDeltaEvent", "ConversationStateUpdateEvent",
        "ConversationErrorEvent", "StateEvent", "LLMCompletionLogEvent", "HookExecutionEvent",
    )
)  # fmt: skip
"""Kinds of events that tell the SDK's files; others are counted where they stand among these."""


class SdkRun(Events):
    """A run of the SDK."""

    def __init__(self) -> None:
        super().__init__()
        self._calls: dict[str, str] = {}
        """Id of an action's event -> id of its call; older observations name the event alone."""

    def take(self, number: int, event: Json) -> None:
        """One event."""
        self._key += 1
        kind = text_of(event.get("kind")) or "(none)"
        self.records[kind] += 1
        match kind:
            case "SystemPromptEvent":
                self.system = self.system or _words([event.get("system_prompt")])
                tools = event.get("tools")
                self.tools_json = compact_json(tools) if isinstance(tools, list) and tools else None
            case "MessageEvent":
                self._message(event, number)
            case "ActionEvent":
                self._action(event, number)
            case "Condensation":
                self._condense(event, event, number)
                return
        if kind in RESULTS:
            self._observation(kind, event, number)
        if kind in ("MessageEvent", "ActionEvent", *RESULTS):
            self._said.append((self._key, name_of(event.get("id")) or ""))

    def _message(self, event: Json, number: int) -> None:
        message = dict_of(event.get("llm_message"))
        blocks = content_of(message.get("content"))
        if event.get("source") == "agent":
            self._answer(text_of(event.get("llm_response_id")), blocks, event, number)
        elif event.get("source") == "user":
            author, origin = authored(tuple(blocks))
            self._turn("user", author, blocks, event, number, origin)
        else:
            self._turn("user", "harness", blocks, event, number, text_of(event.get("source")) or "environment")

    def _action(self, event: Json, number: int) -> None:
        thought = text_of(event.get("reasoning_content"))
        said: list[Block] = [Thinking(thought)] if thought else []
        said += content_of(event.get("thought"))
        use = _use(event)
        self._calls[name_of(event.get("id")) or ""] = use.id
        self._answer(text_of(event.get("llm_response_id")), [*said, use], event, number)

    def _observation(self, kind: str, event: Json, number: int) -> None:
        observation = dict_of(event.get("observation"))
        content = content_of(observation.get("content"))
        if not content:
            told = (event.get("error"), event.get("rejection_reason"), observation.get("output"))
            content = [Text(text) for value in told if (text := text_of(value))]
        failed = kind != "ObservationEvent" or observation.get("is_error") is True
        asked = name_of(event.get("action_id"))
        call = text_of(event.get("tool_call_id")) or self._calls.get(asked or "") or f"event-{asked}"
        self._result(call, content, event, number, failed=failed)


def _use(event: Json) -> ToolUse:
    made = dict_of(event.get("tool_call"))
    action = dict_of(event.get("action"))
    id_ = text_of(event.get("tool_call_id")) or text_of(made.get("id")) or f"event-{name_of(event.get('id'))}"
    name = text_of(event.get("tool_name")) or text_of(made.get("name")) or "tool"
    given = made.get("arguments", {k: v for k, v in action.items() if k != "kind"})
    return ToolUse(id_, name, arguments_json(given))


def _words(content: Iterable[object]) -> str | None:
    return "\n".join(b.text for b in content_of(list(content)) if isinstance(b, Text)) or None
