"""The tool calls of a transcript beside their results, as the drafters look at them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from bench.transcripts.model import ToolResult, Transcript


@dataclass(frozen=True)
class Call:
    """One call: the message it stands in, its name and arguments, and its result where there is one."""

    at: int
    name: str
    arguments: Mapping[str, object]
    result_at: int | None = None
    result: ToolResult | None = None

    @property
    def failed(self) -> bool:
        return self.result is not None and self.result.is_error

    @property
    def messages(self) -> tuple[int, ...]:
        """The messages of the call and of its result."""
        return (self.at,) if self.result_at is None else (self.at, self.result_at)


def calls_of(transcript: Transcript) -> Iterator[Call]:
    """Every call of the main line in order."""
    results = {r.tool_use_id: (i, r) for i, m in enumerate(transcript.messages) for r in m.tool_results}
    for i, message in enumerate(transcript.messages):
        for use in message.tool_uses:
            arguments = use.input
            at, result = results.get(use.id, (None, None))
            yield Call(i, use.name, arguments if isinstance(arguments, dict) else {}, at, result)
