"""How small a difference a design can see, and how many runs or fixtures a given one takes.

Power of a two-sided t test at 5 % from the noncentral t, by its definition: with s = sqrt(chi2(df) / df),
power = E[ Phi(nc - t * s) + Phi(-nc - t * s) ], nc = difference / SE. 2.8 SE for short claims half of what two runs
an arm can really see. Source: Cohen 1988; the SE of a design to come is that of a D-study (Brennan 2001).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

POWER = 0.8
"""Chance to find a difference of the size in question."""
ALPHA = 0.05
NODES = 100
"""Of the quadrature over s."""
MOST = 10_000
"""Runs or fixtures beyond which a design is out of reach."""
STEPS = 45
"""Halvings of a bracket: to 13 digits."""


def power(difference: float, se: float, df: float, *, alpha: float = ALPHA) -> float:
    """Chance that a two-sided t test finds the difference."""
    from scipy.special import ndtr, stdtrit

    s, weights = _spreads(df)
    t, nc = float(stdtrit(df, 1 - alpha / 2)), abs(difference) / se
    return float(weights @ (ndtr(nc - t * s) + ndtr(-nc - t * s)))


@lru_cache(maxsize=256)
def detectable_in_se(df: float) -> float:
    """The smallest difference that a t test with so many degrees of freedom sees, in standard errors."""
    return _least(lambda nc: power(nc, 1.0, df) >= POWER, 1.0)


def detectable(se: float, df: float) -> float:
    """The smallest difference, in the unit of `se`, that a design with this standard error sees."""
    return detectable_in_se(df) * se


def fixtures_needed(sd: float, difference: float) -> float | None:
    """Fixtures, not rounded, that see the difference where fixtures' differences have this SD; None: out of reach."""
    return _enough(lambda n: power(difference, sd / math.sqrt(n), n - 1), 2)


def runs_needed(se: float, df: float, runs: float, difference: float) -> float | None:
    """Runs an arm, not rounded, that see the difference on the same key, where `runs` have this SE and these df."""

    def reached(n: float) -> float:
        return power(difference, se * math.sqrt(runs / n), df * (n - 1) / (runs - 1))

    return _enough(reached, 2)


def runs_needed_over_fixtures(sd: float, within: float, fixtures: int, runs: float, difference: float) -> float | None:
    """Runs an arm, not rounded, that see the difference with the fixtures there are; None where runs alone never will.

    `sd` is that of the fixtures' differences, `within` the mean of their squared standard errors from run to run at
    `runs` an arm: more runs shrink that part of sd^2 and leave the rest.
    """
    if fixtures < 2:
        return None
    between = max(0.0, sd**2 - within)
    left = fixtures * (difference / detectable_in_se(fixtures - 1)) ** 2 - between
    return runs * within / left if left > 0 else None


@lru_cache(maxsize=256)
def _spreads(df: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Values of s = sqrt(chi2(df) / df) at the nodes of a quadrature over its quantiles, and their weights."""
    import numpy as np
    from scipy.special import gammaincinv

    x, weights = _nodes()
    return np.sqrt(2 * gammaincinv(df / 2, (x + 1) / 2) / df), weights / 2


@lru_cache(maxsize=1)
def _nodes() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    import numpy as np

    return np.polynomial.legendre.leggauss(NODES)


def _enough(reached: Callable[[float], float], least: float) -> float | None:
    if reached(MOST) < POWER:
        return None
    return least if reached(least) >= POWER else _least(lambda n: reached(n) >= POWER, least)


def _least(fits: Callable[[float], bool], start: float) -> float:
    """The least number above `start` that fits, by doubling and halving."""
    high = start
    while not fits(high):
        high *= 2
    low = high / 2
    for _ in range(STEPS):
        middle = (low + high) / 2
        low, high = (low, middle) if fits(middle) else (middle, high)
    return high
