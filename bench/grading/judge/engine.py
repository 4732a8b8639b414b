"""Asks a judge all that is to be asked: an output's first question alone, then the others; grades as they are whole."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from bench.calls.schedule import GroupSchedule, Schedule
from bench.calls.stopping import Stopping
from bench.grading.judge.caller import Caller
from bench.grading.judge.looking import Looked, look
from bench.grading.judge.questions import Question
from bench.grading.judge.replies import Heard
from bench.grading.judge.subjects import Pass, Subject


@dataclass(frozen=True)
class _Job:
    """One question of one pass, its second looks included."""

    subject: Subject
    one: _Open
    question: Question


@dataclass
class _Open:
    """A pass that is being graded: what its questions came to so far, and how many are still out."""

    one: Pass
    left: int
    looked: list[Looked] = field(default_factory=list)


class JudgeEngine:
    """Use once: `await run()`; `interrupt()` from its loop ends it early, with every answer kept.

    `graded` is called with a pass and all that its questions came to; a pass of which a question stays unanswered is
    not graded at all, and its other answers wait on the disk for the next start.
    """

    def __init__(
        self,
        subjects: Sequence[Subject],
        caller: Caller,
        stopping: Stopping,
        graded: Callable[[Pass, list[Looked]], None],
        *,
        concurrency: int,
        at_once: int | None,
    ) -> None:
        model = caller.model.name
        self._caller = caller
        self._stopping = stopping
        self._graded = graded
        self._jobs: dict[str, _Job] = {}
        self._schedule = Schedule(concurrency=concurrency, limits={} if at_once is None else {model: at_once})
        for subject in subjects:
            jobs = {f"{subject.cell_key}/{i}": job for i, job in enumerate(_jobs(subject))}
            self._schedule.add(GroupSchedule(subject.cell_key, model, jobs))
            self._jobs |= jobs
        self._tasks: dict[asyncio.Task[Looked | None], str] = {}
        self._news = asyncio.Event()
        self._trouble: BaseException | None = None

    async def run(self) -> None:
        """Done when nothing is in flight and nothing more will start."""
        try:
            while self._launched():
                await self._news.wait()
                self._news.clear()
        finally:
            self._cancel()
            while self._tasks:
                await asyncio.wait(self._tasks)
        if self._trouble is not None:
            raise self._trouble

    def interrupt(self) -> None:
        """Start nothing more and give up what is in flight."""
        self._stopping.interrupt()
        self._cancel()
        self._news.set()

    def _launched(self) -> bool:
        """Start what may start; False when all is over."""
        if not self._stopping:
            for id_ in self._schedule.launch(self._caller.outside.clock()):
                task = asyncio.create_task(self._look(id_))
                self._tasks[task] = id_
                task.add_done_callback(self._ended)
        return bool(self._tasks)

    async def _look(self, id_: str) -> Looked | None:
        job = self._jobs[id_]

        async def ask(question: Question, time: int) -> Heard | None:
            return await self._caller.ask(job.subject, question, lambda: self._began(id_), time=time)

        return await look(ask, job.one.one.sheet, job.one.one.due.seen, job.question)

    def _began(self, id_: str) -> None:
        self._schedule.began(id_)
        self._news.set()

    def _ended(self, task: asyncio.Task[Looked | None]) -> None:
        id_ = self._tasks.pop(task)
        self._schedule.ended(id_)
        self._news.set()
        if task.cancelled():
            return
        try:
            looked = task.result()
            if looked is not None:
                self._take(self._jobs[id_].one, looked)
        except BaseException as error:  # none of the judge's doing: end the run and raise it
            self._trouble = self._trouble or error
            self.interrupt()

    def _take(self, open_: _Open, looked: Looked) -> None:
        open_.looked.append(looked)
        open_.left -= 1
        if not open_.left:
            self._graded(open_.one, open_.looked)

    def _cancel(self) -> None:
        for task in self._tasks:
            task.cancel()


def _jobs(subject: Subject) -> list[_Job]:
    """The questions of all passes over an output, pass by pass."""
    jobs = []
    for one in subject.passes:
        questions = one.sheet.questions()
        open_ = _Open(one, len(questions))
        jobs += [_Job(subject, open_, question) for question in questions]
    return jobs
