"""Handoff sizes in estimated tokens (ceil(characters / 4))."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bench.analysis.means import fixture_mean
from bench.analysis.units import SERIES

if TYPE_CHECKING:
    import pandas as pd


def sizes(outputs: pd.DataFrame) -> pd.DataFrame:
    """One line a series: handoff_tokens (mean over replicates inside fixtures, then over fixtures), least and most."""
    known = outputs.dropna(subset=["handoff_tokens"])
    means = fixture_mean(known, SERIES, "handoff_tokens")
    ends = known.groupby(SERIES, observed=True, sort=False)["handoff_tokens"].agg(["min", "max"])
    return ends.rename(columns={"min": "least_tokens", "max": "most_tokens"}).join(means).reset_index()
