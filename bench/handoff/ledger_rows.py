"""The rows of the ledger: one a tool call, as they are kept beside a handoff."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from bench.handoff.calls import Call
from bench.handoff.outcome import Ended
from bench.text import clip

TARGET_CHARS = 300
"""Longest target of a row; enough for a real command line."""


class Row(Struct, frozen=True, kw_only=True):
    """One tool call as the ledger keeps it."""

    name: str
    target: str
    ended: Ended
    error: str = ""
    shell: bool = False
    only_looks: bool = False
    """A shell command that changed nothing; False for other tools."""
    writes: tuple[str, ...] = ()
    removes: tuple[str, ...] = ()

    @property
    def failed(self) -> bool:
        return self.ended in ("failed", "refused", "reads as failed")


def ledger_rows(calls: Iterable[Call]) -> tuple[Row, ...]:
    """A row per call, in order."""
    return tuple(
        Row(
            name=call.name,
            target=clip(call.target, TARGET_CHARS),
            ended=call.outcome.ended,
            error=call.outcome.error,
            shell=call.deed == "shell",
            only_looks=call.shell.only_looks,
            writes=call.writes,
            removes=call.removes,
        )
        for call in calls
    )
