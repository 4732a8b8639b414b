"""Atoms like these: the interval of a difference on one fixture, atoms and runs both being drawn again.

V = V_atoms + V_runs - V_residual: V_atoms = s_d^2 / I; V_runs = sum over arms of s^2(run recalls) / R; V_residual = sum
over arms of MSE / (I R), MSE the atom x run residual mean square; the largest of V, V_atoms and V_runs counts, with
Satterthwaite's degrees of freedom over the five mean squares. Over F fixtures V = sum V_f / F^2. Atoms alone would find
a difference between equal arms up to 17 times in a hundred. Source: Brennan 2001; Satterthwaite 1946.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bench.analysis.statistics.estimate import LEVEL, Estimate, t_estimate

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

ALIKE = "the two arms differ by the same on every atom"
FEW = "it takes two runs an arm and two atoms to tell how atoms vary"


@dataclass(frozen=True)
class Crossed:
    """The terms of one fixture: variance of the difference, and (term^2 / df) of each mean square in it."""

    difference: float
    runs: float
    atoms: float
    residual: float
    spread: float

    @property
    def variance(self) -> float:
        return max(self.runs + self.atoms - self.residual, self.runs, self.atoms)


def crossed_atoms(base: Floats, other: Floats) -> Crossed | None:
    """Terms from credits (runs, atoms) of two arms over the same atoms; None for fewer than two of any."""
    import numpy as np

    if min(*base.shape, *other.shape) < 2:
        return None
    atoms = base.shape[1]
    d = other.mean(axis=0) - base.mean(axis=0)
    over_atoms = float(d.var(ddof=1)) / atoms
    terms = [(over_atoms, atoms - 1)]
    runs = residual = 0.0
    for y in (base, other):
        n = len(y)
        of_runs = float(y.mean(axis=1).var(ddof=1)) / n
        apart = y - y.mean(axis=0) - y.mean(axis=1)[:, None] + y.mean()
        df = (n - 1) * (atoms - 1)
        of_rest = float(np.sum(apart**2)) / df / (atoms * n)
        runs, residual = runs + of_runs, residual + of_rest
        terms += [(of_runs, n - 1), (of_rest, df)]
    return Crossed(float(d.mean()), runs, over_atoms, residual, math.fsum(v**2 / df for v, df in terms))


def over_atoms(fixtures: Sequence[tuple[Floats, Floats]], *, level: float = LEVEL) -> Estimate:
    """The mean difference over the fixtures with its interval, from credits (runs, atoms) of base and other on each."""
    found = [crossed_atoms(base, other) for base, other in fixtures]
    if not found:
        return Estimate(None, why="no fixture that both arms have a verdict on")
    known = [one for one in found if one is not None]
    if len(known) < len(found):
        return Estimate(None, why=FEW)
    n = len(known)
    variance = math.fsum(one.variance for one in known) / n**2
    spread = math.fsum(one.spread for one in known) / n**4
    df = variance**2 / spread if spread else math.inf
    difference = math.fsum(one.difference for one in known) / n
    return t_estimate(difference, math.sqrt(variance), df, alike=ALIKE, level=level)
