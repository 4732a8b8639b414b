"""The scored matcher: is an atom in the text, going by the atom's own words?

For atoms without patterns. The passage (PASSAGE characters) that holds the greatest weight of the atom's content words
is found first; a word weighs by its rarity within the key. The atom is carried where the fitted weights
(`weights.py`) give that passage's figures (`overlap.py`) at least CARRIED. Held strictly, whatever they give: every
number and every identifier of the atom must stand in that passage, and the sentence that holds most of the atom may not
turn a word of it (denied here and not there, see `negation.py`), so that "must not retry" is not carried by "must
retry". A name may be turned along with another verb where all else of the atom is said.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping
from functools import cached_property, lru_cache

from bench.grading.content import PREFIX, Token, root, words_of
from bench.grading.hits import Span
from bench.grading.negation import Reading
from bench.grading.overlap import Held, Wanted, overlap, wanted_of
from bench.grading.sentences import Sentences, words
from bench.grading.weights import Weights, shipped
from bench.keys import Atom, Key

CARRIED = 0.5
"""Probability from which on an atom is carried: what people say more often than not."""
PASSAGE = 400
"""Characters within which the words must stand; as for patterns."""
LEAST = 0.2
"""Share of the weight below which a passage is not looked at: no weights would call it carried."""
FLOOR = 0.1
"""Weight, before scaling, of a word that every atom of the key holds: little, but not nothing."""

Hit = tuple[int, int, int]
"""(start, end, place of the word in the atom)."""


class Matcher:
    """The words of one output, ready to be asked for atoms of `key`."""

    def __init__(self, text: Reading, key: Key, weights: Weights | None = None) -> None:
        self._text = text
        self._key = key
        self._weights = weights or shipped()

    def find(self, atom: Atom) -> Span | None:
        """The span, from its first to its last word, of the passage that carries the atom; or None."""
        best = self._passage(atom)
        if best is None:
            return None
        span, figures = best
        return span if self._weights.probability(figures) >= CARRIED else None

    def figures(self, atom: Atom) -> tuple[float, ...] | None:
        """The figures of the atom's best passage; None where no passage holds enough, or lacks what is strict."""
        best = self._passage(atom)
        return best and best[1]

    def _passage(self, atom: Atom) -> tuple[Span, tuple[float, ...]] | None:
        wanted = self._wanted[atom.id]
        like = [(place, t) for place, word in enumerate(wanted.content) for t in self._like(word)]
        hits = sorted((t.start, t.end, i) for i, t in like if _as_said(wanted.content[i], t))
        span = _best(wanted, hits)
        if span is None:
            return None
        first, last = self._sentences.at(span[0]), self._sentences.at(span[1] - 1)
        held: list[set[int]] = [set() for _ in range(first, last + 1)]
        turned: list[set[int]] = [set() for _ in range(first, last + 1)]
        at_cue: list[set[int]] = [set() for _ in range(first, last + 1)]
        for place, token in like:
            if first <= (at := self._sentences.at(token.start)) <= last:
                (held if _as_said(wanted.content[place], token) else turned)[at - first].add(place)
                if token.at_cue:
                    at_cue[at - first].add(place)
        nearest = max(range(len(held)), key=lambda i: (wanted.share(held[i] | turned[i], weighted=True), -i))
        if denied := turned[nearest] - held[nearest]:
            if denied & at_cue[nearest] or not _only_beside(wanted, denied, held[nearest]):
                return None
            held[nearest] |= denied
        sentences = [self._sentences[i] for i in range(first, last + 1)]
        return span, overlap(wanted, sentences, [frozenset(h) for h in held])

    @cached_property
    def _wanted(self) -> Mapping[str, Wanted]:
        return _wanted(self._key)

    @cached_property
    def _sentences(self) -> Sentences:
        return Sentences(self._text)

    def _like(self, word: Token) -> list[Token]:
        if word.strict:
            return self._by_word.get(word.word, [])
        return (self._by_root if len(word.stem) >= PREFIX else self._by_stem).get(root(word.stem), [])

    @cached_property
    def _by_word(self) -> dict[bytes, list[Token]]:
        found: dict[bytes, list[Token]] = defaultdict(list)
        for token in self._sentences.tokens:
            found[token.word].append(token)
        return found

    @cached_property
    def _by_stem(self) -> dict[bytes, list[Token]]:
        found: dict[bytes, list[Token]] = defaultdict(list)
        for token in self._sentences.tokens:
            found[token.stem].append(token)
        return found

    @cached_property
    def _by_root(self) -> dict[bytes, list[Token]]:
        found: dict[bytes, list[Token]] = defaultdict(list)
        for stem, like in self._by_stem.items():
            if len(stem) >= PREFIX:
                found[root(stem)] += like
        return found


def _as_said(word: Token, there: Token) -> bool:
    """Whether the token is denied where the atom's word is, and not where it is not. What is strict need only stand,
    and so does a word that the atom itself denies in one place and says in another."""
    return word.strict or word.denied is None or word.denied == there.denied


def _only_beside(wanted: Wanted, denied: Collection[int], held: Collection[int]) -> bool:
    """Whether only names are denied and every other word stands there undenied: then the negation is of something that
    the atom does not say ("has not played for England since he was dropped"). The first word may be a name too."""
    return wanted.places("name").issuperset(denied) and wanted.places("word") - {0} <= frozenset(held)


def _best(wanted: Wanted, hits: list[Hit]) -> Span | None:
    """The first of the passages that hold the greatest weight and all that is strict; None where that is too little."""
    strict: Held = frozenset(i for i, word in enumerate(wanted.content) if word.strict)
    best, span = LEAST * sum(wanted.weights), None
    inside: Counter[int] = Counter()
    last = 0
    for start, _, place in hits:
        while last < len(hits) and hits[last][1] <= start + PASSAGE:
            inside[hits[last][2]] += 1
            last += 1
        score = sum(wanted.weights[i] for i, n in inside.items() if n)
        if score > best and all(inside[i] for i in strict):
            best = score
            span = start, max(end for at, end, _ in hits if start <= at and end <= start + PASSAGE)
        inside[place] -= 1
    return span


@lru_cache(maxsize=64)
def _wanted(key: Key) -> dict[str, Wanted]:
    """The words of each atom of the key, by its id. A word weighs ln((1 + atoms) / (1 + atoms that hold it)) + FLOOR,
    in parts of what a word weighs that one atom holds: keys of any size have weights up to 1."""
    held = Counter(token.stem for atom in key.atoms for token in words_of(atom))
    rarest = math.log((1 + len(key.atoms)) / 2) + FLOOR
    rarities = {stem: (math.log((1 + len(key.atoms)) / (1 + n)) + FLOOR) / rarest for stem, n in held.items()}
    found = {}
    for atom in key.atoms:
        content = words_of(atom)
        found[atom.id] = wanted_of(content, [rarities[t.stem] for t in content], words(Reading(atom.text).data))
    return found
