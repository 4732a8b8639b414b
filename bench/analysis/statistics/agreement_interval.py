"""Intervals of agreement, kappa and alpha: clusters of units drawn again with replacement, 2.5 to 97.5 % of the draws.

A cluster is an atom with all that was said of it in any output; where there are `ENOUGH` fixtures, a fixture. Atoms are
graded in many outputs, and what is hard to judge is so in each: units alone would give an interval that is too narrow.
What each coefficient needs is a sum over units, so that a draw is a product of matrices. Source: Davison & Hinkley
1997; Gwet 2014, chapter 5.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from bench.analysis.statistics.estimate import LEVEL
from bench.analysis.statistics.rating_counts import Rating, rated, rating_counts

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

DRAWS = 2_000
ENOUGH = 10
"""Fixtures from which on they are the clusters."""
FEWEST = 5
"""Clusters below which draws say nothing, and there is no interval."""
Interval = tuple[float, float]
Passes = Sequence[Sequence[Rating | None]]


def clusters(fixtures: Sequence[str], atoms: Sequence[str]) -> list[str]:
    """The cluster of each unit, from its fixture and atom."""
    if len(set(fixtures)) >= ENOUGH:
        return list(fixtures)
    return [f"{fixture}\0{atom}" for fixture, atom in zip(fixtures, atoms, strict=True)]


def alpha_interval(raters: Passes, of: Sequence[str], *, seed: int = 0) -> Interval | None:
    """Of Krippendorff's nominal alpha; `of` names each unit's cluster. None where there are few clusters, or a draw in
    twenty leaves it undefined."""
    import numpy as np

    if not of:
        return None
    counts, _ = rating_counts(raters)
    given = counts.sum(axis=1)
    counts = np.where(given[:, None] > 1, counts, 0.0)
    m = np.where(given > 1, given, 2.0)
    apart = (counts.sum(axis=1) ** 2 - (counts**2).sum(axis=1)) / (m - 1)
    sums = _drawn(np.column_stack([apart, counts]), of, seed)
    if sums is None:
        return None
    n = sums[:, 1:].sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        return _ends(1 - (n - 1) * sums[:, 0] / (n**2 - (sums[:, 1:] ** 2).sum(axis=1)))


def kappa_interval(
    a: Sequence[Rating | None], b: Sequence[Rating | None], of: Sequence[str], *, seed: int = 0
) -> Interval | None:
    """Of Cohen's unweighted kappa of two raters; units that one of them left out do not count. None as above."""
    import numpy as np

    if not len(a):
        return None
    both = np.array([[float(x is not None and y is not None)] for x, y in zip(a, b, strict=True)])
    order = sorted({r for r in (*a, *b) if r is not None}, key=str)
    sides = [rated(of_, order) * both for of_ in (a, b)]
    agree = (sides[0] * sides[1]).sum(axis=1)
    sums = _drawn(np.column_stack([agree, both, *sides]), of, seed)
    if sums is None:
        return None
    k = len(order)
    with np.errstate(invalid="ignore", divide="ignore"):
        observed = sums[:, 0] / sums[:, 1]
        by_chance = (sums[:, 2 : 2 + k] * sums[:, 2 + k :]).sum(axis=1) / sums[:, 1] ** 2
        return _ends((observed - by_chance) / (1 - by_chance))


def _drawn(figures: Floats, of: Sequence[str], seed: int) -> Floats | None:
    """Sums (draws, figures) over clusters drawn again; None where there are fewer than `FEWEST`."""
    import numpy as np

    place = {name: i for i, name in enumerate(sorted(set(of)))}
    n = len(place)
    if n < FEWEST:
        return None
    codes = np.array([place[name] for name in of])
    sums = np.stack([np.bincount(codes, column, minlength=n) for column in figures.T], axis=1)
    draws = np.random.default_rng(seed).multinomial(n, np.full(n, 1 / n), size=DRAWS)
    return np.asarray(draws @ sums, dtype="float64")


def _ends(values: Floats) -> Interval | None:
    import numpy as np

    known = values[np.isfinite(values)]
    if len(known) < LEVEL * len(values):
        return None
    low, high = np.quantile(known, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return float(low), float(high)
