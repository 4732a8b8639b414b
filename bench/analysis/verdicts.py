"""What stands beside recall, never inside it: stale and wrong verdicts, and inventions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bench.analysis.means import fixture_mean
from bench.analysis.units import GRADING, OUTPUT, SERIES

if TYPE_CHECKING:
    import pandas as pd


def run_verdicts(grades: pd.DataFrame, inventions: pd.DataFrame) -> pd.DataFrame:
    """One line an output: stale and wrong (shares of its graded verdicts), invented (mean number a pass)."""
    by = [*GRADING, *OUTPUT]
    flags = grades.assign(
        stale=grades["verdict"].eq("stale").astype("Float64"), wrong=grades["verdict"].eq("wrong").astype("Float64")
    )
    shares = flags.groupby(by, observed=True, sort=False).agg(
        stale=("stale", "mean"), wrong=("wrong", "mean"), passes=("grading_pass", "nunique")
    )
    found = inventions.groupby(by, observed=True, sort=False).size().rename("found").astype("Int64")
    table = shares.join(found).reset_index()
    return table.assign(invented=table["found"].fillna(0) / table["passes"]).drop(columns=["found", "passes"])


def arm_verdicts(grades: pd.DataFrame, inventions: pd.DataFrame) -> pd.DataFrame:
    """One line a series: stale, wrong and invented as in `run_verdicts`, replicates inside fixtures first."""
    import pandas as pd

    runs = run_verdicts(grades, inventions)
    by = [*GRADING, *SERIES]
    means = {column: fixture_mean(runs, by, column) for column in ("stale", "wrong", "invented")}
    return pd.DataFrame(means).rename_axis(by).reset_index()
