"""What stands beside recall, never inside it: stale and wrong verdicts, and inventions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bench.analysis.means import fixture_mean
from bench.analysis.units import GRADING, OUTPUT, SERIES

if TYPE_CHECKING:
    import pandas as pd


def run_verdicts(grades: pd.DataFrame, inventions: pd.DataFrame) -> pd.DataFrame:
    """One line an output: stale and wrong (shares of its graded verdicts), invented (mean number a pass).

    A pass that did not look for inventions in full, or could not see a stale or wrong value, says nothing of them: each
    figure is the mean over the other passes, NA where there is none.
    """
    by = [*GRADING, *OUTPUT]
    flags = grades.assign(
        **{
            verdict: grades["verdict"].eq(verdict).astype("Float64").where(grades[f"{verdict}_known"])
            for verdict in ("stale", "wrong")
        }
    )
    shares = flags.groupby(by, observed=True, sort=False).agg(stale=("stale", "mean"), wrong=("wrong", "mean"))
    looked = grades.loc[grades["inventions_known"], [*by, "grading_pass"]].drop_duplicates()
    passes = looked.groupby(by, observed=True, sort=False).size().rename("passes")
    found = inventions.merge(looked).groupby(by, observed=True, sort=False).size().rename("found")
    table = shares.join(passes).join(found).reset_index()
    invented = table["found"].fillna(0).astype("Float64") / table["passes"].astype("Float64")
    return table.assign(invented=invented).drop(columns=["found", "passes"])


def arm_verdicts(grades: pd.DataFrame, inventions: pd.DataFrame) -> pd.DataFrame:
    """One line a series: stale, wrong and invented as in `run_verdicts`, replicates inside fixtures first."""
    import pandas as pd

    runs = run_verdicts(grades, inventions)
    by = [*GRADING, *SERIES]
    means = {column: fixture_mean(runs, by, column) for column in ("stale", "wrong", "invented")}
    return pd.DataFrame(means).rename_axis(by).reset_index()
