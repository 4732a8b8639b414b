"""What a range or an SD of few runs says of the spread of many, if runs were normal.

d2(n) and d3(n): mean and SD of the range of n standard normal runs; c4(n): mean of their SD. E[min] = -d2 / 2. The same
arm with an SD of 2 points shows a range of 2.3 points in two runs and of 6.2 in ten. Source: Tippett 1925; the ASTM
Manual on Presentation of Data; Tukey's studentized range (Harter 1960).
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING

from bench.analysis.statistics.estimate import LEVEL

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

REACH = 12.0
"""Standard deviations beyond which nothing is integrated."""
STEPS = 1_200
NODES = 120


@lru_cache(maxsize=64)
def d2(n: int) -> float:
    """Expected range of n standard normal runs: the integral of 1 - F^n - (1 - F)^n."""
    import numpy as np
    from scipy.special import ndtr

    x, weights = _grid()
    below = ndtr(x)
    return float(np.sum(weights * (1 - below**n - (1 - below) ** n)))


@lru_cache(maxsize=64)
def d3(n: int) -> float:
    """SD of the range: E[W^2] is twice the integral over x and w > 0 of P(min < x and max > x + w)."""
    import numpy as np
    from scipy.special import ndtr

    x, weights = _grid()
    w, inner = np.polynomial.legendre.leggauss(NODES)
    w, inner = REACH * (w + 1), REACH * inner
    low, high = ndtr(x)[:, None], ndtr(x[:, None] + w[None, :])
    both = 1 - high**n - (1 - low) ** n + (high - low) ** n
    return math.sqrt(2 * float(weights @ both @ inner) - d2(n) ** 2)


def c4(n: int) -> float:
    """Expected SD (divisor n - 1) of n standard normal runs."""
    return math.sqrt(2 / (n - 1)) * math.exp(math.lgamma(n / 2) - math.lgamma((n - 1) / 2))


def sigma_of_range(span: float, n: int) -> float | None:
    """The SD that n runs with this range speak of, span / d2(n); None of one run."""
    return span / d2(n) if n > 1 else None


def sigma_limits(n: int, *, level: float = LEVEL) -> tuple[float, float] | None:
    """Limits of the SD as multiples of that of n runs: 0.45 to 31.9 of two, 0.69 to 1.83 of ten; None of one run."""
    return sigma_limits_of(n - 1, level=level)


def sigma_limits_of(df: float, *, level: float = LEVEL) -> tuple[float, float] | None:
    """The same of an SD with so many degrees of freedom, pooled over groups, say."""
    from scipy.special import chdtri

    if df < 1:
        return None
    low, high = (math.sqrt(df / float(chdtri(df, tail))) for tail in ((1 - level) / 2, (1 + level) / 2))
    return low, high


def range_p(span: float, sigma: float, n: int, df: float = math.inf) -> float | None:
    """Chance of a range at least this large among n runs of that SD, known or estimated with `df`; None where it is 0
    or of one run."""
    from scipy.stats import studentized_range

    return float(studentized_range.sf(span / sigma, n, df)) if n > 1 and sigma > 0 else None


@lru_cache(maxsize=1)
def _grid() -> tuple[Floats, Floats]:
    """Points and weights of a trapezoid rule, which is exact to rounding for what falls off like a normal tail."""
    import numpy as np

    x = np.linspace(-REACH, REACH, STEPS + 1)
    return x, np.full(len(x), x[1] - x[0])
