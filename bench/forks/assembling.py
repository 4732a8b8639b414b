"""Builds an arm's handoffs of a run again from the replies that it holds, without a call.

For an arm whose assembly has changed (parts, pins, restore, ceiling), for a new one that differs from one that ran only
there, and after a change of the bench's own assembly. Outputs are cells like all others.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from msgspec.structs import replace

from bench.atomic import write_all
from bench.calls.journal import Finished, read_journal
from bench.calls.locks import Lock
from bench.calls.outside import Outside
from bench.errors import BenchError
from bench.forks.building import Builder, makings, tail_sizes
from bench.forks.cells import Cell
from bench.forks.concluding import Desk, desk_of
from bench.forks.folder import open_folder
from bench.forks.fork import Fork
from bench.forks.grid import Build
from bench.forks.output_rows import decided_row
from bench.forks.passes import Passes
from bench.forks.planning import Laid, lay
from bench.forks.progress import Silent
from bench.forks.resolve import resolved
from bench.forks.store import TEXT, Store
from bench.forks.unfit import why_none
from bench.forks.writer import Writer
from bench.project import find_project


@dataclass(frozen=True)
class Assembled:
    """What became of an arm's cells. Each name is a cell's place; `missing` says why it was not built."""

    run: str
    folder: Path
    arm: str
    """The label of the arm's version in this run."""
    new: tuple[str, ...]
    changed: tuple[str, ...]
    unchanged: tuple[str, ...]
    missing: dict[str, str]

    def lines(self) -> list[str]:
        """The summary, a line each."""
        there = len(self.new) + len(self.changed) + len(self.unchanged)
        counted = f"{len(self.new)} new, {len(self.changed)} changed, {len(self.unchanged)} as they were"
        out = [f"{self.run}: {there} handoffs of '{self.arm}' from stored replies: {counted}"]
        return out + [f"not built: {why}" for why in self.missing.values()]


def assemble_run(root: Path, arm: str, *, outside: Outside | None = None) -> Assembled:
    """The arm's outputs in the run at `root`, built from stored replies of models; those of no model are built anew.

    `arm`: a name in the project's prompts/, or a path. Fixtures, models, replicates and all other settings are the
    run's. Raises BenchError where no stored reply fits at all, naming what the nearest one differs in, and for a
    command arm, whose program keeps no reply.
    """
    laid = _laid(Store(root), arm, outside or Outside())
    label = laid.labels[laid.resolved.arms[0].arm.label]
    finished = {e.reply_sha256: e for e in read_journal(laid.store.journal) if isinstance(e, Finished)}
    there = {sha256: e for sha256, e in finished.items() if laid.store.holds_reply(e)}
    forks = [f for f in laid.grid.forks if not f.is_pass]
    passes = _settled(laid, there)
    missing = _missing(laid, forks, there, passes)
    answered = [f for f in forks if f.reply_sha256 in there]
    ready = [left for f in answered if (left := _without(f, missing)) is not None]
    builds = [b for b in laid.grid.builds if str(b.cell()) not in missing]
    if not ready and not builds:
        raise BenchError(next(iter(missing.values()), f"the run has no cells for '{label}'"))
    before = _handoffs(laid.store, [*(c for f in ready for c in f.cells), *(b.cell() for b in builds)])
    open_folder(laid)
    desk = desk_of(laid, passes)
    _decide(laid, desk)
    for fork in ready:
        _conclude(desk, fork, there[fork.reply_sha256])
    if builds:
        asyncio.run(_build(laid, desk, builds, missing))
    return _told(laid, label, before, missing)


def _laid(store: Store, arm: str, outside: Outside) -> Laid:
    """The run's sweep with just this arm in it."""
    made = store.run_json()
    project = find_project(store.root.resolve())
    path = project.root / Path(made.sweep_file).expanduser()
    one = resolved(replace(made.sweep, arms=(arm,)), path, project, store.root)
    if one.arms[0].arm.kind == "command":
        raise BenchError(f"'{arm}' is a program of yours and keeps no reply; 'bench run' runs it")
    return lay(one, outside)


def _settled(laid: Laid, there: dict[str, Finished]) -> Passes:
    """What came of the commitments passes: of their stored replies, else what an output says of one that failed."""
    passes = Passes()
    failed = {
        c.reply_sha256: c
        for row in laid.store.rows()
        if "commitments" in (row.parts_failed or "").split(",")
        if (c := laid.store.parts(row).commitments) is not None
    }
    for fork in (f for f in laid.grid.forks if f.is_pass):
        if fork.reply_sha256 in there:
            passes.answered(fork, there[fork.reply_sha256], laid.store.reply_text(fork.reply_sha256))
        elif (known := failed.get(fork.reply_sha256)) is not None:
            passes.lost(fork, known.failed or "", known.usd_api)
    return passes


