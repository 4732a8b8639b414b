"""Calls handed in together as Message Batches: gathered, submitted, their ids saved, waited for, given out.

A call counts as sent once its batch's id stands in the journal. What a dead or interrupted process left with the server
is waited for again by the next start, and so is paid once.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass

from msgspec.structs import replace

from bench.calls.batch_size import split
from bench.calls.journal import Handing
from bench.calls.ledger import Ledger
from bench.calls.lost_batches import Unlisted, find_batch
from bench.calls.outside import Outside
from bench.models.protocol import Attempt, BatchModel, Reply, Request

BATCHED_AT_ONCE = 100_000
"""Calls that may wait for batches: as many as one batch may hold."""
BATCH_LIFETIME_S = 86_400.0
"""A batch is worked on for a day at most, and its calls do not wait for a cache entry that is gone meanwhile."""
GATHER_S = 0.05
"""Calls that start together are handed in together."""
POLL_FIRST_S, POLL_MOST_S, POLL_SHARE = 2.0, 60.0, 0.1
"""A batch is looked at again after a tenth of the time it has taken so far, within these bounds."""
MOST_FAILED_POLLS = 30
MARK_BYTES = 4

Out = Reply | Attempt | None
"""What came of a request; None where nobody knows yet: the next start will ask for it again."""


@dataclass
class _Waiting:
    request: Request
    answer: asyncio.Future[Out]


_Items = dict[str, _Waiting]
"""By call id."""


class Batcher:
    """Batches of one run. Made inside the event loop; `close` it before the loop ends.

    `unsent` is told of a call that nobody waits for any more and that was refused, with its attempt; `note` of each
    batch that is waited for, in a line for a person.
    """

    def __init__(
        self,
        ledger: Ledger,
        outside: Outside,
        unsent: Callable[[str, Attempt], None],
        note: Callable[[str], None] = lambda _: None,
    ) -> None:
        self._ledger = ledger
        self._outside = outside
        self._unsent = unsent
        self._note = note
        self._gathering: dict[BatchModel, _Items] = {}
        self._out: dict[str, _Items] = {}
        """Batch -> what is waited for."""
        self._seeking: dict[str, _Items] = {}
        """Mark of a batch whose id is not known -> what may be in it."""
        self._submits: set[asyncio.Task[None]] = set()
        self._waits: set[asyncio.Task[None]] = set()

    async def ask(self, model: BatchModel, call_id: str, request: Request) -> Out:
        """What comes of a call that is handed in with the others of this moment.

        Cancelled before it was handed in, it was never sent, and `unsent` is told.
        """
        waiting = self._waiting(request)
        gathered = self._gathering.get(model)
        if gathered is None:
            gathered = self._gathering[model] = {}
            asyncio.get_running_loop().call_later(GATHER_S, self._hand_in, model)
        gathered[call_id] = waiting
        try:
            return await waiting.answer
        except asyncio.CancelledError:
            if gathered.get(call_id) is waiting and self._gathering.get(model) is gathered:
                del gathered[call_id]
                self._unsent(call_id, _never_sent(self._outside))
            raise

    async def attach(self, model: BatchModel, call_id: str, request: Request) -> Out:
        """What comes of a call that an earlier start handed in, or was about to: its batch is looked for then."""
        self._ledger.adopt(call_id)
        waiting = self._waiting(request)
        batch_id = self._ledger.batch_of.get(call_id)
        if batch_id is not None:
            self._wait_for(model, batch_id, {call_id: waiting})
        else:
            mark = self._ledger.handing_of[call_id].mark
            if mark not in self._seeking:
                self._seeking[mark] = {}
                _keep(self._waits, self._seek(model, mark))
            self._seeking[mark][call_id] = waiting
        return await waiting.answer

    async def close(self) -> None:
        """Save the id of whatever is being handed in, then wait for nothing more."""
        while self._submits:
            await asyncio.wait(self._submits)
        for wait in self._waits:
            wait.cancel()
        while self._waits:
            await asyncio.wait(self._waits)

    def _waiting(self, request: Request) -> _Waiting:
        return _Waiting(request, asyncio.get_running_loop().create_future())

    # handing in

    def _hand_in(self, model: BatchModel) -> None:
        _keep(self._submits, self._submit_all(model, self._gathering.pop(model)))

    async def _submit_all(self, model: BatchModel, items: _Items) -> None:
        """One batch after the other: each is held in memory while it is sent."""
        for part in split({call_id: w.request for call_id, w in items.items()}, self._outside.batch):
            await self._submit(model, {call_id: items[call_id] for call_id in part})

    async def _submit(self, model: BatchModel, items: _Items) -> None:
        try:
            handing = self._ledger.handing(os.urandom(MARK_BYTES).hex(), tuple(items))
            await asyncio.to_thread(self._ledger.sync)
            result = await model.submit({handing.custom_id(call_id): w.request for call_id, w in items.items()})
            if isinstance(result, Attempt) and result.billed != "no":
                # the server may have taken it before the connection broke
                with contextlib.suppress(Unlisted):
                    result = await self._find(model, handing, items) or result
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

    def _wait_for(self, model: BatchModel, batch_id: str, items: _Items) -> None:
        out = self._out.get(batch_id)
        if out is not None:
            out.update(items)
            return
        self._out[batch_id] = dict(items)
        self._note(f"{batch_id}: waiting for {len(items)} answers")
        _keep(self._waits, self._poll(model, batch_id))

    async def _seek(self, model: BatchModel, mark: str) -> None:
        """Find the batch of that mark and wait for it."""
        await asyncio.sleep(0)  # those that attach together are in it then
        items = self._seeking[mark]
        handing = self._ledger.handing_of[next(iter(items))]
        lost: Attempt | None = None
        try:
            batch_id = await self._find(model, handing, items)
            if batch_id is not None:
                self._ledger.sent(batch_id, handing.calls)
                await asyncio.to_thread(self._ledger.sync)
                self._wait_for(model, batch_id, self._seeking.pop(mark))
                return
            lost = _not_found(self._outside)
        except Unlisted as error:
            if not error.attempt.stop_run:
                lost = _gone(error.attempt, "the list of batches")
        except Exception as error:
            _fail(self._seeking.pop(mark), error)
            return
        _give(self._seeking.pop(mark), {}, lost)

    async def _find(self, model: BatchModel, handing: Handing, items: _Items) -> str | None:
        call_id, waiting = next(iter(items.items()))
        request = {handing.custom_id(call_id): waiting.request}
        return await find_batch(model, handing, request, self._ledger.batch_of.values, self._outside.sleep)

    async def _poll(self, model: BatchModel, batch_id: str) -> None:
        began, failed = self._outside.clock(), 0
        try:
            while True:
                requests = {self._custom_id(call_id): w.request for call_id, w in self._out[batch_id].items()}
                result = await model.collect(batch_id, requests)
                failed = failed + 1 if isinstance(result, Attempt) else 0
                if isinstance(result, Attempt) and (not result.retryable or failed >= MOST_FAILED_POLLS):
                    gone = not result.retryable and not result.stop_run
                    self._give_out(batch_id, {}, missing=_gone(result, batch_id) if gone else None)
                    return
                if isinstance(result, Mapping) and len(requests) == len(self._out[batch_id]):
                    self._give_out(batch_id, result, missing=_not_in_it(self._outside, batch_id))
                    return
                taken = self._outside.clock() - began
                await self._outside.sleep(min(POLL_MOST_S, max(POLL_FIRST_S, POLL_SHARE * taken)))
        except Exception as error:
            _fail(self._out.pop(batch_id, {}), error)

    def _give_out(self, batch_id: str, results: Mapping[str, Reply | Attempt], missing: Attempt | None) -> None:
        items = self._out.pop(batch_id)
        _give(items, {call_id: results.get(self._custom_id(call_id)) for call_id in items}, missing)

    def _custom_id(self, call_id: str) -> str:
        return self._ledger.handing_of[call_id].custom_id(call_id)


def _keep(tasks: set[asyncio.Task[None]], work: Coroutine[object, object, None]) -> None:
    task = asyncio.ensure_future(work)
    tasks.add(task)
    task.add_done_callback(tasks.discard)


def _give(items: _Items, results: Mapping[str, Out], missing: Attempt | None) -> None:
    for call_id, waiting in items.items():
        if not waiting.answer.done():
            waiting.answer.set_result(results.get(call_id) or missing)


def _fail(items: _Items, error: Exception) -> None:
    for waiting in items.values():
        if not waiting.answer.done():
            waiting.answer.set_exception(error)


def _never_sent(outside: Outside) -> Attempt:
    return Attempt(
        outcome="aborted", detail="interrupted before it was handed in", started_at=outside.stamp(), seconds=0.0,
        billed="no", retryable=False,
    )  # fmt: skip


def _not_found(outside: Outside) -> Attempt:
    """A call that was about to be handed in when its process died, and no batch holds it."""
    return Attempt(
        outcome="aborted", detail="the process died while it handed this in, and no batch of the account holds it",
        started_at=outside.stamp(), seconds=0.0, retryable=False,
    )  # fmt: skip


def _gone(refusal: Attempt, what: str) -> Attempt:
    """A call whose batch cannot be asked for any more: it may have been billed."""
    return replace(refusal, detail=f"{what}: {refusal.detail}", billed="possibly", retryable=False)


def _not_in_it(outside: Outside, batch_id: str) -> Attempt:
    return Attempt(
        outcome="api-error", detail=f"the results of {batch_id} do not hold it", started_at=outside.stamp(),
        seconds=0.0, retryable=False,
    )  # fmt: skip
