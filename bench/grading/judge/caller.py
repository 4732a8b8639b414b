"""One question to the judge, from its admission by the spend guard to its answer on the disk."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

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
from bench.models.protocol import Attempt, Count, Model, Reply, Request


@dataclass(frozen=True)
class Caller:
    """Asks one judge. `counts`: by cell, the tokens of its largest prompt."""

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

    async def ask(
        self, subject: Subject, question: Question, on_first: Callable[[], None], *, time: int = 1
    ) -> Heard | None:
        """The answer, from the disk where it is there; None where the run stops first or the call is given up.

        `time`: 2 where the same question is asked once more, because its first answer could not be read.
        """
        request = request_of(subject, question, self.model.max_output)
        name = digest(self.grader_sha256, subject.context.sha256, question.instruction, request.max_tokens, time)
        if heard := self.replies.get(name):
            return heard
        worst = self.pricing.worst(self.model.name, self.counts[subject.cell_key].tokens, request.max_tokens)
        call = _Call(self, subject, question, request, name, worst, on_first)
        return await self.payer.answer(
            lambda: self.ledger.start(name, [subject.cell_key], self.group, worst),
            call.make,
            self.model.name,
            self.gave_up,
        )


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

    async def make(self, call_id: str) -> Heard | Attempt:
        clock = self.of.outside.clock
        started_at, began = self.of.outside.stamp(), clock()
        try:
            result = await self.of.model.ask(self.request, timeout_s=self.of.timeout_s, on_first=self.on_first)
        except BaseException as broken:
            self._failed(call_id, broken_off(broken, started_at, clock() - began))
            raise
        if isinstance(result, Attempt):
            self._failed(call_id, result)
            return result
        return self._answered(call_id, result)

    def _answered(self, call_id: str, reply: Reply) -> Heard:
        of = self.of
        counted = of.counts[self.subject.cell_key]
        tokens = self.subject.tokens_of(self.question, counted)
        outcome = outcome_of(reply, len(self.question.ids), tokens)
        count = Count(tokens, counted.source)
        call = answered_call(call_id, of.model.name, self.subject.cell_key, reply, count, outcome, of.pricing)
        call.purpose = "judge"
        heard = Heard(call=call, text=reply.text)
        of.replies.put(self.name, heard)
        of.payer.settled(of.ledger.graded(call))
        return heard

    def _failed(self, call_id: str, attempt: Attempt) -> None:
        of = self.of
        call = failed_call(call_id, of.model.name, self.subject.cell_key, attempt, self.worst_usd, of.pricing)
        call.purpose = "judge"
        of.replies.note(call)
        of.payer.settled(of.ledger.attempt(call))
