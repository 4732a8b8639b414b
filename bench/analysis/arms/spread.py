"""Spread: how far the replicates of one arm lie apart, in points of recall (100 x recall).

A range grows with the number of runs, so ranges of different n are never put side by side raw: arms are compared by
`range_at` m, the mean range over all subsets of m of the n runs, m being the smallest number of replicates (of 2 or
more) among what is compared. With m = n that is max - min. One run has no range and no SD: they are NA, not 0.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from math import comb, fsum, sqrt
from typing import TYPE_CHECKING

from bench.analysis.units import GRADING, SERIES

if TYPE_CHECKING:
    import pandas as pd

POINTS = 100
"""Points of recall in a recall of 1."""


def range_at(values: Sequence[float], m: int) -> float | None:
    """Mean of max - min over all subsets of `m` of the values; None where there are fewer than m, or m < 2.

    With order statistics x(1) <= ... <= x(n): sum of x(i) * [C(i-1, m-1) - C(n-i, m-1)] / C(n, m).
    """
    n = len(values)
    if m < 2 or n < m:
        return None
    if values[0] == min(values) == max(values):
        return 0.0
    ordered = sorted(values)
    return sum(x * (comb(i, m - 1) - comb(n - 1 - i, m - 1)) for i, x in enumerate(ordered)) / comb(n, m)


def worst_at(values: Sequence[float], m: int) -> float | None:
    """Mean of the least over all subsets of `m` of the values; None where there are fewer than m, or m < 1.

    Worst runs of arms with more and with fewer runs compare at an equal m: sum of x(i) * C(n-i, m-1) / C(n, m).
    """
    n = len(values)
    if m < 1 or n < m:
        return None
    return sum(x * comb(n - 1 - i, m - 1) for i, x in enumerate(sorted(values))) / comb(n, m)


def best_at(values: Sequence[float], m: int) -> float | None:
    """Mean of the greatest over all subsets of `m` of the values."""
    found = worst_at([-v for v in values], m)
    return None if found is None else -found


def pooled_sd(groups: Sequence[Sequence[float]]) -> tuple[float, int] | None:
    """SD inside groups (runs of an arm on a fixture), pooled over them, and its degrees of freedom.

    s^2 = sum of squares inside / sum of (n - 1). A group of one adds nothing; None where no group has two.
    """
    df = sum(len(g) - 1 for g in groups if len(g) > 1)
    if not df:
        return None
    squares = fsum((len(g) - 1) * statistics.variance(g) for g in groups if len(g) > 1)
    return sqrt(squares / df), df


def fixture_spread(runs: pd.DataFrame) -> pd.DataFrame:
    """One line a series and fixture, from `run_recall`: n, mean, worst, best (0..1), range and sd (points)."""
    grouped = runs.dropna(subset=["recall"]).groupby([*GRADING, *SERIES, "fixture"], observed=True, sort=False)
    table = grouped["recall"].agg(n="count", mean="mean", worst="min", best="max", sd="std").reset_index()
    span = (table["best"] - table["worst"]).where(table["n"] > 1)
    return table.assign(range=POINTS * span, sd=POINTS * table["sd"])


def arm_spread(runs: pd.DataFrame, by: Sequence[str] = (*GRADING, *SERIES)) -> pd.DataFrame:
    """One line a group of `by` (a series), from `run_recall`: spread (points), worst_at (0..1), spread_of.

    `spread` is the mean over fixtures of the range of `spread_of` runs, the same number in every line, and `worst_at`
    of the worst of so many; fixtures with fewer replicates are left out, and a series without any other has NA.
    """
    import pandas as pd

    known = runs.dropna(subset=["recall"])
    counts = known.groupby([*by, "fixture"], observed=True, sort=False)["recall"].count()
    repeated = counts[counts > 1]
    m = int(repeated.min()) if len(repeated) else 0
    lines = []
    for series, one in known.groupby([*by], observed=True, sort=False):
        fixtures = [[float(r) for r in f["recall"]] for _, f in one.groupby("fixture", observed=True)]
        lines.append((*series, _mean([_range(f, m) for f in fixtures]), _mean([worst_at(f, m) for f in fixtures])))
    table = pd.DataFrame(lines, columns=[*by, "spread", "worst_at"]).astype(
        {"spread": "Float64", "worst_at": "Float64"}
    )
    return table.assign(spread_of=pd.Series([m] * len(table), dtype="Int64").where(table["spread"].notna()))


def _range(recalls: Sequence[float], m: int) -> float | None:
    found = range_at(recalls, m)
    return None if found is None else POINTS * found


def _mean(values: list[float | None]) -> float | None:
    known = [v for v in values if v is not None]
    return sum(known) / len(known) if known else None
