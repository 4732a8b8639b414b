"""Shared fixtures. `tests/` is on the path, so that helpers are imported by name: `from loopback import say`."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

sys.path.insert(0, str(Path(__file__).parent))
# jsonschema, which nbformat loads, builds a grammar of IRIs where it finds this package: two seconds a process
sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]

# A shell without job control starts what is put in the background with interrupts ignored; the tests send some.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

if TYPE_CHECKING:
    from forking import Forker
    from loopback import LoopbackServer

CANARY_KEY = "sk-ant-canary-0123456789abcdef"
"""The only API key tests ever use; no file, log line or message may hold it."""

_REAL = ("ANTHROPIC_", "CLAUDE_CODE_", "AWS_", "GOOGLE_", "CLOUD_ML_", "BENCH_SERVER_KEY")
"""Beginnings of the variables that could lead a test to a real account."""


@pytest.fixture(autouse=True)
def no_real_account(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    """No test sees the credentials of the person who runs it, from the environment or a profile on disk."""
    for name in list(os.environ):
        if name.startswith(_REAL):
            monkeypatch.delenv(name)
    monkeypatch.setenv("ANTHROPIC_CONFIG_DIR", str(tmp_path_factory.getbasetemp() / "no-profile"))


@pytest.fixture
def shared() -> Path:
    """The folder of shared checks, `$BENCH_SHARED`; the test is skipped where it is not set."""
    folder = os.environ.get("BENCH_SHARED")
    if not folder:
        pytest.skip("BENCH_SHARED is not set")
    return Path(folder)


@pytest.fixture
def claude_server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., LoopbackServer]]:
    """Starts loopback servers that `claude-…` models then talk to: `server = claude_server(say("hello"))`."""
    from loopback import LoopbackServer

    started: list[LoopbackServer] = []

    def start(*script: object, **options: object) -> LoopbackServer:
        server = LoopbackServer(*script, **options).start()  # type: ignore[arg-type]
        started.append(server)
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        monkeypatch.setenv("ANTHROPIC_API_KEY", CANARY_KEY)
        return server

    yield start
    for server in started:
        server.stop()


@pytest.fixture(scope="session")
def forker() -> Iterator[Forker]:
    """Starts Python code in processes that have loaded what it needs; see `forking`."""
    from forking import Forker

    with Forker() as forker:
        yield forker
