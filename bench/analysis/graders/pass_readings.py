"""What several passes of a grader would say, read as one verdict an atom: the majority's, the best, the worst.

For showing how much hangs on the reading. The recall of a run is the mean over its passes; a majority moves it away
from one half, best and worst bound what any pass, and every pass, found (`statistics/passes.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING

from bench.analysis.recall import arm_recall, run_recall
from bench.analysis.statistics.passes import Verdicts, best, majority, worst
from bench.analysis.units import GRADING, OUTPUT, SERIES

if TYPE_CHECKING:
    import pandas as pd

READINGS: dict[str, Callable[[Verdicts], str | None]] = {"majority": majority, "best": best, "worst": worst}


def pass_readings(grades: pd.DataFrame) -> pd.DataFrame:
    """One line a way of grading with several passes, and series: recall (0..1) as it is, and as it would be by the
    `majority`, the `best` and the `worst` verdict of each atom. Empty where nothing was graded twice."""
    by, atom = [*GRADING, *SERIES], [*GRADING, *OUTPUT, "atom"]
    several = grades.groupby(GRADING, observed=True)["grading_pass"].transform("nunique") > 1
    kept = grades[several]
    said = kept.assign(verdict=kept["verdict"].astype(object).where(kept["verdict"].notna(), None))
    verdicts = said.groupby(atom, observed=True, sort=False)["verdict"].agg(tuple).reset_index(drop=True)
    one = kept.drop_duplicates(atom).reset_index(drop=True)
    table = arm_recall(run_recall(kept))[[*by, "recall"]]
    for name, reading in READINGS.items():
        read = lru_cache(maxsize=4096)(reading)
        told = one.assign(verdict=verdicts.map(read).astype("string"))
        table = table.merge(arm_recall(run_recall(told))[[*by, "recall"]].rename(columns={"recall": name}), on=by)
    return table
