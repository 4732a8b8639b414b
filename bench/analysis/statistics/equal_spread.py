"""Whether two arms vary alike: Levene's test about the median. Below ten runs an arm it hardly ever finds anything.

Report the ratio of the SDs with it and claim nothing of few runs. Source: Brown & Forsythe 1974.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class Levene(NamedTuple):
    """The test's statistic (F), its p, and the ratio of the second SD to the first."""

    statistic: float
    p: float
    ratio: float


def equal_spread(a: Sequence[float], b: Sequence[float]) -> Levene | None:
    """None where an arm has fewer than two runs (scipy would say p = 0) or all runs of one are alike."""
    import statistics

    from scipy.stats import levene

    if min(len(a), len(b)) < 2 or min(a) == max(a) or min(b) == max(b):
        return None
    found = levene(a, b, center="median")
    return Levene(float(found.statistic), float(found.pvalue), statistics.stdev(b) / statistics.stdev(a))
