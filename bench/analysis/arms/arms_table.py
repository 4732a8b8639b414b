"""The arm table: one line an arm, with everything a reader needs to judge it beside its recall."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bench.analysis.arms.cost import PER_CARRIED, arm_cost, per_carried
from bench.analysis.arms.extremes import extremes
from bench.analysis.arms.level import interval_of
from bench.analysis.arms.single_run import single_runs
from bench.analysis.arms.sizes import sizes
from bench.analysis.arms.spread import arm_spread
from bench.analysis.arms.states import not_handoff
from bench.analysis.arms.verdicts import arm_verdicts
from bench.analysis.bounds import arm_bounds, cell_bounds
from bench.analysis.credited import credited_by
from bench.analysis.recall import arm_recall, run_recall
from bench.analysis.units import GRADING, SERIES, checked_grades, rankable

if TYPE_CHECKING:
    import pandas as pd

MOMENT = ["chain_step", "stale_by"]
"""Within one of these arms are ranked."""
COLUMNS = [
    *GRADING, "arm", "kind", "model", "chain_step", "stale_by", "n", "fixtures", "of_fixtures", "atoms", "missing",
    "recall", "recall_low", "recall_high", "recall_least", "recall_most", "gaps", "spread", "spread_of",
    "worst", "worst_fixture", "worst_replicate", "best", "best_fixture", "best_replicate", "vital_recall",
    "stale", "wrong", "invented", "handoff_tokens", "least_tokens", "most_tokens", "usd_write",
    "usd_write_reason", "usd_carry", "usd_carry_reason", *PER_CARRIED, "cells", "not_handoff", "atoms_low",
    "atoms_high",
]  # fmt: skip


def arms_table(
    outputs: pd.DataFrame,
    grades: pd.DataFrame,
    inventions: pd.DataFrame,
    cells: pd.DataFrame,
    *,
    with_truncated: bool = False,
) -> pd.DataFrame:
    """One line a way of grading and series, best recall first; columns as in `COLUMNS`.

    recall_low to recall_high is the 95 % interval of `arm_interval`. Where `gaps` cells lack a ranked handoff or a
    verdict, recall lies between recall_least and recall_most, had those carried nothing, or all. A series with
    `fixtures` of `of_fixtures` (those that any series has a recall on, at its step and staleness) compares with no
    other, and stands under those that do. recall, worst, best, vital_recall are 0..1, spread is in points, stale and
    wrong are shares of the graded verdicts, invented is a mean number an output, sizes are estimated tokens, costs USD.
    Of an arm with one run in all, atoms_low to atoms_high is the interval of its recall from its atoms alone
    (`run_interval`). A series of which nothing was graded has its line too, with NA for what is not known; so has every
    series, with NA for the way of grading, where the whole run was not graded. `cells` is from `cell_states`. Sizes are
    those of the handoffs that were ranked; costs and states count every cell.
    """
    ranked = checked_grades(rankable(grades, outputs, with_truncated=with_truncated))
    runs = run_recall(ranked)
    own = interval_of(runs, credited_by(ranked, [*GRADING, *SERIES]))
    vital = arm_recall(run_recall(ranked[ranked["importance"] == "vital"]))
    whole = rankable(outputs, outputs, with_truncated=with_truncated)
    graded = [
        arm_recall(runs),
        own.rename(columns={"low": "recall_low", "high": "recall_high"}),
        arm_bounds(cell_bounds(runs, cells)),
        arm_spread(runs),
        extremes(runs),
        vital[[*GRADING, *SERIES, "recall"]].rename(columns={"recall": "vital_recall"}),
        arm_verdicts(ranked, rankable(inventions, outputs, with_truncated=with_truncated)),
        per_carried(outputs, runs),
        single_runs(runs),
    ]
    ways = grades[GRADING].drop_duplicates()
    # without any grade, one line of NA stands for the way of grading, so that the arms' states are told all the same
    table = not_handoff(cells).merge(ways if len(ways) else ways.reindex([0]), how="cross")
    for part in graded:
        table = table.merge(part, on=[*GRADING, *SERIES], how="left")
    for part in (sizes(whole), arm_cost(outputs)):
        table = table.merge(part, on=SERIES, how="left")
    counted = {c: table[c].fillna(0) for c in ("n", "fixtures", "missing")}
    table = table.assign(**counted).merge(_measured(runs), on=[*GRADING, *MOMENT], how="left")
    table = table.assign(apart=table["fixtures"] < table["of_fixtures"])
    order = [*GRADING, *MOMENT, "apart", "recall", "arm", "model"]
    ascending = [c != "recall" for c in order]
    return table.sort_values(order, ascending=ascending, na_position="last", ignore_index=True)[COLUMNS]


def _measured(runs: pd.DataFrame) -> pd.DataFrame:
    """of_fixtures of each way of grading, step and staleness."""
    known = runs.dropna(subset=["recall"]).groupby([*GRADING, *MOMENT], observed=True, sort=False)["fixture"]
    return known.nunique().astype("Int64").rename("of_fixtures").reset_index()


def incomparable(table: pd.DataFrame) -> list[str]:
    """Sentences on what of an arm table is no ranking: arms measured on fewer fixtures, and gaps."""
    told = [
        f"{line.arm}: {line.fixtures} of {line.of_fixtures} fixtures, not comparable"
        for line in table[(table["fixtures"] > 0) & (table["fixtures"] < table["of_fixtures"])].itertuples()
    ]
    open_ = table.dropna(subset=["recall"])
    if (open_["gaps"] > 0).any():
        told.append("at least, at most: recall, had every missing handoff and verdict carried nothing, or all;")
        told.append("arms whose ranges overlap are not ranked by this run")
    return told


def by_fixture(
    outputs: pd.DataFrame,
    grades: pd.DataFrame,
    inventions: pd.DataFrame,
    cells: pd.DataFrame,
    *,
    with_truncated: bool = False,
) -> pd.DataFrame:
    """The arm table of each fixture alone, one under the other; the first column is the fixture."""
    import pandas as pd

    parts = []
    for fixture in sorted(cells["fixture"].dropna().unique()):
        one = [t[t["fixture"] == fixture] for t in (outputs, grades, inventions, cells)]
        table = arms_table(*one, with_truncated=with_truncated)
        table.insert(0, "fixture", pd.Series([fixture] * len(table), dtype="string"))
        parts.append(table)
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=["fixture", *COLUMNS])
