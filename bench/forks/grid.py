"""The grid of a sweep: every cell, the forks they share, what needs no call, and what needs no model. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from bench.arms.instruction import why_instructed
from bench.arms.model import Arm
from bench.arms.version import replay_sha256
from bench.contexts.context import Prepared
from bench.contexts.subjects import ContextId, context_mode
from bench.fixtures import Fixture
from bench.forks.cells import NO_MODEL, Cell, digest, make_cell
from bench.forks.resolve import Resolved, ResolvedArm
from bench.models.known import compacts
from bench.models.protocol import Context, Request
from bench.rows import Outcome

MOST_STALE = 60
"""Messages a handoff may lag behind; further behind, a pipeline hands the compaction back to the harness."""


class Fork(Struct, frozen=True, kw_only=True):
    """One request and the cells that wait for its reply: a pure description, with the context by its hash."""

    reply_sha256: str
    """Names the reply: a hash of the request, the replicate, and the fixture, so that no two groups write one file."""
    fixture: str
    model: str
    context_sha256: str
    instruction: str
    max_tokens: int
    effort: str | None
    replicate: int
    cells: tuple[Cell, ...]
    compaction: bool = False
    """The server compacts the conversation itself."""

    @property
    def group(self) -> str:
        return f"{self.fixture}/{self.model}"

    @property
    def cache_entry(self) -> str:
        """Forks of a group with the same one share an entry of the cache; a changed effort misses."""
        return f"{self.context_sha256} {self.effort}"


def request_of(fork: Fork, context: Context, cache_ttl: Literal["5m", "1h"] = "5m") -> Request:
    """The fork's request over its context."""
    return Request(
        context=context,
        instruction=fork.instruction,
        max_tokens=fork.max_tokens,
        effort=fork.effort,
        cache_ttl=cache_ttl,
        compaction=fork.compaction,
    )


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

    @property
    def group(self) -> str:
        return f"{self.fixture.name}/{NO_MODEL}"

    def cell(self, tail_tokens: int | None = None) -> Cell:
        """The cell; for a tail like another arm with the size it takes, None where that arm has no handoff yet."""
        made_of = replay_sha256(self.arm.arm, self.fixture)
        return make_cell(
            fixture=self.fixture.name,
            arm=self.label,
            kind=self.arm.arm.kind,
            model=NO_MODEL,
            replicate=1,
            context_sha256=self.fixture.transcript_sha256,
            options=f"{self.arm.version} {made_of} {tail_tokens if self.arm.like else None}".encode(),
        )


@dataclass(frozen=True)
class Grid:
    """A sweep laid out. `contexts` by sha256; `used` says which contexts each fixture's forks stand on."""

    forks: tuple[Fork, ...]
    decided: tuple[Decided, ...]
    builds: tuple[Build, ...]
    contexts: Mapping[str, Prepared]
    used: Mapping[str, Mapping[str, str]]


@dataclass(frozen=True)
class _Stand:
    """Where a group of equally stale forks stands."""

    fixture: Fixture
    model: str
    most_output: int | None
    stale_by: int
    prepared: Prepared | None
    """Its context; None where there is nothing to fork, or it is too stale to be asked."""


