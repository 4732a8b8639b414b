"""1,000 forks of half a second each: what the schedule adds, in process and through the SDK over HTTP.

A fork's first content event comes after a tenth of a second: until then the group's first fork runs alone. The files
are written to a memory disk where there is one: what a disk costs is the overhead row's subject.
"""

from __future__ import annotations

import asyncio
import json
import os
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.forks.run import run_sweep
from benchmarks.line import Line, at_most, within
from benchmarks.measure import MEMORY_DISK, Took, in_child, timed
from benchmarks.overhead import sweep_once
from benchmarks.world import FIRST_S, LATENCY_S, MODEL, project, server

FORKS = 1000
IN_FLIGHT = {50: 10.5, 200: 2.7}
"""Forks at once -> seconds that 1,000 of them may take in process; 10.0 and 2.5 are the least possible."""
MOST_RATIO = 1.10
"""To the bare SDK, over HTTP."""
ROUNDS = 2
"""Of both, by turns; the faster of each counts, since others may use the machine."""
KEY = "sk-benchmark"
"""The loopback server takes any."""


def run(size: float = 1.0) -> list[Line]:
    """Wall time in process, and wall time over HTTP against the bare SDK with the same bodies, server and number in
    flight."""
    forks = max(2, round(FORKS * size))
    lines = []
    for in_flight, bound in IN_FLIGHT.items():
        took = in_child(_in_process, forks, in_flight)
        what = f"{forks:,} forks of {LATENCY_S} s, {in_flight} in flight"
        lines.append(at_most(bound, took.wall_s, "s", f"{what}, in process: wall", took))
    for in_flight in IN_FLIGHT:
        with server(first_s=FIRST_S, rest_s=LATENCY_S - FIRST_S) as url:
            rounds = [_both(url, forks, in_flight) for _ in range(ROUNDS)]
        ours, bare = (min(took) for took in zip(*rounds, strict=True))
        what = f"{forks:,} forks of {LATENCY_S} s, {in_flight} in flight, over HTTP: wall"
        note = f"the bare SDK took {bare.wall_s:.2f} s and {bare.cpu_s:.2f} s CPU"
        lines.append(within(MOST_RATIO, ours.wall_s, bare.wall_s, "bare SDK", "s", what, ours, note))
    return lines


def _both(url: str, forks: int, in_flight: int) -> tuple[Took, Took]:
    """The sweep and the bare SDK, one after the other."""
    ours, body = in_child(over_http, url, forks, in_flight)
    return ours, in_child(bare_sdk, url, body, forks, in_flight)


def over_http(url: str, forks: int, in_flight: int) -> tuple[Took, str]:
    """What the sweep took against that server, and the body of one of its requests as JSON."""
    import anthropic  # noqa: F401  # 1.5 s that both would pay

    os.environ |= {"ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": KEY}
    with TemporaryDirectory(dir=MEMORY_DISK) as folder:
        sweep = project(Path(folder) / "project", forks, concurrency=in_flight)
        summary, took = timed(lambda: run_sweep(sweep, grade=False, no_budget=True))
        assert not summary.missing, summary
        return took, request_of(summary.folder)


def request_of(run: Path) -> str:
    """The body of a request of the run, as the SDK takes it."""
    (context,) = (run / "contexts").glob("*.json")
    prefix = json.loads(context.read_bytes())
    *earlier, last = prefix["messages"]
    blocks = last["content"] if isinstance(last["content"], list) else [{"type": "text", "text": last["content"]}]
    asked = {"type": "text", "text": "Write the handoff in the manner of arm-000."}
    turns = [*earlier, {**last, "content": [*blocks, asked]}] if last["role"] == "user" else [
        *earlier, last, {"role": "user", "content": [asked]}
    ]  # fmt: skip
    parts = {name: prefix[name] for name in ("system", "tools") if prefix[name]}
    return json.dumps({"model": MODEL, "max_tokens": 32_000, **parts, "messages": turns})


def bare_sdk(url: str, body: str, forks: int, in_flight: int) -> Took:
    """What as many requests take with the SDK alone: streamed, read to the end, so many at once."""
    import anthropic

    request = json.loads(body)

    async def main() -> None:
        gate = asyncio.Semaphore(in_flight)
        async with anthropic.AsyncAnthropic(base_url=url, api_key=KEY, max_retries=0) as client:

            async def ask() -> None:
                async with gate:
                    async for _event in await client.messages.create(stream=True, **request):
                        pass

            await asyncio.gather(*(ask() for _ in range(forks)))

    return timed(lambda: asyncio.run(main()))[1]


def _in_process(forks: int, in_flight: int) -> Took:
    with TemporaryDirectory(dir=MEMORY_DISK) as folder:
        sweep = project(Path(folder) / "project", forks, concurrency=in_flight)
        sweep_once(sweep, "warm")
        return timed(lambda: sweep_once(sweep, "run", LATENCY_S))[1]
