"""What the API refuses: the message of its 400, for the rules a client of the bench could break."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

SAMPLING = ("temperature", "top_p", "top_k")
NO_FORCED_TOOLS = ("claude-fable-5-1", "claude-fable-5-2", "claude-opus-5-5", "claude-sonnet-5-5")
MOST_COMPACTION_CHARS = 16_384
COMPACTION_BETA = "compact-2026-09-04"
ALWAYS_THINKING = ("claude-fable-5", "claude-mythos-5", "claude-opus-5-5")


def refusal(body: Mapping[str, Any], *, counting: bool = False) -> str | None:
    """Why the API would answer 400 to this request, or None."""
    if not counting and not isinstance(body.get("max_tokens"), int):
        return "max_tokens: Field required"
    for name in SAMPLING:
        if name in body:
            return f"{name}: not supported"
    model = str(body.get("model", ""))
    if (body.get("tool_choice") or {}).get("type") in ("any", "tool") and model.startswith(NO_FORCED_TOOLS):
        return "tool_choice: forced tool use is not supported by this model"
    if (body.get("thinking") or {}).get("type") == "disabled" and model.startswith(ALWAYS_THINKING):
        return "thinking: cannot be disabled for this model"
    if (why := _compaction_refusal(body)) is not None:
        return why
    return _messages_refusal(body.get("messages") or [], compaction="compaction" in body)


def _compaction_refusal(body: Mapping[str, Any]) -> str | None:
    asked = body.get("compaction")
    if asked is None:
        return None
    if asked.get("type") != "summarize" or set(asked) > {"type", "instructions"}:
        return "compaction: unexpected value"
    if len(asked.get("instructions") or "") > MOST_COMPACTION_CHARS:
        return "compaction.instructions: too long"
    if (body.get("output_config") or {}).get("format"):
        return "compaction: not with output_config.format"
    return None


def _messages_refusal(messages: list[Mapping[str, Any]], *, compaction: bool) -> str | None:
    if not messages:
        return "messages: at least one message is required"
    if not compaction and messages[-1]["role"] == "assistant":
        return "This model does not support assistant message prefill. The conversation must end with a user message."
    pending: list[str] = []
    for i, message in enumerate(messages):
        if message["role"] not in ("user", "assistant"):
            return f"messages.{i}.role: unexpected {message['role']!r}"
        blocks = message["content"]
        if isinstance(blocks, str):
            blocks = [{"type": "text", "text": blocks}]
        if not blocks or any(b["type"] == "text" and not b["text"].strip() for b in blocks):
            return f"messages.{i}: text content blocks must be non-empty"
        answered = [b["tool_use_id"] for b in blocks if b["type"] == "tool_result"]
        if sorted(answered) != sorted(pending):
            return f"messages.{i}: tool_use ids without tool_result blocks, or the other way round"
        pending = [b["id"] for b in blocks if b["type"] == "tool_use"]
    return None
