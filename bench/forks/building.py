"""Makes the outputs of arms without a model: each once per fixture, again where what it is made of has changed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean

from bench.arms.build import Built, build
from bench.calls.locks import Lock
from bench.calls.outside import Outside
from bench.calls.runner import POLL_S
from bench.chains.windows import at_step
from bench.errors import BenchError
from bench.fixtures import Fixture
from bench.forks.cells import NO_MODEL, Cell
from bench.forks.concluding import Desk, with_note
from bench.forks.grid import Build, Decided
from bench.forks.output_rows import built_row, decided_row
from bench.forks.planning import Laid
from bench.forks.progress import Progress
from bench.forks.store import Files, Store, append_line
from bench.forks.writer import Writer
from bench.handoff.assemble import assemble
from bench.rows import GRADED, NOT_FINAL, CallRow, OutputRow


@dataclass(frozen=True)
class Making:
    """An output to make: of a build, or of what is decided about it."""

    cell: Cell
    what: Build | Decided
    tail_tokens: int | None = None
    """Size of a tail that is like another arm; None where that arm has no handoff yet."""

    @property
    def group(self) -> str:
        return f"{self.cell.fixture}/{NO_MODEL}"


def makings(builds: Sequence[Build], decided: Sequence[Decided], sizes: Sequence[int | None] = ()) -> list[Making]:
    """What to make of them; `sizes` stand for the builds in order, where they are tails like another arm."""
    sized = zip(builds, sizes or [None] * len(builds), strict=True)
    ready = [Making(b.cell(tokens), b, tokens) for b, tokens in sized]
    return ready + [Making(d.cell, d) for d in decided if d.cell.model == NO_MODEL]


def is_made(store: Store, cell: Cell) -> bool:
    """Whether the cell's output is there, made of just this."""
    row = store.row_of(cell)
    return row is not None and row.cell_key == cell.key


def mean_size(rows: Sequence[OutputRow], fixture: str, arm: str, step: int = 1) -> int | None:
    """Mean tokens of the handoffs that an arm wrote at a step, over models and replicates; None without any.

    Truncated ones count where there are no whole ones.
    """
    there = (r for r in rows if (r.fixture, r.arm, r.chain_step) == (fixture, arm, step))
    mine = [r for r in there if r.handoff_tokens is not None]
    for outcome in GRADED:
        sizes = [r.handoff_tokens or 0 for r in mine if r.outcome == outcome]
        if sizes:
            return round(fmean(sizes))
    return None


def tail_sizes(laid: Laid, tails: Iterable[Build]) -> list[int | None]:
    """What each tail takes as its size: the mean of the arm that it is like, by all rows there are now."""
    rows, marks = laid.store.rows(), laid.run_file.arms
    out = []
    for tail in tails:
        like = tail.arm.like or ""
        label = laid.labels.get(like) or (marks[like][-1].label if like in marks else like)
        out.append(mean_size(rows, tail.fixture.name, label, tail.step))
    return out


class Builder:
    """Makes outputs for one run. `stopped`: whether to begin nothing more; `failed` is told of cells left undone;
    `again`: those that are there are made anew.
    """

    def __init__(
        self,
        desk: Desk,
        writer: Writer,
        outside: Outside,
        progress: Progress,
        stopped: Callable[[], bool],
        failed: Callable[[Cell, str], None],
        *,
        again: bool = False,
    ) -> None:
        self._again = again
        self._desk = desk
        self._writer = writer
        self._outside = outside
        self._progress = progress
        self._stopped = stopped
        self._failed = failed

    async def run(self, wanted: Sequence[Making]) -> None:
        """All of `wanted` that is not there yet, a fixture at a time under its lock."""
        for group in dict.fromkeys(m.group for m in wanted):
            lock = Lock(self._desk.store.lock_path(group))
            while not lock.take():
                if self._stopped():
                    return
                await self._outside.sleep(POLL_S)
            try:
                await self._group(group, [m for m in wanted if m.group == group])
            finally:
                lock.release()

    async def _group(self, group: str, wanted: Sequence[Making]) -> None:
        left = [m for m in wanted if self._again or not is_made(self._desk.store, m.cell)]
        if left:
            self._progress.begin(group, len(left))
        for making in left:
            if self._stopped():
                return
            match making.what:
                case Decided(cell, outcome, detail):
                    row = decided_row(self._desk.store.name, cell, outcome, detail)
                    await self._write(cell, self._desk.store.output_files(row, None))
                    self._told(group, cell, outcome)
                case Build():
                    await self._make(group, making, making.what)

    async def _make(self, group: str, making: Making, what: Build) -> None:
        store, cell = self._desk.store, making.cell
        started_at, began = self._outside.stamp(), self._outside.clock()
        try:
            built = await asyncio.to_thread(
                build,
                what.arm.arm,
                self._at_step(cell, what.fixture),
                tail_tokens=making.tail_tokens,
                stopped=self._stopped,
            )
        except BenchError as error:  # a file of this arm is wrong, which is not the other cells' fault
            self._failed(cell, str(error))
            return
        seconds = self._outside.clock() - began
        if built.outcome in NOT_FINAL:
            append_line(store.attempts, _attempt(cell, built, started_at, seconds))
            self._failed(cell, f"{built.outcome}: {built.detail}")
            return

        handoff = None
        if built.outcome in GRADED:
            talks = self._desk.talks
            handoff = assemble(
                built.text,
                what.arm.arm,
                talks.of(cell),
                lineage=talks.lineage(cell),
                commitments=self._desk.commitments(cell),
            )
        row = built_row(
            store.name, cell, built, handoff, started_at=started_at, seconds=seconds,
            carry=self._desk.carry, pricing=self._desk.pricing,
        )  # fmt: skip
        row.detail = with_note(row.detail, self._desk.talks.note(cell))
        if (commitments := self._desk.commitments(cell)) is not None:
            row.commitments_usd = commitments.usd_api
        await self._write(cell, store.output_files(row, handoff))
        self._told(group, cell, built.outcome)

    def _at_step(self, cell: Cell, fixture: Fixture) -> Fixture:
        return at_step(fixture, cell.chain_step, self._desk.talks.of(cell)) if fixture.cuts else fixture

    def _told(self, group: str, cell: Cell, outcome: str) -> None:
        self._progress.wrote(str(cell), outcome)
        self._progress.done(group, outcome, 0.0)

    async def _write(self, cell: Cell, files: Files) -> None:
        def job() -> Files:
            self._desk.store.clear_output(cell)
            return files

        await self._writer.submit(job)


def _attempt(cell: Cell, built: Built, started_at: str, seconds: float) -> CallRow:
    """The row of a program that failed; what it used, if it said so, has no price here."""
    return CallRow(
        call_id=f"{cell.key[:16]}-{started_at}",
        purpose="fork",
        model=NO_MODEL,
        cell_key=cell.key,
        outcome=built.outcome,
        detail=built.detail,
        started_at=started_at,
        seconds=seconds,
        usd_reason="a program of the user's; its costs are not known",
    )
