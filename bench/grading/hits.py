"""Where patterns may match, and where they do, in one text; each asked once.

A pattern's needles (`needles.py`) are looked for first. They alone say where a match cannot be, and the pattern itself
is then asked only around them.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from itertools import accumulate, chain

from bench.grading.patterns import Pattern

Span = tuple[int, int]
NEAR = 1600
"""Bytes to either side of a needle that are searched: 400 characters of any script. A match that reaches further fits
no window; it is found in its line."""


class Places:
    """Spans in order, and whether one of them lies in a stretch."""

    def __init__(self, spans: Iterable[Span]) -> None:
        self.spans = sorted(spans)
        self._starts = [start for start, _ in self.spans]
        self._furthest = list(accumulate((end for _, end in self.spans), max))

    def __len__(self) -> int:
        return len(self.spans)

    def touch(self, first: int, last: int) -> bool:
        """Whether one of them overlaps [first, last)."""
        before = bisect_left(self._starts, last)
        return before > 0 and self._furthest[before - 1] > first


NOWHERE = Places(())


class Hits:
    """The hits of patterns in `data`, folded bytes."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._words: dict[bytes, list[Span]] = {}
        self._places: dict[Pattern, Places] = {}
        self._found: dict[Pattern, list[Span]] = {}

    def places(self, pattern: Pattern) -> Places:
        """Spans of which every passage that the pattern matches overlaps one; none where it matches in none."""
        if pattern not in self._places:
            spans = self._look(pattern)
            self._places[pattern] = Places(spans) if spans else NOWHERE
        return self._places[pattern]

    def _look(self, pattern: Pattern) -> list[Span]:
        if pattern.needles:
            return list(chain.from_iterable(map(self._word, pattern.needles)))
        if pattern.at_edge:
            return [(0, len(self._data))] if self._data else []
        return self.of(pattern)

    def of(self, pattern: Pattern) -> list[Span]:
        """The pattern's hits, leftmost first. One that asks for the beginning or end of a passage may hit anywhere."""
        if pattern not in self._found:
            self._found[pattern] = self._search(pattern)
        return self._found[pattern]

    def _search(self, pattern: Pattern) -> list[Span]:
        if pattern.at_edge:
            return self.places(pattern).spans
        if not pattern.needles:
            return list(pattern.spans(self._data))
        zones = _merged((max(a - NEAR, 0), b + NEAR) for a, b in self.places(pattern).spans)
        return [(start + a, start + b) for start, end in zones for a, b in pattern.spans(self._data[start:end])]

    def _word(self, word: bytes) -> list[Span]:
        if word not in self._words:
            found, at = [], self._data.find(word)
            while at >= 0:
                found.append((at, at + len(word)))
                at = self._data.find(word, at + 1)
            self._words[word] = found
        return self._words[word]


def _merged(spans: Iterable[Span]) -> list[Span]:
    """The spans, sorted by their starts, with those that overlap made one."""
    out: list[Span] = []
    for start, end in spans:
        if out and start <= out[-1][1]:
            out[-1] = out[-1][0], max(out[-1][1], end)
        else:
            out.append((start, end))
    return out
