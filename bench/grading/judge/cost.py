"""What judging costs: one pass over an output of a size, as expected and at worst. Pure."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from bench.calls.pricing import Pricing
from bench.contexts.caching import cacheable_tokens
from bench.grading.judge.questions import SECOND_LOOKS, Question, answer_tokens
from bench.models.known import known
from bench.models.names import parse_name
from bench.text import CHARS_PER_TOKEN
from bench.transcripts.model import Usage

ASKED_TWICE = 2
"""A malformed answer is asked for once more."""
EXPECTED_ITEM_TOKENS = 60
"""Of an answer to one statement: number, verdict, and a quote of a line; only the expected cost rests on it."""
EXPECTED_BESIDE_TOKENS = 300
"""Of an answer beside that: some thinking at medium effort, some inventions."""


@dataclass(frozen=True)
class Expense:
    """USD; None where no price is known."""

    expected_usd: float | None = 0.0
    worst_usd: float | None = 0.0


@dataclass(frozen=True)
class Prompt:
    """Prompt tokens of an output's questions: `prefix` is what they share, `most` the largest whole prompt."""

    prefix: int
    most: int


def chars_per_token(model: str) -> float:
    """Characters of one of the model's tokens, for estimates before anything is counted."""
    facts = known(parse_name(model).id)
    return facts.chars_per_token if facts else CHARS_PER_TOKEN


def expense(questions: Sequence[Question], prompt: Prompt, passes: int, model: str, pricing: Pricing) -> Expense:
    """What so many passes of these questions over one output cost.

    Expected: the prefix is written once and then read, and every question is answered when it is first asked. Worst:
    every prompt is the largest one in the dearest class, every answer malformed once, every claim looked at again.
    """
    held = held_tokens(model, prompt.prefix, len(questions) * passes, pricing)
    density = chars_per_token(model)
    wrote = f"cache_write_{pricing.ttl}"
    usages = [
        _expected(q, prompt.prefix, held, density, wrote, first=i == 0) for i, q in enumerate([*questions] * passes)
    ]
    worst = [pricing.worst(model, prompt.most, tokens) for q in questions for tokens in worst_answers(q)]
    one_pass = total(worst)
    return Expense(
        expected_usd=total(pricing.cost(usage, model).usd_api for usage in usages),
        worst_usd=None if one_pass is None else passes * one_pass,
    )


def held_tokens(model: str, prefix: int, questions: int, pricing: Pricing) -> int:
    """Tokens of an output's prefix that so many questions about it write once and read; 0 where none are cached."""
    held = cacheable_tokens(model, prefix) or 0
    return held if pricing.caching_pays(model, held, questions) else 0


def worst_answers(question: Question) -> list[int]:
    """The `max_tokens` of every call that a question may lead to."""
    looks = min(len(question.ids), SECOND_LOOKS)
    share = math.ceil(len(question.ids) / SECOND_LOOKS)
    return [question.max_tokens] * ASKED_TWICE + [answer_tokens(share)] * looks


def added(expenses: Iterable[Expense]) -> Expense:
    """The sum; None in it where any is unknown."""
    every = list(expenses)
    return Expense(total(e.expected_usd for e in every), total(e.worst_usd for e in every))


def total(values: Iterable[float | None]) -> float | None:
    """The sum, None where any is unknown."""
    known_ = list(values)
    return None if None in known_ else math.fsum(v for v in known_ if v is not None)


def _expected(question: Question, prefix: int, held: int, density: float, wrote: str, *, first: bool) -> Usage:
    return Usage(
        input=prefix - held + math.ceil(len(question.instruction) / density),
        output=min(question.max_tokens, EXPECTED_BESIDE_TOKENS + EXPECTED_ITEM_TOKENS * len(question.ids)),
        cache_read=0 if first else held,
        **{wrote: held if first else 0},
    )