def _missing(laid: Laid, forks: Sequence[Fork], there: dict[str, Finished], passes: Passes) -> dict[str, str]:
    """Place of each cell that cannot be built -> why; of a model that is not here, its name."""
    rows = laid.store.rows()
    decided = {row.cell_key for row in rows if row.reply_sha256 is None}
    out = {m: f"what '{m}' takes at most is not known here: {why}" for m, why in laid.skipped.items()}
    for fork in (f for f in forks if f.reply_sha256 not in there):
        out |= {str(c): why_none(fork, c, rows) for c in fork.cells if c.key not in decided}
    for cell in (*(c for f in forks for c in f.cells), *(b.cell() for b in laid.grid.builds)):
        if str(cell) not in out and not passes.ready(cell):
            out[str(cell)] = f"{cell}: no stored reply of a commitments pass fits; 'bench run' asks for it"
    steps = [*(f.cells[0] for f in laid.grid.later), *(b.cell() for b in laid.grid.later_builds)]
    out |= {str(c): f"{c}: its step before has no handoff of this arm" for c in steps}
    return out


def _without(fork: Fork, missing: dict[str, str]) -> Fork | None:
    left = tuple(c for c in fork.cells if str(c) not in missing)
    return replace(fork, cells=left) if left else None


def _decide(laid: Laid, desk: Desk) -> None:
    """The rows of cells that no call is made for."""
    for cell, outcome, detail in ((d.cell, d.outcome, d.detail) for d in laid.grid.decided):
        if desk.store.row_of(cell) is None:
            context = desk.contexts.get(cell.context_sha256 or "")
            row = decided_row(desk.store.name, cell, outcome, detail, context)
            write_all(desk.store.output_files(row, None))


def _conclude(desk: Desk, fork: Fork, finished: Finished) -> None:
    """The fork's outputs anew, under its group's lock. What was seen only as it was asked is taken from the old row."""
    store = desk.store
    lock = Lock(store.lock_path(fork.group))
    if not lock.take():
        raise BenchError(f"{fork.group}: {lock.owner} works on it; try again when it is done")
    try:
        for cell in fork.cells:
            old = store.row_of(cell)
            beside = store.parts(old).subscribers if old else ()
            _, files = desk.outputs(
                replace(fork, cells=(cell,)),
                finished,
                store.reply_text(fork.reply_sha256),
                attempts=old.attempts if old else 1,
                ms_since_last_fork=old.ms_since_last_fork if old else None,
                beside=beside,
            )
            store.clear_output(cell)
            write_all(files)
    finally:
        lock.release()


async def _build(laid: Laid, desk: Desk, builds: Sequence[Build], missing: dict[str, str]) -> None:
    def failed(cell: Cell, why: str) -> None:
        missing[str(cell)] = why

    writer = Writer(lambda: None)
    try:
        builder = Builder(desk, writer, Outside(), Silent(), lambda: False, failed, again=True)
        plain, tails = ([b for b in builds if bool(b.arm.like) is like] for like in (False, True))
        await builder.run(makings(plain, ()))
        await builder.run(makings(tails, (), tail_sizes(laid, tails)))
    finally:
        await writer.close()


def _handoffs(store: Store, cells: Iterable[Cell]) -> dict[str, tuple[Cell, bytes | None]]:
    """Place -> the cell and its handoff as it is now; None where there is none yet."""
    paths = {str(c): (c, store.output_path(c, TEXT)) for c in cells}
    return {name: (c, path.read_bytes() if path.exists() else None) for name, (c, path) in paths.items()}


def _told(laid: Laid, label: str, before: dict[str, tuple[Cell, bytes | None]], missing: dict[str, str]) -> Assembled:
    after = _handoffs(laid.store, [cell for cell, _ in before.values()])
    new: list[str] = []
    changed: list[str] = []
    unchanged: list[str] = []
    for name, (_, now) in after.items():
        was = before[name][1]
        (new if was is None else unchanged if was == now else changed).append(name)
    return Assembled(laid.store.name, laid.store.root, label, tuple(new), tuple(changed), tuple(unchanged), missing)
