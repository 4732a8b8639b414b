"""The interval of a ratio of two means from paired runs, such as USD a carried atom.

The limits are the ratios r at which a t test of cost - r * carried is just significant: the roots of a quadratic. Where
the mean below is not clearly above 0 there are none. Source: Fieller 1954.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from bench.analysis.statistics.estimate import LEVEL


def fieller(above: Sequence[float], below: Sequence[float], *, level: float = LEVEL) -> tuple[float, float] | None:
    """Limits of mean(above) / mean(below), run by run; None where they are not finite, or of fewer than two runs."""
    import numpy as np

    x, y = np.asarray(above, dtype="float64"), np.asarray(below, dtype="float64")
    n = len(x)
    if n < 2:
        return None
    (vxx, vxy), (_, vyy) = np.cov(x, y) / n
    return ratio_limits((float(x.mean()), float(y.mean())), (float(vxx), float(vxy), float(vyy)), n - 1, level=level)


def ratio_limits(
    means: tuple[float, float], variances: tuple[float, float, float], df: float, *, level: float = LEVEL
) -> tuple[float, float] | None:
    """Limits of the ratio of two means (above, below) from the variance of the first, their covariance and the variance
    of the second, which have `df`; None where they are not finite."""
    from scipy.special import stdtrit

    (x, y), (vxx, vxy, vyy) = means, variances
    t2 = float(stdtrit(df, 0.5 + level / 2)) ** 2
    a, b, c = y**2 - t2 * vyy, x * y - t2 * vxy, x**2 - t2 * vxx
    if a <= 0 or b * b < a * c:
        return None
    root = math.sqrt(b * b - a * c)
    return (b - root) / a, (b + root) / a
