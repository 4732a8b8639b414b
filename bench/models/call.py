"""One request over the wire: opened, listened to under two clocks, closed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from bench.models.body import Body
from bench.models.heard import Heard

if TYPE_CHECKING:
    from bench.models.clients import Client

IDLE_S = 120.0
"""Longest silence after the first content event; pings do not count. None while a thinking block is open, nor before
the first event: a long prompt may take minutes to read, is paid, and the wall clock still holds."""
CLOSING_S = 5.0
"""What a server may take to close the stream once it has given its stop reason."""


class Call:
    """Times in seconds from the moment the request went out."""

    def __init__(self, heard: Heard, on_first: Callable[[], None], timeout_s: float, idle_s: float) -> None:
        self.heard = heard
        self._on_first = on_first
        self._timeout_s = timeout_s
        self._idle_s = idle_s
        self._loop = asyncio.get_running_loop()
        self._start = self._loop.time()
        self.started_at = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        self.seconds = 0.0
        self.first_token_seconds: float | None = None
        self.request_id: str | None = None
        self.listening = False
        """Headers of a 200 have come: what goes wrong from here on went wrong in the stream."""

    async def make(self, client: Client, body: Body) -> Exception | None:
        """Send and listen to the end; what broke it, or None for a whole answer.

        An answer is whole once its stop reason is there: a connection that breaks after it took nothing away.
        """
        error: Exception | None = None
        try:
            await self._within_limits(client, body)
        except Exception as e:
            error = e
        self.seconds = self._since_start()
        if self.heard.stop_reason is not None:
            return None
        return error or EOFError("the stream ended without a stop reason")

    async def _within_limits(self, client: Client, body: Body) -> None:
        silent: asyncio.Timeout | None = None
        try:
            async with asyncio.timeout(self._timeout_s), asyncio.timeout(None) as silent:
                await self._listen(client, body, silent)
        except TimeoutError as e:
            if silent is not None and silent.expired():
                raise TimeoutError(f"no content for {self._idle_s:g} s, pings aside") from e
            raise TimeoutError(f"no whole answer within {self._timeout_s:g} s") from e

    async def _listen(self, client: Client, body: Body, silent: asyncio.Timeout) -> None:
        messages: Any = client.beta.messages if "betas" in body else client.messages
        async with await messages.create(**body, stream=True) as stream:
            self.listening = True
            self.request_id = stream.response.headers.get("request-id")
            event: Any
            async for event in stream:
                if self.heard.take(event):
                    self._note_first()
                    silent.reschedule(self._limit())
                if self.heard.stop_reason is not None:
                    # the rest is read so that the connection can be used again, but not waited for
                    silent.reschedule(self._loop.time() + CLOSING_S)

    def _note_first(self) -> None:
        if self.first_token_seconds is not None:
            return
        self.first_token_seconds = self._since_start()
        try:
            self._on_first()
        except Exception as e:
            # the caller's own failure must not pass for one of the stream
            raise RuntimeError("on_first failed") from e

    def _limit(self) -> float | None:
        return None if self.heard.thinking else self._loop.time() + self._idle_s

    def _since_start(self) -> float:
        return self._loop.time() - self._start
