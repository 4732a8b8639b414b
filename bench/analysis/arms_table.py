"""The arm table: one line an arm, with everything a reader needs to judge it beside its recall."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bench.analysis.cost import arm_cost, per_carried
from bench.analysis.extremes import extremes
from bench.analysis.recall import arm_recall, run_recall
from bench.analysis.sizes import sizes
from bench.analysis.spread import arm_spread
from bench.analysis.states import not_handoff
from bench.analysis.units import GRADING, SERIES, checked_grades, rankable
from bench.analysis.verdicts import arm_verdicts

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = [
    *GRADING, "arm", "kind", "model", "chain_step", "stale_by", "n", "fixtures", "atoms", "missing", "recall",
    "spread", "spread_of", "worst", "worst_fixture", "worst_replicate", "best", "best_fixture", "best_replicate",
    "vital_recall", "stale", "wrong", "invented", "handoff_tokens", "least_tokens", "most_tokens", "usd_write",
    "usd_write_reason", "usd_carry", "usd_carry_reason", "usd_per_carried", "usd_per_carried_reason", "cells",
    "not_handoff",
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

    recall, worst, best, vital_recall are 0..1, spread is in points, stale and wrong are shares of the graded verdicts,
    invented is a mean number an output, sizes are estimated tokens, costs USD. A series of which nothing was graded
    has its line too, with NA for what is not known; so has every series, with NA for the way of grading, where the
    whole run was not graded. `cells` is from `cell_states`. Sizes are those of the handoffs that were ranked; costs
    and states count every cell.
    """
    ranked = checked_grades(rankable(grades, outputs, with_truncated=with_truncated))
    runs = run_recall(ranked)
    vital = arm_recall(run_recall(ranked[ranked["importance"] == "vital"]))
    whole = rankable(outputs, outputs, with_truncated=with_truncated)
    graded = [
        arm_recall(runs),
        arm_spread(runs),
        extremes(runs),
        vital[[*GRADING, *SERIES, "recall"]].rename(columns={"recall": "vital_recall"}),
        arm_verdicts(ranked, rankable(inventions, outputs, with_truncated=with_truncated)),
        per_carried(outputs, runs),
    ]
    ways = grades[GRADING].drop_duplicates()
    # without any grade, one line of NA stands for the way of grading, so that the arms' states are told all the same
    table = not_handoff(cells).merge(ways if len(ways) else ways.reindex([0]), how="cross")
    for part in graded:
        table = table.merge(part, on=[*GRADING, *SERIES], how="left")
    for part in (sizes(whole), arm_cost(outputs)):
        table = table.merge(part, on=SERIES, how="left")
    counted = {c: table[c].fillna(0) for c in ("n", "fixtures", "missing")}
    table = table.assign(**counted)[COLUMNS]
    order = [*GRADING, "chain_step", "stale_by", "recall", "arm", "model"]
    return table.sort_values(order, ascending=[c != "recall" for c in order], na_position="last", ignore_index=True)


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
