"""Survival over a chain of compactions: what is left, at each step, of the facts of each earlier stretch.

A chain cuts a fixture into stretches; the handoff of step t stands for stretches 1 to t, so atoms of all of them are
graded there. The stretch of an atom comes from the chain's cuts; where these are not known, it is the first step at
which the atom is graded. Recall at a fixed step needs no
assumption about atoms that come back, so it is the primary curve; first losses are in `kaplan_meier.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bench.analysis.recall import arm_recall, run_recall

if TYPE_CHECKING:
    import pandas as pd

_ATOM = ["fixture", "atom"]


def stretches(grades: pd.DataFrame) -> pd.DataFrame:
    """One line an atom: fixture, atom, and stretch, the first chain_step at which any output was graded on it."""
    first = grades.groupby(_ATOM, observed=True, sort=False)["chain_step"].min()
    return first.rename("stretch").reset_index()


def survival(grades: pd.DataFrame, established: pd.DataFrame | None = None) -> pd.DataFrame:
    """One line a series (its chain_step included) and stretch: compactions (how many the atoms have been through, 1
    at their own step), recall (0..1), n, fixtures, atoms, missing.

    `established` has fixture, atom, stretch; without it, `stretches`. Empty where no chain ran, which is where
    chain_step is 1 everywhere: a single step shows no survival.
    """
    placed = grades.merge(stretches(grades) if established is None else established, on=_ATOM, how="inner")
    table = arm_recall(run_recall(placed, within=("stretch",)), within=("stretch",))
    table = table.assign(compactions=(table["chain_step"] - table["stretch"] + 1).astype("Int64"))
    if table["chain_step"].nunique() < 2:
        table = table.iloc[:0]
    return table.sort_values(["stretch", "chain_step"], kind="stable", ignore_index=True)


def by_compactions(grades: pd.DataFrame, established: pd.DataFrame | None = None) -> pd.DataFrame:
    """One line a series without its step, and number of compactions that its atoms have been through: recall (the mean
    over stretches, whose atoms have been through that many), stretches. From `survival`."""
    table = survival(grades, established)
    by = [c for c in table.columns if c in ("grader", "scope", "arm", "model", "stale_by")]
    means = table.groupby([*by, "compactions"], observed=True, sort=False)
    return means.agg(recall=("recall", "mean"), stretches=("recall", "count")).reset_index()
