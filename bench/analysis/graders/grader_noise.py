"""What the grader alone does to a run's recall: the SD of the passes over one output, pooled over outputs.

sigma_g = sqrt(pooled within-run variance of pass recalls). Two single-pass gradings of the same output differ by more
than z * sqrt(2) * sigma_g one time in twenty (repeatability limit, ISO 5725). With one pass there is none: the
grader's noise then hides in the spread of the runs. Passes never show what a grader gets wrong each time.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from bench.analysis.arms.spread import POINTS
from bench.analysis.groups import groups_of
from bench.analysis.recall import pass_recall
from bench.analysis.statistics.variance import one_way
from bench.analysis.units import GRADING, OUTPUT

if TYPE_CHECKING:
    import pandas as pd

Z = 1.959963984540054
"""Two-sided 95 % point of the normal distribution."""
COLUMNS = [*GRADING, "pass_sd", "df", "passes", "moves", "repeatability"]


def moves_one(pass_sd: float) -> float:
    """How far two gradings of the same output, a pass each, lie apart one time in twenty (repeatability limit)."""
    return Z * math.sqrt(2) * pass_sd


def moves_arms(pass_sd: float, replicates: int, passes: int) -> float:
    """How far the grader alone moves two arms of so many runs and passes a run apart, one time in twenty."""
    return moves_one(pass_sd) / math.sqrt(replicates * passes)


def grader_noise(grades: pd.DataFrame) -> pd.DataFrame:
    """One line a way of grading, in points: pass_sd, its df, passes a run (mean), moves, repeatability; NA of one pass.

    `moves` is z * pass_sd / sqrt(passes): how far the grader alone moves the recall of a run, as it was graded, one
    time in twenty or less.
    """
    import pandas as pd

    lines = []
    for grading, recalls in pass_recall(grades).dropna(subset=["recall"]).groupby(GRADING, observed=True, sort=False):
        outputs = groups_of(recalls, OUTPUT)
        points = POINTS * recalls["recall"].to_numpy(dtype="float64")
        runs = [points[lines_].tolist() for lines_ in outputs.lines()]
        found = one_way(runs)
        passes = sum(map(len, runs)) / len(runs)
        sd = None if found.ms_within is None else math.sqrt(found.ms_within)
        moves, twice = (None, None) if sd is None else (Z * sd / math.sqrt(passes), moves_one(sd))
        lines.append((*grading, sd, found.df_within, passes, moves, twice))
    kinds = {c: "string" if c in GRADING else "Int64" if c == "df" else "Float64" for c in COLUMNS}
    return pd.DataFrame(lines, columns=COLUMNS).astype(kinds)
