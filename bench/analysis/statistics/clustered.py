"""Transcripts like these, a typical atom: the weighted mean difference over all atoms, fixtures being the clusters.

SE^2 = sum over fixtures of (sum of w (d - mean))^2 / (sum w)^2 (CR0); CR1 multiplies by G / (G - 1), and t with G - 1
degrees of freedom. Below some twenty fixtures CR0 with a normal quantile finds too much: the t over fixture means
decides (`over_fixtures.py`). Source: Liang & Zeger 1986; on evaluations Miller 2024, arXiv 2411.00640.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

Atom = tuple[float, float]
"""(difference of credits, weight)."""


@dataclass(frozen=True)
class Clustered:
    """The difference over all atoms with its clustered standard errors, None with one fixture."""

    difference: float
    cr0: float | None
    cr1: float | None
    clusters: int


def clustered(fixtures: Mapping[str, Sequence[Atom]]) -> Clustered | None:
    """From the atoms of each fixture; None where nothing weighs."""
    total = math.fsum(w for atoms in fixtures.values() for _, w in atoms)
    if total <= 0:
        return None
    mean = math.fsum(w * d for atoms in fixtures.values() for d, w in atoms) / total
    n = len(fixtures)
    if n < 2:
        return Clustered(mean, None, None, n)
    cr0 = math.sqrt(math.fsum(math.fsum(w * (d - mean) for d, w in a) ** 2 for a in fixtures.values())) / total
    return Clustered(mean, cr0, cr0 * math.sqrt(n / (n - 1)), n)
