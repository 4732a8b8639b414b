"""The tool calls of a conversation, one a call: what was called, on what, what it printed and how it ended."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from posixpath import join, normpath

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from bench.handoff.outcome import Kind, Outcome, outcome_of
from bench.handoff.pins import is_pinnable
from bench.handoff.shell import Reading, read_shell
from bench.handoff.shell_folder import after_cd, placed
from bench.handoff.shell_texts import Shown, shown_by
from bench.handoff.tools import Deed, deed_of, folder_named, path_of, paths_written, script_of, target_of
from bench.transcripts.model import Message, ToolResult, ToolUse


class Call(Struct, frozen=True, kw_only=True, dict=True):
    """One tool call. `at` is the index of its message, `output` the text of its result (None: there is none)."""

    at: int
    name: str
    arguments: dict[str, object] = {}
    output: str | None = None
    flagged: bool = False
    """The result is marked as an error."""

    @cached_property
    def deed(self) -> Deed:
        return deed_of(self.name, self.arguments)

    @cached_property
    def target(self) -> str:
        """What it was aimed at, on one line; empty where nothing says it."""
        return target_of(self.arguments)

    @cached_property
    def script(self) -> str:
        """The shell script it ran; empty for other tools."""
        return script_of(self.arguments) if self.deed == "shell" else ""

    @cached_property
    def shell(self) -> Reading:
        """What the script says that it does; nothing for other tools."""
        return read_shell(self.script) if self.script else Reading()

    @cached_property
    def shell_placed(self) -> Reading:
        """The same, with paths told from the folder that the script works in, where the call says which."""
        return placed(self.shell, self.script, folder_named(self.arguments))

    @cached_property
    def shown(self) -> Shown | None:
        """The file that its script does nothing but print; None where it does anything else."""
        script = after_cd(self.script)[1] if self.script else ""
        found = shown_by(script) if script else None
        return None if found is None else replace(found, path=self.placed(found.path))

    def placed(self, path: str) -> str:
        """A path of its script, told from the folder that the call begins in and the script changes to first."""
        return normpath(join(folder_named(self.arguments) or "", after_cd(self.script)[0], path))

    @cached_property
    def path(self) -> str | None:
        """The file that a reading or writing tool was aimed at."""
        return path_of(self.arguments) if self.deed in ("read", "write") else None

    @cached_property
    def writes(self) -> tuple[str, ...]:
        """The files it wrote; a writing tool's call that failed wrote none. A script's are as in `shell_placed`."""
        if self.deed == "write":
            return () if self.outcome.bad else paths_written(self.arguments)
        return self.shell_placed.writes

    @cached_property
    def removes(self) -> tuple[str, ...]:
        """The files and folders that its script deletes or moves away; none where it failed."""
        return () if self.outcome.bad else self.shell_placed.removes

    @cached_property
    def outcome(self) -> Outcome:
        return outcome_of(self.output, flagged=self.flagged, kind=self._kind)

    @property
    def _kind(self) -> Kind:
        if self.deed != "shell":
            return "hands back a text"
        return "looks" if self.shell.only_looks else "acts"


def calls_of(messages: Sequence[Message]) -> tuple[Call, ...]:
    """Every call of the messages, in their order."""
    results = {r.tool_use_id: r for message in messages for r in message.tool_results}
    return tuple(_call(at, use, results.get(use.id)) for at, m in enumerate(messages) for use in m.tool_uses)


def subagent_ran(messages: Sequence[Message]) -> bool:
    """Whether a subagent ran since the last turn that a person typed (of all the messages, where none did)."""
    typed = [at for at, message in enumerate(messages) if is_pinnable(message)]
    turn: Iterable[Message] = messages[typed[-1] if typed else 0 :]
    return any(deed_of(use.name, {}) == "subagent" for message in turn for use in message.tool_uses)


def _call(at: int, use: ToolUse, result: ToolResult | None) -> Call:
    return Call(
        at=at,
        name=use.name,
        arguments=_arguments(use),
        output=None if result is None else result.text,
        flagged=result is not None and result.is_error,
    )


def _arguments(use: ToolUse) -> dict[str, object]:
    try:
        given = use.input
    except msgspec.DecodeError:  # some harnesses keep what the model wrote, sound JSON or not
        return {}
    return given if isinstance(given, dict) else {}
