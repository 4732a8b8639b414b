"""One pass over one output as questions to a judge: what is asked together, in which order, between which fences.

Everything follows from the seed: the order of the atoms (by output and pass), the chunks, and the fences. An output's
own fence is the same in all passes, since it stands in the prefix that they share; each question has fences of its own
around its statements.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TypeVar

import msgspec
from msgspec import Struct

from bench.grading.blind import keyed_hash, opaque_id, shuffled
from bench.grading.judge.wording import atoms_instruction, handoff_context, inventions_instruction
from bench.keys import Key
from bench.models.protocol import Context

T = TypeVar("T")

MOST_ITEMS = 40
"""Statements of one question; beyond that a judge's care wanes."""
SECOND_LOOKS = 4
"""Questions that look again at what one answer claimed without a quote. Up to so many statements are asked alone, more
share them evenly: a judge that quotes nothing right must not multiply the bill."""
FENCE_DIGITS = 24
"""Hexadecimal digits of a fence's code: 96 bits."""
THINKING_TOKENS = 6000
"""Room for a model that thinks before it answers; at medium effort it takes a fraction of that …"""
ITEM_TOKENS = 150
"""… and for the answer to one statement, its quote of at most 300 characters included."""
FREE_ITEMS = 10
"""Answers' worth of room for what is invented beside the key's list."""


class Question(Struct, frozen=True, kw_only=True):
    """One request over an output."""

    name: str
    """Which of its pass: 'a1' … for atoms, 'n1' … for inventions, 'a1.2' for a second look."""
    ids: tuple[str, ...]
    """What is asked: item n is the atom (or `never` entry) ids[n - 1]."""
    instruction: str
    max_tokens: int

    @property
    def of_atoms(self) -> bool:
        return self.name.startswith("a")


class Sheet:
    """One pass over one output. `text` is what the judge sees of it; `opaque` its id in this pass."""

    def __init__(self, text: str, key: Key, *, seed: int, cell_key: str, grading_pass: int) -> None:
        self.text = text
        self.key = key
        self.grading_pass = grading_pass
        self.opaque = opaque_id(seed, cell_key, grading_pass)
        fenced = text + msgspec.json.encode(key).decode()
        self._fence: Callable[..., str] = lambda *names: fence(fenced, seed, cell_key, *names)
        self.atoms = {a.id: a for a in shuffled(key.atoms, [a.id for a in key.atoms], seed, self.opaque)}
        """By id, in the order in which this pass asks for them."""
        self._nevers = {n.id: n for n in shuffled(key.never, [n.id for n in key.never], seed, self.opaque)}

    @cached_property
    def context(self) -> Context:
        """The prefix of all questions, the same in every pass over this output."""
        return handoff_context(self.text, self._fence())

    def questions(self) -> list[Question]:
        """The atoms' questions, then the ones about inventions, of which there is always one."""
        atoms = [self._ask_atoms(f"a{i}", ids) for i, ids in enumerate(chunked([*self.atoms]), 1)]
        nevers = chunked([*self._nevers]) or [[]]
        return [*atoms, *(self._ask_inventions(f"n{i}", ids, free=i == 1) for i, ids in enumerate(nevers, 1))]

    def second_looks(self, question: Question, ids: Sequence[str]) -> list[Question]:
        """The questions that look again at these items of a question: each alone, or evenly shared out."""
        groups = chunked(ids, math.ceil(len(ids) / SECOND_LOOKS))
        named = [(f"{question.name}.{i}", group) for i, group in enumerate(groups, 1)]
        if question.of_atoms:
            return [self._ask_atoms(name, group) for name, group in named]
        return [self._ask_inventions(name, group, free=False) for name, group in named]

    def _ask_atoms(self, name: str, ids: Sequence[str]) -> Question:
        instruction = atoms_instruction([self.atoms[i] for i in ids], self._fence(str(self.grading_pass), name))
        return Question(name=name, ids=tuple(ids), instruction=instruction, max_tokens=answer_tokens(len(ids)))

    def _ask_inventions(self, name: str, ids: Sequence[str], *, free: bool) -> Question:
        facts = [a.text for a in self.atoms.values()] if free else []
        codes = [self._fence(str(self.grading_pass), name, what) for what in ("statements", "facts")]
        instruction = inventions_instruction([self._nevers[i].text for i in ids], facts, *codes)
        tokens = answer_tokens(len(ids) + (FREE_ITEMS if free else 0))
        return Question(name=name, ids=tuple(ids), instruction=instruction, max_tokens=tokens)


def answer_tokens(items: int) -> int:
    """The `max_tokens` of a question about so many items."""
    return THINKING_TOKENS + ITEM_TOKENS * items


def chunked(items: Sequence[T], most: int = MOST_ITEMS) -> list[Sequence[T]]:
    """The items in as few groups of at most `most` as possible, evenly filled, in order."""
    if not items:
        return []
    share = math.ceil(len(items) / math.ceil(len(items) / most))
    return [items[i : i + share] for i in range(0, len(items), share)]


def fence(text: str, seed: int, *names: str) -> str:
    """The code of a fence: random to whoever wrote `text`, the same for the same seed and names, never in `text`."""
    codes = (keyed_hash(seed, "fence", *names, str(n))[:FENCE_DIGITS] for n in itertools.count())
    return next(code for code in codes if code not in text)
