"""Whether two arms vary alike: Levene's test about the median. Below ten runs an arm it hardly ever finds anything.

Report the ratio of the SDs with it and claim nothing of few runs. Of a group of two both runs lie equally far from
their median, so the pair counts once. The interval of the ratio takes runs as normal: (SD_b / SD_a)^2 over the
quantiles of F. Source: Brown & Forsythe 1974.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from typing import NamedTuple

from bench.analysis.statistics.estimate import LEVEL
from bench.analysis.statistics.variance import one_way

Groups = Sequence[Sequence[float]]


class Levene(NamedTuple):
    """The test's statistic (F), its p, and the ratio of the second SD to the first with its 95 % interval."""

    statistic: float
    p: float
    ratio: float
    low: float
    high: float


def equal_spread(a: Sequence[float], b: Sequence[float]) -> Levene | None:
    """None where an arm has fewer than two runs (scipy would say p = 0) or all runs of one are alike."""
    return equal_spread_within([a], [b])


def equal_spread_within(a: Groups, b: Groups) -> Levene | None:
    """The same of runs in groups, such as fixtures, that lie about a median of their own; groups of one add nothing."""
    from scipy.special import fdtri
    from scipy.stats import f_oneway

    sides = [[g for g in side if len(g) > 1] for side in (a, b)]
    apart = [[abs(v - statistics.median(g)) for g in side for v in (g if len(g) > 2 else g[:1])] for side in sides]
    if not all(map(any, apart)) or sum(map(len, apart)) < 3:
        return None
    found = f_oneway(*apart)
    if not math.isfinite(found.pvalue):
        return None
    (var_a, df_a), (var_b, df_b) = ((w.ms_within or 0.0, w.df_within) for w in map(one_way, sides))
    ratio = math.sqrt(var_b / var_a)
    low, high = (ratio / math.sqrt(float(fdtri(df_b, df_a, q))) for q in ((1 + LEVEL) / 2, (1 - LEVEL) / 2))
    return Levene(float(found.statistic), float(found.pvalue), ratio, low, high)
