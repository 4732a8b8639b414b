"""Arms against the first of them, paired: same fixtures, same atoms. No interval yet, and it says so.

The difference of a fixture is the weighted mean, over atoms that both arms have a verdict on, of the difference of
their credits (each the mean over passes and replicates); the difference of the arms is the mean over common fixtures.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bench.analysis.recall import arm_recall, atom_credit, run_recall
from bench.analysis.spread import POINTS, arm_spread
from bench.analysis.units import GRADING, NO_MODEL, SERIES
from bench.errors import BenchError

if TYPE_CHECKING:
    import pandas as pd

NO_INTERVAL = "no interval yet"


def compare(grades: pd.DataFrame, first: tuple[object, ...]) -> pd.DataFrame:
    """One line a series, the first one on top: recall (0..1), n, fixtures, spread, difference (points), and what of
    both went into it: common_fixtures, common_atoms, atoms_left_out.

    `grades` holds one way of grading, ranked outputs only; `first` is a series (arm, model, chain_step, stale_by).
    Raises BenchError where the first has no grades.
    """
    atoms = _arm_atoms(grades)
    base = atoms[_is(atoms, first)]
    if base.empty:
        raise BenchError(f"arm '{first[0]}' has no graded handoff in this run")
    runs = run_recall(grades)
    table = arm_recall(runs).merge(arm_spread(runs), on=[*GRADING, *SERIES], how="left")
    lines = [difference(base, atoms[_is(atoms, tuple(series))]) for series in table[SERIES].itertuples(index=False)]
    import pandas as pd

    paired = pd.DataFrame(lines, columns=["difference", "common_fixtures", "common_atoms", "atoms_left_out"])
    table = pd.concat([table, paired.astype({"difference": "Float64"})], axis=1)
    table.loc[_is(table, first), "difference"] = pd.NA
    order = _is(table, first).map({True: 0, False: 1}).astype(int)
    return (
        table.assign(order=order)
        .sort_values(["order", "recall"], ascending=[True, False], na_position="last", ignore_index=True, kind="stable")
        .drop(columns="order")
    )


def difference(base: pd.DataFrame, other: pd.DataFrame) -> tuple[float | None, int, int, int]:
    """Points by which `other` carries more than `base`, common fixtures, common atoms, atoms only one of them has.

    Both have the columns fixture, atom, weight, credit, one line an atom.
    """
    have = [t.dropna(subset=["credit"]) for t in (base, other)]
    both = have[0].merge(have[1][["fixture", "atom", "credit"]], on=["fixture", "atom"], suffixes=("", "_other"))
    left_out = len(have[0]) + len(have[1]) - 2 * len(both)
    gain = both.assign(gain=both["weight"] * (both["credit_other"] - both["credit"]))
    sums = gain.groupby("fixture", observed=True)[["gain", "weight"]].sum()
    sums = sums[sums["weight"] > 0]
    if sums.empty:
        return None, 0, len(both), left_out
    return POINTS * float((sums["gain"] / sums["weight"]).mean()), len(sums), len(both), left_out


def cannot_be_said(table: pd.DataFrame) -> list[str]:
    """What this design cannot tell, in sentences; `table` is from `compare`. Empty where nothing is missing."""
    told = []
    if (table["fixtures"] < 2).all():
        told.append("One fixture: this speaks of its atoms only; nothing can be said about other transcripts.")
    single = (table["n"] <= table["fixtures"]) & (
        table["model"] != NO_MODEL
    )  # what asks no model is the same each time
    alone = table.loc[single, "arm"].drop_duplicates().tolist()
    if alone:
        told.append(
            f"One run a fixture ({', '.join(alone)}): two outputs differ on some atoms; how much of a difference is"
            " chance from run to run cannot be said."
        )
    if (table["atoms_left_out"] > 0).any():
        told.append("Atoms that only one of two arms has a verdict on are left out of their difference.")
    return told


def _arm_atoms(grades: pd.DataFrame) -> pd.DataFrame:
    by = [*GRADING, *SERIES, "fixture", "atom"]
    atoms = atom_credit(grades).groupby(by, observed=True, sort=False)
    return atoms.agg(credit=("credit", "mean"), weight=("weight", "first")).reset_index()


def _is(table: pd.DataFrame, series: tuple[object, ...]) -> pd.Series:
    import pandas as pd

    match = pd.Series(True, index=table.index)
    for column, value in zip(SERIES, series, strict=True):
        match &= table[column] == value
    return match
