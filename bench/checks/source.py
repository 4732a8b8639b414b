"""The transcript as a key's patterns read it: message by message, or the messages of an atom joined."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from bench.grading.negation import Reading
from bench.grading.passages import Groups, Passages
from bench.grading.patterns import Pattern

AROUND = 30
"""Characters to either side of a hit that a quote shows."""


class Asked:
    """A text that patterns are asked of, under the grader's own rules. Folded when first asked."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def _reading(self) -> Reading:
        return Reading(self.text)

    @cached_property
    def _passages(self) -> Passages:
        return Passages(self._reading)

    def carries(self, groups: Groups) -> bool:
        """Whether one passage holds the pattern set."""
        return self._passages.find(groups) is not None

    def mentions(self, pattern: Pattern) -> bool:
        """Whether the pattern matches at all, denied or not."""
        return next(pattern.spans(self._reading.data), None) is not None

    def states(self, pattern: Pattern) -> str | None:
        """The words around the pattern where it is stated, standing alone; None where it is not."""
        span = self._passages.find([[pattern]], alone=True)
        if span is None:
            return None
        start, end = max(span[0] - AROUND, 0), min(span[1] + AROUND, len(self._reading.data))
        return self._reading.folded.quote(start, end)


def joined(messages: Sequence[Asked], at: Sequence[int]) -> Asked:
    """The text of these messages, joined by newlines."""
    return messages[at[0]] if len(at) == 1 else Asked("\n".join(messages[i].text for i in at))
