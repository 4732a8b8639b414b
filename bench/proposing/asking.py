"""Asks a model for atoms, stretch by stretch: each answer paid once, kept on disk, capped with all that went before.

The folder of a fixture's drafts holds the journal of all calls and every answer; started again, it asks only for what
is missing.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path

from bench.calls.call_rows import answered_call, broken_off, failed_call
from bench.calls.journal import Journal
from bench.calls.ledger import Ledger
from bench.calls.locks import Lock
from bench.calls.outside import Outside
from bench.calls.own_loop import Interruptible
from bench.calls.paying import Payer
from bench.calls.pricing import Pricing
from bench.calls.retry import Retries
from bench.calls.stopping import Stopping
from bench.errors import BenchError
from bench.forks.cells import digest
from bench.grading.judge.replies import Heard, Replies
from bench.models import family
from bench.models.protocol import Attempt, Count, CredentialsMissing, Model, Reply, Request
from bench.proposing.plan import EFFORT, DraftPlan, counted, estimated_counts, plan_of, requests_of
from bench.proposing.proposals import Checked, Fate, Proposed, checked, read_proposals
from bench.proposing.wording import SCHEMA
from bench.transcripts.model import Transcript

GROUP = "draft"
AT_ONCE = 4
"""Stretches asked about at once; a local model answers one."""
TIMES = 2
"""A malformed answer is asked for once more."""
TIMEOUT_S = 600.0
JOURNAL = "journal.jsonl"


@dataclass(frozen=True)
class Drafted:
    """What a model's drafting brought."""

    checked: Checked
    calls: int
    """Calls made this time; answers from before cost nothing again."""
    usd: float | None
    """What this time's calls cost; None where a price is not known."""
    failures: dict[str, int]
    """Why a stretch has no atoms -> how many."""
    stopped: str | None
    by_budget: bool
    interrupted: bool

    @property
    def exit_status(self) -> int:
        if self.interrupted:
            return 130
        return 3 if self.by_budget else 1 if self.failures or self.stopped else 0

    def lines(self) -> list[str]:
        """What came of it, for people."""
        fates: dict[Fate, int] = self.checked.fates
        told = [
            f"{fates.get('kept', 0)} atoms proposed and borne out by the transcript "
            f"({self.checked.repatterned} with patterns of our own), {fates.get('unsupported', 0)} dropped without a "
            f"quotation that stands there, {fates.get('unusable', 0)} that nothing could be looked for by",
            f"{self.calls} call(s), " + ("cost not known" if self.usd is None else f"${self.usd:.4f}"),
        ]
        told += [f"{n} stretch(es) without an answer: {why}" for why, n in self.failures.items()]
        return [*told, f"stopped: {self.stopped}"] if self.stopped else told


def plan_draft(transcript: Transcript, model: str, pricing: Pricing, outside: Outside) -> DraftPlan:
    """What `draft_with` would ask and cost: counted, or estimated without credentials. Nothing is written or paid."""

    async def main(_: Interruptible[DraftPlan]) -> DraftPlan:
        opened = outside.open_model(model)
        try:
            async with opened:
                requests = requests_of(transcript, opened.window, opened.max_output)
                counts = await counted(requests, opened)
        except CredentialsMissing:
            requests = requests_of(transcript, opened.window, opened.max_output)
            counts = estimated_counts(requests, opened.name)
        return plan_of(requests, counts, opened.name, pricing)

    return Interruptible[DraftPlan]().run(main)


def draft_with(
    transcript: Transcript,
    model: str,
    folder: Path,
    pricing: Pricing,
    outside: Outside,
    *,
    budget_usd: float | None,
    no_budget: bool,
    say: Callable[[str], None],
) -> Drafted:
    """Ask the model for atoms; its answers are kept in `folder`, under the budget over all that was ever paid there.

    `say` is told the plan before the first call. Raises BenchError where a paid model is asked without a budget, where
    no price is known for one, and CredentialsMissing or ModelMissing before anything is paid.
    """

    async def main(handle: Interruptible[Drafted]) -> Drafted:
        async with AsyncExitStack() as stack:
            lock = Lock(folder / ".lock")
            if not lock.take():
                raise BenchError("another process drafts into it; wait until it is done", path=folder)
            stack.callback(lock.release)
            opened = await stack.enter_async_context(outside.open_model(model))
            requests = requests_of(transcript, opened.window, opened.max_output)
            plan = plan_of(requests, await counted(requests, opened), opened.name, pricing)
            check_payable(plan, budget_usd, no_budget)
            say(plan.line())
            journal = Journal(folder / JOURNAL)
            stack.callback(journal.close)
            stack.callback(journal.sync)
            ledger = Ledger(journal, budget_usd, outside.stamp)
            asking = _Asking(plan, opened, ledger, Replies(folder, "draft"), pricing, outside)
            handle.on_interrupt(asking.interrupt)
            return await asking.run(transcript)

    folder.mkdir(parents=True, exist_ok=True)
    return Interruptible[Drafted]().run(main)


