"""The commitments passes of a grid: which there are, over which bytes, and which cells wait for each. Pure.

A pass is asked once for all that would send the same bytes: arms that differ elsewhere share it, each replicate has one
of its own (what it brings varies as a reply does), and a cell's key holds the pass's.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from msgspec.structs import replace

from bench.contexts.commitments import commitments_context, input_room
from bench.contexts.context import Prepared
from bench.fixtures import Fixture
from bench.forks.cells import Cell, digest
from bench.forks.fork import Fork
from bench.forks.pass_ask import PassAsk
from bench.transcripts.model import Transcript


class Limits(NamedTuple):
    """What a model takes and gives at most, in tokens; None where unknown."""

    window: int | None
    most_output: int | None


class PassLayout:
    """Gathers passes while a grid is laid out over the models in `limits`."""

    def __init__(self, limits: Mapping[str, Limits]) -> None:
        self._limits = limits
        self._contexts: dict[tuple[int, int, int], Prepared | None] = {}
        self._talks: list[Transcript] = []
        """Kept, so that no other conversation gets the identity of one that was looked at."""
        self._passes: dict[str, tuple[Fork, list[Cell]]] = {}

    def models(self, ask: PassAsk, sweep_models: tuple[str, ...]) -> list[str]:
        """Who is asked for an arm without a model, of those that are here."""
        return [name for name in ([ask.model] if ask.model else sweep_models) if name in self._limits]

    def reply(
        self, talk: Transcript, fixture: Fixture, ask: PassAsk | None, model: str, replicate: int, stale_by: int = 0
    ) -> str | None:
        """The reply that an output over that conversation is built with; None where nothing is asked.

        Nothing is where the arm has no such part, where its pass's model is not here, and where the assistant said
        nothing.
        """
        asked = model if ask is None or ask.model is None else ask.model
        if ask is None or asked not in self._limits:
            return None
        window, most = self._limits[asked]
        max_tokens = ask.max_tokens if most is None else min(ask.max_tokens, most)
        prepared = self._context(talk, stale_by, input_room(window, max_tokens, ask.instruction))
        if prepared is None:
            return None
        sha256 = prepared.context.sha256
        request = (fixture.name, sha256, ask.instruction, asked, max_tokens, ask.effort, replicate)
        fork = Fork(
            reply_sha256=digest("commitments", *request),
            fixture=fixture.name,
            model=asked,
            context_sha256=sha256,
            instruction=ask.instruction,
            max_tokens=max_tokens,
            effort=ask.effort,
            replicate=replicate,
            cells=(),
            purpose="commitments",
        )
        return self._passes.setdefault(fork.reply_sha256, (fork, []))[0].reply_sha256

    def wait(self, cell: Cell) -> None:
        """The cell's handoff needs its pass."""
        if cell.commitments_sha256 is not None:
            self._passes[cell.commitments_sha256][1].append(cell)

    def forks(self) -> tuple[Fork, ...]:
        """The passes that a cell waits for, with their cells."""
        return tuple(replace(fork, cells=tuple(cells)) for fork, cells in self._passes.values() if cells)

    @property
    def contexts(self) -> Iterator[Prepared]:
        return (prepared for prepared in self._contexts.values() if prepared is not None)

    def _context(self, talk: Transcript, stale_by: int, room: int) -> Prepared | None:
        which = (id(talk), stale_by, room)
        if which not in self._contexts:
            self._talks.append(talk)
            messages = talk.messages[: max(0, len(talk.messages) - stale_by)]
            self._contexts[which] = commitments_context(messages, room)
        return self._contexts[which]
