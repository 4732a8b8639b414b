"""The outputs that a judge has yet to grade, each with the passes that are missing."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from bench.calls.pricing import Pricing
from bench.forks.cells import place
from bench.grading.judge import questions, wording
from bench.grading.judge.cost import Expense, Prompt, chars_per_token, expense, held_tokens
from bench.grading.judge.questions import Question, Sheet
from bench.grading.outputs import Due
from bench.models.protocol import Context, Count
from bench.rows import OutputRow
from bench.text import CHARS_PER_TOKEN

EFFORT = "medium"
"""Asked of every judge that takes one: verdicts with quotes need some care, and the models' own defaults differ."""


def judge_sha256(model: str) -> str:
    """A hash of all that makes a judge's verdicts: every word it is told, the answer's form, model and effort."""
    told = (
        wording.SYSTEM, wording.HANDOFF, wording.ATOMS, wording.NEVERS, wording.FREE, wording.VERDICTS,
        wording.EVIDENCE, wording.FORM, wording.REMINDER, wording.LISTED, wording.SCHEMA.decode(), model, EFFORT,
        str(questions.MOST_ITEMS), str(questions.SECOND_LOOKS),
    )  # fmt: skip
    return hashlib.sha256("\0".join(told).encode()).hexdigest()


@dataclass(frozen=True)
class Pass:
    """One pass over one output: what is due and what is asked."""

    due: Due
    sheet: Sheet

    @property
    def number(self) -> int:
        return self.due.sealed.grading_pass

    @property
    def name(self) -> str:
        """For a person, who may know the arm."""
        return f"{place(self.due.row)} pass {self.number}"


@dataclass(frozen=True)
class Subject:
    """One output and its missing passes; all its questions share a cached prefix."""

    passes: tuple[Pass, ...]

    @property
    def row(self) -> OutputRow:
        return self.passes[0].due.row

    @property
    def cell_key(self) -> str:
        return self.row.cell_key

    @property
    def context(self) -> Context:
        return self.passes[0].sheet.context

    @property
    def blank(self) -> bool:
        """Nothing is in it: no judge is needed to say that it carries nothing."""
        return not self.passes[0].sheet.text.strip()

    @cached_property
    def largest(self) -> Question:
        """The question with the longest prompt."""
        return max((q for p in self.passes for q in p.sheet.questions()), key=lambda q: len(q.instruction))

    def tokens_of(self, question: Question, counted: Count) -> int:
        """Tokens of another question's prompt, in proportion to its characters."""
        return round(counted.tokens * self._chars(question) / self._chars(self.largest))

    def expense(self, counted: Count, model: str, pricing: Pricing) -> Expense:
        """What grading it costs."""
        if self.blank:
            return Expense()
        prompt = Prompt(prefix=self._prefix(counted, model), most=counted.tokens)
        return expense(self.passes[0].sheet.questions(), prompt, len(self.passes), model, pricing)

    def cached(self, counted: Count, model: str, pricing: Pricing) -> bool:
        """Whether its prefix is to be cached: in batches that costs more where few questions share it."""
        questions = sum(len(p.sheet.questions()) for p in self.passes)
        direct = pricing.billing == "direct"
        return direct or held_tokens(model, self._prefix(counted, model), questions, pricing) > 0

    def _prefix(self, counted: Count, model: str) -> int:
        """Tokens of what all its questions begin with."""
        return max(0, counted.tokens - math.ceil(len(self.largest.instruction) / chars_per_token(model)))

    def _chars(self, question: Question) -> int:
        return CHARS_PER_TOKEN * self.context.tokens + len(question.instruction)


def subjects_of(dues: Iterable[Due], seed: int) -> list[Subject]:
    """The outputs of which a pass has no current grade, in the order in which their first missing pass is due."""
    missing: dict[str, list[Pass]] = {}
    for due in dues:
        if not due.graded:
            missing.setdefault(due.row.cell_key, []).append(Pass(due, _sheet(due, seed)))
    return [Subject(tuple(sorted(passes, key=lambda p: p.number))) for passes in missing.values()]


def _sheet(due: Due, seed: int) -> Sheet:
    key, row = due.fixture.key, due.row
    return Sheet(due.seen.text, key, seed=seed, cell_key=row.cell_key, grading_pass=due.sealed.grading_pass)
