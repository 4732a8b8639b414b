"""How many independent atoms or questions a difference takes, and what clustering leaves of a number of them.

n = (z_{a/2} + z_b)^2 (omega^2 + s_A^2 / K_A + s_B^2 / K_B) / delta^2: omega^2 the variance of the true difference of a
question, K samples a question. Atoms of one fixture are not independent: n / (1 + (m - 1) ICC) of them count. For
planning a key's size only; a test has runs or fixtures as its units. Source: Miller 2024, arXiv 2411.00640; Kish 1965.
"""

from __future__ import annotations

import math

from bench.analysis.statistics.power import ALPHA, POWER


def question_variance(omega2: float, base: tuple[float, int], other: tuple[float, int]) -> float:
    """Variance of one question's observed difference; `base` and `other` are (variance of a sample, samples)."""
    return omega2 + base[0] / base[1] + other[0] / other[1]


def questions_needed(variance: float, difference: float) -> float:
    """Questions, not rounded, that see the difference (0..1) four times in five."""
    return _z() ** 2 * variance / difference**2


def questions_see(variance: float, questions: float) -> float:
    """The smallest difference (0..1) that so many questions see."""
    return _z() * math.sqrt(variance / questions)


def design_effect(atoms: int, icc: float) -> float:
    """How many atoms of a fixture with `atoms` and that intraclass correlation tell what one alone would."""
    return 1 + (atoms - 1) * icc


def _z() -> float:
    from scipy.special import ndtri

    return float(ndtri(1 - ALPHA / 2) + ndtri(POWER))
