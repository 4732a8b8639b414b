"""Executes what the plan holds for models: groups under their locks, forks as the schedule says, files as they come."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from msgspec.structs import replace

from bench.calls.ledger import Ledger
from bench.calls.locks import Lock
from bench.calls.outside import Outside
from bench.calls.runner import Fed, Runner
from bench.calls.schedule import GroupSchedule, Schedule
from bench.calls.stopping import Stopping
from bench.forks.asking import Answer, Asker
from bench.forks.cells import place
from bench.forks.concluding import Desk
from bench.forks.grid import Decided, Fork
from bench.forks.output_rows import decided_row
from bench.forks.plan import Sized
from bench.forks.progress import Progress
from bench.forks.store import Files
from bench.forks.subscribing import Work
from bench.forks.work import GroupWork, drop_done, settle_abandoned
from bench.forks.writer import Writer
from bench.rows import OutputRow


class Engine:
    """One run's forks. Use once: `await run()`; `interrupt()` from its loop ends it early, with all answers written."""

    def __init__(
        self,
        work: Sequence[GroupWork],
        schedule: Schedule,
        asker: Asker,
        desk: Desk,
        ledger: Ledger,
        writer: Writer,
        stopping: Stopping,
        outside: Outside,
        progress: Progress,
    ) -> None:
        self._closed = list(work)
        """Groups not yet opened."""
        self._groups = {w.name: w for w in work}
        self._schedule = schedule
        self._asker = asker
        self._desk = desk
        self._ledger = ledger
        self._writer = writer
        self._progress = progress
        self._locks = {w.name: Lock(desk.store.lock_path(w.name)) for w in work}
        self._told: set[str] = set()
        """Groups that a person knows to be held by another process."""
        self._sized: dict[str, Sized] = {}
        self._writing: set[asyncio.Future[None]] = set()
        self._held: list[tuple[GroupWork, Fork, Answer | None]] = []
        """Answered forks whose cells wait for a commitments pass."""
        self._beside: set[asyncio.Task[None]] = set()
        """Answered forks whose subscribers are still at work."""
        self._runner = Runner[Answer](
            schedule, stopping, outside.clock, work=self._ask, ended=self._ended, feed=self._open_next
        )

    async def run(self) -> None:
        """Done when nothing is in flight, nothing more will start, and all that was answered is on the disk."""
        try:
            await self._runner.run()
        finally:
            while self._beside:
                await asyncio.wait(self._beside)
            while self._writing:
                await asyncio.wait(self._writing)
            for lock in self._locks.values():
                lock.release()
        self._runner.check()

    def interrupt(self) -> None:
        """Start nothing more and give up what is in flight."""
        self._asker.subscribers.give_up()
        self._runner.interrupt()

    # groups

    def _open_next(self) -> Fed:
        """Open the next group whose lock is free; later, where others hold all that are left."""
        for work in self._closed:
            lock = self._locks[work.name]
            if lock.take():
                self._closed.remove(work)
                self._open(work)
                return "added"
            if work.name not in self._told:
                self._told.add(work.name)
                self._progress.note(f"{work.name}: {lock.owner} works on it; waiting")
        return "later" if self._closed else "none"

    def _open(self, work: GroupWork) -> None:
        """Settle what a dead owner left, write what needs no call, and hand the rest to the schedule."""
        settle_abandoned(work, self._desk.store, self._ledger, self._desk.pricing)
        drop_done(work, self._desk.store, self._ledger)
        work.open_jobs = len(work.asked) + 1  # one for this opening
        self._progress.begin(work.name, work.cells)
        if work.decided:
            self._write(work, lambda: self._decided_outputs(work.decided))
        for fork in work.answered:
            self._conclude(work, fork)
        self._sized.update((s.fork.reply_sha256, s) for s in work.asked)
        sharing: dict[str, list[str]] = {}
        # what is in a batch already comes first: its answers need no further request
        for sized in sorted(work.asked, key=lambda s: self._ledger.handed_in(s.fork.reply_sha256) is None):
            sharing.setdefault(sized.fork.cache_entry, []).append(sized.fork.reply_sha256)
        for entry, forks in sharing.items():
            cached = any(self._sized[sha256].cached for sha256 in forks)
            self._schedule.add(GroupSchedule(entry, work.model, forks, self._schedule.lifetime_s, cached=cached))
        self._close_job(work)

    def _close_job(self, work: GroupWork) -> None:
        work.open_jobs -= 1
        if not work.open_jobs:
            self._locks[work.name].release()

    # forks

    async def _ask(self, sha256: str) -> Answer | None:
        return await self._asker.ask(self._sized[sha256], lambda: self._runner.began(sha256))

    def _ended(self, sha256: str, answer: Answer | None) -> None:
        fork = self._sized[sha256].fork
        work = self._groups[fork.group]
        if answer is not None:
            self._runner.began(sha256)  # an answer without content began, too
            self._conclude(work, fork, answer)
        elif fork.is_pass:
            self._release()
        self._close_job(work)

    # answers

    def _conclude(self, work: GroupWork, fork: Fork, answer: Answer | None = None) -> None:
        """Have an answered fork's outputs written once all that they are built with is there.

        Without `answer`, from the reply on disk.
        """
        if fork.is_pass:
            self._settle(work, fork, answer)
            return
        beside = self._asker.subscribers.of(fork.reply_sha256)
        if beside is not None and not beside.over:
            work.open_jobs += 1
            task = asyncio.create_task(self._after(work, fork, answer, beside))
            self._beside.add(task)
            task.add_done_callback(self._beside.discard)
            return
        ready = tuple(c for c in fork.cells if self._desk.passes.ready(c))
        if ready:
            self._write_outputs(work, replace(fork, cells=ready), answer)
        if held := tuple(c for c in fork.cells if c not in ready):
            work.open_jobs += 1
            self._held.append((work, replace(fork, cells=held), answer))

    async def _after(self, work: GroupWork, fork: Fork, answer: Answer | None, beside: Work) -> None:
        await beside.ended()
        self._conclude(work, fork, answer)
        self._close_job(work)

    def _settle(self, work: GroupWork, fork: Fork, answer: Answer | None) -> None:
        """A commitments pass is answered: its reply is put on the disk, and who waited for it goes on."""
        store = self._desk.store
        finished = answer.finished if answer else self._ledger.answered[fork.reply_sha256]
        text = answer.text if answer else store.reply_text(fork.reply_sha256)
        self._desk.passes.answered(fork, finished, text)
        reply = (store.reply_path(fork.reply_sha256), text.encode("utf-8", "replace"))
        self._write(work, lambda: ([], [reply]))
        self._progress.done(work.name, finished.call.outcome, self._ledger.guard.spent_usd)
        self._release()

    def _release(self) -> None:
        """Those that waited for a pass try again."""
        held, self._held = self._held, []
        for work, fork, answer in held:
            self._conclude(work, fork, answer)
            self._close_job(work)

    # files

    def _write_outputs(self, work: GroupWork, fork: Fork, answer: Answer | None) -> None:
        finished = answer.finished if answer else self._ledger.answered[fork.reply_sha256]
        attempts = self._ledger.calls_of.get(fork.reply_sha256, 1)
        beside = self._asker.subscribers.came(fork.reply_sha256)

        def job() -> tuple[list[OutputRow], Files]:
            text = answer.text if answer else self._desk.store.reply_text(fork.reply_sha256)
            ms = answer.ms_since_last_fork if answer else None
            return self._desk.outputs(fork, finished, text, attempts=attempts, ms_since_last_fork=ms, beside=beside)

        self._write(work, job)

    def _decided_outputs(self, decided: Sequence[Decided]) -> tuple[list[OutputRow], Files]:
        desk = self._desk
        rows = [
            decided_row(desk.store.name, d.cell, d.outcome, d.detail, desk.contexts.get(d.cell.context_sha256 or ""))
            for d in decided
        ]
        return rows, [file for row in rows for file in desk.store.output_files(row, None)]

    def _write(self, work: GroupWork, job: Callable[[], tuple[list[OutputRow], Files]]) -> None:
        rows: list[OutputRow] = []

        def files() -> Files:
            made, out = job()
            rows.extend(made)
            return out

        def written(future: asyncio.Future[None]) -> None:
            self._writing.discard(future)
            if (error := future.exception()) is not None:
                self._runner.fail(error)
            else:
                for row in rows:
                    self._progress.wrote(place(row), row.outcome)
                    self._progress.done(work.name, row.outcome, self._ledger.guard.spent_usd)
            self._close_job(work)

        work.open_jobs += 1
        future = self._writer.submit(files)
        self._writing.add(future)
        future.add_done_callback(written)
