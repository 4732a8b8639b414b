"""Atoms that no arm carried, and the matrix of atoms and arms behind them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bench.analysis.groups import groups_of
from bench.analysis.recall import atom_credit
from bench.analysis.units import CEILING, GRADING, OUTPUT, SERIES

if TYPE_CHECKING:
    import pandas as pd

ATOM = [*GRADING, "fixture", "atom", "tag", "importance"]
_ASTRAY = ("stale", "wrong")


def atom_arms(grades: pd.DataFrame) -> pd.DataFrame:
    """One line a series and atom: credit (mean over replicates, NA where never graded), n replicates graded, and the
    number of stale and of wrong verdicts."""
    groups = groups_of(grades, [*GRADING, *OUTPUT, "atom"])  # in the order of the lines of atom_credit
    said = {name: groups.counts(grades["verdict"].eq(name).to_numpy(dtype=bool, na_value=False)) for name in _ASTRAY}
    atoms = atom_credit(grades).assign(**said).astype(dict.fromkeys(_ASTRAY, "Int64"))
    return (
        atoms.groupby([*ATOM, *SERIES], observed=True, sort=False)
        .agg(credit=("credit", "mean"), n=("credit", "count"), stale=("stale", "sum"), wrong=("wrong", "sum"))
        .reset_index()
    )


def lost_atoms(grades: pd.DataFrame, outputs: pd.DataFrame) -> pd.DataFrame:
    """One line an atom that no graded run of any arm carried even in part: arms and runs that had the chance.

    Arms that hold the transcript itself (kind `full`) do not count: they carry everything by construction.
    """
    kinds = outputs[[*OUTPUT, "kind"]].drop_duplicates()
    rivals = grades.merge(kinds[~kinds["kind"].isin(CEILING)][OUTPUT], on=OUTPUT)
    atoms = atom_credit(rivals).dropna(subset=["credit"])
    chances = (
        atoms.groupby(ATOM, observed=True, sort=False)
        .agg(carried=("credit", "max"), runs=("credit", "count"), arms=("arm", "nunique"))
        .reset_index()
    )
    lost = chances[chances["carried"] == 0].drop(columns="carried")
    return lost.sort_values(["importance", "fixture", "atom"], ascending=[False, True, True], ignore_index=True)
