"""Runs a sweep: resolve, plan, guard, schedule, outcomes, store. Started again, it does exactly what is missing."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Sequence
from contextlib import AsyncExitStack
from functools import partial
from pathlib import Path

from bench.calls.journal import Finished, Journal, read_journal
from bench.calls.ledger import Ledger
from bench.calls.money import money_of
from bench.calls.outside import Outside
from bench.calls.own_loop import Interruptible
from bench.calls.retry import Retries
from bench.calls.stopping import Stopping
from bench.forks.asking import Asker
from bench.forks.building import Builder, is_made, makings, tail_sizes
from bench.forks.cells import NO_MODEL, Cell, place
from bench.forks.concluding import desk_of
from bench.forks.engine import Engine
from bench.forks.folder import open_folder
from bench.forks.graded import check_graders, graded, with_grading
from bench.forks.pace import schedule_of
from bench.forks.passes import Passes
from bench.forks.plan import Plan, Sized, check_budget, with_later, without_failed
from bench.forks.planning import Laid, laid_anew, lay, make_plan
from bench.forks.progress import Progress
from bench.forks.resolve import overrides_of, resolve
from bench.forks.subscribing import Subscribers
from bench.forks.summary import RunSummary, cache_use, tally
from bench.forks.watching import progress_here
from bench.forks.work import work_of
from bench.forks.writer import Writer
from bench.rows import GRADED


class RunInterrupted(KeyboardInterrupt):
    """A run was interrupted; all that was answered is on disk. `summary` says what there is."""

    def __init__(self, summary: RunSummary) -> None:
        super().__init__("interrupted; what was done is kept")
        self.summary = summary


def run_sweep(
    path: Path | str,
    *,
    progress: Progress | None = None,
    outside: Outside | None = None,
    grade: bool = True,
    **overrides: object,
) -> RunSummary:
    """What the sweep at `path` came to, once every cell that was missing has been tried and what is new is graded.

    `overrides` are those of `resolve.Overrides`: fixtures, arms, models, replicates, chain, stale_by, budget_usd,
    no_budget, concurrency, batch, run, results_dir; None leaves the file's value. Without `progress`, a Jupyter kernel
    shows a live table. Works inside a running event loop. Raises BenchError, before anything is paid, for whatever
    cannot run, and RunInterrupted (a KeyboardInterrupt) after an interrupt.
    """
    outside, progress = outside or Outside(), progress or progress_here()
    laid = lay(resolve(Path(path), overrides_of(**overrides)), outside)
    summary = Interruptible[RunSummary]().run(lambda handle: _Run(laid, outside, progress, grade).main(handle))
    if summary.interrupted:
        raise RunInterrupted(summary)
    if not grade:
        return summary
    summary = graded(summary, laid, outside)
    if summary.interrupted:
        raise RunInterrupted(summary)
    return summary


def plan_sweep(path: Path | str, *, outside: Outside | None = None, **overrides: object) -> Plan:
    """What `run_sweep` would do with the same arguments: prompts are counted, nothing is written or paid.

    Without credentials prompts are estimated, and a note of the plan says so.
    """
    outside = outside or Outside()
    laid = lay(resolve(Path(path), overrides_of(**overrides)), outside)

    async def main(_: Interruptible[Plan]) -> Plan:
        async with AsyncExitStack() as stack:
            return with_later(with_grading(await make_plan(laid, stack, dry=True), laid))

    return Interruptible[Plan]().run(main)


class _Run:
    """One start of a run."""

    def __init__(self, laid: Laid, outside: Outside, progress: Progress, grade: bool) -> None:
        self.laid = laid
        self.grade = grade
        self.store = laid.store
        self.sweep = laid.resolved.sweep
        self.outside = outside
        self.progress = progress
        self.failures: dict[str, str] = {}
        self.misses: list[str] = []
        self.passes = Passes()
        self.subscribers = Subscribers(self.store.name, outside.subscribers())

    async def main(self, handle: Interruptible[RunSummary]) -> RunSummary:
        async with AsyncExitStack() as stack:
            plan = await make_plan(self.laid, stack)
            check_budget((*plan.asked, *plan.later), self.sweep.budget_usd, no_budget=self.laid.resolved.no_budget)
            if self.grade:
                await check_graders(self.laid, self.outside)
                plan = with_grading(plan, self.laid)
            plan = with_later(plan)
            for note in (*plan.notes, *(f"{model} is skipped: {why}" for model, why in plan.skipped.items())):
                self.progress.note(note)
            open_folder(self.laid)
            self.progress.planned(plan.cells, self._outcomes)
            journal = Journal(self.store.journal)
            stack.callback(journal.close)
            ledger = Ledger(journal, self.sweep.budget_usd, self.outside.stamp)
            ledger.guard.keep(plan.other_grading_usd)
            known = set(ledger.answered)
            stopping = Stopping()
            rounds: list[Plan] = []
            following: Plan | None = plan
            while following is not None:
                rounds.append(following)
                await self._execute(following, ledger, journal, stopping, handle)
                ledger.guard.keep(-released(following, ledger))
                following = None if stopping else await self._next_round(stack)
            self.progress.end()
            return self._summary(rounds, ledger, stopping, known)

    async def _next_round(self, stack: AsyncExitStack) -> Plan | None:
        """The plan of what a chain's finished steps made possible; None where that is nothing."""
        if self.sweep.chain == 1:
            return None
        self.laid = laid_anew(self.laid)
        plan = without_failed(await make_plan(self.laid, stack), self.failures)
        tails = [b for b in plan.builds if b.arm.like]
        unmade = [
            b for b, n in zip(tails, tail_sizes(self.laid, tails), strict=True) if not is_made(self.store, b.cell(n))
        ]
        if not (plan.asked or plan.answered or plan.decided or unmade or len(plan.builds) > len(tails)):
            return None
        open_folder(self.laid)
        return with_later(with_grading(plan, self.laid) if self.grade else plan)

    async def _execute(
        self, plan: Plan, ledger: Ledger, journal: Journal, stopping: Stopping, handle: Interruptible[RunSummary]
    ) -> None:
        """Everything the plan holds: models' forks beside arms without a model, then the tails like another arm."""
        for pass_, why in plan.lost:
            self.passes.lost(pass_, why, usd_api=0.0)
        desk = desk_of(self.laid, self.passes)
        writer = Writer(journal.sync)
        builder = Builder(desk, writer, self.outside, self.progress, lambda: stopping.interrupted, self._build_failed)
        asker = self._asker(plan, ledger, stopping)
        engine = Engine(
            work_of(plan),
            schedule_of(self.laid),
            asker,
            desk,
            ledger,
            writer,
            stopping,
            self.outside,
            self.progress,
        )
        handle.on_interrupt(engine.interrupt)
        plain = [b for b in plan.builds if not b.arm.like and not b.commitments_sha256]
        passed = [b for b in plan.builds if not b.arm.like and b.commitments_sha256]
        tails = [b for b in plan.builds if b.arm.like]
        try:
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(builder.run(makings(plain, plan.decided)))
                tasks.create_task(engine.run())
            await builder.run(makings([b for b in passed if self.passes.ready(b.cell())], ()))
            tails = [b for b in tails if self.passes.ready(b.cell())]
            await builder.run(makings(tails, (), tail_sizes(self.laid, tails)))
        except BaseExceptionGroup as group:
            raise group.exceptions[0] from None
        finally:
            await asker.close()
            await writer.close()

    def _asker(self, plan: Plan, ledger: Ledger, stopping: Stopping) -> Asker:
        return Asker(
            store=self.store,
            ledger=ledger,
            models=self.laid.models,
            contexts={sha: p.context for sha, p in self.laid.grid.contexts.items()},
            pricing=self.laid.pricing,
            batches=self.laid.batches,
            retries=Retries(self.outside.retry, len(plan.asked), self.outside.random),
            stopping=stopping,
            outside=self.outside,
            timeout_s=self.sweep.timeout_s,
            gave_up=partial(self._gave_up, ledger, stopping),
            missed=self._missed,
            note=self.progress.note,
            subscribers=self.subscribers,
        )

    def _gave_up(self, ledger: Ledger, stopping: Stopping, sized: Sized, why: str) -> None:
        fork = sized.fork
        if fork.is_pass:
            # a run that stops, and a batch, whose requests are not tried again in one start, leave it to the next
            if not stopping and fork.model not in self.laid.batches and ledger.handed_in(fork.reply_sha256) is None:
                self.passes.lost(fork, why, usd_api=None)
            self.progress.failed(fork.group, 1, f"commitments pass of {fork.cells[0]}: {why}")
            return
        self.failures.update((str(cell), why) for cell in fork.cells)
        self.progress.failed(fork.group, len(fork.cells), f"{fork.cells[0]}: {why}")

    def _missed(self, sized: Sized, why: str) -> None:
        told = f"{sized.fork.cells[0]}: {why}"
        self.misses.append(told)
        self.progress.note(f"cache miss: {told}")

    def _build_failed(self, cell: Cell, why: str) -> None:
        self.failures[str(cell)] = why
        self.progress.failed(f"{cell.fixture}/{NO_MODEL}", 1, f"{cell}: {why}")

    def _outcomes(self) -> dict[str, str]:
        return {place(row): row.outcome for row in self.store.rows()}

    def _summary(self, rounds: Sequence[Plan], ledger: Ledger, stopping: Stopping, known: set[str]) -> RunSummary:
        there, plan = self._outcomes(), rounds[0]
        outcomes = {name: there[name] for cell in plan.cells if (name := str(cell)) in there}
        finished = [e for e in read_journal(self.store.journal) if isinstance(e, Finished)]
        now_answered = [e.call.usd_api for sha, e in ledger.answered.items() if sha not in known]
        expected = [s.expected_usd for p in rounds for s in p.asked if s.fork.reply_sha256 in ledger.answered]
        return RunSummary(
            run=self.store.name,
            folder=self.store.root,
            cells=len(plan.cells),
            done_before=plan.done,
            outcomes=tally(outcomes.values()),
            missing=tuple(str(c) for c in plan.cells if str(c) not in outcomes),
            failures=self.failures,
            skipped=plan.skipped,
            stopped=stopping.reason,
            by_budget=stopping.by_budget,
            interrupted=stopping.interrupted,
            money=money_of(
                [e.call for e in finished],
                self.store.failed_calls(),
                [s.worst_usd for s in ledger.in_flight.values()],
            ),
            misses=tuple(self.misses),
            cache=cache_use(finished, self.laid.pricing),
            expected_usd=None if None in expected else math.fsum(u for u in expected if u is not None),
            billed_usd=None if None in now_answered else math.fsum(u for u in now_answered if u is not None),
        )


def released(plan: Plan, ledger: Ledger) -> float:
    """USD kept for the later steps of the plan's answered forks, which their own calls reserve from here on."""
    answered = ((s, ledger.answered.get(s.fork.reply_sha256)) for s in plan.asked)
    return math.fsum(s.later_usd for s, finished in answered if finished and finished.call.outcome in GRADED)
