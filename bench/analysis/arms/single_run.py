"""The interval of one run's recall from its atoms alone: the least that is unknown of it.

The atoms are taken as drawn from many like them; how runs and gradings vary is left out, so it says how well the atoms
of the key tell a recall, and nothing of the arm's next run. Source: `statistics/proportion.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bench.analysis.statistics.proportion import wilson
from bench.analysis.units import GRADING, SERIES

if TYPE_CHECKING:
    import pandas as pd

ENDS = ["atoms_low", "atoms_high"]


def run_interval(runs: pd.DataFrame) -> pd.DataFrame:
    """`runs` (from `run_recall`) with atoms_low and atoms_high (0..1), Wilson's 95 % interval of each run's recall at
    its effective number of atoms; NA where there is no recall."""
    import pandas as pd

    ends = [
        wilson(recall * atoms, atoms) if recall is not pd.NA and atoms is not pd.NA else None
        for recall, atoms in runs[["recall", "effective_atoms"]].itertuples(index=False)
    ]
    columns = dict(zip(ENDS, zip(*((None, None) if e is None else e for e in ends), strict=True), strict=False))
    return runs.assign(**{c: pd.Series(columns.get(c, ()), index=runs.index, dtype="Float64") for c in ENDS})


def single_runs(runs: pd.DataFrame) -> pd.DataFrame:
    """One line a series of which one run in all has a recall: its atoms_low and atoms_high."""
    by = [*GRADING, *SERIES]
    known = runs.dropna(subset=["recall"])
    alone = known[known.groupby(by, observed=True)["recall"].transform("size") == 1]
    return run_interval(alone)[[*by, *ENDS]]
