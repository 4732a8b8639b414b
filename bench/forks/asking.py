"""One fork from its admission to its reply: the one retry loop, every call announced, paid for and written down."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from bench.forks.calls import answered_call, failed_call
from bench.forks.guard import Overbill
from bench.forks.journal import Finished
from bench.forks.ledger import Ledger
from bench.forks.outcomes import judge
from bench.forks.outside import Outside
from bench.forks.plan import Sized
from bench.forks.pricing import Pricing
from bench.forks.retry import Retries
from bench.forks.store import Store, append_line
from bench.models.protocol import Attempt, Context, Model, Reply, Request


class Stopping:
    """That a run starts no further call, and why; waiting ends with it. Made inside the event loop."""

    def __init__(self) -> None:
        self.reason: str | None = None
        self.by_budget = False
        self.interrupted = False
        self._over: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def __bool__(self) -> bool:
        return self.reason is not None

    def stop(self, reason: str, *, by_budget: bool = False) -> None:
        """Start nothing more; the first reason is kept."""
        if self.reason is None:
            self.reason, self.by_budget = reason, by_budget
            self._over.set_result(None)

    def interrupt(self) -> None:
        """A person wants it to end now."""
        self.interrupted = True
        self.stop("interrupted")

    async def nap(self, sleeping: asyncio.Future[None]) -> None:
        """Wait for `sleeping`, or until the run stops."""
        try:
            await asyncio.wait((sleeping, self._over), return_when=asyncio.FIRST_COMPLETED)
        finally:
            sleeping.cancel()


@dataclass(frozen=True)
class Answer:
    """A reply and what stands of it in the journal. `ms_since_last_fork` is of its group."""

    finished: Finished
    text: str
    ms_since_last_fork: int | None


class Asker:
    """Asks forks of one run. `gave_up` is told of forks that stay without a reply, with the last reason."""

    def __init__(
        self,
        store: Store,
        ledger: Ledger,
        models: Mapping[str, Model],
        contexts: Mapping[str, Context],
        pricing: Pricing,
        retries: Retries,
        stopping: Stopping,
        outside: Outside,
        timeout_s: float,
        gave_up: Callable[[Sized, str], None],
    ) -> None:
        self._store = store
        self._ledger = ledger
        self._models = models
        self._contexts = contexts
        self._pricing = pricing
        self._retries = retries
        self._stopping = stopping
        self._outside = outside
        self._timeout_s = timeout_s
        self._gave_up = gave_up
        self._settled: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        """Done, and replaced, whenever a call settles: forks that wait for money then try again."""
        self._started: dict[str, float] = {}
        """Group -> when its newest call started."""

    async def ask(self, sized: Sized, on_first: Callable[[], None]) -> Answer | None:
        """The fork's reply, None where the run stops first or gives the fork up."""
        calls = 0
        while True:
            await self._wait(self._retries.pause(self._outside.clock()))
            call_id = await self._admitted(sized)
            if call_id is None:
                return None
            calls += 1
            result = await self._call(sized, call_id, on_first)
            if isinstance(result, Answer):
                return result
            if result.stop_run:
                self._stopping.stop(f"{sized.fork.model}: {result.detail}")
            wait = self._retries.after(result, calls, self._outside.clock())
            if wait is None:
                self._gave_up(sized, f"{result.outcome}: {result.detail}")
                return None
            await self._wait(wait)

    async def _admitted(self, sized: Sized) -> str | None:
        """The id of a call that may be made now; None where nothing may be started any more."""
        fork = sized.fork
        while not self._stopping:
            keys = [cell.key for cell in fork.cells]
            verdict, call_id = self._ledger.start(fork.reply_sha256, keys, fork.group, sized.worst_usd)
            if verdict.answer == "start":
                return call_id
            if verdict.answer == "stop":
                self._stopping.stop(verdict.reason, by_budget=True)
                return None
            await asyncio.shield(self._settled)
        return None

    async def _call(self, sized: Sized, call_id: str, on_first: Callable[[], None]) -> Answer | Attempt:
        """One call over the wire, settled in journal and guard however it ends."""
        fork, clock = sized.fork, self._outside.clock
        request = Request(
            context=self._contexts[fork.context_sha256],
            instruction=fork.instruction,
            max_tokens=fork.max_tokens,
            effort=fork.effort,
        )
        started_at, began = self._outside.stamp(), clock()
        last, self._started[fork.group] = self._started.get(fork.group), began
        try:
            result = await self._models[fork.model].ask(request, timeout_s=self._timeout_s, on_first=on_first)
        except BaseException as broken:
            detail = "interrupted" if isinstance(broken, asyncio.CancelledError) else type(broken).__name__
            attempt = Attempt(
                outcome="aborted", detail=detail, started_at=started_at, seconds=clock() - began, retryable=False
            )
            self._failed(sized, call_id, attempt)
            raise
        if isinstance(result, Attempt):
            self._failed(sized, call_id, result)
            return result
        ms = None if last is None else round(1000 * (began - last))
        return Answer(self._answered(sized, call_id, result), result.text, ms)

    def _answered(self, sized: Sized, call_id: str, reply: Reply) -> Finished:
        fork = sized.fork
        outcome = judge(reply, sized.count).outcome
        call = answered_call(call_id, fork.model, fork.cells[0].key, reply, sized.count, outcome, self._pricing)
        finished, over = self._ledger.finish(call, reply, sized.count, fork.reply_sha256, fork.context_sha256)
        self._settle(over)
        return finished

    def _failed(self, sized: Sized, call_id: str, attempt: Attempt) -> None:
        call = failed_call(call_id, sized.fork.model, sized.fork.cells[0].key, attempt, sized.worst_usd, self._pricing)
        append_line(self._store.attempts, call)
        self._settle(self._ledger.attempt(call))

    def _settle(self, over: Overbill | None) -> None:
        if over is not None and self._ledger.guard.budget_usd is not None:
            reason = f"call {over.call_id} was billed ${over.billed:.4f}, more than the ${over.reserved:.4f} reserved"
            self._stopping.stop(reason, by_budget=True)
        settled, self._settled = self._settled, asyncio.get_running_loop().create_future()
        settled.set_result(None)

    async def _wait(self, seconds: float) -> None:
        if seconds > 0:
            await self._stopping.nap(asyncio.ensure_future(self._outside.sleep(seconds)))
