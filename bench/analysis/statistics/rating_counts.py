"""How many raters gave each rating to each unit: what every coefficient of agreement is made of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

Rating = str | int


def rating_counts(raters: Sequence[Sequence[Rating | None]]) -> tuple[Floats, list[Rating]]:
    """(units, ratings), and the ratings that occur, in the order of their names. A missing rating (None) counts
    nowhere. Each rater has the same units in the same order; raises ValueError otherwise."""
    import numpy as np

    order = sorted({r for one in raters for r in one if r is not None}, key=str)
    units = {len(one) for one in raters} or {0}
    if len(units) > 1:
        raise ValueError("each rater rates the same units")
    counts = sum((rated(one, order) for one in raters), start=np.zeros((units.pop(), len(order))))
    return counts, order


def rated(ratings: Sequence[Rating | None], order: Sequence[Rating]) -> Floats:
    """(units, ratings): 1 at the rating that a unit has, nothing but 0 where it has none."""
    import numpy as np

    place: dict[Rating | None, int] = {rating: i for i, rating in enumerate(order)}
    codes = np.array([place.get(r, -1) for r in ratings], dtype="int64").reshape(len(ratings), 1)
    return np.asarray(codes == np.arange(len(order)), dtype="float64")
