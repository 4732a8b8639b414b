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
from itertools import chain

from bench.grading.hits import NEAR, Hits, Span
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

Groups = Sequence[Sequence[Pattern]]


class Passages:
    """The passages of one text, to be asked for pattern sets."""

    def __init__(self, text: Reading) -> None:
        self._text = text
        self._hits = Hits(text.data)
        self._line_starts = [start for start, _ in text.folded.lines]

    def find(self, groups: Groups, *, alone: bool = False) -> Span | None:
        """The span from the first to the last hit of the set in the first passage that holds it, or None.

        `alone`: the set is one pattern that states something by itself (stale, wrong, never); see `negation.py`.
        """
        likely = [[p for p in group if self._hits.places(p)] for group in groups]
        if not groups or not all(likely):
            return None
        likely.sort(key=lambda group: sum(len(self._hits.places(p)) for p in group))
        tried: set[Span] = set()
        for passage in chain(self._lines(likely[0]), self._windows(likely)):
            if passage not in tried:
                tried.add(passage)
                here = self._touching(likely, *passage)
                if here and (span := _in_passage(self._text, passage, here, alone)):
                    return span
        return None

    def _touching(self, groups: Groups, first: int, last: int) -> Groups:
        """The groups with only the patterns that may match in data[first:last]; nothing where a group has none."""
        here = []
        for group in groups:
            here.append([p for p in group if self._hits.places(p).touch(first, last)])
            if not here[-1]:
                return ()
        return here

    def _lines(self, rarest: Sequence[Pattern]) -> Iterator[Span]:
        """The lines that may hold the rarest group."""
        for start, end in sorted(chain.from_iterable(self._hits.places(p).spans for p in rarest)):
            first = max(bisect_right(self._line_starts, start) - 1, 0)
            yield from self._text.folded.lines[first : bisect_left(self._line_starts, end)]

    def _windows(self, groups: Groups) -> Iterator[Span]:
        """The windows around hits of any group, the rarest first; none where the groups are nowhere near each other."""
        rarest = chain.from_iterable(self._hits.places(p).spans for p in groups[0])
        if any(self._touching(groups, a - NEAR, b + NEAR) for a, b in rarest):
            for group in groups:
                for hit in sorted(chain.from_iterable(map(self._hits.of, group))):
                    yield from _around(self._text.data, hit)


def _around(data: bytes, hit: Span) -> Iterator[Span]:
    """WINDOW characters around the middle of the hit, or along it where it is longer, cut back to whole words."""
    start, end = hit
    for middle in [(start + end) // 2] if end - start <= WINDOW else range(start + STEP, end + STEP, STEP):
        first, last = _reach(data, min(middle, len(data)))
        while first and first < last and data[first - 1] in _WORD and data[first] in _WORD:
            first += 1
        while last < len(data) and first < last and data[last - 1] in _WORD and data[last] in _WORD:
            last -= 1
        if first < last:
            yield first, last


def _reach(data: bytes, middle: int) -> Span:
    """The bytes of the STEP characters before and the STEP characters after `middle`."""
    while middle < len(data) and data[middle] in _INSIDE:
        middle += 1
    before = data[max(middle - 4 * STEP, 0) : middle].decode("utf-8", "ignore")[-STEP:]
    after = data[middle : middle + 4 * STEP].decode("utf-8", "ignore")[:STEP]
    return middle - len(before.encode()), middle + len(after.encode())


def _in_passage(text: Reading, passage: Span, groups: Groups, alone: bool) -> Span | None:
    first, last = passage
    data = text.data[first:last]
    held = _held(text, first, data, groups) if text.cues_in(first, last) else frozenset()
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
