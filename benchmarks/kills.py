"""Runs killed with SIGKILL at random moments, then resumed: what was answered and is gone, what is asked again in vain.

The model notes each request and each answer in a file of its own, so that the run is not asked about itself. Children
are forked from a parent that has everything loaded. An answer counts as the run's from its line in the journal on.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import NamedTuple

from bench.calls.journal import Finished, read_journal
from bench.forks.run import run_sweep
from bench.forks.store import Store
from bench.models.protocol import Attempt, Reply, Request
from benchmarks.line import Line, at_most
from benchmarks.made import SEED
from benchmarks.measure import MEMORY_DISK, in_child, timed
from benchmarks.world import InProcess, only, project

KILLS = 100
FORKS = 60
IN_FLIGHT = 8
LATENCY_S = 0.005


class Lost(NamedTuple):
    """Over all kills: answers the model gave, of these not in the journal; of those in it not on the disk; calls in
    vain; calls without a row."""

    answered: int
    on_the_way: int
    gone: int
    in_vain: int
    untold: int


def run(size: float = 1.0) -> list[Line]:
    """Answers gone, calls made though the reply was on the disk, and calls that no row tells of."""
    kills = max(1, round(KILLS * size))
    lost, took = in_child(timed, partial(_soak, kills, FORKS))
    what = f"{kills:,} kills in sweeps of {FORKS} forks"
    note = f"of {lost.answered:,} answers; {lost.on_the_way} more were not yet in the journal"
    return [
        at_most(0, lost.gone, "answers", f"{what}: in the journal and not on the disk", took, note=note),
        at_most(0, lost.in_vain, "calls", f"{what}: asked again though on the disk"),
        at_most(0, lost.untold, "calls", f"{what}: calls without a row"),
    ]


class Witness(InProcess):
    """A model that notes each request and each answer at the end of a file."""

    def __init__(self, file: Path) -> None:
        super().__init__(LATENCY_S)
        self._file = os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT)

    async def ask(self, request: Request, *, timeout_s: float, on_first: Callable[[], None]) -> Reply | Attempt:
        os.write(self._file, b"asked\n")
        reply = await super().ask(request, timeout_s=timeout_s, on_first=on_first)
        os.write(self._file, b"answered\n")
        return reply


def _soak(kills: int, forks: int) -> Lost:
    rng = Random(SEED)
    with TemporaryDirectory(dir=MEMORY_DISK) as folder:
        sweep = project(Path(folder) / "project", forks, concurrency=IN_FLIGHT)
        notes = Path(folder) / "notes"
        whole = timed(lambda: _swept(sweep, "whole", notes))[1].wall_s
        every = [_killed(sweep, f"run-{n}", Path(folder) / f"notes-{n}", rng.uniform(0, whole)) for n in range(kills)]
    return Lost(*map(sum, zip(*every, strict=True)))


def _killed(sweep: Path, run: str, notes: Path, after_s: float) -> Lost:
    child = os.fork()
    if not child:
        _swept(sweep, run, notes)
        os._exit(0)
    time.sleep(after_s)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    store = Store(sweep.parent.parent / "results" / run)
    asked, answered = _noted(notes)
    booked = sum(isinstance(event, Finished) for event in read_journal(store.journal))
    on_disk = len(list((store.root / "replies").glob("[!.]*")))
    forks = _swept(sweep, run, notes)
    asked_again = _noted(notes)[0] - asked
    untold = asked + asked_again - len(store.calls())
    gone = max(0, booked - on_disk)
    return Lost(answered, answered - booked, gone, asked_again - (forks - on_disk), max(0, untold))


def _swept(sweep: Path, run: str, notes: Path) -> int:
    """The cells of the sweep, all done now."""
    summary = run_sweep(sweep, outside=only(Witness(notes)), grade=False, no_budget=True, run=run)
    assert not summary.missing, summary
    return summary.cells


def _noted(notes: Path) -> tuple[int, int]:
    """Requests and answers."""
    lines = notes.read_text().split() if notes.exists() else []
    return lines.count("asked"), lines.count("answered")
