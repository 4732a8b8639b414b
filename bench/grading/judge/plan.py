"""What a judge is yet to grade in a run, counted and priced, before anything is paid."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bench.calls.pricing import Pricing
from bench.fixtures import Fixture
from bench.forks.planning import COUNTS_AT_ONCE
from bench.grading.blind import Sealed
from bench.grading.graders import grader_folder
from bench.grading.judge.cost import Expense, added
from bench.grading.judge.questions import Question
from bench.grading.judge.subjects import EFFORT, Subject, judge_sha256, subjects_of
from bench.grading.judge.wording import SCHEMA
from bench.grading.outputs import GradedStore, due
from bench.models.estimate import estimated
from bench.models.protocol import Count, Model, Request
from bench.sweepfile import GraderSpec


@dataclass(frozen=True)
class JudgePlan:
    """One judge's work. `counts`: by cell, the tokens of an output's largest prompt; blank outputs need none."""

    grader: str
    grades: int
    """Passes over outputs, all that there are to be."""
    subjects: tuple[Subject, ...]
    """Outputs with passes yet to grade."""
    counts: Mapping[str, Count]
    misfits: frozenset[str]
    """Cells whose output is too long for the judge's window."""
    uncached: frozenset[str]
    """Cells whose output is sent without a cache breakpoint, since too few questions share it."""
    expense: Expense

    @property
    def asked(self) -> list[Subject]:
        """Those that need a call."""
        return [s for s in self.subjects if not s.blank and s.cell_key not in self.misfits]

    @property
    def questions(self) -> int:
        """Calls, if each is answered when it is first asked and no claim lacks its quote."""
        return sum(len(p.sheet.questions()) for s in self.asked for p in s.passes)

    @property
    def left(self) -> int:
        """Grades yet to be made."""
        return sum(len(s.passes) for s in self.subjects)


def work_of(
    store: GradedStore, spec: GraderSpec, sealed: Sequence[Sealed], seed: int, fixtures: Mapping[str, Fixture]
) -> list[Subject]:
    """The outputs that the judge has yet to grade; nothing is asked or written."""
    return subjects_of(due(store, spec, sealed, fixtures, judge_sha256(spec.model or "")), seed)


async def counted(subjects: Sequence[Subject], model: Model) -> dict[str, Count]:
    """By cell, the tokens of each output's largest prompt, as the model (entered) counts them."""
    at_once = asyncio.Semaphore(COUNTS_AT_ONCE)

    async def one(subject: Subject) -> Count:
        async with at_once:
            return await model.count(request_of(subject, subject.largest, model.max_output))

    readable = [s for s in subjects if not s.blank]
    return dict(zip((s.cell_key for s in readable), await asyncio.gather(*map(one, readable)), strict=True))


def estimated_count(subject: Subject, model: str) -> Count:
    """The same for one output, estimated without asking anybody."""
    return estimated(request_of(subject, subject.largest, None), model)


def plan_of(
    spec: GraderSpec,
    subjects: Sequence[Subject],
    grades: int,
    model: Model,
    counts: Mapping[str, Count],
    pricing: Pricing,
) -> JudgePlan:
    """The plan for these outputs, of which `grades` grades are to be in the end."""
    readable = [s for s in subjects if not s.blank]
    misfits = frozenset(s.cell_key for s in readable if not _fits(s, counts[s.cell_key], model))
    asked = [s for s in readable if s.cell_key not in misfits]
    return JudgePlan(
        grader=grader_folder(spec),
        grades=grades,
        subjects=tuple(subjects),
        counts=counts,
        misfits=misfits,
        uncached=frozenset(s.cell_key for s in asked if not s.cached(counts[s.cell_key], model.name, pricing)),
        expense=added(s.expense(counts[s.cell_key], model.name, pricing) for s in asked),
    )


def request_of(subject: Subject, question: Question, max_output: int | None) -> Request:
    """A question about an output as it is sent: the output, then what is asked."""
    return Request(
        context=subject.context,
        instruction=question.instruction,
        max_tokens=min(question.max_tokens, max_output or question.max_tokens),
        effort=EFFORT,
        schema=SCHEMA,
    )


def _fits(subject: Subject, count: Count, model: Model) -> bool:
    answer = request_of(subject, subject.largest, model.max_output).max_tokens
    return model.window is None or count.tokens + answer <= model.window
