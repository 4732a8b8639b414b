"""Tool definitions for a context: the fixture's own, and one made from the calls of each tool it does not name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

ToolDefinition = Mapping[str, object]

MADE = "A tool of the recorded session; this definition was made from the calls in it."

_JSON_TYPES: dict[type, str] = {
    str: "string", bool: "boolean", int: "integer", float: "number", list: "array", dict: "object", type(None): "null",
}  # fmt: skip
_UNSAFE = re.compile(r"[^a-zA-Z0-9_-]")
_MAX_NAME = 128


def safe_name(name: str) -> str:
    """`name` as the API takes it: other characters than letters, digits, '_' and '-' become '_'; never empty."""
    return _UNSAFE.sub("_", name)[:_MAX_NAME] or "tool"


def definitions(
    calls: Iterable[tuple[str, Mapping[str, object]]], given: Sequence[ToolDefinition] = ()
) -> list[ToolDefinition]:
    """`given` in its order (without cache marks), then by name a made definition of each tool called that it lacks.

    A made one names the arguments seen, each with its JSON type where all calls agree; none is required.
    """
    named = {tool.get("name") for tool in given}
    seen: dict[str, dict[str, set[str]]] = {}
    for name, arguments in calls:
        if name not in named:
            properties = seen.setdefault(name, {})
            for key, value in arguments.items():
                properties.setdefault(key, set()).add(_JSON_TYPES[type(value)])
    return [
        *({k: v for k, v in t.items() if k != "cache_control"} for t in given),
        *(_made(name, seen[name]) for name in sorted(seen)),
    ]


def _made(name: str, arguments: dict[str, set[str]]) -> ToolDefinition:
    properties = {key: {"type": next(iter(t))} if len(t) == 1 else {} for key, t in sorted(arguments.items())}
    return {"name": name, "description": MADE, "input_schema": {"type": "object", "properties": properties}}
