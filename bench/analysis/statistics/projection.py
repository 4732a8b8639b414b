"""What another design would give: the standard error of a difference of two arms, from variance components.

F fixtures, R replicates, G passes. These facts: sqrt(2 / F * (var_r / R + var_g / (R G))). Transcripts like these:
sqrt(2 / F * (var_fa + var_r / R + var_g / (R G))). More passes cannot push it below what replicates differ by, more
replicates not below what arms do from fixture to fixture. Source: the D-study of Brennan 2001.
"""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Sources:
    """Variances on the scale of a recall: of arms from fixture to fixture, of replicates, of passes over one run."""

    fixture_arm: float
    replicate: float
    grading: float


def se_these(of: Sources, fixtures: int, replicates: int, passes: int) -> float:
    """Standard error where only runs and gradings would be drawn again."""
    return math.sqrt(2 / fixtures * _within(of, replicates, passes))


def se_like_these(of: Sources, fixtures: int, replicates: int, passes: int) -> float:
    """Standard error where fixtures would be drawn again, too."""
    return math.sqrt(2 / fixtures * (of.fixture_arm + _within(of, replicates, passes)))


def best_passes(of: Sources, cost_run: float, cost_pass: float) -> float | None:
    """Passes a run that give the least variance for a budget, not rounded: sqrt(var_g / var_r * c_run / c_pass).

    None where replicates do not vary or a pass costs nothing: then the more the better. Source: Cochran 1977, 10.6.
    """
    if of.replicate <= 0 or cost_pass <= 0:
        return None
    return math.sqrt(of.grading / of.replicate * cost_run / cost_pass)


def best_whole_passes(of: Sources, cost_run: float, cost_pass: float) -> int | None:
    """The same as a whole number of 1 or more: the neighbour with the least variance times cost."""
    best = best_passes(of, cost_run, cost_pass)
    if best is None:
        return None
    around = {max(1, math.floor(best)), max(1, math.ceil(best))}
    return min(around, key=lambda g: (of.replicate + of.grading / g) * (cost_run + g * cost_pass))


def _within(of: Sources, replicates: int, passes: int) -> float:
    return of.replicate / replicates + of.grading / (replicates * passes)
