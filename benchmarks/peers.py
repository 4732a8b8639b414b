"""Another project's runner at the same job, in an environment of its own under a temporary folder (`--peers`)."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bench.text import clip
from benchmarks.line import Line
from benchmarks.measure import Took
from benchmarks.start import started

PEER = "inspect_ai"
INSTALL_TIMEOUT_S = 600
RUN_TIMEOUT_S = 300
REASON_CHARS = 200
SAMPLES = 1000
IN_FLIGHT = (50, 200)
SCRIPT = """
import json, resource, sys, tempfile, time
from inspect_ai import Task, eval
from inspect_ai.dataset import Sample
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.solver import generate

def answers():
    while True:  # with its usage, which the mock would else count with a tokenizer that it downloads
        output = ModelOutput.from_content("mockllm/model", "What was asked. " * 60)
        output.usage = ModelUsage(input_tokens=1000, output_tokens=250, total_tokens=1250)
        yield output

samples, in_flight = int(sys.argv[1]), int(sys.argv[2])
model = get_model("mockllm/model", custom_outputs=answers())
dataset = [Sample(id=n, input="Write the handoff.") for n in range(samples)]
with tempfile.TemporaryDirectory() as logs:
    began = time.perf_counter()
    (log,) = eval(Task(dataset=dataset, solver=generate()), model=model, log_dir=logs, display="none",
                  max_samples=in_flight, max_connections=in_flight)
    wall = time.perf_counter() - began
assert log.status == "success", log.error.message
used = resource.getrusage(resource.RUSAGE_SELF)
print(json.dumps([wall, used.ru_utime + used.ru_stime, used.ru_stime]))
"""


class NoPeer(Exception):
    """The peer's environment cannot be made here."""


def run(size: float = 1.0) -> list[Line]:
    """The peer's wall time for as many samples of a model that answers at once, and its start."""
    samples = max(2, round(SAMPLES * size))
    try:
        with environment(PEER) as python:
            lines = [_evaluated(python, samples, in_flight) for in_flight in IN_FLIGHT]
            took = started(f"import {PEER}", 3, str(python))
            return [*lines, _line(f"import {PEER}", took)]
    except NoPeer as why:
        return [Line(what=PEER, target="a peer", absent="not measured", note=str(why))]


@contextmanager
def environment(package: str) -> Iterator[Path]:
    """The interpreter of a fresh environment that holds the package. Raises NoPeer where it cannot be made."""
    with tempfile.TemporaryDirectory() as folder:
        python = Path(folder) / "bin" / "python"
        pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", package]
        for command in ([sys.executable, "-m", "venv", folder], pip):
            _run(command, INSTALL_TIMEOUT_S)
        yield python


def _evaluated(python: Path, samples: int, in_flight: int) -> Line:
    out = _run([str(python), "-c", SCRIPT, str(samples), str(in_flight)], RUN_TIMEOUT_S)
    return _line(f"{PEER}: {samples:,} samples, {in_flight} in flight", Took(*json.loads(out.splitlines()[-1])))


def _line(what: str, took: Took) -> Line:
    return Line(what=what, target="a peer", value=took.wall_s, unit="s", wall_s=took.wall_s, cpu_s=took.cpu_s)


def _run(command: list[str], timeout_s: float) -> str:
    """What the command printed. Raises NoPeer with its last line where it fails."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=timeout_s, check=False)
    except (OSError, subprocess.TimeoutExpired) as e:
        raise NoPeer(clip(str(e), REASON_CHARS)) from None
    if done.returncode:
        said = (done.stderr or done.stdout).strip().splitlines()
        raise NoPeer(clip(said[-1], REASON_CHARS) if said else f"exit status {done.returncode}")
    return done.stdout
