"""Time and memory of a piece of work, on machines that do other things as well."""

from __future__ import annotations

import multiprocessing
import re
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, TypeVar

T = TypeVar("T")

MB = 1_000_000
MEMORY_DISK = Path("/dev/shm") if Path("/dev/shm").is_dir() else None
"""Where files cost no disk: for what is not about files. None: the machine's disk has to do."""
ENOUGH_S = 10.0
"""After so long, work is not run again: on a busy machine the whole table would take an hour."""


class Took(NamedTuple):
    """Seconds of one piece of work: by the clock, and of this process's CPU in all threads."""

    wall_s: float
    cpu_s: float
    kernel_s: float
    """Of the CPU time, what the kernel took: files, sockets."""


def timed(work: Callable[[], T]) -> tuple[T, Took]:
    """What the work brought, and what it took."""
    wall, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_SELF)
    result = work()
    after = resource.getrusage(resource.RUSAGE_SELF)
    kernel_s = after.ru_stime - before.ru_stime
    return result, Took(time.perf_counter() - wall, after.ru_utime - before.ru_utime + kernel_s, kernel_s)


def best(times: int, work: Callable[[], object]) -> Took:
    """The least wall and the least CPU time of several runs: what the work takes when nothing else is in the way."""
    began = time.perf_counter()
    took = [timed(work)[1]]
    while len(took) < times and time.perf_counter() - began < ENOUGH_S:
        took.append(timed(work)[1])
    return Took(min(t.wall_s for t in took), *min((t.cpu_s, t.kernel_s) for t in took))


def in_child(function: Callable[..., T], *arguments: object) -> T:
    """What the function returns in a fresh interpreter, so that neither imports nor memory of others count."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(function, arguments)


def peak_rss_mb() -> float:
    """The most memory this process has held, MB (10^6 bytes)."""
    status = Path("/proc/self/status")
    if status.exists():  # ru_maxrss also remembers the parent that this process was forked from
        found = re.search(r"VmHWM:\s+(\d+) kB", status.read_text())
        if found:
            return int(found[1]) * 1024 / MB
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most * (1 if sys.platform == "darwin" else 1024) / MB
