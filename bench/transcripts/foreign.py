"""Formats that are known by sight and cannot be read: a clear word instead of half a session."""

from __future__ import annotations

from collections.abc import Callable

from bench.transcripts.head import Head


def looks_like(head: Head) -> str | None:
    """What a file that no reader claims looks like, None where nothing is known by that look."""
    return next((name for name, fits in _LOOKS if fits(head)), None)


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


def _is_qwen(head: Head) -> bool:
    return any(isinstance(m := r.get("message"), dict) and "parts" in m for r in head.records)


def _is_opencode(head: Head) -> bool:
    return {"info", "messages"} <= _keys(head) and "trajectory_format" not in _keys(head) and not _roles(head)


_LOOKS: tuple[tuple[str, Callable[[Head], bool]], ...] = (
    ("a Qwen Code session", _is_qwen),
    ("an OpenCode export", _is_opencode),
    (
        "a chat list with a system or tool role (OpenAI)",
        lambda head: bool(_roles(head) & {"system", "tool", "developer", "function"}),
    ),
)
