"""One question to the judge, from its admission by the spend guard to its answer on the disk."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field

from msgspec.structs import replace

from bench.calls.batching import Batcher, Out
from bench.calls.call_rows import answered_call, broken_off, failed_call
from bench.calls.ledger import Ledger
from bench.calls.outside import Outside
from bench.calls.paying import Payer
from bench.calls.pricing import Pricing
from bench.forks.cells import digest
from bench.grading.judge.answers import outcome_of
from bench.grading.judge.plan import request_of
from bench.grading.judge.questions import Question
from bench.grading.judge.replies import Heard, Replies
from bench.grading.judge.subjects import Subject
from bench.models.protocol import Attempt, BatchModel, Count, Model, Reply, Request
from bench.prices import Billing


@dataclass
class Caller:
    """Asks one judge. `counts`: by cell, the tokens of its largest prompt. Made inside the event loop."""

    model: Model
    grader_sha256: str
    group: str
    """Names the grader's calls in the journal; who makes them holds its lock."""
    counts: Mapping[str, Count]
    replies: Replies
    ledger: Ledger
    payer: Payer
    pricing: Pricing
    outside: Outside
    timeout_s: float
    gave_up: Callable[[str], None]
    batches: bool = False
    """Ask in batches."""
    uncached: Collection[str] = ()
    """Cells whose output is sent without a cache breakpoint in a batch."""
    batcher: Batcher = field(init=False)
    _handed_in: dict[str, _Call] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        self.batcher = Batcher(self.ledger, self.outside, self._unsent)

    async def ask(
        self, subject: Subject, question: Question, on_first: Callable[[], None], *, time: int = 1
    ) -> Heard | None:
        """The answer, from the disk where it is there; None where the run stops first or the call is given up.

        `time`: 2 where the same question is asked once more, because its first answer could not be read. A call that
        an earlier start handed in with a batch is waited for first.
        """
        request = request_of(subject, question, self.model.max_output)
        name = digest(self.grader_sha256, subject.context.sha256, question.instruction, request.max_tokens, time)
        if heard := self.replies.get(name):
            return heard
        worst = self.pricing.worst(self.model.name, self.counts[subject.cell_key].tokens, request.max_tokens)
        call = _Call(self, subject, question, request, name, worst, on_first)
        waiting = self.ledger.handed_in(name)
        if waiting is not None and isinstance(self.model, BatchModel):
            result = call.of_batch(
                waiting.call_id, await self.batcher.attach(self.model, waiting.call_id, call.batched)
            )
            if not isinstance(result, Attempt):
                return result
        return await self.payer.answer(
            lambda: self.ledger.start(name, [subject.cell_key], self.group, worst),
            call.make,
            self.model.name,
            self.gave_up,
        )

    async def close(self) -> None:
        """Save what stands in batches; see Batcher."""
        await self.batcher.close()

    def note(self, call_id: str, call: _Call) -> None:
        """A call is about to stand in a batch."""
        self._handed_in[call_id] = call

    def _unsent(self, call_id: str, attempt: Attempt) -> None:
        self._handed_in[call_id].failed(call_id, attempt, "batch")


@dataclass(frozen=True)
class _Call:
    """One request over the wire, settled in journal and guard however it ends."""

    of: Caller
    subject: Subject
    question: Question
    request: Request
    name: str
    worst_usd: float | None
    on_first: Callable[[], None]

    @property
    def batched(self) -> Request:
        """The request as it stands in a batch."""
        return replace(self.request, cache_ttl="1h", cached=self.subject.cell_key not in self.of.uncached)

    async def make(self, call_id: str) -> Heard | Attempt | None:
        if not self.of.batches or not isinstance(self.of.model, BatchModel):
            return await self._direct(call_id)
        self.of.note(call_id, self)
        return self.of_batch(call_id, await self.of.batcher.ask(self.of.model, call_id, self.batched))

    def of_batch(self, call_id: str, out: Out) -> Heard | Attempt | None:
        """What came of the call in a batch, settled; None where it is still with the server."""
        match out:
            case Reply():
                self.on_first()  # what it wrote can be read from here on
                return self._answered(call_id, out, "batch")
            case Attempt():
                self.failed(call_id, out, "batch")
                return out
        self.of.payer.left(call_id)
        batch_id = self.of.ledger.batch_of.get(call_id, "a batch that cannot be looked for now")
        self.of.gave_up(f"still in {batch_id}; start again to wait for it")
        return None

    async def _direct(self, call_id: str) -> Heard | Attempt:
        clock = self.of.outside.clock
        started_at, began = self.of.outside.stamp(), clock()
        try:
            result = await self.of.model.ask(self.request, timeout_s=self.of.timeout_s, on_first=self.on_first)
        except BaseException as broken:
            self.failed(call_id, broken_off(broken, started_at, clock() - began))
            raise
        if isinstance(result, Attempt):
            self.failed(call_id, result)
            return result
        return self._answered(call_id, result)

    def _answered(self, call_id: str, reply: Reply, billing: Billing = "direct") -> Heard:
        of = self.of
        counted = of.counts[self.subject.cell_key]
        tokens = self.subject.tokens_of(self.question, counted)
        outcome = outcome_of(reply, len(self.question.ids), tokens)
        count = Count(tokens, counted.source)
        cell = self.subject.cell_key
        call = answered_call(call_id, of.model.name, cell, reply, count, outcome, of.pricing, billing)
        call.purpose = "judge"
        heard = Heard(call=call, text=reply.text)
        of.replies.put(self.name, heard)
        of.payer.settled(of.ledger.graded(call))
        return heard

    def failed(self, call_id: str, attempt: Attempt, billing: Billing = "direct") -> None:
        """The call brought nothing."""
        of = self.of
        cell = self.subject.cell_key
        call = failed_call(call_id, of.model.name, cell, attempt, self.worst_usd, of.pricing, billing)
        call.purpose = "judge"
        of.replies.note(call)
        of.payer.settled(of.ledger.attempt(call))
