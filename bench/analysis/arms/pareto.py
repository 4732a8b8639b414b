"""The Pareto frontier: arms that no other arm beats in recall without costing more."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from bench.analysis.means import fixture_mean
from bench.analysis.units import NO_CHOICE
from bench.rows import BEFORE_CALL

if TYPE_CHECKING:
    import pandas as pd

Axis = Literal["carry", "write", "tokens"]
COST_COLUMNS: dict[Axis, str] = {"carry": "carry_usd", "write": "write_usd", "tokens": "handoff_tokens"}
"""What a handoff may be set against -> the column of `output_table` that holds it."""


def dominates(a: tuple[float, float], b: tuple[float, float]) -> bool:
    """Whether (cost, recall) `a` costs no more and recalls no less than `b`, and is strictly better in one."""
    return a[0] <= b[0] and a[1] >= b[1] and a != b


def frontier(points: Sequence[tuple[float, float]]) -> list[bool]:
    """For each (cost, recall): whether no other point dominates it. Equal points all stay."""
    return [not any(dominates(other, point) for other in points) for point in points]


def counted(table: pd.DataFrame, axis: Axis) -> pd.DataFrame:
    """The outputs whose cost counts: for writing every one that was tried, else every handoff."""
    return table[~table["outcome"].isin(BEFORE_CALL)] if axis == "write" else table[table["handoff_tokens"].notna()]


def arm_points(table: pd.DataFrame, axis: Axis) -> pd.DataFrame:
    """One line a series of `output_table`: name, kind, cost, recall, fixtures, of_fixtures, on_frontier.

    Cost and recall are means, replicates inside fixtures first. A cost is NA as soon as one output's is: of every
    output that was tried for the cost to write, of every handoff for its cost to carry and its size. Arms that are no
    choice (the whole transcript, nothing at all), arms without a cost or a recall, and arms that lack a fixture on
    which another has a recall (`fixtures` of `of_fixtures`) are on no frontier: such means do not compare.
    """
    column = COST_COLUMNS[axis]
    kinds = table.groupby("name", observed=True, sort=False)["kind"].first()
    costs = fixture_mean(counted(table, axis), ["name"], column, whole=True).rename("cost")
    recalls = fixture_mean(table.dropna(subset=["recall"]), ["name"], "recall")
    known = table.dropna(subset=["recall"])
    there = known.groupby("name", observed=True, sort=False)["fixture"].nunique().rename("fixtures")
    points = kinds.to_frame().join(costs).join(recalls).join(there).reset_index()
    points = points.assign(
        fixtures=points["fixtures"].fillna(0).astype("Int64"), of_fixtures=known["fixture"].nunique()
    )
    rivals = points["cost"].notna() & (points["fixtures"] == points["of_fixtures"]) & points["recall"].notna()
    rivals &= ~points["kind"].isin(NO_CHOICE)
    known = points[rivals]
    on = frontier(list(zip(known["cost"].tolist(), known["recall"].tolist(), strict=True)))
    return points.assign(on_frontier=rivals & points["name"].isin(known["name"][on]))
