"""The mean of an arm: replicates are averaged inside a fixture before fixtures are averaged."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd


def fixture_mean(table: pd.DataFrame, by: list[str], column: str, *, whole: bool = False) -> pd.Series:
    """Mean of `column` per group of `by`, replicates inside fixtures first; NA values are left out.

    With `whole` nothing is left out: a group with one NA has no mean, since the mean of the rest would pass for it.
    """
    replicates = table.groupby([*by, "fixture"], observed=True, sort=False)[column]
    fixtures = _mean(replicates, whole).groupby(by, observed=True, sort=False)
    return _mean(fixtures, whole).rename(column)


def _mean(groups: pd.api.typing.SeriesGroupBy[Any, Any], whole: bool) -> pd.Series:
    mean = groups.mean().astype("Float64")
    return mean.where(groups.count() == groups.size()) if whole else mean
