"""The same key: Welch's interval of a difference, runs being what is drawn again on the fixtures that there are.

On a fixture SE^2 = s_A^2 / n_A + s_B^2 / n_B; of the mean over F fixtures SE^2 = sum(SE_f^2) / F^2; degrees of freedom
after Welch and Satterthwaite over all the terms. Source: Welch 1947; Satterthwaite 1946.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from bench.analysis.statistics.estimate import LEVEL, Estimate, t_estimate

ALIKE = "all runs of an arm are alike: nothing tells how far the next would lie"
SURE = "neither arm varies from run to run: it is the same each time on these transcripts"
SINGLE = "one run a fixture: how much of it is chance cannot be said"


@dataclass(frozen=True)
class Runs:
    """Recalls of one arm on one fixture that would differ if they were drawn again.

    `sure`: they would not, so one says all. `gradings`: they are gradings of one text, not runs.
    """

    recalls: tuple[float, ...]
    sure: bool = False
    gradings: bool = False


@dataclass(frozen=True)
class Pair:
    """Two arms on one fixture, over the atoms that both have a verdict on. difference: other - base."""

    fixture: str
    difference: float
    base: Runs
    other: Runs


def over_runs(pairs: Sequence[Pair], *, level: float = LEVEL) -> Estimate:
    """The mean difference over the fixtures with its interval; without one where an arm has a single run on one."""
    if not pairs:
        return Estimate(None, why="no fixture that both arms have a verdict on")
    difference = math.fsum(p.difference for p in pairs) / len(pairs)
    sides = [side for pair in pairs for side in (pair.base, pair.other)]
    if any(len(side.recalls) < 2 and not side.sure for side in sides):
        return Estimate(difference, why=SINGLE)
    terms = [
        (statistics.variance(side.recalls) / len(side.recalls) / len(pairs) ** 2, len(side.recalls) - 1)
        for side in sides
        if not side.sure
    ]
    if not terms:
        return Estimate(difference, why=SURE)
    variance = math.fsum(v for v, _ in terms)
    spread = math.fsum(v**2 / df for v, df in terms)
    df = variance**2 / spread if spread else math.inf
    return t_estimate(difference, math.sqrt(variance), df, alike=ALIKE, level=level)
