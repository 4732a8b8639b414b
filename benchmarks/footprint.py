"""200 replicates over one long context: what a run leaves on the disk beside its outputs, and how much memory it holds.

Memory is measured against the bare SDK with the same bodies, server and number in flight.
"""

from __future__ import annotations

import os
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.forks.run import run_sweep
from benchmarks.latency import KEY, bare_sdk, request_of
from benchmarks.line import Line, at_most
from benchmarks.measure import MB, Took, in_child, peak_rss_mb, timed
from benchmarks.world import project, server

FORKS = 200
IN_FLIGHT = 8
CONTEXT_BYTES = 776_000
"""Of the transcript: a request then has 789 KB."""


def run(size: float = 1.0) -> list[Line]:
    """MB on the disk beside the outputs, and the peak of memory above the bare SDK's."""
    forks = max(2, round(FORKS * size))
    with server() as url:
        took, beside, ours, body = in_child(_forked, url, forks, round(CONTEXT_BYTES * size))
        bare = in_child(_bare, url, body, forks)
    what = f"{forks:,} replicates over {len(body) / 1000:,.0f} KB"
    note = f"{ours:.0f} MB against {bare:.0f} of the bare SDK"
    return [
        at_most(2.0, beside, "MB", f"{what}: disk beside the outputs", took),
        at_most(40.0, ours - bare, "MB", f"{what}, {IN_FLIGHT} in flight: memory above the bare SDK's", took,
                ratio=ours / bare, peer="bare SDK", note=note),
    ]  # fmt: skip


def _forked(url: str, forks: int, context_bytes: int) -> tuple[Took, float, float, str]:
    """Of the sweep: what it took, MB beside its outputs, peak memory in MB; and the body of one of its requests."""
    os.environ |= {"ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": KEY}
    with TemporaryDirectory() as folder:
        sweep = project(Path(folder) / "project", forks, context_bytes=context_bytes, concurrency=IN_FLIGHT)
        summary, took = timed(lambda: run_sweep(sweep, grade=False, no_budget=True))
        assert not summary.missing, summary
        peak = peak_rss_mb()
        return took, _mb_beside(summary.folder), peak, request_of(summary.folder)


def _bare(url: str, body: str, forks: int) -> float:
    bare_sdk(url, body, forks, IN_FLIGHT)
    return peak_rss_mb()


def _mb_beside(run: Path) -> float:
    """MB of blocks that the run's files hold, those in outputs/ aside."""
    files = [p for p in run.rglob("*") if p.is_file() and p.relative_to(run).parts[0] != "outputs"]
    return sum(512 * p.stat().st_blocks for p in files) / MB
