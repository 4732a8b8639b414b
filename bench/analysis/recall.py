"""Recall: which share of a key's weight the handoffs carry.

Per pass R = sum(w * y) / sum(w) over graded atoms; y is 1 carried, `partial` partial, 0 absent, stale or wrong. A run's
recall is atom-first: y of an atom is its mean over the passes that graded it, so that a missing verdict in one pass
does not move the others. Replicates are averaged inside a fixture before fixtures are averaged, so that a fixture with
more replicates weighs no more. Where nothing is graded or the weights sum to 0, recall is NA, never 0.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bench.analysis.units import GRADING, OUTPUT, SERIES
from bench.errors import BenchError
from bench.rows import SCORES

if TYPE_CHECKING:
    import pandas as pd

PARTIAL = SCORES["partial"]
"""Credit of a partial verdict unless a caller says otherwise."""

CARRIED = 0.5
"""Where an atom is carried or not: a credit above it is, by more than half of the passes; partial alone is not."""

_ATOM = ["tag", "by", "importance", "weight"]


def pass_recall(grades: pd.DataFrame, *, partial: float = PARTIAL) -> pd.DataFrame:
    """One line a grading pass over an output: recall (0..1), atoms, missing, coverage (graded share of the weight)."""
    credited = grades.assign(credit=credit(grades, partial))
    return _weighted(credited, [*GRADING, *OUTPUT, "grading_pass"])


def atom_credit(grades: pd.DataFrame, *, partial: float = PARTIAL, keep: tuple[str, ...] = ()) -> pd.DataFrame:
    """One line an output and atom: credit (mean over the passes that graded it, else NA), passes, passes_missing.

    `keep` names further columns of the atoms that `grades` has and the result shall have too.
    """
    credited = grades.assign(credit=credit(grades, partial))
    atoms = (
        credited.groupby([*GRADING, *OUTPUT, "atom"], observed=True, sort=False)
        .agg(
            credit=("credit", "mean"),
            graded=("credit", "count"),
            passes=("credit", "size"),
            **{c: (c, "first") for c in dict.fromkeys((*_ATOM, *keep))},
        )
        .reset_index()
    )
    return atoms.assign(passes_missing=atoms["passes"] - atoms["graded"]).drop(columns="graded")


def run_recall(grades: pd.DataFrame, *, partial: float = PARTIAL, within: tuple[str, ...] = ()) -> pd.DataFrame:
    """One line an output: recall (0..1), atoms, missing, weight, carried (weight times credit), coverage,
    effective_atoms (atoms of one weight that tell as much as the graded ones; Kish 1965).

    `within` splits each output further by columns of the atoms, such as `("tag",)`.
    """
    atoms = atom_credit(grades, partial=partial, keep=within)
    return _weighted(atoms, [*GRADING, *OUTPUT, *within])


def fixture_recall(runs: pd.DataFrame, *, within: tuple[str, ...] = ()) -> pd.DataFrame:
    """One line a series and fixture, from `run_recall`: recall (mean over replicates with one) and n, their number."""
    by = [*GRADING, *SERIES, *within, "fixture"]
    means = runs.groupby(by, observed=True, sort=False).agg(
        recall=("recall", "mean"), n=("recall", "count"), atoms=("atoms", "max"), missing=("missing", "sum")
    )
    return means.reset_index()


def arm_recall(runs: pd.DataFrame, *, within: tuple[str, ...] = ()) -> pd.DataFrame:
    """One line a series, from `run_recall`: recall (mean of the fixtures' means), n outputs, fixtures, atoms, missing.

    `n` and `fixtures` count what has a recall and went into the mean; `atoms` sums the fixtures' atoms; `missing`
    counts atoms without any verdict over all outputs.
    """
    fixtures = fixture_recall(runs, within=within)
    means = fixtures.groupby([*GRADING, *SERIES, *within], observed=True, sort=False).agg(
        recall=("recall", "mean"),
        n=("n", "sum"),
        fixtures=("recall", "count"),
        atoms=("atoms", "sum"),
        missing=("missing", "sum"),
    )
    return means.reset_index()


def atom_mean(runs: pd.DataFrame) -> pd.DataFrame:
    """One line a series, from `run_recall`: recall (0..1) with each fixture counting by the weight of its atoms.

    `arm_recall` answers for a typical transcript, this for a typical atom; replicates are averaged first in both.
    """
    by = [*GRADING, *SERIES]
    known = runs.dropna(subset=["recall"]).groupby([*by, "fixture"], observed=True, sort=False)
    means = known.agg(recall=("recall", "mean"), weight=("weight", "first")).reset_index()
    means = means.assign(carried=means["recall"] * means["weight"])
    sums = means.groupby(by, observed=True, sort=False)[["carried", "weight"]].sum().reset_index()
    return sums[by].assign(recall=sums["carried"] / sums["weight"].where(sums["weight"] > 0))


def credit(grades: pd.DataFrame, partial: float = PARTIAL) -> pd.Series:
    """Credit of each verdict: 1, `partial`, 0, or NA where the verdict is missing."""
    return grades["verdict"].map(SCORES | {"partial": partial}).astype("Float64")


def _weighted(atoms: pd.DataFrame, by: list[str]) -> pd.DataFrame:
    """Per group of `by`: the weighted mean of `credit`, and what was left out. Raises BenchError on a bad weight."""
    _check_weights(atoms)
    graded = atoms["credit"].notna()
    parts = atoms.assign(
        missing=(~graded).astype("Int64"),
        carried=(atoms["credit"] * atoms["weight"]).fillna(0.0),
        graded_weight=atoms["weight"].where(graded, 0.0),
        squares=atoms["weight"].where(graded, 0.0) ** 2,
    )
    sums = (
        parts.groupby(by, observed=True, sort=False)
        .agg(
            atoms=("missing", "size"),
            missing=("missing", "sum"),
            weight=("weight", "sum"),
            carried=("carried", "sum"),
            graded_weight=("graded_weight", "sum"),
            squares=("squares", "sum"),
        )
        .reset_index()
    )
    recall = sums["carried"] / sums["graded_weight"].where(sums["graded_weight"] > 0)
    coverage = sums["graded_weight"] / sums["weight"].where(sums["weight"] > 0)
    effective = sums["graded_weight"] ** 2 / sums["squares"].where(sums["squares"] > 0)
    told = sums.assign(recall=recall, coverage=coverage, effective_atoms=effective)
    return told.drop(columns=["graded_weight", "squares"])


def _check_weights(atoms: pd.DataFrame) -> None:
    import numpy as np

    weights = atoms["weight"].to_numpy(dtype="float64", na_value=np.nan)
    bad = ~np.isfinite(weights) | (weights < 0)
    if bad.any():
        atom = atoms.iloc[int(bad.argmax())]
        raise BenchError(
            f"fixture '{atom['fixture']}': atom {atom['atom']} has weight {atom['weight']}; a weight is 0 or more"
        )
