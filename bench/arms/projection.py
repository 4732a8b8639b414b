"""What a context would hold of a branch of records, in estimated tokens.

A hidden record takes a short marker, a covered one nothing (the checkpoint that covers it has the text). The newest
compaction drops everything before its first kept record; markers count only from where they still stand.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from bench.arms.records import Record, estimate

HIDDEN_TOKENS = 10
"""What the marker takes that stands in a hidden record's place."""


class Marks:
    """Which records are hidden and which are covered, as told by the markers seen so far."""

    def __init__(self, records: Iterable[Record] = ()) -> None:
        self.hidden: set[str] = set()
        self.covered: set[str] = set()
        for record in records:
            self.see(record)

    def see(self, record: Record) -> None:
        """Take in what `record` hides or covers; records of other kinds say nothing."""
        if record.kind == "hidden":
            self.hidden.update(record.ids)
        elif record.kind == "checkpoint":
            self.covered.update(record.ids)

    def price(self, record: Record) -> int:
        """Tokens that `record` takes in a context under these marks."""
        if record.id in self.covered:
            return 0
        return HIDDEN_TOKENS if record.id in self.hidden else estimate(record)


class Tally:
    """The projected tokens of a suffix without a compaction, while it grows towards the root record by record."""

    def __init__(self) -> None:
        self.tokens = 0
        self._marks = Marks()
        self._counted: dict[str, list[Record]] = {}

    def add(self, record: Record) -> None:
        """Count `record`, and re-count newer ones that it marks (markers mostly stand after what they mark)."""
        self._counted.setdefault(record.id, []).append(record)
        self.tokens += self._marks.price(record)
        touched = [r for id_ in set(record.ids) for r in self._counted.get(id_, ())]
        before = sum(map(self._marks.price, touched))
        self._marks.see(record)
        self.tokens += sum(map(self._marks.price, touched)) - before


def newest_compaction(branch: Sequence[Record]) -> int | None:
    """Index of the newest compaction; None where there is none."""
    return next((i for i in range(len(branch) - 1, -1, -1) if branch[i].kind == "compaction"), None)


def first_kept(branch: Sequence[Record]) -> int:
    """Index of the oldest record that a context of `branch` holds: 0 without a compaction.

    Where the newest compaction's first kept record is not in the branch before it, it kept nothing.
    """
    newest = newest_compaction(branch)
    if newest is None:
        return 0
    wanted = branch[newest].first_kept
    return next((i for i in range(newest) if branch[i].id == wanted), newest)


def projected(branch: Sequence[Record]) -> int:
    """Estimated tokens that a context of `branch` holds."""
    held = branch[first_kept(branch) :]
    marks = Marks(held)
    return sum(map(marks.price, held))
