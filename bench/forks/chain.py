"""Chains inside a run: what opens each cell's conversation, and which cells wait for the step before."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from msgspec import Struct
from msgspec.structs import replace

from bench.chains.windows import lineage_at, window_of
from bench.contexts.context import Prepared
from bench.contexts.subjects import ContextId, context_of
from bench.fixtures import Fixture
from bench.forks.cells import Cell, place
from bench.forks.store import Store
from bench.handoff.lineage import Lineage
from bench.rows import GRADED, OutputRow
from bench.transcripts.model import Transcript

CUT_OFF = "truncated"


class Opener(Struct, frozen=True):
    """The handoff that a window begins with, and the outcome that it came of."""

    text: str
    outcome: str

    @property
    def note(self) -> str | None:
        """What a reader of the next step's row should know of it."""
        return "opened by a handoff that was cut off" if self.outcome == CUT_OFF else None


class Openers:
    """The handoffs that a run's folder holds, as openers of what comes after them: one look at its rows."""

    def __init__(self, store: Store) -> None:
        self._store = store

    @cached_property
    def _rows(self) -> Mapping[str, OutputRow]:
        return {place(row): row for row in self._store.rows()}

    def of(self, cell: Cell) -> Opener | str | None:
        """What the cell's conversation begins with; why there will be nothing; None where that is not there yet."""
        row = self._rows.get(place(before(cell)))
        if row is None:
            return None
        if row.outcome not in GRADED:
            return no_handoff(cell, row.outcome)
        return Opener(self._store.handoff_text(row), row.outcome)


def before(cell: Cell) -> Cell:
    """The cell of the step before, as far as its place goes."""
    return replace(cell, chain_step=cell.chain_step - 1)


def no_handoff(cell: Cell, outcome: str) -> str:
    """Why a cell has no conversation: the step before it came to `outcome`."""
    return f"step {cell.chain_step - 1} gave no handoff ({outcome})"


class Conversations:
    """What each cell of a sweep stands for, made once: all cells of a first step share a window and its contexts."""

    def __init__(self) -> None:
        self._windows: dict[tuple[str, int, str | None], Transcript] = {}
        self._contexts: dict[tuple[str, ContextId], Prepared | None] = {}

    def window(self, fixture: Fixture, step: int = 1, opener: Opener | None = None) -> Transcript:
        """The conversation at that step. Raises BenchError where the fixture is cut and the step is none of it."""
        text = None if opener is None else opener.text
        key = fixture.name, step, text
        if key not in self._windows:
            self._windows[key] = window_of(fixture, step, text)
        return self._windows[key]

    def context(
        self, fixture: Fixture, which: ContextId, step: int = 1, opener: Opener | None = None
    ) -> Prepared | None:
        """The context of that conversation, None where nothing is said in it; those of later steps are not kept."""
        if opener is not None:
            return context_of(fixture, self.window(fixture, step, opener), which)
        key = fixture.name, which
        if key not in self._contexts:
            self._contexts[key] = context_of(fixture, self.window(fixture), which)
        return self._contexts[key]


class Talks:
    """What each cell of a laid-out sweep stands for: its conversation, lineage, and what its opener came of."""

    def __init__(
        self, conversations: Conversations, fixtures: Mapping[str, Fixture], openers: Mapping[str, Opener]
    ) -> None:
        self._conversations = conversations
        self._fixtures = fixtures
        self._openers = openers

    def of(self, cell: Cell) -> Transcript:
        """The conversation, all of it: what a stale handoff does not cover is there to be pinned."""
        return self._conversations.window(self._fixtures[cell.fixture], cell.chain_step, self._openers.get(place(cell)))

    def lineage(self, cell: Cell) -> Lineage | None:
        """What its handoff says of itself; None outside a chain."""
        return lineage_at(self._fixtures[cell.fixture], cell.chain_step)

    def note(self, cell: Cell) -> str | None:
        """What a reader of its row should know of its opener."""
        opener = self._openers.get(place(cell))
        return opener.note if opener else None
