"""Formats that are known by sight and cannot be read: a clear word instead of half a session."""

from __future__ import annotations

from collections.abc import Callable

from bench.transcripts.head import Head


def looks_like(head: Head) -> str | None:
    """What a file that no reader claims looks like, None where nothing is known by that look."""
    return next((name for name, fits in _LOOKS if fits(head)), None)


def _kinds(head: Head) -> set[str]:
    return {kind for r in head.records if isinstance(kind := r.get("type"), str)}


def _keys(head: Head) -> set[str]:
    """Keys of the document, or of its first entry where it is a list."""
    value = head.document
    if isinstance(value, list) and value:
        value = value[0]
    return set(value) if isinstance(value, dict) else set()


def _roles(head: Head) -> set[str]:
    value = head.document
    if isinstance(value, dict):
        value = value.get("messages")
    entries = value if isinstance(value, list) else head.records
    return {role for e in entries if isinstance(e, dict) and isinstance(role := e.get("role"), str)}


def _is_codex(head: Head) -> bool:
    return any("payload" in r for r in head.records) and bool(
        _kinds(head) & {"session_meta", "response_item", "event_msg", "turn_context"}
    )


def _is_gemini(head: Head) -> bool:
    return {"sessionId", "projectHash"} <= _keys(head) or any("projectHash" in r for r in head.records)


def _is_qwen(head: Head) -> bool:
    return any(isinstance(m := r.get("message"), dict) and "parts" in m for r in head.records)


def _is_copilot(head: Head) -> bool:
    return any(kind.startswith(("session.", "user.message", "assistant.")) for kind in _kinds(head))


def _is_pi(head: Head) -> bool:
    kinds = _kinds(head)
    return "session" in kinds and bool(kinds & {"message", "title", "model_change", "session_init"} or len(kinds) == 1)


def _is_openhands(head: Head) -> bool:
    return "source" in _keys(head) and bool(_keys(head) & {"action", "observation"})


def _is_opencode(head: Head) -> bool:
    return {"info", "messages"} <= _keys(head) and "trajectory_format" not in _keys(head) and not _roles(head)


_LOOKS: tuple[tuple[str, Callable[[Head], bool]], ...] = (
    ("a Codex rollout", _is_codex),
    ("a Gemini CLI session", _is_gemini),
    ("a Qwen Code session", _is_qwen),
    ("Copilot CLI events", _is_copilot),
    ("a pi session", _is_pi),
    ("OpenHands events", _is_openhands),
    ("a SWE-agent trajectory", lambda head: "trajectory" in _keys(head)),
    ("an OpenCode export", _is_opencode),
    (
        "a chat list with a system or tool role (mini-swe-agent, OpenAI)",
        lambda head: bool(_roles(head) & {"system", "tool", "developer", "function"}),
    ),
)
