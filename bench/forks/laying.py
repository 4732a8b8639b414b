"""Lays a sweep out: every cell, at every step of a chain, as far as it is known what each stands on."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

from msgspec.structs import replace

from bench.arms.instruction import why_instructed
from bench.contexts.context import Prepared
from bench.contexts.subjects import ContextId, context_mode
from bench.fixtures import Fixture
from bench.forks.cells import Cell, digest, make_cell
from bench.forks.chain import Conversations, Opener, Openers, before, no_handoff
from bench.forks.fork import Fork
from bench.forks.grid import Build, Decided, Grid, can_ask
from bench.forks.pass_layout import Limits, PassLayout
from bench.forks.resolve import Resolved, ResolvedArm, behind_at_end
from bench.rows import MOST_STALE
from bench.transcripts.model import Transcript


def lay_out(
    resolved: Resolved,
    labels: Mapping[str, str],
    limits: Mapping[str, Limits],
    conversations: Conversations,
    openers: Openers,
) -> Grid:
    """The grid of the sweep over the models in `limits`, those of its passes included.

    `labels`: arm -> what rows call its version. A context of a first step is built once per fixture, mode and
    staleness, so that all forks of a group stand on the same bytes; later steps stand on what `openers` holds of the
    step before.
    """
    laying = _Laying(resolved, labels, conversations, openers, PassLayout(limits))
    for stand in _stands(resolved, limits):
        laying.forks_at(stand)
    for fixture in resolved.fixtures:
        for arm in (a for a in resolved.arms if not a.arm.asks_model):
            laying.builds_of(fixture, arm)
    return laying.grid()


@dataclass(frozen=True)
class _Stand:
    """Where a group of equally stale forks stands."""

    fixture: Fixture
    model: str
    most_output: int | None
    which: ContextId
    unwritten: bool = False
    """The rule that refreshes handoffs has none by then."""

    @property
    def stale_by(self) -> int:
        return self.which.stale_by


class _Place(NamedTuple):
    """Whose fork it is."""

    stand: _Stand
    arm: ResolvedArm
    label: str
    replicate: int
    step: int


class _Laying:
    """A grid in the making. Replicate by replicate inside a step, so that a part of a run is whole."""

    def __init__(
        self,
        resolved: Resolved,
        labels: Mapping[str, str],
        conversations: Conversations,
        openers: Openers,
        passes: PassLayout,
    ) -> None:
        self._resolved = resolved
        self._labels = labels
        self._conversations = conversations
        self._before = openers
        self._passes = passes
        self._waiting: dict[tuple[str, str, str], tuple[Fork, list[Cell]]] = {}
        self._decided: dict[str, Decided] = {}
        self._builds: list[Build] = []
        self._later: list[Fork] = []
        self._later_builds: list[Build] = []
        self._contexts: dict[str, Prepared] = {}
        self._used: dict[str, dict[str, str]] = {f.name: {} for f in resolved.fixtures}
        self._openers: dict[str, Opener] = {}
        self._steps = range(1, resolved.sweep.chain + 1)

    def forks_at(self, stand: _Stand) -> None:
        """Every fork of a fixture, model and staleness."""
        first = self._first_context(stand)
        for step in self._steps:
            for replicate in range(1, self._resolved.sweep.replicates + 1):
                for arm in filter(partial(self._asks, stand.model), self._resolved.arms):
                    place = _Place(stand, arm, self._labels[arm.arm.label], replicate, step)
                    if step == 1:
                        self._add(place, self._fork(place, first, self._conversations.window(stand.fixture)))
                    else:
                        self._add_later(place)

    def _asks(self, model: str, arm: ResolvedArm) -> bool:
        """Whether the arm has cells with that model: its pass may be another's, who must be here, too."""
        passed = arm.commitments is None or self._passes.models(arm.commitments, (model,))
        return arm.arm.asks_model and can_ask(arm.arm, model) and bool(passed)

    def builds_of(self, fixture: Fixture, arm: ResolvedArm) -> None:
        """Every output of an arm without a model: one a step, or one for each reply that a pass of it brings."""
        label = self._labels[arm.arm.label]
        for step in self._steps:
            if arm.commitments is None:
                self._build(Build(arm, label, fixture, step=step))
                continue
            for model in self._passes.models(arm.commitments, self._resolved.sweep.models):
                for replicate in range(1, self._resolved.sweep.replicates + 1):
                    self._build(Build(arm, label, fixture, model, replicate, step=step))

    def grid(self) -> Grid:
        """What came of it. A tail like another arm waits for all of that arm's cells at its step."""
        waits = {(f.fixture, f.cells[0].arm, f.cells[0].chain_step) for f in self._later}
        waits |= {(b.fixture.name, b.label, b.step) for b in self._later_builds}
        held = [b for b in self._builds if (b.fixture.name, self._labels.get(b.arm.like or ""), b.step) in waits]
        return Grid(
            forks=(
                *(replace(fork, cells=tuple(cells)) for fork, cells in self._waiting.values()),
                *self._passes.forks(),
            ),
            decided=tuple(self._decided.values()),
            builds=tuple(b for b in self._builds if b not in held),
            contexts=self._contexts | {p.context.sha256: p for p in self._passes.contexts},
            used=self._used,
            openers=self._openers,
            later=tuple(self._later),
            later_builds=(*self._later_builds, *held),
        )

    def _first_context(self, stand: _Stand) -> Prepared | None:
        if stand.unwritten or stand.stale_by > MOST_STALE:
            return None
        prepared = self._conversations.context(stand.fixture, stand.which)
        if prepared is not None:
            self._contexts[prepared.context.sha256] = prepared
            self._used[stand.fixture.name][str(stand.which)] = prepared.context.sha256
        return prepared

    def _build(self, bare: Build) -> None:
        """An output that needs no fork, where what opens its conversation is there."""
        cell = bare.cell()
        opener = self._opener(cell) if bare.step > 1 else None
        if deaf := _instructed(bare.arm, self._resolved.sweep.instructions):
            self._decide(cell, Decided(cell, "instructed", deaf))
        elif isinstance(opener, str):
            self._decide(cell, Decided(cell, "nothing-to-fork", opener))
        elif bare.step > 1 and opener is None:
            self._later_builds.append(bare)
        else:
            window = self._conversations.window(bare.fixture, bare.step, opener)
            promised = self._passes.reply(window, bare.fixture, bare.arm.commitments, bare.model, bare.replicate)
            build = dataclasses.replace(bare, commitments_sha256=promised, opener=opener)
            if opener is not None:
                self._openers[str(cell)] = opener
            self._passes.wait(build.cell())
            self._builds.append(build)

    def _add(self, place: _Place, fork: Fork) -> None:
        cell = fork.cells[0]
        known = _before_call(cell, place, self._resolved.sweep.instructions)
        if known is not None:
            self._decide(cell, known)
        else:
            self._passes.wait(cell)
            self._waiting.setdefault((cell.fixture, cell.model, fork.reply_sha256), (fork, []))[1].append(cell)

    def _add_later(self, place: _Place) -> None:
        """A fork of a later step, over its context where what opens its conversation is there."""
        bare = _fork(place, None, None)
        cell, stand = bare.cells[0], place.stand
        opener = self._opener(cell)
        if opener is None:
            self._later.append(bare)
        elif isinstance(opener, str):
            self._decide(cell, Decided(cell, "nothing-to-fork", opener))
        else:
            prepared = self._conversations.context(stand.fixture, stand.which, place.step, opener)
            if prepared is not None:
                self._contexts[prepared.context.sha256] = prepared
            self._openers[str(cell)] = opener
            window = self._conversations.window(stand.fixture, place.step, opener)
            self._add(place, self._fork(place, prepared, window))

    def _fork(self, place: _Place, prepared: Prepared | None, window: Transcript) -> Fork:
        stand = place.stand
        asked = place.arm.commitments if prepared is not None else None
        promised = self._passes.reply(window, stand.fixture, asked, stand.model, place.replicate, stand.stale_by)
        return _fork(place, prepared, promised)

    def _opener(self, cell: Cell) -> Opener | str | None:
        known = self._decided.get(str(before(cell)))
        return no_handoff(cell, known.outcome) if known else self._before.of(cell)

    def _decide(self, cell: Cell, known: Decided) -> None:
        self._decided[str(cell)] = known


