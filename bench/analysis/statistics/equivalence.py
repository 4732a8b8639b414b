"""No worse than: tests against a margin that was fixed beforehand, in the unit of the difference.

No worse: one-sided, difference > -margin. As good as: both sides, p the larger (TOST), which is the 90 % interval lying
inside +-margin. That no difference was found is never this. Source: Schuirmann 1987.
"""

from __future__ import annotations

from typing import NamedTuple

from bench.analysis.statistics.estimate import Estimate


class Equivalence(NamedTuple):
    """p of "worse by the margin or more" and of "better by the margin or more"; `p` is of not being as good."""

    p_worse: float
    p_better: float

    @property
    def p(self) -> float:
        return max(self.p_worse, self.p_better)


def equivalence(found: Estimate, margin: float) -> Equivalence | None:
    """Both one-sided tests of an estimate; None where it has no standard error. The margin is above 0."""
    from scipy.special import stdtr

    if found.difference is None or found.se is None or found.df is None:
        return None
    if not margin > 0:
        raise ValueError(f"equivalence: a margin is above 0, is {margin}")
    worse, better = (found.difference + margin) / found.se, (found.difference - margin) / found.se
    return Equivalence(float(stdtr(found.df, -worse)), float(stdtr(found.df, better)))
