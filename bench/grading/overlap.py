"""How much of an atom stands in a passage, as the figures that the fitted weights are for. Pure.

A passage is the sentences of a stretch of some 400 characters. Each figure is of the passage as a whole, or of its
*best sentence*: the one that holds the greatest weight of the atom's words.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from bench.grading.content import Token
from bench.grading.sentences import Sentence, grams

Held = frozenset[int]
"""Which of the atom's words (by their place) a stretch holds."""

FIGURES = (
    "coverage", "coverage_weighted", "sentence", "sentence_weighted", "pair", "pair_weighted",
    "numbers", "names", "words", "missing_numbers", "missing_names", "missing_words",
    "sentence_missing_numbers", "sentence_missing_names", "sentence_missing_words",
    "share_names", "share_words", "sentence_share_names", "sentence_share_words",
    "heaviest_missing", "sentence_heaviest_missing", "heaviest", "first", "last", "sentence_first", "sentence_last",
    "grams", "sentence_grams", "order", "bigrams", "content_bigrams",
    "length", "content_length", "passage_length", "sentences", "sentence_length",
)  # fmt: skip
"""Names of the figures, in the order in which `overlap` gives them."""


@dataclass(frozen=True)
class Wanted:
    """An atom as it is looked for: its content words with their weights, and all its words."""

    content: tuple[Token, ...]
    weights: tuple[float, ...]
    words: tuple[bytes, ...]
    grams: Counter[bytes]

    def places(self, *kinds: str) -> Held:
        return frozenset(i for i, token in enumerate(self.content) if token.kind in kinds)

    def share(self, held: Collection[int], *, weighted: bool = False) -> float:
        """The part of the words, or of their weight, that is held."""
        if not weighted:
            return len(held) / len(self.content)
        return sum(self.weights[i] for i in held) / sum(self.weights)


def overlap(wanted: Wanted, sentences: Sequence[Sentence], held: Sequence[Held]) -> tuple[float, ...]:
    """The FIGURES of an atom in a passage of these sentences, of which each holds those words of the atom."""
    best = max(range(len(held)), key=lambda i: (wanted.share(held[i], weighted=True), -i))
    here, all_of = held[best], frozenset[int]().union(*held)
    pairs = [a | b for a, b in itertools.pairwise(held)] or [here]
    last = len(wanted.content) - 1
    heaviest = max(range(last + 1), key=lambda i: (wanted.weights[i], -i))
    found = {
        "coverage": wanted.share(all_of),
        "coverage_weighted": wanted.share(all_of, weighted=True),
        "sentence": max(map(wanted.share, held)),
        "sentence_weighted": wanted.share(here, weighted=True),
        "pair": max(map(wanted.share, pairs)),
        "pair_weighted": max(wanted.share(pair, weighted=True) for pair in pairs),
        "heaviest_missing": _heaviest(wanted, all_of),
        "sentence_heaviest_missing": _heaviest(wanted, here),
        "heaviest": float(heaviest in all_of),
        "first": float(0 in all_of),
        "last": float(last in all_of),
        "sentence_first": float(0 in here),
        "sentence_last": float(last in here),
        "length": float(len(wanted.words)),
        "content_length": float(len(wanted.content)),
        "passage_length": math.log1p(sum(len(s.content) for s in sentences)),
        "sentences": float(len(sentences)),
        "sentence_length": math.log1p(len(sentences[best].content)),
    }
    found |= _by_kind(wanted, all_of, here) | _by_order(wanted, sentences)
    return tuple(found[name] for name in FIGURES)


def _heaviest(wanted: Wanted, held: Held) -> float:
    """Weight of the heaviest word that is not held."""
    return max((w for i, w in enumerate(wanted.weights) if i not in held), default=0.0)


def _by_kind(wanted: Wanted, all_of: Held, here: Held) -> dict[str, float]:
    found: dict[str, float] = {}
    for name, kinds in (("numbers", ("number", "identifier")), ("names", ("name",)), ("words", ("word",))):
        places = wanted.places(*kinds)
        found[name] = float(len(places))
        found[f"missing_{name}"] = float(len(places - all_of))
        found[f"sentence_missing_{name}"] = float(len(places - here))
        found[f"share_{name}"] = len(places & all_of) / len(places) if places else 1.0
        found[f"sentence_share_{name}"] = len(places & here) / len(places) if places else 1.0
    return found


def _by_order(wanted: Wanted, sentences: Sequence[Sentence]) -> dict[str, float]:
    """What speaks of the order of words and letters, each at its best over the sentences."""
    everywhere: Counter[bytes] = Counter()
    for sentence in sentences:
        everywhere |= sentence.grams
    total = max(wanted.grams.total(), 1)
    bigrams = frozenset(itertools.pairwise(wanted.words))
    stems = [t.stem for t in wanted.content]
    content = frozenset(itertools.pairwise(stems))
    return {
        "grams": _common(wanted.grams, everywhere) / total,
        "sentence_grams": max(_common(wanted.grams, s.grams) for s in sentences) / total,
        "order": max(_in_order(wanted.words, s.words) for s in sentences) / max(len(wanted.words), 1),
        "bigrams": max(len(bigrams & s.bigrams) for s in sentences) / max(len(bigrams), 1),
        "content_bigrams": max(len(content & s.content_bigrams) for s in sentences) / max(len(content), 1),
    }


def _common(wanted: Counter[bytes], there: Counter[bytes]) -> int:
    return sum(min(n, there[gram]) for gram, n in wanted.items() if gram in there)


def _in_order(wanted: Sequence[bytes], there: Sequence[bytes]) -> int:
    """Length of the longest common subsequence."""
    line = [0] * (len(there) + 1)
    for word in wanted:
        before = 0
        for j, other in enumerate(there, 1):
            before, line[j] = line[j], before + 1 if word == other else max(line[j], line[j - 1])
    return line[-1]


def wanted_of(content: tuple[Token, ...], weights: Sequence[float], words: tuple[bytes, ...]) -> Wanted:
    """An atom's words, ready to be looked for."""
    return Wanted(content, tuple(weights), words, grams(words))
