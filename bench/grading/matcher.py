"""The scored matcher: is an atom in the text, going by the atom's own words?

For atoms without patterns. The atom's content words are weighted by rarity within the key; the atom is carried where
one passage (PASSAGE characters) holds at least THRESHOLD of their weight. Held strictly, whatever the score: every
number and every identifier of the atom must stand in that passage, and a word counts only with the atom's own polarity
(denied there as here, see `negation.py`), so that "must not retry" is not carried by "must retry".

Unfitted: the constants below are set by reasoning, not learned; fitting them on human labels is a later step. The test
marked `shared` says how far they agree with people as they stand.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache

from bench.grading.hits import Span
from bench.grading.negation import Reading
from bench.keys import Atom, Key

THRESHOLD = 0.6
"""Share of the weight that carries an atom: more than half, so that a topic alone is not a statement about it."""
PASSAGE = 400
"""Characters within which the words must stand; as for patterns."""
FLOOR = 0.1
"""Weight of a word that every atom of the key holds: little, but not nothing."""
PREFIX = 5
"""Words that agree in this many first letters count as one: 'limiter' and 'limiting'."""

_TOKEN = re.compile(
    rb"(?P<identifier>[\w$-]*(?:[/_.]+[\w$-]+)+)|(?P<number>\d+(?:,\d{3})*(?:\.\d+)?)|(?P<word>[a-z\x80-\xff]+)"
)
_CAMEL = re.compile(r"\b[A-Za-z]+[a-z][A-Z]\w*")
_NUMBER_WORDS = {
    w: str(n).encode()
    for n, w in enumerate(b"two three four five six seven eight nine ten eleven twelve".split(), start=2)
}
_STOP = frozenset(
    b"""a about after again all also am an and any are as at be because been before being but by can could did do does
    doing down during each for from had has have having he her here him his how i if in into is it its just may me
    might more most must my no none nor not of off on once only or other our out over own s said same say says shall
    she should so some such t than that the their them then there these they this those to too under until up us very
    was we were what when where which while who whom why will with without would you your cannot never neither nobody
    nothing user""".split()
)
_SUFFIXES = tuple(
    (suffix, end)
    for suffix, end in (
        (b"sses", b"ss"), (b"ies", b"y"), (b"ied", b"y"), (b"ying", b"y"), (b"ing", b""), (b"edly", b""), (b"ed", b""),
        (b"ly", b""), (b"er", b""), (b"es", b""), (b"s", b""), (b"e", b""),
    )
)  # fmt: skip


@dataclass(frozen=True)
class Token:
    """A content word of a text, and where it stands in the folded bytes."""

    stem: bytes
    word: bytes
    start: int
    end: int
    strict: bool
    """A number or an identifier: it is there or it is not."""
    denied: bool


class Matcher:
    """The words of one output, ready to be asked for atoms of `key`."""

    def __init__(self, text: Reading, key: Key) -> None:
        self._text = text
        self._key = key

    def find(self, atom: Atom) -> Span | None:
        """The span, from its first to its last word, of the passage that carries the atom; or None."""
        wanted = _words_of(atom)
        weights = {stem: self._rarities.get(stem, FLOOR) for stem in wanted}
        enough = THRESHOLD * sum(weights.values())
        strict = {stem for stem, (is_strict, _) in wanted.items() if is_strict}
        hits = sorted(
            (t.start, t.end, stem)
            for stem, (is_strict, denied) in wanted.items()
            for t in self._like(stem, is_strict)
            if is_strict or t.denied == denied
        )
        best, span = 0.0, None
        last = 0
        for first, (start, _, _) in enumerate(hits):
            while last < len(hits) and hits[last][1] <= start + PASSAGE:
                last += 1
            held = {stem for _, _, stem in hits[first:last]}
            score = sum(weights[stem] for stem in held)
            if score >= enough and score > best and strict <= held:
                best, span = score, (start, max(end for _, end, _ in hits[first:last]))
        return span

    @cached_property
    def _rarities(self) -> dict[bytes, float]:
        return _rarities(self._key)

    def _like(self, stem: bytes, strict: bool) -> list[Token]:
        if strict:
            return self._by_word.get(stem, [])
        if len(stem) < PREFIX:
            return self._by_stem.get(stem, [])
        return self._by_prefix.get(stem[:PREFIX], [])

    @cached_property
    def _words(self) -> list[Token]:
        return list(_tokens(self._text))

    @cached_property
    def _by_word(self) -> dict[bytes, list[Token]]:
        found: dict[bytes, list[Token]] = defaultdict(list)
        for token in self._words:
            found[token.word].append(token)
        return found

    @cached_property
    def _by_stem(self) -> dict[bytes, list[Token]]:
        found: dict[bytes, list[Token]] = defaultdict(list)
        for token in self._words:
            found[token.stem].append(token)
        return found

    @cached_property
    def _by_prefix(self) -> dict[bytes, list[Token]]:
        found: dict[bytes, list[Token]] = defaultdict(list)
        for stem, tokens in self._by_stem.items():
            if len(stem) >= PREFIX:
                found[stem[:PREFIX]] += tokens
        return found


@lru_cache(maxsize=8192)
def _words_of(atom: Atom) -> dict[bytes, tuple[bool, bool]]:
    """The atom's content words -> (held strictly, denied in the atom's text)."""
    camel = {name.casefold().encode() for name in _CAMEL.findall(atom.text)}
    words: dict[bytes, tuple[bool, bool]] = {}
    for t in _tokens(Reading(atom.text), frozenset(camel)):
        strict, _ = words.get(t.stem, (False, False))
        words[t.stem] = (strict or t.strict, t.denied)
    return words


@lru_cache(maxsize=64)
def _rarities(key: Key) -> dict[bytes, float]:
    """Weight of each word of the key: ln((1 + atoms) / (1 + atoms that hold it)) + FLOOR."""
    held = Counter(stem for atom in key.atoms for stem in _words_of(atom))
    return {stem: math.log((1 + len(key.atoms)) / (1 + n)) + FLOOR for stem, n in held.items()}


def has_content(text: str) -> bool:
    """Whether the text holds a word that can be looked for."""
    return any(True for _ in _tokens(Reading(text)))


def _tokens(text: Reading, names: frozenset[bytes] = frozenset()) -> Iterator[Token]:
    """The content words of a text; `names` are identifiers that only their case gave away."""
    for found in _TOKEN.finditer(text.data):
        word = found[0]
        strict = found["word"] is None or word in names
        if found["number"]:
            word = word.replace(b",", b"")
        elif found["identifier"]:
            word = word.strip(b".-")
        elif word in _STOP:
            continue
        word = _NUMBER_WORDS.get(word, word)
        yield Token(word if strict else _stem(word), word, *found.span(), strict, text.denied(*found.span()))


def _stem(word: bytes) -> bytes:
    for suffix, end in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= 3:
            return word[: -len(suffix)] + end
    return word
