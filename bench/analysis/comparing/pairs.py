"""Two arms side by side: on each fixture, over the atoms that both have a verdict on, their difference and their runs.

The difference of a fixture is the weighted mean over those atoms of the difference of their credits, each the mean over
passes and replicates. Where no verdict is missing that is the difference of the mean recalls of the runs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bench.analysis.credited import Credited
from bench.analysis.statistics.over_runs import Pair

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Places = NDArray[np.intp]


@dataclass(frozen=True)
class Pairs:
    """Two arms on their common fixtures, recalls and differences 0..1, and how many atoms went in and stayed out."""

    fixtures: tuple[Pair, ...]
    common_atoms: int
    atoms_left_out: int
    credits: tuple[tuple[Floats, Floats] | None, ...] = ()
    """Of each fixture, credits (runs, atoms) of base and other, each times its weight over the mean weight, of the
    atoms that every run has a verdict on; None where a side has no two runs."""


def pairs(base: Mapping[str, Credited], other: Mapping[str, Credited]) -> Pairs:
    """Both are of one series each (from `credited`), by one way of grading."""
    found, credits_, common = [], [], 0
    for fixture in sorted(base.keys() & other.keys()):
        one, two = base[fixture], other[fixture]
        _, here, there = np.intersect1d(one.atoms, two.atoms, assume_unique=True, return_indices=True)
        common += len(here)
        weights = one.weights[here]
        if not weights.sum() > 0:
            continue
        gain = float((weights * (two.means[there] - one.means[here])).sum() / weights.sum())
        found.append(Pair(fixture, gain, one.recalls(here), two.recalls(there)))
        credits_.append(_credits(one, two, here, there))
    atoms = sum(len(c.atoms) for side in (base, other) for c in side.values())
    return Pairs(tuple(found), common, atoms - 2 * common, tuple(credits_))


def _credits(one: Credited, two: Credited, here: Places, there: Places) -> tuple[Floats, Floats] | None:
    if one.same_text or two.same_text or min(len(one.runs), len(two.runs)) < 2:
        return None
    sides = one.runs[:, here], two.runs[:, there]
    whole = ~(np.isnan(sides[0]).any(axis=0) | np.isnan(sides[1]).any(axis=0))
    weights = one.weights[here][whole]
    if len(weights) < 2 or not weights.sum():
        return None
    scale = weights * len(weights) / weights.sum()
    return sides[0][:, whole] * scale, sides[1][:, whole] * scale
