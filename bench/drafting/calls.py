"""The tool calls of a transcript beside their results, as the drafters look at them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from bench.handoff.calls import calls_of as handoff_calls
from bench.handoff.tools import deed_of, path_of, paths_written
from bench.transcripts.model import ToolResult, Transcript


@dataclass(frozen=True)
class Call:
    """One call: the message it stands in, its name and arguments, and its result where there is one."""

    at: int
    name: str
    arguments: Mapping[str, object]
    result_at: int | None = None
    result: ToolResult | None = None
    failed: bool = False
    """Whether its result is marked as an error or reads as one."""

    @property
    def messages(self) -> tuple[int, ...]:
        """The messages of the call and of its result."""
        return (self.at,) if self.result_at is None else (self.at, self.result_at)


PROSE = re.compile(r"(?i)\.(?:mdx?|markdown|rst|txt|adoc)$")
"""How the name of a document ends."""


def file_name(path: str) -> str:
    """A file's name without its folders, on one line."""
    return " ".join(re.split(r"[/\\]+", path)[-1].split())


def written_names(call: Call) -> list[str]:
    """The names of the files that a writing tool's call writes, without their folders."""
    if deed_of(call.name, call.arguments) != "write":
        return []
    path = path_of(call.arguments)
    paths = (path,) if path else paths_written(call.arguments)
    return [file_name(p) for p in paths]


def calls_of(transcript: Transcript) -> Iterator[Call]:
    """Every call of the main line in order."""
    results = {r.tool_use_id: (i, r) for i, m in enumerate(transcript.messages) for r in m.tool_results}
    uses = [use for message in transcript.messages for use in message.tool_uses]
    for use, told in zip(uses, handoff_calls(transcript.messages), strict=True):
        at, result = results.get(use.id, (None, None))
        yield Call(told.at, use.name, told.arguments, at, result, told.outcome.bad)
