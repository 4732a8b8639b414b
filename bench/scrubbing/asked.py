"""Names of people and machines as a command was told them: `whoami`, `hostname`, `git config user.name` and such."""

from __future__ import annotations

import re
from collections.abc import Iterator

from bench.scrubbing.personal import Kind, is_some_host, is_somebody
from bench.transcripts.model import ToolUse, Transcript

_ASKS: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    ("user", re.compile(r"whoami|logname|id -un|echo \"?\$\{?(?:USER|LOGNAME)\}?\"?|git config (?:--\w+ )*user\.name")),
    ("host", re.compile(r"hostname(?: -[sf])?|uname -n|hostnamectl(?: hostname)?|echo \"?\$\{?HOSTNAME\}?\"?")),
)
_NEXT = re.compile(r"\s*(?:&&|\|\||;|\n)\s*")
_NAME = re.compile(r"[^\W\d_][\w.'’-]*(?: [^\W\d_][\w.'’-]*){0,3}")
LONGEST_COMMAND = 400
"""Characters: what asks for a name is short."""


def names_told(transcript: Transcript) -> Iterator[tuple[Kind, str]]:
    """Each name that a command of the main line asked for and was told, where each of its parts printed one line."""
    results = {r.tool_use_id: r.text for m in transcript.messages for r in m.tool_results}
    for use in (use for m in transcript.messages for use in m.tool_uses):
        for command in _commands(use):
            parts, lines = _NEXT.split(command.strip()), results.get(use.id, "").strip().splitlines()
            if len(parts) == len(lines):
                for part, line in zip(parts, lines, strict=True):
                    yield from _told(part, line.strip())


def _commands(use: ToolUse) -> list[str]:
    given = use.input
    values = given.values() if isinstance(given, dict) else ()
    return [v for v in values if isinstance(v, str) and len(v) <= LONGEST_COMMAND]


def _told(command: str, line: str) -> Iterator[tuple[Kind, str]]:
    for kind, asks in _ASKS:
        telling = is_somebody(line) if kind == "user" else is_some_host(line)
        if asks.fullmatch(command) and _NAME.fullmatch(line) and telling:
            yield kind, line
