"""Where a pattern set matches inside one passage.

A passage is a line, or the WINDOW characters around a hit (a hit in their middle, cut back to whole words). A set is a
tuple of groups: each group needs a hit, by any of its patterns, that the text does not deny (`negation.py`), and all
those hits must stand in the same passage.

Lines are tried first, then windows, in both cases around the hits of the rarest group first. Windows around the hits of
the other groups are tried too: otherwise one more mention of the rarest word, far away, could make another group the
rarest and lose the atom. What matches is decided on the passage alone: '.*' cannot reach beyond it, and '^' is its
beginning.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate

from bench.grading.negation import Cue, Reading
from bench.grading.patterns import Pattern

WINDOW = 400
"""Characters of a passage that is not a line."""
STEP = WINDOW // 2
"""Characters to either side of its middle; also how far apart (bytes) windows stand along a hit that is longer than
one, as '.*' makes them."""
_WORD = frozenset(b"abcdefghijklmnopqrstuvwxyz0123456789_")
_INSIDE = frozenset(range(0x80, 0xC0))
"""UTF-8 bytes that do not begin a character."""

Span = tuple[int, int]
Groups = Sequence[Sequence[Pattern]]


class Passages:
    """The passages of one text, to be asked for pattern sets."""

    def __init__(self, text: Reading) -> None:
        self._text = text
        self._line_starts = [start for start, _ in text.folded.lines]
        self._spans: dict[Pattern, list[Span]] = {}

    def find(self, groups: Groups, *, alone: bool = False) -> Span | None:
        """The span from the first to the last hit of the set in the first passage that holds it, or None.

        `alone`: the set is one pattern that states something by itself (stale, wrong, never); see `negation.py`.
        """
        hits = []
        for group in groups:
            hits.append(self._hits([p for p in group if p.may_match(self._text.data)]))
            if not hits[-1]:
                return None
        hits.sort(key=len)
        tried: set[Span] = set()
        for passage in self._around(hits):
            if passage not in tried:
                tried.add(passage)
                if span := _in_passage(self._text, passage, groups, alone):
                    return span
        return None

    def _hits(self, group: Sequence[Pattern]) -> list[Span]:
        """All hits of the group in the whole text: every match in any passage overlaps one of them."""
        data = self._text.data
        if any(p.at_edge for p in group):
            return [(0, len(data))] if data else []
        for pattern in group:
            if pattern not in self._spans:
                self._spans[pattern] = list(pattern.spans(data))
        return sorted(span for pattern in group for span in self._spans[pattern])

    def _around(self, hits: list[list[Span]]) -> Iterator[Span]:
        """The passages that may hold the set: lines at the rarest group's hits, then windows around all hits."""
        lines = self._text.folded.lines
        for start, end in hits[0]:
            first = max(bisect_right(self._line_starts, start) - 1, 0)
            yield from lines[first : bisect_left(self._line_starts, end)]
        others = [([a for a, _ in group], list(accumulate((b for _, b in group), max))) for group in hits]
        for group in hits:
            for hit in group:
                for first, last in _windows(self._text.data, hit):
                    if all(_touches(first, last, *other) for other in others):
                        yield first, last


def _touches(first: int, last: int, starts: list[int], furthest: list[int]) -> bool:
    """Whether one of the hits overlaps data[first:last]: a cheap no before the passage is searched.

    `starts` of the hits in order; `furthest` end of each and all before it.
    """
    before = bisect_left(starts, last)
    return before > 0 and furthest[before - 1] > first


def _windows(data: bytes, hit: Span) -> Iterator[Span]:
    """WINDOW characters around the middle of the hit, or along it where it is longer, cut back to whole words."""
    start, end = hit
    for middle in [(start + end) // 2] if end - start <= WINDOW else range(start + STEP, end + STEP, STEP):
        first, last = _around(data, min(middle, len(data)))
        while first and first < last and data[first - 1] in _WORD and data[first] in _WORD:
            first += 1
        while last < len(data) and first < last and data[last - 1] in _WORD and data[last] in _WORD:
            last -= 1
        if first < last:
            yield first, last


def _around(data: bytes, middle: int) -> Span:
    """The bytes of the STEP characters before and the STEP characters after `middle`."""
    while middle < len(data) and data[middle] in _INSIDE:
        middle += 1
    before = data[max(middle - 4 * STEP, 0) : middle].decode("utf-8", "ignore")[-STEP:]
    after = data[middle : middle + 4 * STEP].decode("utf-8", "ignore")[:STEP]
    return middle - len(before.encode()), middle + len(after.encode())


def _in_passage(text: Reading, passage: Span, groups: Groups, alone: bool) -> Span | None:
    first, last = passage
    data = text.data[first:last]
    held = _held(text, first, data, groups)
    found = []
    for group in groups:
        span = next((s for p in group for s in _said(text, first, data, p, held, alone)), None)
        if span is None:
            return None
        found.append(span)
    return min(a for a, _ in found), max(b for _, b in found)


def _held(text: Reading, first: int, data: bytes, groups: Groups) -> frozenset[Cue]:
    """The cues in the passage that a pattern of the set means."""
    holders = (p for group in groups for p in group if p.holds_negation)
    return frozenset(c for p in holders for a, b in p.spans(data) for c in text.cues_in(first + a, first + b))


def _said(
    text: Reading, first: int, data: bytes, pattern: Pattern, held: frozenset[Cue], alone: bool
) -> Iterator[Span]:
    """The pattern's hits in the passage that are not denied, as spans of the text."""
    for a, b in pattern.spans(data):
        start, end = first + a, first + b
        means = pattern.holds_negation and any(c in held for c in text.cues_in(start, end))
        if means or not text.denied(start, end, held=held, alone=alone):
            yield start, end