def lay_out(
    resolved: Resolved,
    labels: Mapping[str, str],
    most_output: Mapping[str, int | None],
    context_of: Callable[[Fixture, ContextId], Prepared | None],
) -> Grid:
    """The grid of the sweep over the models in `most_output` (model -> its longest answer, None where unknown).

    `labels`: arm -> what rows call its version. A context is built once per fixture, mode and staleness, so that all
    forks of a group stand on the same bytes. Replicate by replicate, so that a part of a run is whole.
    """
    built = {
        (fixture.name, which): context_of(fixture, which)
        for fixture in resolved.fixtures
        for which in _contexts_needed(resolved, most_output)
    }
    decided: list[Decided] = []
    waiting: dict[tuple[str, str, str], tuple[Fork, list[Cell]]] = {}
    for stand in _stands(resolved, most_output, built):
        for replicate in range(1, resolved.sweep.replicates + 1):
            for arm in (a for a in resolved.arms if a.arm.asks_model and can_ask(a.arm, stand.model)):
                fork = _fork(stand, arm, labels[arm.arm.label], replicate)
                cell = fork.cells[0]
                known = _before_call(cell, stand, arm, resolved.sweep.instructions)
                if known is not None:
                    decided.append(known)
                else:
                    waiting.setdefault((cell.fixture, cell.model, fork.reply_sha256), (fork, []))[1].append(cell)
    builds = [
        Build(arm, labels[arm.arm.label], fixture)
        for fixture in resolved.fixtures
        for arm in resolved.arms
        if not arm.arm.asks_model
    ]
    deaf = {b.label: why for b in builds if (why := _instructed(b.arm, resolved.sweep.instructions))}
    decided += [Decided(b.cell(), "instructed", deaf[b.label]) for b in builds if b.label in deaf]
    prepared = [p for p in built.values() if p is not None]
    return Grid(
        forks=tuple(replace(fork, cells=tuple(cells)) for fork, cells in waiting.values()),
        decided=tuple(decided),
        builds=tuple(b for b in builds if b.label not in deaf),
        contexts={p.context.sha256: p for p in prepared},
        used={
            f.name: {str(which): p.context.sha256 for (name, which), p in built.items() if p and name == f.name}
            for f in resolved.fixtures
        },
    )


def can_ask(arm: Arm, model: str) -> bool:
    """Whether the arm has cells with that model: only some servers compact a conversation themselves."""
    return arm.kind != "server" or compacts(model)


def _contexts_needed(resolved: Resolved, models: Iterable[str]) -> list[ContextId]:
    if not any(a.arm.asks_model for a in resolved.arms):
        return []
    return list(
        dict.fromkeys(
            ContextId(context_mode(resolved.sweep.context, model), stale_by)
            for model in models
            for stale_by in resolved.stale_by
            if stale_by <= MOST_STALE
        )
    )


def _stands(
    resolved: Resolved,
    most_output: Mapping[str, int | None],
    built: Mapping[tuple[str, ContextId], Prepared | None],
) -> Iterator[_Stand]:
    for fixture in resolved.fixtures:
        for model, most in most_output.items():
            for stale_by in resolved.stale_by:
                which = ContextId(context_mode(resolved.sweep.context, model), stale_by)
                yield _Stand(fixture, model, most, stale_by, built.get((fixture.name, which)))


def _fork(stand: _Stand, arm: ResolvedArm, label: str, replicate: int) -> Fork:
    """The request of one cell, with that cell in it."""
    assert arm.max_tokens is not None
    max_tokens = arm.max_tokens if stand.most_output is None else min(arm.max_tokens, stand.most_output)
    context_sha256 = stand.prepared.context.sha256 if stand.prepared else None
    effort = arm.arm.settings.effort
    compaction = arm.arm.kind == "server"
    request = (stand.fixture.name, context_sha256, arm.instruction, stand.model, max_tokens, effort, replicate)
    cell = make_cell(
        fixture=stand.fixture.name,
        arm=label,
        kind=arm.arm.kind,
        model=stand.model,
        replicate=replicate,
        stale_by=stand.stale_by,
        context_sha256=context_sha256,
        instruction_sha256=arm.instruction_sha256,
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


def _before_call(cell: Cell, stand: _Stand, arm: ResolvedArm, instructions: str) -> Decided | None:
    """What is known of a cell before any call; None where the model must be asked."""
    if cell.stale_by > MOST_STALE:
        return Decided(cell, "too-stale", f"{cell.stale_by} messages behind; at most {MOST_STALE} may be")
    if cell.stale_by and instructions.strip():
        return Decided(cell, "instructed", "written before the instructions were typed")
    if why := _instructed(arm, instructions):
        return Decided(cell, "instructed", why)
    if stand.prepared is None:
        return Decided(cell, "nothing-to-fork", "the conversation holds no text")
    return None