def check_payable(plan: DraftPlan, budget_usd: float | None, no_budget: bool) -> None:
    """Nothing where the model may be paid for; raises BenchError where it may not."""
    if no_budget or plan.worst_usd == 0:
        return
    if plan.worst_usd is None:
        raise BenchError(f"no price is known for '{plan.model}', so a budget cannot hold; use --no-budget")
    if budget_usd is None:
        raise BenchError(f"'{plan.model}' is paid for: {plan.line()}; say --budget-usd or --no-budget")


class _Asking:
    """One start over a fixture's stretches."""

    def __init__(
        self, plan: DraftPlan, model: Model, ledger: Ledger, replies: Replies, pricing: Pricing, outside: Outside
    ) -> None:
        self._plan, self._model, self._ledger, self._replies = plan, model, ledger, replies
        self._pricing, self._outside = pricing, outside
        self._stopping = Stopping()
        self._failures: Counter[str] = Counter()
        retries = Retries(outside.retry, len(plan.requests), outside.random)
        self._payer = Payer(ledger, retries, self._stopping, outside)
        self._tasks: list[asyncio.Task[Heard | None]] = []
        replies.settle_abandoned(GROUP, model.name, ledger, pricing)
        self._before = len(replies.calls())

    def interrupt(self) -> None:
        self._stopping.interrupt()
        for task in self._tasks:
            task.cancel()

    async def run(self, transcript: Transcript) -> Drafted:
        at_once = asyncio.Semaphore(1 if family(self._model.name) == "local" else AT_ONCE)

        async def one(request: Request, count: Count) -> Heard | None:
            async with at_once:
                return await self._heard(request, count)

        pairs = zip(self._plan.requests, self._plan.counts, strict=True)
        self._tasks = [asyncio.create_task(one(r, c)) for r, c in pairs]
        ended = await asyncio.gather(*self._tasks, return_exceptions=True)
        for error in ended:
            if isinstance(error, BaseException) and not isinstance(error, asyncio.CancelledError):
                raise error
        return self._result([h for h in ended if isinstance(h, Heard)], transcript)

    async def _heard(self, request: Request, count: Count) -> Heard | None:
        """The answer, from the disk where it is there; a malformed one is asked for once more. None without any."""
        heard = None
        for time in range(1, TIMES + 1):
            heard = await self._asked(request, count, time)
            if heard is None or heard.call.outcome != "malformed":
                return heard
        return heard

    async def _asked(self, request: Request, count: Count, time: int) -> Heard | None:
        name = digest(self._model.name, request.context.sha256, request.instruction, SCHEMA.decode(), EFFORT, time)
        if (heard := self._replies.get(name)) is not None:
            return heard
        worst = self._pricing.worst(self._model.name, count.tokens, request.max_tokens)
        return await self._payer.answer(
            lambda: self._ledger.start(name, [GROUP], GROUP, worst),
            lambda call_id: self._call(request, count, worst, name, call_id),
            self._model.name,
            lambda why: self._failures.update([why]),
        )

    async def _call(
        self, request: Request, count: Count, worst: float | None, name: str, call_id: str
    ) -> Heard | Attempt:
        started_at, began = self._outside.stamp(), self._outside.clock()
        try:
            result = await self._model.ask(request, timeout_s=TIMEOUT_S, on_first=lambda: None)
        except BaseException as broken:
            self._failed(call_id, broken_off(broken, started_at, self._outside.clock() - began), worst)
            raise
        if isinstance(result, Attempt):
            self._failed(call_id, result, worst)
            return result
        call = answered_call(
            call_id, self._model.name, GROUP, result, count, outcome_of(result), self._pricing, purpose="draft"
        )
        heard = Heard(call=call, text=result.text)
        self._replies.put(name, heard)
        self._payer.settled(self._ledger.graded(call))
        return heard

    def _failed(self, call_id: str, attempt: Attempt, worst: float | None) -> None:
        call = failed_call(call_id, self._model.name, GROUP, attempt, worst, self._pricing, purpose="draft")
        self._replies.note(call)
        self._payer.settled(self._ledger.attempt(call))

    def _result(self, heard: list[Heard], transcript: Transcript) -> Drafted:
        proposed: list[Proposed] = []
        malformed = 0
        for one in heard:
            read = read_proposals(one.text) if one.call.outcome != "refused" else None
            if read is None:
                self._failures.update([f"the answer cannot be read ({one.call.outcome})"])
                continue
            proposed += read[0]
            malformed += read[1]
        calls = self._replies.calls()[self._before :]
        usd = [c.usd_api for c in calls]
        return Drafted(
            checked=checked(proposed, malformed, transcript),
            calls=len(calls),
            usd=None if None in usd else sum(u for u in usd if u is not None),
            failures=dict(self._failures),
            stopped=self._stopping.reason,
            by_budget=self._stopping.by_budget,
            interrupted=self._stopping.interrupted,
        )


def outcome_of(reply: Reply) -> str:
    """What came of a call that was answered: drafted, refused or truncated; all of them are paid."""
    if reply.stop_reason == "refusal" or (reply.tool_calls and not reply.text.strip()):
        return "refused"
    cut = reply.stop_reason in (None, "max_tokens", "model_context_window_exceeded")
    return "truncated" if cut else "malformed" if read_proposals(reply.text) is None else "drafted"
