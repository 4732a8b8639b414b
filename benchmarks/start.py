"""How fast the command line answers; everything heavy is loaded when it is used."""

from __future__ import annotations

import os
import subprocess
import sys
import time

from benchmarks.line import Line, at_most
from benchmarks.measure import Took

RUNS = 7
STARTS = {
    "bench --help": (0.25, "from bench.cli import main; main(['--help'])"),
    "import bench": (0.15, "import bench"),
}
"""What is started -> seconds it may take, and its code."""


def run(size: float = 1.0) -> list[Line]:
    """Wall time of a whole process, the interpreter's own start in it; the best of several."""
    runs = max(1, round(RUNS * size))
    interpreter = started("pass", runs)
    note = f"the bare interpreter takes {interpreter.wall_s:.3f} s of it"
    lines = []
    for what, (bound, code) in STARTS.items():
        took = started(code, runs)
        lines.append(at_most(bound, took.wall_s, "s", what, took, note=note))
    return lines


def started(code: str, runs: int, python: str = sys.executable) -> Took:
    """What a process that runs the code takes, from start to end: the best of several."""
    return min(_once([python, "-c", code]) for _ in range(runs))


def _once(command: list[str]) -> Took:
    began = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    wall_s = time.perf_counter() - began
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"{command} ended with {process.returncode}")
    return Took(wall_s, usage.ru_utime + usage.ru_stime, usage.ru_stime)
