"""One fork from its admission to its reply: every call announced, paid for and written down."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from msgspec.structs import replace

from bench.calls.batching import Batcher, Out
from bench.calls.call_rows import answered_call, broken_off, failed_call
from bench.calls.journal import Finished
from bench.calls.ledger import Ledger
from bench.calls.outside import Outside
from bench.calls.paying import Payer
from bench.calls.pricing import Pricing
from bench.calls.retry import Retries
from bench.calls.stopping import Stopping
from bench.contexts.misses import CacheWatch
from bench.forks.grid import request_of
from bench.forks.outcomes import judge
from bench.forks.plan import Sized
from bench.forks.store import Store, append_line
from bench.forks.subscribing import Subscribers
from bench.models.protocol import Attempt, BatchModel, Context, Model, Reply, Request
from bench.prices import Billing


@dataclass(frozen=True)
class Answer:
    """A reply and what stands of it in the journal. `ms_since_last_fork` is of its group."""

    finished: Finished
    text: str
    ms_since_last_fork: int | None


class Asker:
    """Asks forks of one run. `gave_up` is told of forks that stay without a reply, with the last reason; `missed` of
    those that should have read the cache and did not; `note` of batches. `batches`: models that are asked in batches.
    """

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
        batches: Mapping[str, BatchModel],
        gave_up: Callable[[Sized, str], None],
        missed: Callable[[Sized, str], None],
        subscribers: Subscribers,
        note: Callable[[str], None],
    ) -> None:
        self._store = store
        self._ledger = ledger
        self._models = models
        self._contexts = contexts
        self._pricing = pricing
        self._payer = Payer(ledger, retries, stopping, outside)
        self._outside = outside
        self._timeout_s = timeout_s
        self._batches = batches
        self._batcher = Batcher(ledger, outside, self._unsent, note)
        self._in_batches: dict[str, Sized] = {}
        """Calls that stand in a batch, or are about to."""
        self._stopping = stopping
        self._gave_up = gave_up
        self._missed = missed
        self.subscribers = subscribers
        """Who works beside the forks."""
        self._watch = CacheWatch()
        self._started: dict[str, float] = {}
        """Group -> when its newest call started."""

    async def ask(self, sized: Sized, on_first: Callable[[], None]) -> Answer | None:
        """The fork's reply, None where the run stops first or gives the fork up.

        A call that an earlier start handed in with a batch is waited for first.
        """
        fork = sized.fork
        model = self._models[fork.model]
        waiting = self._ledger.handed_in(fork.reply_sha256)
        if waiting is not None and isinstance(model, BatchModel):
            request = self._request(sized, batch=True)
            out = await self._batcher.attach(model, waiting.call_id, request)
            result = self._of_batch(sized, waiting.call_id, request, out)
            if not isinstance(result, Attempt):
                return result
        keys = [cell.key for cell in fork.cells]
        return await self._payer.answer(
            lambda: self._ledger.start(
                fork.reply_sha256,
                keys,
                fork.group,
                sized.worst_usd,
                grading_worst_usd=sized.after_worst_usd,
                grading_usd=sized.after_usd,
            ),
            lambda call_id: self._made(sized, call_id, on_first),
            fork.model,
            lambda why: self._gave_up(sized, why),
        )

    async def close(self) -> None:
        """Save what stands in batches; see Batcher."""
        await self._batcher.close()

    async def _made(self, sized: Sized, call_id: str, on_first: Callable[[], None]) -> Answer | Attempt | None:
        self.subscribers.begin(sized.fork, self._contexts[sized.fork.context_sha256])
        model = self._batches.get(sized.fork.model)
        if model is None:
            return await self._call(sized, call_id, on_first)
        request = self._request(sized, batch=True)
        self._in_batches[call_id] = sized
        return self._of_batch(sized, call_id, request, await self._batcher.ask(model, call_id, request))

    def _of_batch(self, sized: Sized, call_id: str, request: Request, out: Out) -> Answer | Attempt | None:
        """What came of a call in a batch, settled; None where it is still with the server."""
        match out:
            case Reply():
                now = self._outside.clock()
                self._watched(sized, request, out, now, now)
                return Answer(self._answered(sized, call_id, out, "batch"), out.text, None)
            case Attempt():
                self._failed(sized, call_id, out, "batch")
                return out
        self._payer.left(call_id)
        batch_id = self._ledger.batch_of.get(call_id, "a batch that cannot be looked for now")
        self._gave_up(sized, f"still in {batch_id}; start the sweep again to wait for it")
        return None

    def _unsent(self, call_id: str, attempt: Attempt) -> None:
        self._failed(self._in_batches[call_id], call_id, attempt, "batch")

    def _request(self, sized: Sized, *, batch: bool = False) -> Request:
        fork = sized.fork
        request = request_of(fork, self._contexts[fork.context_sha256], "1h" if batch else "5m")
        return request if sized.cached or not batch else replace(request, cached=False)

    def _watched(self, sized: Sized, request: Request, reply: Reply, started: float, began: float) -> None:
        why = self._watch.miss(sized.fork.group, request, reply.usage, started, began)
        if why is not None:
            self._missed(sized, why)

    async def _call(self, sized: Sized, call_id: str, on_first: Callable[[], None]) -> Answer | Attempt:
        """One call over the wire, settled in journal and guard however it ends."""
        fork, clock = sized.fork, self._outside.clock
        request = self._request(sized)
        started_at, began = self._outside.stamp(), clock()
        last, self._started[fork.group] = self._started.get(fork.group), began
        try:
            result = await self._models[fork.model].ask(request, timeout_s=self._timeout_s, on_first=on_first)
        except BaseException as broken:
            self._failed(sized, call_id, broken_off(broken, started_at, clock() - began))
            raise
        if isinstance(result, Attempt):
            self._failed(sized, call_id, result)
            return result
        first = began + (result.first_token_seconds or result.seconds)
        self._watched(sized, request, result, began, first)
        ms = None if last is None else round(1000 * (began - last))
        return Answer(self._answered(sized, call_id, result), result.text, ms)

    def _answered(self, sized: Sized, call_id: str, reply: Reply, billing: Billing = "direct") -> Finished:
        fork = sized.fork
        outcome = judge(reply, sized.count, compaction=fork.compaction).outcome
        call = answered_call(
            call_id, fork.model, fork.cells[0].key, reply, sized.count, outcome, self._pricing, billing, fork.purpose
        )
        size = self._store.keep_reply(fork.reply_sha256, reply.text)
        finished, over = self._ledger.finish(call, reply, sized.count, fork.reply_sha256, fork.context_sha256, size)
        self._payer.settled(over)
        return finished

    def _failed(self, sized: Sized, call_id: str, attempt: Attempt, billing: Billing = "direct") -> None:
        fork, worst = sized.fork, sized.worst_usd
        call = failed_call(call_id, fork.model, fork.cells[0].key, attempt, worst, self._pricing, billing, fork.purpose)
        append_line(self._store.attempts, call)
        self._payer.settled(self._ledger.attempt(call))
