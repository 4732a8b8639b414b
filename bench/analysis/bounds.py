"""Best and worst case of an incomplete grid: the recall of an arm, had all that is missing carried all, or nothing.

A planned cell without a ranked handoff (refused, failed, cut off, not run) counts as 0 and as 1, an atom without a
verdict likewise. Whatever holds between the two holds however the gaps came about. Source: Manski 1989.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from bench.analysis.means import fixture_mean
from bench.analysis.units import GRADING, OUTPUT, SERIES

if TYPE_CHECKING:
    import pandas as pd

ENDS = ["recall_least", "recall_most"]


def cell_bounds(runs: pd.DataFrame, cells: pd.DataFrame) -> pd.DataFrame:
    """One line a way of grading and cell: recall_least and recall_most (0..1), and gap, whether anything is missing.

    `runs` is from `run_recall` of ranked outputs, `cells` from `cell_states`.
    """
    ways = runs[GRADING].drop_duplicates()
    known = runs[[*GRADING, *OUTPUT, "carried", "weight", "coverage"]]
    table = cells[OUTPUT].merge(ways, how="cross").merge(known, on=[*GRADING, *OUTPUT], how="left")
    weight = table["weight"].where(table["weight"] > 0)
    least = (table["carried"] / weight).astype("Float64").fillna(0.0)
    open_ = (1 - table["coverage"]).astype("Float64").fillna(1.0)
    return table[[*GRADING, *OUTPUT]].assign(recall_least=least, recall_most=least + open_, gap=open_ > 0)


def arm_bounds(bounds: pd.DataFrame) -> pd.DataFrame:
    """One line a way of grading and series, from `cell_bounds`: recall_least, recall_most (0..1; replicates inside
    fixtures first), gaps (cells in which something is missing) and planned (cells)."""
    by = [*GRADING, *SERIES]
    means = [fixture_mean(bounds, by, end) for end in ENDS]
    counts = bounds.groupby(by, observed=True, sort=False)["gap"].agg(gaps="sum", planned="size")
    table = means[0].to_frame().join(means[1]).join(counts).reset_index()
    return table.astype({"gaps": "Int64", "planned": "Int64"})


class Gap(NamedTuple):
    """Least and most that a difference of two arms could be (0..1), and cells with something missing, of all."""

    least: float
    most: float
    gaps: int
    cells: int


def difference_bounds(base: pd.DataFrame, other: pd.DataFrame) -> Gap | None:
    """Of two series (other - base) over the fixtures that both have cells on, from their `cell_bounds`.

    None where nothing is missing there, or no fixture is shared.
    """
    shared = set(base["fixture"]) & set(other["fixture"])
    sides = [t[t["fixture"].isin(shared)] for t in (base, other)]
    gaps = sum(int(t["gap"].sum()) for t in sides)
    if not gaps:
        return None
    ends = [{end: float(t.groupby("fixture", observed=True)[end].mean().mean()) for end in ENDS} for t in sides]
    least, most = ends[1]["recall_least"] - ends[0]["recall_most"], ends[1]["recall_most"] - ends[0]["recall_least"]
    return Gap(least, most, gaps, sum(map(len, sides)))
