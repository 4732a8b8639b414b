"""A difference with what is known of its chance: standard error, degrees of freedom, 95 % interval, two-sided p.

Source: Student 1908; with unequal variances Welch 1947. An interval needs a standard error above 0: where everything
that was seen is alike, nothing tells how far the next would lie, and the interval is absent, never [d, d].
"""

from __future__ import annotations

from dataclasses import dataclass

LEVEL = 0.95
"""Of every interval, unless a call says otherwise; tests are two-sided at 1 - LEVEL."""
ALIKE = 1e-12
"""A standard error up to here is the rounding of floats, on recalls of 0..1 as on points of 100."""


@dataclass(frozen=True)
class Estimate:
    """One difference. What cannot be computed is None, and `why` says why."""

    difference: float | None
    se: float | None = None
    df: float | None = None
    low: float | None = None
    high: float | None = None
    p: float | None = None
    why: str = ""


def t_estimate(difference: float, se: float, df: float, *, alike: str, level: float = LEVEL) -> Estimate:
    """difference -+ t(df) * se, and p of |difference| / se; without an interval, for the reason `alike`, at se 0."""
    from scipy.special import stdtr, stdtrit

    if se <= ALIKE:
        return Estimate(difference, why=alike)
    reach = float(stdtrit(df, 0.5 + level / 2)) * se
    p = 2 * float(stdtr(df, -abs(difference) / se))
    return Estimate(difference, se, df, difference - reach, difference + reach, p)
