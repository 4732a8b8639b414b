"""One arm's credits on one fixture as matrices, worked out once and shared by all that pairs it with another arm.

The credit of an atom in a run is its mean over the passes that graded it; what is not graded is NaN, never 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from bench.analysis.groups import groups_of
from bench.analysis.recall import credit
from bench.analysis.statistics.over_runs import Runs
from bench.analysis.units import NO_MODEL

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

SURE_GRADERS = ("lexical",)
"""Graders that say the same of the same text each time."""


@dataclass(frozen=True)
class Credited:
    """The atoms that have a verdict, sorted, with their weights; credits 0..1 of each run (runs, atoms) and of each
    draw (draws, atoms), NaN where not graded. A draw is what would be drawn again: a run, however it is graded; of an
    arm that asks no model, and is the same each time, a grading of its text."""

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


Series = tuple[object, ...]


def credited(grades: pd.DataFrame) -> dict[str, Credited]:
    """fixture -> the credits of the arm, from the grades of one series by one way of grading."""
    return credited_by(grades, []).get((), {})


def credited_by(grades: pd.DataFrame, by: list[str]) -> dict[Series, dict[str, Credited]]:
    """The values of the columns `by`, which tell series and ways of grading apart -> fixture -> credits."""
    import pandas as pd

    known = grades.assign(credit=credit(grades))[list(dict.fromkeys([*by, *_COLUMNS]))].dropna(subset=["credit"])
    if known.empty:
        return {}
    atoms, names = pd.factorize(known["atom"], sort=True)
    table = _Graded(
        atoms, np.asarray(names, dtype=str), known["weight"].to_numpy(dtype="float64"),
        known["credit"].to_numpy(dtype="float64"), known["replicate"].to_numpy(dtype="int64"),
        known["grading_pass"].to_numpy(dtype="int64"), (known["model"] == NO_MODEL).to_numpy(dtype=bool),
        known["grader"].isin(SURE_GRADERS).to_numpy(dtype=bool),
    )  # fmt: skip
    groups = groups_of(known, [*by, "fixture"])
    found: dict[Series, dict[str, Credited]] = {}
    keys = known.iloc[groups.first][[*by, "fixture"]].itertuples(index=False, name=None)
    for (*series, fixture), lines in zip(keys, groups.lines(), strict=True):
        found.setdefault(tuple(series), {})[str(fixture)] = _credited(table, lines)
    return found


_COLUMNS = ["fixture", "atom", "weight", "credit", "replicate", "grading_pass", "model", "grader"]


@dataclass(frozen=True)
class _Graded:
    """The columns of graded verdicts, a line each, that credits are made of; `atom` is a place in `atoms`, sorted."""

    atom: NDArray[np.intp]
    atoms: NDArray[np.str_]
    weight: Floats
    credit: Floats
    replicate: NDArray[np.int64]
    grading_pass: NDArray[np.int64]
    no_model: NDArray[np.bool_]
    sure: NDArray[np.bool_]


def _credited(table: _Graded, lines: NDArray[np.intp]) -> Credited:
    """Those of one series on one fixture, which these lines are."""
    same_text = bool(table.no_model[lines].all())
    atoms, first, codes = np.unique(table.atom[lines], return_index=True, return_inverse=True)
    values, replicate = table.credit[lines], table.replicate[lines]
    runs = _means(np.unique(replicate, return_inverse=True)[1], codes, len(atoms), values)
    draws = runs
    if same_text:
        gradings = np.stack([replicate, table.grading_pass[lines]])
        draws = _means(np.unique(gradings, axis=1, return_inverse=True)[1], codes, len(atoms), values)
    sure = same_text and bool(table.sure[lines].all())
    return Credited(table.atoms[atoms], table.weight[lines][first], runs, draws, same_text, sure)


def _means(rows: NDArray[np.intp], columns: NDArray[np.intp], width: int, values: Floats) -> Floats:
    """The mean of the values at each row and column, NaN where there is none."""
    places, size = rows * width + columns, (int(rows.max()) + 1) * width
    counts = np.bincount(places, minlength=size)
    sums = np.bincount(places, values, minlength=size)
    means: Floats = np.divide(sums, counts, out=np.full(size, np.nan), where=counts > 0)
    return means.reshape(-1, width)
