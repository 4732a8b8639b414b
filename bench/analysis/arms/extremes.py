"""The worst and the best run of an arm: a compaction gets one attempt, so its worst run is part of the verdict."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bench.analysis.units import GRADING, SERIES

if TYPE_CHECKING:
    import pandas as pd


def extremes(runs: pd.DataFrame) -> pd.DataFrame:
    """One line a series, from `run_recall`: worst and best (0..1), each with its fixture and replicate.

    The first in the order of fixture and replicate where several runs are equally bad (or good).
    """
    by = [*GRADING, *SERIES]
    known = runs.dropna(subset=["recall"]).sort_values(["fixture", "replicate"])
    ends = {}
    for name, ascending in (("worst", True), ("best", False)):
        ordered = known.sort_values("recall", ascending=ascending, kind="stable")
        first = ordered.groupby(by, observed=True, sort=False)[["recall", "fixture", "replicate"]].first()
        ends[name] = first.rename(
            columns={"recall": name, "fixture": f"{name}_fixture", "replicate": f"{name}_replicate"}
        )
    return ends["worst"].join(ends["best"]).reset_index()
