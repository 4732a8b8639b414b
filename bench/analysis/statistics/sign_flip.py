"""Exact test over fixtures: would a sum of differences as large come from signs that mean nothing?

All 2^F sign patterns of the fixtures' differences; p is the share with |sum| as large as the observed one; zeros stay
in. Above `MOST_LISTED` fixtures the patterns are drawn, p = (hits + 1) / (draws + 1). Source: Fisher 1935, section 21.
"""

from __future__ import annotations

from collections.abc import Sequence

LEAST_FIXTURES = 6
"""With fewer the smallest p is above 0.05 (5: 0.0625), and the test cannot find anything."""
MOST_LISTED = 20
DRAWS = 9_999
TIE = 1e-12
"""A resample this close below the observed statistic, relative to it, ties with it."""


def sign_flip(differences: Sequence[float], *, seed: int = 0, draws: int = DRAWS) -> float | None:
    """Two-sided p; None without differences. `seed` and `draws` count above 20 fixtures only."""
    import numpy as np

    d = np.asarray(differences, dtype="float64")
    if not len(d):
        return None
    observed = abs(d.sum())
    least = observed - TIE * max(1.0, observed)
    if len(d) <= MOST_LISTED:
        sums = np.zeros(1)
        for one in d:
            sums = np.concatenate([sums + one, sums - one])
        return float((abs(sums) >= least).mean())
    signs = np.random.default_rng(seed).choice([-1.0, 1.0], size=(draws, len(d)))
    return float(((abs(signs @ d) >= least).sum() + 1) / (draws + 1))


def smallest_p(fixtures: int) -> float:
    """The least p that the test can give: all signs alike, 2 of 2^F."""
    return float(2.0 ** (1 - fixtures))
