"""Whether an arm varies from run to run as the first does: the ratio of their SDs, its interval, and Levene's p."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bench.analysis.arms.spread import POINTS, pooled_sd
from bench.analysis.statistics.equal_spread import equal_spread_within
from bench.analysis.statistics.holm import holm
from bench.analysis.units import SERIES

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = ["sd", "df", "ratio", "ratio_low", "ratio_high", "p", "p_holm"]
ENOUGH = 10
"""Runs an arm, below which the test hardly ever finds anything."""


def alike_spread(runs: pd.DataFrame, first: tuple[object, ...]) -> pd.DataFrame:
    """One line a series with two runs or more on a fixture, the first on top: sd (points, inside fixtures) with its df,
    ratio of the SD to the first's with its 95 % interval (runs taken as normal), Levene's p and Holm's over all.

    `runs` is from `run_recall`, of one way of grading. NA where all runs of an arm are alike, or it has one.
    """
    import pandas as pd

    known = runs.dropna(subset=["recall"])
    groups = {tuple(s): _fixtures(one) for s, one in known.groupby(SERIES, observed=True, sort=False)}
    order = sorted(groups, key=lambda s: s != first)
    lines = []
    for series in order:
        pooled = pooled_sd(groups[series])
        if pooled is None:
            continue
        found = equal_spread_within(groups[first], groups[series]) if series != first and first in groups else None
        told = (None,) * 4 if found is None else (found.ratio, found.low, found.high, found.p)
        lines.append([*series, pooled[0], pooled[1], *told])
    adjusted = holm([line[-1] for line in lines])
    table = pd.DataFrame([[*line, p] for line, p in zip(lines, adjusted, strict=True)], columns=[*SERIES, *COLUMNS])
    return table.astype({c: "Int64" if c == "df" else "Float64" for c in COLUMNS} | {c: runs[c].dtype for c in SERIES})


def _fixtures(one: pd.DataFrame) -> list[list[float]]:
    return [[POINTS * float(r) for r in part] for _, part in one.groupby("fixture", observed=True)["recall"]]
