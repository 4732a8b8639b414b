"""What is forked: a fixture's conversation as the model saw it, and the contexts made of it."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from msgspec import Struct

from bench.contexts.context import Mode, Prepared, prepare
from bench.contexts.tools import ToolDefinition
from bench.contexts.validate import tool_faults
from bench.errors import BenchError
from bench.fixtures import Fixture
from bench.models import family
from bench.transcripts.model import Transcript


class ContextId(Struct, frozen=True):
    """Which context of a fixture: how it is built and how many messages it lags behind."""

    mode: Mode
    stale_by: int = 0

    def __str__(self) -> str:
        return f"{self.mode}-k{self.stale_by}"


def context_mode(asked: Mode, model: str) -> Mode:
    """How a model's context is built: as the sweep asks, but always rendered for the local model.

    Small local models know no tool blocks; the mode is on every row.
    """
    return "rendered" if family(model) == "local" else asked


def context_of(fixture: Fixture, window: Transcript, which: ContextId) -> Prepared | None:
    """A context of a conversation of the fixture's, None where nothing is said in it.

    It is built of the window less its last `stale_by` messages, under the fixture's system prompt and tools, else those
    the transcript holds. Raises BenchError, naming the fixture and the message, where the API would refuse it.
    """
    messages = window.messages[: max(0, len(window.messages) - which.stale_by)]
    system = fixture.system or fixture.transcript.system or ""
    tools = fixture.tools or _recorded_tools(fixture.transcript)
    try:
        return prepare(messages, which.mode, system=system, tools=tools)
    except BenchError as e:
        raise BenchError(f"fixture '{fixture.name}': {e.problem.message}", path=fixture.folder) from None


def _recorded_tools(transcript: Transcript) -> Sequence[ToolDefinition]:
    """The definitions that the source held; those in a form the API does not take are made from the calls instead."""
    recorded = msgspec.json.decode(transcript.tools_json or "[]")
    return [t for t in recorded if isinstance(t, dict) and not any(tool_faults([t]))]
