"""Forks handed in together as Message Batches: gathered, submitted, their ids saved, waited for, given out.

A call counts as sent once its batch's id stands in the journal. What a dead or interrupted process left with the server
is waited for again by the next start, and so is paid once.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from msgspec.structs import replace

from bench.calls.ledger import Ledger
from bench.calls.outside import Outside
from bench.models.protocol import Attempt, BatchModel, Reply, Request

GATHER_S = 0.05
"""Forks that start together are handed in together."""
MOST_REQUESTS = 10_000
MOST_BYTES = 64_000_000
"""Of one batch: the API takes 256 MB, but all of it is held in memory while it is sent."""
POLL_FIRST_S, POLL_MOST_S, POLL_SHARE = 2.0, 60.0, 0.1
"""A batch is looked at again after a tenth of the time it has taken so far, within these bounds."""
MOST_FAILED_POLLS = 30

Out = Reply | Attempt | None
"""What came of a request; None where nobody knows yet: the next start will ask for it again."""


@dataclass
class _Waiting:
    request: Request
    answer: asyncio.Future[Out]


@dataclass
class _Gathered:
    """Requests of one model that are about to be handed in, by call id."""

    items: dict[str, _Waiting] = field(default_factory=dict)


class Batcher:
    """Batches of one run. Made inside the event loop; `close` it before the loop ends.

    `unsent` is told of a call that nobody waits for any more and that was refused, with its attempt.
    """

    def __init__(self, ledger: Ledger, outside: Outside, unsent: Callable[[str, Attempt], None]) -> None:
        self._ledger = ledger
        self._outside = outside
        self._unsent = unsent
        self._gathering: dict[BatchModel, _Gathered] = {}
        self._out: dict[str, dict[str, _Waiting]] = {}
        """Batch -> what is waited for, by call id."""
        self._submits: set[asyncio.Task[None]] = set()
        self._polls: set[asyncio.Task[None]] = set()

    async def ask(self, model: BatchModel, call_id: str, request: Request) -> Out:
        """What comes of a call that is handed in with the others of this moment.

        Cancelled before it was handed in, it was never sent, and `unsent` is told.
        """
        waiting = self._waiting(request)
        gathered = self._gathering.get(model)
        if gathered is None:
            gathered = self._gathering[model] = _Gathered()
            asyncio.get_running_loop().call_later(GATHER_S, self._hand_in, model)
        gathered.items[call_id] = waiting
        try:
            return await waiting.answer
        except asyncio.CancelledError:
            if gathered.items.get(call_id) is waiting and self._gathering.get(model) is gathered:
                del gathered.items[call_id]
                self._unsent(call_id, _never_sent(self._outside))
            raise

    async def attach(self, model: BatchModel, batch_id: str, call_id: str, request: Request) -> Out:
        """What comes of a call that an earlier start handed in."""
        waiting = self._waiting(request)
        self._wait_for(model, batch_id, {call_id: waiting})
        return await waiting.answer

    async def close(self) -> None:
        """Save the id of whatever is being handed in, then wait for nothing more."""
        while self._submits:
            await asyncio.wait(self._submits)
        for poll in self._polls:
            poll.cancel()
        while self._polls:
            await asyncio.wait(self._polls)

    def _waiting(self, request: Request) -> _Waiting:
        return _Waiting(request, asyncio.get_running_loop().create_future())

    # handing in

    def _hand_in(self, model: BatchModel) -> None:
        for part in _parts(self._gathering.pop(model).items):
            _keep(self._submits, self._submit(model, part))

    async def _submit(self, model: BatchModel, items: dict[str, _Waiting]) -> None:
        try:
            result = await model.submit({call_id: w.request for call_id, w in items.items()})
            if isinstance(result, str):
                # until this line is on the disk the batch does not count as sent
                self._ledger.sent(result, tuple(items))
                await asyncio.to_thread(self._ledger.sync)
        except Exception as error:
            _fail(items, error)
            return
        if isinstance(result, str):
            self._wait_for(model, result, items)
            return
        for call_id, waiting in items.items():
            if not waiting.answer.done():
                waiting.answer.set_result(result)
            else:
                self._unsent(call_id, result)

    # waiting

    def _wait_for(self, model: BatchModel, batch_id: str, items: Mapping[str, _Waiting]) -> None:
        out = self._out.get(batch_id)
        if out is not None:
            out.update(items)
            return
        self._out[batch_id] = dict(items)
        _keep(self._polls, self._poll(model, batch_id))

    async def _poll(self, model: BatchModel, batch_id: str) -> None:
        began, failed = self._outside.clock(), 0
        try:
            while True:
                requests = {call_id: w.request for call_id, w in self._out[batch_id].items()}
                result = await model.collect(batch_id, requests)
                failed = failed + 1 if isinstance(result, Attempt) else 0
                if isinstance(result, Attempt) and (not result.retryable or failed >= MOST_FAILED_POLLS):
                    gone = not result.retryable and not result.stop_run
                    self._give_out(batch_id, {}, missing=_gone(result, batch_id) if gone else None)
                    return
                if isinstance(result, Mapping) and set(requests) == set(self._out[batch_id]):
                    self._give_out(batch_id, result, missing=_not_in_it(self._outside, batch_id))
                    return
                taken = self._outside.clock() - began
                await self._outside.sleep(min(POLL_MOST_S, max(POLL_FIRST_S, POLL_SHARE * taken)))
        except Exception as error:
            _fail(self._out.pop(batch_id, {}), error)

    def _give_out(self, batch_id: str, results: Mapping[str, Reply | Attempt], missing: Attempt | None) -> None:
        for call_id, waiting in self._out.pop(batch_id).items():
            if not waiting.answer.done():
                waiting.answer.set_result(results.get(call_id, missing))


def _keep(tasks: set[asyncio.Task[None]], work: object) -> None:
    task: asyncio.Task[None] = asyncio.ensure_future(work)  # type: ignore[call-overload]
    tasks.add(task)
    task.add_done_callback(tasks.discard)


def _parts(items: dict[str, _Waiting]) -> Iterator[dict[str, _Waiting]]:
    """The items in batches of a size that can be sent; none where nobody waits any more."""
    part: dict[str, _Waiting] = {}
    size = 0
    for call_id, waiting in items.items():
        own = len(waiting.request.context.body) + len(waiting.request.instruction)
        if part and (len(part) == MOST_REQUESTS or size + own > MOST_BYTES):
            yield part
            part, size = {}, 0
        part[call_id] = waiting
        size += own
    if part:
        yield part


def _fail(items: Mapping[str, _Waiting], error: Exception) -> None:
    for waiting in items.values():
        if not waiting.answer.done():
            waiting.answer.set_exception(error)


def _never_sent(outside: Outside) -> Attempt:
    return Attempt(
        outcome="aborted", detail="interrupted before it was handed in", started_at=outside.stamp(), seconds=0.0,
        billed="no", retryable=False,
    )  # fmt: skip


def _gone(refusal: Attempt, batch_id: str) -> Attempt:
    """A call whose batch cannot be asked for any more: it may have been billed."""
    return replace(refusal, detail=f"{batch_id}: {refusal.detail}", billed="possibly", retryable=False)


def _not_in_it(outside: Outside, batch_id: str) -> Attempt:
    return Attempt(
        outcome="api-error", detail=f"the results of {batch_id} do not hold it", started_at=outside.stamp(),
        seconds=0.0, retryable=False,
    )  # fmt: skip