def _stands(resolved: Resolved, limits: Mapping[str, Limits]) -> Iterator[_Stand]:
    if not any(a.arm.asks_model for a in resolved.arms):
        return
    for fixture in resolved.fixtures:
        for model in (name for name in resolved.sweep.models if name in limits):
            for stale_by in resolved.stale_of(fixture):
                which = ContextId(context_mode(resolved.sweep.context, model), stale_by)
                unwritten = resolved.by_policy and behind_at_end(fixture) is None
                yield _Stand(fixture, model, limits[model].most_output, which, unwritten)


def _fork(place: _Place, prepared: Prepared | None, commitments_sha256: str | None) -> Fork:
    """The request of one cell over its context, with that cell in it."""
    stand, arm, label, replicate, step = place
    assert arm.max_tokens is not None
    max_tokens = arm.max_tokens if stand.most_output is None else min(arm.max_tokens, stand.most_output)
    context_sha256 = prepared.context.sha256 if prepared else None
    effort = arm.arm.settings.effort
    compaction = arm.arm.kind == "server"
    request = (stand.fixture.name, context_sha256, arm.instruction, stand.model, max_tokens, effort, replicate)
    cell = make_cell(
        fixture=stand.fixture.name,
        arm=label,
        kind=arm.arm.kind_name,
        model=stand.model,
        replicate=replicate,
        chain_step=step,
        stale_by=stand.stale_by,
        context_sha256=context_sha256,
        instruction_sha256=arm.instruction_sha256,
        commitments_sha256=commitments_sha256,
        options=f"{arm.version} {max_tokens}".encode(),
    )
    return Fork(
        reply_sha256=digest("compaction" if compaction else "reply", *request),
        fixture=stand.fixture.name,
        model=stand.model,
        context_sha256=context_sha256 or "",
        instruction=arm.instruction,
        max_tokens=max_tokens,
        effort=effort,
        replicate=replicate,
        cells=(cell,),
        compaction=compaction,
    )


def _instructed(arm: ResolvedArm, instructions: str) -> str | None:
    """Why the arm cannot honour what was typed; None where nothing was, or where it can."""
    return why_instructed(arm.arm) if instructions.strip() else None


def _before_call(cell: Cell, place: _Place, instructions: str) -> Decided | None:
    """What is known of a cell before any call; None where the model must be asked."""
    if place.stand.unwritten:
        return Decided(cell, "nothing-to-fork", "the refresh rule has written no handoff by then")
    if cell.stale_by > MOST_STALE:
        return Decided(cell, "too-stale", f"{cell.stale_by} messages behind; at most {MOST_STALE} may be")
    if cell.stale_by and instructions.strip():
        return Decided(cell, "instructed", "written before the instructions were typed")
    if why := _instructed(place.arm, instructions):
        return Decided(cell, "instructed", why)
    if cell.context_sha256 is None:
        return Decided(cell, "nothing-to-fork", "the conversation holds no text")
    return None
