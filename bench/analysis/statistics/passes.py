"""Several gradings of one run as one verdict an atom: the majority, the best, the worst.

For showing, and for agreement with a person; the estimate of recall is the mean over passes (`recall.py`), since a
majority is a step that moves recall away from one half.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from bench.rows import SCORES

Verdicts = Sequence[str | None]
"""The verdicts of one atom, a pass each; None where a pass has none."""


def majority(verdicts: Verdicts) -> str | None:
    """The most frequent verdict, on a tie the one of the lower credit; None where no pass has one."""
    counts = Counter(v for v in verdicts if v is not None)
    return min(counts, key=lambda v: (-counts[v], SCORES[v], v), default=None)


def best(verdicts: Verdicts) -> str | None:
    """The verdict of the highest credit: whether any pass found it; None where no pass has one."""
    return max((v for v in verdicts if v is not None), key=lambda v: (SCORES[v], v), default=None)


def worst(verdicts: Verdicts) -> str | None:
    """The verdict of the lowest credit: whether every pass found it; None where no pass has one."""
    return min((v for v in verdicts if v is not None), key=lambda v: (SCORES[v], v), default=None)
