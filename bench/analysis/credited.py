"""One arm's credits on one fixture as matrices, worked out once and shared by all that pairs it with another arm.

The credit of an atom in a run is its mean over the passes that graded it; what is not graded is NaN, never 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from bench.analysis.recall import credit
from bench.analysis.statistics.over_runs import Runs
from bench.analysis.units import NO_MODEL

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

SURE_GRADERS = ("lexical",)
"""Graders that say the same of the same text each time."""
ONE_DRAW = ["replicate"]
"""What is drawn again for an arm that asks a model: its runs, however they are graded."""
ONE_GRADING = ["replicate", "grading_pass"]
"""What is drawn again for an arm that is the same each time: only its gradings."""


@dataclass(frozen=True)
class Credited:
    """The atoms that have a verdict, sorted, with their weights; credits 0..1 of each run (runs, atoms) and of each
    draw (draws, atoms), NaN where not graded. A draw is what would be drawn again: a run, or a grading of one text."""

    atoms: NDArray[np.str_]
    weights: Floats
    runs: Floats
    draws: Floats
    same_text: bool
    sure: bool

    @cached_property
    def means(self) -> Floats:
        """Of each atom, the mean credit over the runs that have one."""
        mean: Floats = np.nanmean(self.runs, axis=0)  # every atom has a verdict in some run
        return mean

    def recalls(self, at: NDArray[np.intp] | None = None) -> Runs:
        """The recalls that would be drawn again, over the atoms at these places, or over all."""
        draws = self.draws if at is None else self.draws[:, at]
        weights = self.weights if at is None else self.weights[at]
        total = (~np.isnan(draws) * weights).sum(axis=1)
        carried = np.nansum(draws * weights, axis=1)
        some = total > 0
        return Runs(tuple(map(float, carried[some] / total[some])), self.sure, self.same_text)


def credited(grades: pd.DataFrame) -> dict[str, Credited]:
    """fixture -> the credits of the arm, from the grades of one series by one way of grading."""
    known = grades.assign(credit=credit(grades)).dropna(subset=["credit"])
    return {str(fixture): _credited(one) for fixture, one in known.groupby("fixture", observed=True)}


def _credited(one: pd.DataFrame) -> Credited:
    same_text = bool((one["model"] == NO_MODEL).all())
    atoms, first, codes = np.unique(one["atom"].to_numpy(dtype=str), return_index=True, return_inverse=True)
    values = one["credit"].to_numpy(dtype="float64")
    runs = _means(_numbered(one, ONE_DRAW), codes, len(atoms), values)
    draws = _means(_numbered(one, ONE_GRADING), codes, len(atoms), values) if same_text else runs
    sure = same_text and bool(one["grader"].isin(SURE_GRADERS).all())
    return Credited(atoms, one["weight"].to_numpy(dtype="float64")[first], runs, draws, same_text, sure)


def _numbered(one: pd.DataFrame, unit: list[str]) -> NDArray[np.intp]:
    """Of each line, the place of its unit among the sorted units."""
    numbers: NDArray[np.intp] = np.asarray(one.groupby(unit, observed=True).ngroup(), dtype=np.intp)
    return numbers


def _means(rows: NDArray[np.intp], columns: NDArray[np.intp], width: int, values: Floats) -> Floats:
    """The mean of the values at each row and column, NaN where there is none."""
    places, size = rows * width + columns, (int(rows.max()) + 1) * width
    counts = np.bincount(places, minlength=size)
    sums = np.bincount(places, values, minlength=size)
    means: Floats = np.divide(sums, counts, out=np.full(size, np.nan), where=counts > 0)
    return means.reshape(-1, width)
