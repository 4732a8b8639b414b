"""Intervals of one run's share of carried atoms, the atoms taken as drawn from many like them.

It leaves out how runs and gradings vary, so it is the least that is unknown. Wilson is the default; the exact interval
where coverage must be guaranteed; never mean -+ z * sqrt(p (1 - p) / n), which gives +-0 at 82 of 82. With weights the
number of atoms is the effective one, (sum w)^2 / sum w^2. Source: Wilson 1927; Clopper & Pearson 1934; Brown, Cai &
DasGupta 2001 (Jeffreys); Kish 1965.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from bench.analysis.statistics.estimate import LEVEL

Interval = tuple[float, float]


def wilson(carried: float, atoms: float, *, level: float = LEVEL) -> Interval | None:
    """Both may be fractions, as an effective number of atoms is; None of no atoms."""
    from scipy.special import ndtri

    if atoms <= 0:
        return None
    z2 = float(ndtri(0.5 + level / 2)) ** 2
    p = carried / atoms
    centre = (p + z2 / (2 * atoms)) / (1 + z2 / atoms)
    reach = math.sqrt(z2 * (p * (1 - p) / atoms + z2 / (4 * atoms**2))) / (1 + z2 / atoms)
    return max(0.0, centre - reach), min(1.0, centre + reach)


def exact(carried: int, atoms: int, *, level: float = LEVEL) -> Interval | None:
    """Clopper and Pearson's: it covers at least as often as it says; None of no atoms."""
    from scipy.stats import binomtest

    if atoms <= 0:
        return None
    found = binomtest(carried, atoms).proportion_ci(level, method="exact")
    return float(found.low), float(found.high)


def jeffreys(carried: int, atoms: int, *, level: float = LEVEL) -> Interval | None:
    """The equal-tailed interval under Jeffreys' prior; None of no atoms."""
    from scipy.special import betaincinv

    if atoms <= 0:
        return None
    ends = ((1 - level) / 2, (1 + level) / 2)
    low, high = (float(betaincinv(carried + 0.5, atoms - carried + 0.5, end)) for end in ends)
    return (0.0 if carried == 0 else low), (1.0 if carried == atoms else high)


def least_if_all(atoms: int, *, level: float = LEVEL) -> float | None:
    """Where all of `atoms` were carried: the one-sided lower limit alpha^(1 / n), the exact form of 1 - 3 / n."""
    return (1 - level) ** (1 / atoms) if atoms > 0 else None


def effective_atoms(weights: Sequence[float]) -> float | None:
    """How many atoms of one weight tell as much as these; None where nothing weighs anything."""
    squares = math.fsum(w * w for w in weights)
    return math.fsum(weights) ** 2 / squares if squares else None
