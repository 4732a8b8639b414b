"""What forks run against: a project folder made on the spot, a model in this process, a server in another one."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from bench.calls.outside import Outside
from bench.fixtures import ABOUT, KEY, TRANSCRIPT
from bench.models.protocol import Attempt, Count, Reply, Request
from bench.text import estimate_tokens
from bench.transcripts.model import Usage
from benchmarks.made import SEED, messages_session

ROOT = Path(__file__).parent.parent
MODEL = "claude-sonnet-5-5"
"""A priced model; nothing asks the real one."""
REPLY = "- What was asked, what was ruled out, what is open.\n" * 20
"""A handoff of 1 KB."""
LATENCY_S = 0.5
FIRST_S = 0.1
"""Of these, until the first content event."""
MOST_REPLICATES = 50

_KEY = "version: 1\natoms:\n  - {id: a1, tag: ask, text: What was asked., importance: okay, by: user, at: [0]}\n"
_ABOUT = (
    "version: 1\ntitle: Made\nharness: anthropic-messages\nsource: made from a seed\nlicence: Apache-2.0\n"
    'language: en\nsplit: dev\ntokens: 0\nsha256: ""\n'
)


def project(
    root: Path, forks: int, *, context_bytes: int = 4000, concurrency: int = 8, fixtures: int = 1, lines: str = ""
) -> Path:
    """A project whose sweep has that many forks; returns the sweep file. `lines` are added to it."""
    replicates = next(n for n in range(min(MOST_REPLICATES, forks), 0, -1) if forks % n == 0)
    arms = [f"arm-{n:03}" for n in range(forks // replicates)]
    names = [f"made-{n}" for n in range(fixtures)]
    for part in ("prompts", "sweeps"):
        (root / part).mkdir(parents=True)
    (root / "bench.toml").write_text("version = 1\n")
    for arm in arms:
        (root / "prompts" / f"{arm}.md").write_text(f"Write the handoff in the manner of {arm}.\n")
    for n, name in enumerate(names):
        folder = root / "fixtures" / name
        folder.mkdir(parents=True)
        (folder / TRANSCRIPT).write_text(messages_session(context_bytes * (n + 1), SEED + n))
        (folder / KEY).write_text(_KEY)
        (folder / ABOUT).write_text(_ABOUT)
    sweep = root / "sweeps" / "made.toml"
    sweep.write_text(
        f"fixtures = {names}\narms = {arms}\nmodels = ['{MODEL}']\nreplicates = {replicates}\n"
        f"concurrency = {concurrency}\n{lines}".replace("'", '"')
    )
    return sweep


class InProcess:
    """A model in this process: `latency_s` from request to answer, the first content event after a fifth of it."""

    name = MODEL
    window = 1_000_000
    max_output = 128_000

    def __init__(self, latency_s: float = 0.0, text: str = REPLY) -> None:
        self._latency_s = latency_s
        self._text = text
        self._readable: set[str] = set()

    async def __aenter__(self) -> InProcess:
        return self

    async def __aexit__(self, *exc: object) -> None: ...

    async def count(self, request: Request) -> Count:
        return Count(request.context.tokens + estimate_tokens(request.instruction), "counted")

    async def ask(
        self,
        request: Request,
        *,
        timeout_s: float,  # noqa: ARG002  # the protocol's
        on_first: Callable[[], None],
    ) -> Reply | Attempt:
        context, first_s = request.context, self._latency_s * FIRST_S / LATENCY_S
        readable = context.sha256 in self._readable
        await asyncio.sleep(first_s)
        self._readable.add(context.sha256)
        on_first()
        await asyncio.sleep(self._latency_s - first_s)
        usage = Usage(
            input=10,
            output=estimate_tokens(self._text),
            cache_read=context.tokens if readable else 0,
            cache_write_5m=0 if readable else context.tokens,
        )
        return Reply(text=self._text, stop_reason="end_turn", usage=usage, seconds=self._latency_s)


def only(model: object) -> Outside:
    """A world whose only model is that one."""
    return Outside(open_model=lambda _name: model)  # type: ignore[arg-type,return-value]


@contextmanager
def server(*, first_s: float = 0.0, rest_s: float = 0.0) -> Iterator[str]:
    """The address of a Messages server in a process of its own, which answers each request in first + rest seconds."""
    command = [sys.executable, "-m", "benchmarks.server", str(first_s), str(rest_s)]
    process = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
    finally:
        process.communicate()  # the end of its input ends it


def loopback() -> Path:
    """The folder of the loopback server, put on the path: it is the tests'."""
    folder = ROOT / "tests"
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
    return folder
