"""The server: a thread with its own event loop, a script of behaviours, a record of every request and billed token."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Literal

from loopback import wire
from loopback.answer import Answer, fail
from loopback.batches import BATCHES, Batch, batch_refusal, list_of
from loopback.cache import Charge, PromptCache
from loopback.http import HttpRequest, Responder, read_request
from loopback.record import Asked, Billed, asked_of
from loopback.rules import COMPACTION_BETA, refusal
from loopback.script import Behaviour, say

BACKLOG = 1024
"""The default of 100 resets connections when 200 forks start at once."""
Script = Callable[[Asked], Behaviour]


class LoopbackServer:
    """Speaks the Messages API on 127.0.0.1. Use as a context manager, or `start` and `stop`.

    `script`: behaviours taken in order (the last one stays), or one function from the request to its behaviour.
    `clock` moves the cache's time only. `key`: requests without it get 401. `count_status`: what count_tokens answers.
    `batch_polls`: how often a batch is found in progress before it has ended. `batch_faults`: what goes wrong with the
    batches handed in, one after the other: a refusal, "drop" (taken, and the connection closed), or None.
    """

    def __init__(
        self,
        *script: Behaviour | Script,
        clock: Callable[[], float] = time.monotonic,
        minimum_cached: int | None = None,
        key: str | None = None,
        count_status: int = 200,
        count_factor: float = 1.0,
        batch_polls: int = 2,
        batch_faults: Sequence[Behaviour | Literal["drop"] | None] = (),
    ) -> None:
        self._script = script or (say(),)
        self._key = key
        self._count_status = count_status
        self._count_factor = count_factor
        self.cache = PromptCache(clock, minimum_cached)
        self.requests: list[Asked] = []
        """Every request to /v1/messages, in order of arrival."""
        self.counted: list[Asked] = []
        """Every request to /v1/messages/count_tokens."""
        self.unknown: list[tuple[str, Mapping[str, str]]] = []
        """Path and headers of requests for what is not here."""
        self.most_in_flight = 0
        self.connections = 0
        self.open = 0
        """Connections that are open now."""
        self._in_flight = 0
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="loopback", daemon=True)
        self.batches: dict[str, Batch] = {}
        """Every batch handed in, by id."""
        self.batch_bytes: list[int] = []
        """Of the bodies that they came in."""
        self._batch_polls = batch_polls
        self._batch_faults = list(batch_faults)
        self._routes: dict[tuple[str, str], Callable[[HttpRequest, Responder], Awaitable[None]]] = {
            ("POST", "/v1/messages"): self._messages,
            ("POST", "/v1/messages/count_tokens"): self._count,
            ("POST", BATCHES): self._hand_in,
            ("GET", BATCHES): self._list,
        }

    def start(self) -> LoopbackServer:
        self._thread.start()
        listening = asyncio.start_server(self._serve, "127.0.0.1", 0, backlog=BACKLOG)
        self._server = asyncio.run_coroutine_threadsafe(listening, self._loop).result(5)
        self.url = f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"
        return self

    def stop(self) -> None:
        """Close every connection and end the thread; safe to call twice."""
        if self._loop.is_closed():
            return
        asyncio.run_coroutine_threadsafe(self._shut(), self._loop).result(5)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(5)
        self._loop.close()

    def settle(self, seconds: float = 30.0) -> None:
        """Wait until all that clients sent has come in and no connection is open: those of a killed one linger."""
        host, port = self._server.sockets[0].getsockname()[:2]
        until = time.monotonic() + seconds
        with socket.create_connection((host, port), seconds) as last:  # accepted behind all that wait
            last.sendall(b"GET /last HTTP/1.1\r\n\r\n")
            last.recv(1)
        while self.open:
            assert time.monotonic() < until, f"{self.open} connections are still open"
            time.sleep(0.001)

    def __enter__(self) -> LoopbackServer:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()

    @property
    def billed(self) -> Billed:
        """Every billed token so far, by class."""
        total = Billed()
        for asked in [*self.requests, *(a for batch in self.batches.values() for a in batch.items.values())]:
            total.add(asked.billed)
        return total

    async def _shut(self) -> None:
        self._server.close()
        connections = [t for t in asyncio.all_tasks() if t is not asyncio.current_task()]
        for task in connections:
            task.cancel()
        await asyncio.gather(*connections, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        self.open += 1
        try:
            while request := await read_request(reader):
                n = len(self.requests) + len(self.counted)
                handler = self._routes.get((request.method, request.path), self._of_batch)
                await handler(request, Responder(writer, f"req_{n}"))
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass  # the client went, a scripted drop, or the end of the test: nobody is left to be told
        finally:
            self.open -= 1
            writer.close()

    async def _count(self, request: HttpRequest, out: Responder) -> None:
        asked = asked_of(len(self.counted), request)
        self.counted.append(asked)
        if self._count_status != 200:
            await out.json(self._count_status, wire.error_body("not_found_error", "no such endpoint", "req_c"))
        elif (why := refusal(asked.body, counting=True)) is not None:
            await out.json(400, wire.error_body("invalid_request_error", why, "req_c"))
        else:
            tokens = PromptCache(time.monotonic).charge(asked.body).prompt
            await out.json(200, {"input_tokens": round(tokens * self._count_factor)})

    async def _hand_in(self, request: HttpRequest, out: Responder) -> None:
        body = json.loads(request.body)
        fault = self._batch_faults.pop(0) if self._batch_faults else None
        if (why := batch_refusal(body, request.headers.get("anthropic-beta", ""))) is not None:
            fault = Behaviour(status=400, error_type="invalid_request_error", message=why)
        if isinstance(fault, Behaviour):
            await out.json(fault.status, wire.error_body(fault.error_type, fault.message, out.request_id))
            return
        batch = Batch(f"msgbatch_{len(self.batches) + 1}", self._batch_polls)
        first = sum(len(b.items) for b in self.batches.values())
        for n, one in enumerate(body["requests"], first):
            batch.items[one["custom_id"]] = Asked(
                n, BATCHES, dict(request.headers), b"", one["params"], time.monotonic()
            )
        batch.answer(self._behaviour, self.cache)
        self.batches[batch.id] = batch
        self.batch_bytes.append(len(request.body))
        if fault == "drop":
            raise ConnectionResetError
        await out.json(200, batch.shown(self.url))

    async def _list(self, _request: HttpRequest, out: Responder) -> None:
        for batch in self.batches.values():
            batch.polls_left -= 1
        await out.json(200, list_of([*self.batches.values()], self.url))

    async def _of_batch(self, request: HttpRequest, out: Responder) -> None:
        id_, _, rest = request.path.removeprefix(f"{BATCHES}/").partition("/")
        batch = self.batches.get(id_)
        if batch is None or request.method != "GET" or rest not in ("", "results"):
            self.unknown.append((request.path, request.headers))
            await _not_found(request, out)
        elif rest:
            await out.whole(200, batch.results(), "application/x-jsonl")
        else:
            batch.polls_left -= 1
            await out.json(200, batch.shown(self.url))

    async def _messages(self, request: HttpRequest, out: Responder) -> None:
        asked = asked_of(len(self.requests), request)
        asked.request_id = out.request_id
        self.requests.append(asked)
        self._in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self._in_flight)
        try:
            await self._answer(asked, out)
        finally:
            self._in_flight -= 1

    async def _answer(self, asked: Asked, out: Responder) -> None:
        behaviour = self._behaviour(asked)
        if self._key is not None and asked.headers.get("authorization") != f"Bearer {self._key}":
            behaviour = Behaviour(status=401, error_type="authentication_error", message="invalid bearer token")
        elif (why := refusal(asked.body) or _beta_missing(asked)) is not None:
            behaviour = Behaviour(status=400, error_type="invalid_request_error", message=why)
        if behaviour.status != 200:
            await fail(behaviour, asked, out)
            return
        try:
            charge = _charge(behaviour, self.cache, asked)
        except ValueError as e:
            await fail(Behaviour(status=400, error_type="invalid_request_error", message=str(e)), asked, out)
            return
        await asyncio.sleep(behaviour.headers_after)
        await Answer(behaviour, charge, asked, out, self.cache).send()

    def _behaviour(self, asked: Asked) -> Behaviour:
        step = self._script[min(asked.index, len(self._script) - 1)]
        return step if isinstance(step, Behaviour) else step(asked)


def _beta_missing(asked: Asked) -> str | None:
    """A compaction without its beta header is an unknown field."""
    if "compaction" in asked.body and COMPACTION_BETA not in asked.headers.get("anthropic-beta", ""):
        return "compaction: Extra inputs are not permitted"
    return None


def _charge(behaviour: Behaviour, cache: PromptCache, asked: Asked) -> Charge:
    if behaviour.charged is not None:
        return Charge(behaviour.charged.get("input_tokens", 0), behaviour.charged.get("cache_read_input_tokens", 0))
    return cache.charge(asked.body)


async def _not_found(request: HttpRequest, out: Responder) -> None:
    await out.json(404, wire.error_body("not_found_error", f"no {request.path} here", "req_n"))
