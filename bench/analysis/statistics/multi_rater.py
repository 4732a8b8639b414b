"""Agreement of several passes beyond chance: Fleiss' kappa, Gwet's AC1, and Brennan and Prediger's coefficient.

With nine atoms of ten carried, kappa and alpha can be low at 95 % agreement, since chance alone would agree often; AC1
stands beside them there. p_a: mean share of agreeing pairs in a unit. kappa = (p_a - p_e) / (1 - p_e), p_e = sum pi^2;
AC1 the same with p_e = sum pi (1 - pi) / (q - 1); Brennan and Prediger's with p_e = 1 / q. Source: Fleiss 1971;
Gwet 2008; Brennan & Prediger 1981.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from bench.analysis.statistics.rating_counts import Rating, rating_counts


class MultiRater(NamedTuple):
    """Each None where it is undefined: nothing rated twice, or chance alone would always agree."""

    agreement: float | None
    fleiss: float | None
    ac1: float | None
    brennan_prediger: float | None


def multi_rater(passes: Sequence[Sequence[Rating | None]], categories: int | None = None) -> MultiRater:
    """From the ratings of each pass over the same units; a missing one leaves its unit to the others.

    `categories`: how many ratings there could be; without it, as many as occur. A category's share is its mean over
    the units that were rated twice at least.
    """
    counts, _ = rating_counts(passes)
    rated = counts.sum(axis=1)
    paired, m = counts[rated > 1], rated[rated > 1]
    if not len(paired):
        return MultiRater(None, None, None, None)
    agreed = float(((paired * (paired - 1)).sum(axis=1) / (m * (m - 1))).mean())
    shares = [float(share) for share in (paired / m[:, None]).mean(axis=0) if share]
    q = categories or len(shares)
    if q < 2:
        return MultiRater(agreed, None, None, None)
    by_chance = (sum(s * s for s in shares), sum(s * (1 - s) for s in shares) / (q - 1), 1 / q)
    return MultiRater(agreed, *(None if e == 1 else (agreed - e) / (1 - e) for e in by_chance))
