"""What a fork costs besides the model: plan, journal, files, rows, of a model that answers at once.

Beside it, in the same run, the floor under any durable store: the run's own files written plainly (open, write,
fsync, rename), one after another.
"""

from __future__ import annotations

import os
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.forks.run import run_sweep
from benchmarks.line import Line, at_most
from benchmarks.measure import MEMORY_DISK, Took, best, in_child, timed
from benchmarks.world import InProcess, only, project

FORKS = 1000
IN_FLIGHT = (50, 200)
RUNS = 3
PEER = "plain writes"


def run(size: float = 1.0) -> list[Line]:
    """CPU per fork and wall time of the whole sweep, at each number in flight; the best of three."""
    forks = max(2, round(FORKS * size))
    return [line for in_flight in IN_FLIGHT for line in _lines(forks, in_flight)]


def _lines(forks: int, in_flight: int) -> list[Line]:
    ours, plain = in_child(_swept, forks, in_flight, None)
    what = f"{forks:,} forks, in process, {in_flight} in flight"
    notes = [f"{1000 * ours.kernel_s / forks:.2f} ms of it the kernel's"]
    if MEMORY_DISK:  # what is left there is the runner's own
        memory, _ = in_child(_swept, forks, in_flight, MEMORY_DISK)
        notes.append(f"on a memory disk {1000 * memory.cpu_s / forks:.2f} ms CPU a fork and {memory.wall_s:.2f} s wall")
    cpu = {"ratio": ours.cpu_s / plain.cpu_s, "peer": PEER, "note": "; ".join(notes)}
    wall = {"ratio": ours.wall_s / plain.wall_s, "peer": PEER}
    return [
        at_most(1.0, 1000 * ours.cpu_s / forks, "ms", f"{what}: CPU a fork", ours, **cpu),
        at_most(1.5, ours.wall_s, "s", f"{what}: wall", ours, **wall),
    ]


def sweep_once(sweep: Path, run: str, latency_s: float = 0.0) -> Path:
    """The folder of a new run of the sweep, forked by a model in this process."""
    summary = run_sweep(sweep, outside=only(InProcess(latency_s)), grade=False, no_budget=True, run=run)
    assert not summary.missing, summary
    return summary.folder


def _swept(forks: int, in_flight: int, disk: Path | None) -> tuple[Took, Took]:
    """What the sweep took, and what writing its files plainly took."""
    with TemporaryDirectory(dir=disk) as folder:
        sweep = project(Path(folder) / "project", forks, concurrency=in_flight)
        made = sweep_once(sweep, "warm")
        names = iter(range(RUNS))
        ours = best(RUNS, lambda: sweep_once(sweep, f"run-{next(names)}"))
        files = [path.read_bytes() for path in made.rglob("*") if path.is_file()]
        plain = Path(folder) / "plain"
        plain.mkdir()
        return ours, timed(lambda: _write_plainly(plain, files))[1]


def _write_plainly(folder: Path, files: list[bytes]) -> None:
    for n, data in enumerate(files):
        with (folder / f"{n}.tmp").open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        (folder / f"{n}.tmp").rename(folder / str(n))
