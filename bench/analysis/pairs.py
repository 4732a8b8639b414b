"""Two arms side by side: on each fixture, over the atoms that both have a verdict on, their difference and their runs.

The difference of a fixture is the weighted mean over those atoms of the difference of their credits, each the mean over
passes and replicates. Where no verdict is missing that is the difference of the mean recalls of the runs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bench.analysis.over_runs import Pair, Runs
from bench.analysis.recall import credit
from bench.analysis.units import NO_MODEL

if TYPE_CHECKING:
    import numpy as np
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
class Pairs:
    """Two arms on their common fixtures, recalls and differences 0..1, and how many atoms went in and stayed out."""

    fixtures: tuple[Pair, ...]
    common_atoms: int
    atoms_left_out: int
    credits: tuple[tuple[Floats, Floats] | None, ...] = ()
    """Of each fixture, credits (runs, atoms) of base and other, each times its weight over the mean weight, of the
    atoms that every run has a verdict on; None where a side has no two runs."""


def pairs(base: pd.DataFrame, other: pd.DataFrame) -> Pairs:
    """Both are grades of one series each, by one way of grading."""
    graded = [t.assign(credit=credit(t)).dropna(subset=["credit"]) for t in (base, other)]
    atoms = [_atoms(t) for t in graded]
    both = atoms[0].merge(atoms[1]["credit"], left_index=True, right_index=True, suffixes=("", "_other"))
    gain = both.assign(gain=both["weight"] * (both["credit_other"] - both["credit"]))
    sums = gain.groupby("fixture", observed=True)[["gain", "weight"]].sum()
    sums = sums[sums["weight"] > 0]
    sides = [runs_of(t[t.set_index(["fixture", "atom"]).index.isin(both.index)]) for t in graded]
    found = tuple(
        Pair(str(fixture), float(line["gain"] / line["weight"]), sides[0][str(fixture)], sides[1][str(fixture)])
        for fixture, line in sums.iterrows()
    )
    left_out = sum(map(len, atoms)) - 2 * len(both)
    return Pairs(found, len(both), left_out, tuple(_credits(graded, p.fixture) for p in found))


def _credits(graded: list[pd.DataFrame], fixture: str) -> tuple[Floats, Floats] | None:
    sides = []
    for table in graded:
        one = table[table["fixture"] == fixture]
        if bool((one["model"] == NO_MODEL).all()):
            return None
        sides.append(one.pivot_table(index="replicate", columns="atom", values="credit", aggfunc="mean").dropna(axis=1))
    atoms = sides[0].columns.intersection(sides[1].columns)
    weights = graded[0][graded[0]["fixture"] == fixture].groupby("atom", observed=True)["weight"].first()[atoms]
    total = float(weights.sum())
    if min(map(len, sides)) < 2 or len(atoms) < 2 or not total:
        return None
    scale = (weights * len(atoms) / total).to_numpy(dtype="float64")
    base, other = (side[atoms].to_numpy(dtype="float64") * scale for side in sides)
    return base, other


def _atoms(grades: pd.DataFrame) -> pd.DataFrame:
    """credit and weight by fixture and atom: the mean over passes of each run, then over runs."""
    runs = grades.groupby(["fixture", "atom", "replicate"], observed=True).agg(
        credit=("credit", "mean"), weight=("weight", "first")
    )
    return runs.groupby(["fixture", "atom"], observed=True).agg(credit=("credit", "mean"), weight=("weight", "first"))


def runs_of(grades: pd.DataFrame) -> dict[str, Runs]:
    """fixture -> the recalls that would be drawn again, from the grades of one series with their `credit`."""
    found = {}
    for fixture, one in grades.groupby("fixture", observed=True):
        same_text = bool((one["model"] == NO_MODEL).all())
        unit = ONE_GRADING if same_text else ONE_DRAW
        atoms = one.groupby([*unit, "atom"], observed=True).agg(credit=("credit", "mean"), weight=("weight", "first"))
        sums = atoms.assign(carried=atoms["credit"] * atoms["weight"]).groupby(unit, observed=True).sum()
        sums = sums[sums["weight"] > 0]
        sure = same_text and bool(one["grader"].isin(SURE_GRADERS).all())
        found[str(fixture)] = Runs(tuple((sums["carried"] / sums["weight"]).astype(float)), sure, same_text)
    return found
