"""The grid of a sweep as data: forks with the cells that share them, what needs no call, what needs no model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from msgspec import Struct

from bench.arms.model import Arm
from bench.arms.version import replay_sha256
from bench.chains.cuts import spans
from bench.chains.windows import at_step
from bench.contexts.context import Prepared
from bench.fixtures import Fixture
from bench.forks.cells import NO_MODEL, Cell, digest, make_cell
from bench.forks.chain import Opener
from bench.forks.fork import Fork, request_of
from bench.forks.resolve import ResolvedArm
from bench.models.known import compacts
from bench.rows import Outcome

__all__ = ["Build", "Decided", "Fork", "Grid", "can_ask", "request_of"]


class Decided(Struct, frozen=True):
    """A cell whose outcome is known before any call."""

    cell: Cell
    outcome: Outcome
    detail: str


@dataclass(frozen=True)
class Build:
    """An output to be made without a model. Its cell's key depends on what it is made of."""

    arm: ResolvedArm
    label: str
    fixture: Fixture
    model: str = NO_MODEL
    """Who is asked for its commitments."""
    replicate: int = 1
    commitments_sha256: str | None = None
    """The reply of the commitments pass that it is built with; None where it is built with none."""
    step: int = 1
    opener: Opener | None = None
    """What its window begins with, from the second step of a chain on."""

    @property
    def group(self) -> str:
        return f"{self.fixture.name}/{NO_MODEL}"

    def cell(self, tail_tokens: int | None = None) -> Cell:
        """The cell; for a tail like another arm with the size it takes, None where that arm has no handoff yet."""
        made_of = replay_sha256(self.arm.arm, at_step(self.fixture, self.step))
        return make_cell(
            fixture=self.fixture.name,
            arm=self.label,
            kind=self.arm.arm.kind_name,
            model=self.model,
            replicate=self.replicate,
            chain_step=self.step,
            context_sha256=self._window_sha256(),
            commitments_sha256=self.commitments_sha256,
            options=f"{self.arm.version} {made_of} {tail_tokens if self.arm.like else None}".encode(),
        )

    def _window_sha256(self) -> str:
        whole = self.fixture.transcript_sha256
        if not self.fixture.cuts:
            return whole
        span = spans(self.fixture.cuts, len(self.fixture.transcript.messages))[self.step - 1]
        return digest(whole, span, self.opener and self.opener.text)


@dataclass(frozen=True)
class Grid:
    """A sweep laid out as far as it is known. `contexts` by sha256; `used` says which contexts each fixture's forks of
    the first step stand on.
    """

    forks: tuple[Fork, ...]
    decided: tuple[Decided, ...]
    builds: tuple[Build, ...]
    contexts: Mapping[str, Prepared]
    used: Mapping[str, Mapping[str, str]]
    openers: Mapping[str, Opener]
    """Place of each cell behind a chain's first step -> what its conversation begins with."""
    later: tuple[Fork, ...] = ()
    """One for each cell whose conversation is known once the step before is done; they name no context."""
    later_builds: tuple[Build, ...] = ()


def can_ask(arm: Arm, model: str) -> bool:
    """Whether the arm has cells with that model: only some servers compact a conversation themselves."""
    return arm.kind != "server" or compacts(model)
