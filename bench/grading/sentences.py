"""The sentences of a folded text, with what a comparison asks of each: its content words, all words, letter groups."""

from __future__ import annotations

import itertools
import re
from bisect import bisect_right
from collections import Counter
from dataclasses import dataclass
from functools import cached_property

from bench.grading.content import Token, tokens
from bench.grading.hits import Span
from bench.grading.negation import Reading

GRAM = 4
"""Letters of a group: long enough to tell words apart, short enough to see through endings."""
LONGEST = 1200
"""Bytes of a sentence; what goes on longer (a log, minified code) is cut."""

_END = re.compile(rb"[.!?;][\"')\]]* ")
_WORD = re.compile(rb"[\w\x80-\xff]+")


@dataclass(frozen=True)
class Sentence:
    """One sentence: its bytes and its content words."""

    data: bytes
    content: tuple[Token, ...]

    @cached_property
    def words(self) -> tuple[bytes, ...]:
        return words(self.data)

    @cached_property
    def grams(self) -> Counter[bytes]:
        return grams(self.words)

    @cached_property
    def bigrams(self) -> frozenset[tuple[bytes, bytes]]:
        return frozenset(itertools.pairwise(self.words))

    @cached_property
    def content_bigrams(self) -> frozenset[tuple[bytes, bytes]]:
        stems = [t.stem for t in self.content]
        return frozenset(itertools.pairwise(stems))


class Sentences:
    """The sentences of one text in order. A list item, a heading or a paragraph begins a new one."""

    def __init__(self, text: Reading) -> None:
        self.spans = _spans(text)
        self._starts = [start for start, _ in self.spans]
        content: list[list[Token]] = [[] for _ in self.spans]
        self.tokens = tuple(tokens(text))
        for token in self.tokens:
            content[self.at(token.start)].append(token)
        self._all = [Sentence(text.data[a:b], tuple(c)) for (a, b), c in zip(self.spans, content, strict=True)]

    def at(self, position: int) -> int:
        """Index of the sentence that holds this byte."""
        return max(bisect_right(self._starts, position) - 1, 0)

    def __getitem__(self, index: int) -> Sentence:
        return self._all[index]


def words(data: bytes) -> tuple[bytes, ...]:
    """All words of folded text, stop words too."""
    return tuple(_WORD.findall(data))


def grams(of: tuple[bytes, ...]) -> Counter[bytes]:
    """How often each group of GRAM letters stands in the words, a space between them."""
    line = b" " + b" ".join(of) + b" "
    return Counter(line[i : i + GRAM] for i in range(len(line) - GRAM + 1))


def _spans(text: Reading) -> list[Span]:
    cuts = {0, *(found.end() for found in _END.finditer(text.data)), *text.folded.blocks}
    starts = sorted(cut for cut in cuts if cut < len(text.data))
    ends = [*starts[1:], len(text.data)][: len(starts)]
    return [
        (at, min(at + LONGEST, end))
        for start, end in zip(starts, ends, strict=True)
        for at in range(start, end, LONGEST)
    ]
