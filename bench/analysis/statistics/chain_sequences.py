"""What becomes of atoms from step to step of a chain: who stays, who comes back, and when each was lost first.

Before step 1 every atom is carried. A loss followed by a return is a grader's slip, or a handoff that took the fact
from somewhere else; many of them mean that first losses say little.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple


class Sequences(NamedTuple):
    """A value a step (`stay` and `came_back` from the second on, None where nobody could), and one an atom.

    first_loss: the first step without it, None where it was never lost; last_seen: the last step with it, 0 for none.
    """

    recall: list[float]
    stay: list[float | None]
    came_back: list[float | None]
    first_loss: list[int | None]
    last_seen: list[int]
    reappeared: int


def sequences(carried: Sequence[Sequence[bool]]) -> Sequences | None:
    """From each atom's being carried at step 1, 2, …, as far as it was seen; None without an atom."""
    if not carried:
        return None
    steps = max(map(len, carried))
    stay, back = [], []
    for t in range(1, steps):
        stay.append(_share([a[t] for a in carried if len(a) > t and a[t - 1]]))
        back.append(_share([a[t] for a in carried if len(a) > t and not a[t - 1]]))
    first = [next((t + 1 for t, there in enumerate(a) if not there), None) for a in carried]
    last = [max((t + 1 for t, there in enumerate(a) if there), default=0) for a in carried]
    returned = sum(any(b and not a for a, b in pairwise(one)) for one in carried)
    seen = [[a[t] for a in carried if len(a) > t] for t in range(steps)]
    recall = [sum(there) / len(there) for there in seen]
    return Sequences(recall, stay, back, first, last, returned)


def _share(values: list[bool]) -> float | None:
    return sum(values) / len(values) if values else None
