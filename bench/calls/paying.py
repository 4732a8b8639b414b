"""The one loop around every call that may be paid for: wait, be admitted, call, decide about another try."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from bench.calls.guard import Overbill, Verdict
from bench.calls.ledger import Ledger
from bench.calls.outside import Outside
from bench.calls.retry import Retries
from bench.calls.stopping import Stopping
from bench.models.protocol import Attempt

T = TypeVar("T")


class Payer:
    """Makes the calls of one run, or of one grader. Made inside the event loop."""

    def __init__(self, ledger: Ledger, retries: Retries, stopping: Stopping, outside: Outside) -> None:
        self._ledger = ledger
        self._retries = retries
        self._stopping = stopping
        self._outside = outside
        self._settled: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        """Done, and replaced, whenever a call settles: calls that wait for money then try again."""

    async def answer(
        self,
        start: Callable[[], tuple[Verdict, str | None]],
        call: Callable[[str], Awaitable[T | Attempt]],
        model: str,
        gave_up: Callable[[str], None],
    ) -> T | None:
        """What the call brings; None where the run stops first, or after the last try, of which `gave_up` is told.

        `start` asks the ledger for a call's id; `call` makes it, and settles it however it ends.
        """
        calls = 0
        while True:
            await self._wait(self._retries.pause(self._outside.clock()))
            call_id = await self._admitted(start)
            if call_id is None:
                return None
            calls += 1
            result = await call(call_id)
            if not isinstance(result, Attempt):
                return result
            if result.stop_run:
                self._stopping.stop(f"{model}: {result.detail}")
            wait = self._retries.after(result, calls, self._outside.clock())
            if wait is None:
                gave_up(f"{result.outcome}: {result.detail}")
                return None
            await self._wait(wait)

    def settled(self, over: Overbill | None) -> None:
        """A call has ended: those that wait for money may try again; a bill above its reservation stops the run."""
        if over is not None and self._ledger.guard.budget_usd is not None:
            reason = f"call {over.call_id} was billed ${over.billed:.4f}, more than the ${over.reserved:.4f} reserved"
            self._stopping.stop(reason, by_budget=True)
        settled, self._settled = self._settled, asyncio.get_running_loop().create_future()
        settled.set_result(None)

    def left(self, call_id: str) -> None:
        """A call stays with the server: who waits for money must not wait for what it would free."""
        self._ledger.leave(call_id)
        self.settled(None)

    async def _admitted(self, start: Callable[[], tuple[Verdict, str | None]]) -> str | None:
        """The id of a call that may be made now; None where nothing may be started any more."""
        while not self._stopping:
            verdict, call_id = start()
            if verdict.answer == "start":
                return call_id
            if verdict.answer == "stop":
                self._stopping.stop(verdict.reason, by_budget=True)
                return None
            await asyncio.shield(self._settled)
        return None

    async def _wait(self, seconds: float) -> None:
        if seconds > 0:
            await self._stopping.nap(asyncio.ensure_future(self._outside.sleep(seconds)))
