"""One judge over one run: what has no grade yet is asked, graded and written; started again it does what is missing."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from typing import get_args

import msgspec

from bench.atomic import write_bytes
from bench.calls.batching import BATCH_LIFETIME_S, BATCHED_AT_ONCE
from bench.calls.journal import Journal
from bench.calls.ledger import Ledger
from bench.calls.locks import Lock
from bench.calls.money import Money, money_of
from bench.calls.own_loop import Interruptible
from bench.calls.paying import Payer
from bench.calls.retry import Retries
from bench.calls.runner import POLL_S
from bench.calls.schedule import Schedule
from bench.calls.stopping import Stopping
from bench.fixtures import Fixture
from bench.forks.pace import LOCAL_AT_ONCE
from bench.grading.files import GradeFile
from bench.grading.graders import grader_folder
from bench.grading.judge.answers import Outcome
from bench.grading.judge.caller import Caller
from bench.grading.judge.engine import JudgeEngine
from bench.grading.judge.grades import blank_grade, grade_of, missing_grade
from bench.grading.judge.looking import Looked
from bench.grading.judge.plan import JudgePlan, counted, estimated_count, plan_of, work_of
from bench.grading.judge.replies import Replies
from bench.grading.judge.subjects import Pass, judge_sha256
from bench.grading.means import Means, check_payable
from bench.grading.outputs import GradedStore, sealed_and_mapped, sealed_outputs
from bench.grading.results import GraderResult
from bench.grading.tell import Tell
from bench.models import family
from bench.models.protocol import BatchModel, CredentialsMissing, Model, ModelMissing
from bench.rows import CallRow
from bench.sweepfile import GraderSpec

ANSWERED = get_args(Outcome)
UNANSWERED = tuple(outcome for outcome in ANSWERED if outcome != "graded")
"""Outcomes of an answered call that brought no verdict."""


def judge_run(
    store: GradedStore, spec: GraderSpec, seed: int, fixtures: Mapping[str, Fixture], means: Means, tell: Tell
) -> GraderResult:
    """What the judge came to over the outputs of these fixtures, every missing pass tried.

    Works inside a running event loop. After an interrupt its result says so. Raises BenchError, before the first call,
    where the judge may not be paid for or its credentials are refused.
    """
    run = _JudgeRun(store, spec, seed, fixtures, means, tell)
    return Interruptible[GraderResult]().run(run.main)


def plan_judge(
    store: GradedStore, spec: GraderSpec, seed: int, fixtures: Mapping[str, Fixture], means: Means
) -> JudgePlan:
    """What `judge_run` would do: prompts are counted, or estimated without credentials; nothing is written or paid.

    Raises ModelMissing where the judge is not on this machine.
    """
    sealed = [s for s in sealed_outputs(store, spec, seed) if s.row.fixture in fixtures]
    subjects = work_of(store, spec, sealed, seed, fixtures)

    async def main(_: Interruptible[JudgePlan]) -> JudgePlan:
        model = means.outside.open_model(spec.model or "")
        try:
            async with model:
                counts = await counted(subjects, model)
        except CredentialsMissing:
            counts = {s.cell_key: estimated_count(s, model.name) for s in subjects if not s.blank}
        return plan_of(spec, subjects, len(sealed), model, counts, means.pricing(model.name))

    return Interruptible[JudgePlan]().run(main)


class _JudgeRun:
    """One start of one judge."""

    def __init__(
        self,
        store: GradedStore,
        spec: GraderSpec,
        seed: int,
        fixtures: Mapping[str, Fixture],
        means: Means,
        tell: Tell,
    ) -> None:
        self._store = store
        self._spec = spec
        self._seed = seed
        self._fixtures = fixtures
        self._means = means
        self._tell = tell
        self._folder = store.grades_dir / grader_folder(spec)
        self._group = f"grades/{self._folder.name}"
        self._replies = Replies(self._folder)
        self._grades = 0
        self._missing: dict[str, Pass] = {}
        self._made = 0
        self._missing_verdicts = 0
        self._failures: Counter[str] = Counter()

    async def main(self, handle: Interruptible[GraderResult]) -> GraderResult:
        async with AsyncExitStack() as stack:
            await self._lock(stack)
            sealed = sealed_and_mapped(self._store, self._spec, self._seed)
            sealed = [s for s in sealed if s.row.fixture in self._fixtures]
            subjects = work_of(self._store, self._spec, sealed, self._seed, self._fixtures)
            self._grades = len(sealed)
            self._missing = {one.name: one for subject in subjects for one in subject.passes}
            for subject in subjects:
                if subject.blank:
                    for one in subject.passes:
                        self._write(one, blank_grade(one, self._spec))
            asked = [s for s in subjects if not s.blank]
            if not asked:
                return self._result(None, 0)
            check_payable(self._spec, self._means)
            try:
                model = await stack.enter_async_context(self._means.outside.open_model(self._spec.model or ""))
            except ModelMissing as missing:
                return self._result(None, 0, skipped=str(missing))
            counts = await counted(asked, model)
            plan = plan_of(self._spec, asked, len(sealed), model, counts, self._means.pricing(model.name))
            return await self._judge(plan, model, handle, stack)

    async def _lock(self, stack: AsyncExitStack) -> None:
        """One process at a time asks this judge, so that no two pay for the same grade; others wait."""
        lock = Lock(self._folder / ".judge.lock")
        while not lock.take():
            await asyncio.sleep(POLL_S)
        stack.callback(lock.release)

    async def _judge(
        self, plan: JudgePlan, model: Model, handle: Interruptible[GraderResult], stack: AsyncExitStack
    ) -> GraderResult:
        means, pricing = self._means, self._means.pricing(model.name)
        for subject in plan.subjects:
            if subject.cell_key in plan.misfits:
                for one in subject.passes:
                    self._write(one, missing_grade(one, self._spec))
        journal = Journal(self._store.journal)
        stack.callback(journal.close)
        stack.callback(journal.sync)
        ledger = Ledger(journal, means.budget_usd, means.outside.stamp, grades=True)
        self._replies.settle_abandoned(self._group, model.name, ledger, pricing, batches=False)
        before = len(self._replies.calls())
        stopping = Stopping()
        batches = means.batches(model.name) and isinstance(model, BatchModel)
        caller = Caller(
            model=model,
            grader_sha256=judge_sha256(model.name),
            group=self._group,
            counts=plan.counts,
            replies=self._replies,
            ledger=ledger,
            payer=Payer(ledger, Retries(means.outside.retry, plan.left, means.outside.random), stopping, means.outside),
            pricing=pricing,
            outside=means.outside,
            timeout_s=means.timeout_s,
            gave_up=lambda why: self._failures.update([why]),
            batches=batches,
            uncached=plan.uncached,
        )
        engine = JudgeEngine(plan.asked, caller, stopping, self._graded, self._schedule(model.name, batches=batches))
        handle.on_interrupt(engine.interrupt)
        try:
            await engine.run()
        finally:
            await caller.close()
        if not stopping and not self._missing:
            # what a batch of an earlier start brings to questions that nobody asks any more
            self._replies.settle_abandoned(self._group, model.name, ledger, pricing)
        return self._result(stopping, before)

    def _schedule(self, model: str, *, batches: bool) -> Schedule:
        """A batch takes all that is ready at once; what is asked directly keeps to the concurrency."""
        if batches:
            return Schedule(concurrency=BATCHED_AT_ONCE, lifetime_s=BATCH_LIFETIME_S)
        limits = {model: LOCAL_AT_ONCE} if family(model) == "local" else {}
        return Schedule(concurrency=self._means.concurrency, limits=limits)

    def _graded(self, one: Pass, looked: list[Looked]) -> None:
        self._write(one, grade_of(one, self._spec, looked))

    def _write(self, one: Pass, grade: GradeFile) -> None:
        write_bytes(one.due.path, msgspec.json.encode(grade) + b"\n")
        del self._missing[one.name]
        self._made += 1
        self._missing_verdicts += sum(v.verdict is None for v in grade.verdicts)
        self._tell(self._grades - len(self._missing), self._grades)

    def _result(self, stopping: Stopping | None, calls_before: int, *, skipped: str | None = None) -> GraderResult:
        calls = self._replies.calls()
        return GraderResult(
            grader=self._folder.name,
            asks=True,
            grades=self._grades,
            made=self._made,
            missing=tuple(self._missing),
            failures=dict(self._failures),
            unanswered=dict(Counter(c.outcome for c in calls[calls_before:] if c.outcome in UNANSWERED)),
            missing_verdicts=self._missing_verdicts,
            money=_money(calls),
            calls=0 if stopping is None else len(calls) - calls_before,
            skipped=skipped,
            stopped=None if stopping is None else stopping.reason,
            by_budget=stopping is not None and stopping.by_budget,
            interrupted=stopping is not None and stopping.interrupted,
        )


def _money(calls: Sequence[CallRow]) -> Money:
    answered = [c for c in calls if c.outcome in ANSWERED]
    return money_of(answered, [c for c in calls if c.outcome not in ANSWERED], [])
