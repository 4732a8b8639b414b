"""The words of a text that say something: stems, numbers, identifiers and names, each with what the text denies.

Numbers and identifiers are *strict*: they are there or they are not. A word's stem is what is left without its endings;
words that agree in their first letters count as one ('limiter' and 'limiting'). Only English is read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

from bench.grading.negation import Reading
from bench.keys import Atom

PREFIX = 5
"""Words that agree in this many first letters count as one, one that is shorter only where it is the same."""

Kind = Literal["number", "identifier", "name", "word"]

_TOKEN = re.compile(
    rb"(?P<identifier>(?<![a-z])(?![a-z]+/[a-z]+(?![\w$/.-]))[\w$-]*(?:[/_.]+[\w$-]+)+)"
    rb"|(?P<number>\d+(?:,\d{3})*(?:\.\d+)?)|(?P<word>[a-z\x80-\xff]+)"
)
"""One slash between two plain words ("the client/server split") makes no path of them."""
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
    kind: Kind
    denied: bool | None
    """Whether the text denies it; None for an atom's word that the atom both denies and says."""
    at_cue: bool
    """Whether it is denied, and the first content word after the negation."""

    @property
    def strict(self) -> bool:
        return self.kind in ("number", "identifier")


def tokens(text: Reading, names: frozenset[bytes] = frozenset()) -> Iterator[Token]:
    """The content words of a text; `names` are identifiers that only their case gave away."""
    before = 0
    for found in _TOKEN.finditer(text.data):
        word = found[0]
        kind: Kind = "word"
        if found["number"]:
            word, kind = word.replace(b",", b""), "number"
        elif found["identifier"]:
            word, kind = word.strip(b".-"), "number" if re.fullmatch(rb"[\d.]+", word) else "identifier"
        elif word in _STOP:
            continue
        elif word in _NUMBER_WORDS:
            word, kind = _NUMBER_WORDS[word], "number"
        elif word in names:
            kind = "identifier"
        stem = stemmed(word) if kind == "word" else word
        cue = text.denier(*found.span())
        yield Token(stem, word, *found.span(), kind, cue is not None, cue is not None and before <= cue.end)
        before = found.end()


@lru_cache(maxsize=8192)
def words_of(atom: Atom) -> tuple[Token, ...]:
    """The atom's content words in their order, each stem once (strict where it is so anywhere).

    A word that begins with a capital inside a sentence is a `name`.
    """
    text = Reading(atom.text)
    camel = frozenset(name.casefold().encode() for name in _CAMEL.findall(atom.text))
    first: dict[bytes, Token] = {}
    for token in tokens(text, camel):
        if token.kind == "word" and token.start and atom.text[text.folded.origin(token.start)].isupper():
            token = replace(token, kind="name")
        other = first.get(token.stem)
        if other is None or (token.strict and not other.strict):
            first[token.stem] = token
        elif other.denied != token.denied:
            first[token.stem] = replace(other, denied=None)
    return tuple(first.values())


def has_content(text: str) -> bool:
    """Whether the text holds a word that can be looked for."""
    return any(True for _ in tokens(Reading(text)))


def stemmed(word: bytes) -> bytes:
    """The word without its ending, where three letters are left."""
    for suffix, end in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= 3:
            return word[: -len(suffix)] + end
    return word


def root(stem: bytes) -> bytes:
    """What words that count as one have in common."""
    return stem[:PREFIX]
