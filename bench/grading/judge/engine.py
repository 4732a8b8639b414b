"""Asks a judge all that is to be asked: an output's first question alone, then the others; grades as they are whole."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from bench.calls.runner import Runner
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
        schedule: Schedule,
    ) -> None:
        model = caller.model.name
        self._caller = caller
        self._graded = graded
        self._jobs: dict[str, _Job] = {}
        for subject in subjects:
            jobs = {f"{subject.cell_key}/{i}": job for i, job in enumerate(_jobs(subject))}
            cached = subject.cell_key not in caller.uncached
            schedule.add(GroupSchedule(subject.cell_key, model, jobs, schedule.lifetime_s, cached=cached))
            self._jobs |= jobs
        self._runner = Runner[Looked](schedule, stopping, caller.outside.clock, work=self._look, ended=self._ended)

    async def run(self) -> None:
        """Done when nothing is in flight and nothing more will start."""
        await self._runner.run()

    def interrupt(self) -> None:
        """Start nothing more and give up what is in flight."""
        self._runner.interrupt()

    async def _look(self, id_: str) -> Looked | None:
        job = self._jobs[id_]

        async def ask(question: Question, time: int) -> Heard | None:
            return await self._caller.ask(job.subject, question, lambda: self._runner.began(id_), time=time)

        one = job.one.one
        return await look(ask, one.sheet, one.due.seen, job.question, together=self._caller.batches)

    def _ended(self, id_: str, looked: Looked | None) -> None:
        if looked is not None:
            self._take(self._jobs[id_].one, looked)

    def _take(self, open_: _Open, looked: Looked) -> None:
        open_.looked.append(looked)
        open_.left -= 1
        if not open_.left:
            self._graded(open_.one, open_.looked)


def _jobs(subject: Subject) -> list[_Job]:
    """The questions of all passes over an output, pass by pass."""
    jobs = []
    for one in subject.passes:
        questions = one.sheet.questions()
        open_ = _Open(one, len(questions))
        jobs += [_Job(subject, open_, question) for question in questions]
    return jobs
