"""What a pipeline hands up as a whole: the fork's handoff, a stored one, the harness's own summary, or nothing.

A compaction cannot be left without an answer because a fork failed. Where it did, the newest stored handoff is handed
up (the arm's own output at a later staleness of the same run) if it is fresh enough, else the summary that the harness
wrote itself (the arm `stock`, which replays it), else nothing, of which every atom is lost.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from bench.analysis.arms.states import NOT_RUN
from bench.analysis.recall import arm_recall, fixture_recall, run_recall
from bench.analysis.units import GRADING, OUTPUT, rankable
from bench.rows import GRADED, MOST_STALE

if TYPE_CHECKING:
    import pandas as pd

FORK, STORED, OWN, NOTHING = "fork", "stored", "harness's own", "nothing"
WAYS = (FORK, STORED, OWN, NOTHING)
OWN_ARM = "stock"
"""The arm that replays the summary which the harness wrote."""

_CELL = ["fixture", "arm", "model", "chain_step", "replicate"]
COLUMNS = [*GRADING, *_CELL, "kind", "state", "delivered", "behind", "recall"]


def delivered(
    cells: pd.DataFrame,
    outputs: pd.DataFrame,
    grades: pd.DataFrame,
    has_own: Collection[str] = (),
    *,
    with_truncated: bool = False,
) -> pd.DataFrame:
    """One line a way of grading and cell that was asked at the moment of compaction (stale_by 0): `COLUMNS`.

    `state` is the fork's outcome, `behind` how many messages a stored handoff lags, recall 0..1 of what is handed up:
    NA where that is not graded. Cells never run are left out. `cells` is from `cell_states`; `has_own` names fixtures
    with a summary of the harness's own, whether the run grades it or not.
    """
    asked = cells[(cells["stale_by"] == 0) & (cells["state"] != NOT_RUN)]
    wanted = GRADED if with_truncated else ("handoff",)
    whole = outputs[outputs["outcome"].isin(wanted)]
    table = asked.merge(_stored(whole), on=_CELL, how="left").merge(
        _own(whole), on=["fixture", "chain_step"], how="left"
    )
    failed = ~table["state"].isin(wanted)
    fresh = table["behind"].notna()
    own = table["own_arm"].notna() | table["fixture"].isin(list(has_own))
    way = table["state"].where(failed, FORK).mask(failed, NOTHING).mask(failed & own, OWN).mask(failed & fresh, STORED)
    behind = table["behind"].where(way == STORED).mask(way == FORK, 0)
    table = table.assign(delivered=way.astype("string"), behind=behind.astype("Int64"))
    ways = grades[GRADING].drop_duplicates()
    table = table.merge(ways if len(ways) else ways.reindex([0]), how="cross")
    scores = run_recall(rankable(grades, outputs, with_truncated=with_truncated))
    return table.assign(recall=_recalls(table, scores))[COLUMNS].sort_values(
        [*GRADING, *_CELL], kind="stable", ignore_index=True
    )


def delivered_arms(
    lines: pd.DataFrame, grades: pd.DataFrame, outputs: pd.DataFrame, *, with_truncated: bool = False
) -> pd.DataFrame:
    """One line a way of grading, arm, model and step, best delivered recall first: cells, how many got each of `WAYS`,
    answered (recall of the forks that were answered), delivered (recall of all that is handed up), both 0..1 and means
    over fixtures, and difference (points). `lines` is from `delivered`.
    """
    by = [*GRADING, "arm", "model", "chain_step"]
    counts = lines.groupby(by, observed=True, sort=False, dropna=False).agg(
        kind=("kind", "first"),
        cells=("delivered", "size"),
        **{way: ("delivered", lambda ways, way=way: int((ways == way).sum())) for way in WAYS},
    )
    whole = fixture_recall(lines.assign(stale_by=0, atoms=0, missing=0))
    means = whole.groupby(by, observed=True, sort=False, dropna=False)["recall"].mean().rename("delivered_recall")
    ranked = rankable(grades, outputs, with_truncated=with_truncated)
    answered = arm_recall(run_recall(ranked[ranked["stale_by"] == 0]))
    answered = answered[[*by, "recall"]].rename(columns={"recall": "answered_recall"})
    table = counts.reset_index().merge(means.reset_index(), on=by, how="left").merge(answered, on=by, how="left")
    table = table.assign(difference=100 * (table["delivered_recall"] - table["answered_recall"]))
    order = [*GRADING, "chain_step", "delivered_recall", "arm", "model"]
    return table.sort_values(
        order, ascending=[c != "delivered_recall" for c in order], na_position="last", ignore_index=True
    )


def _stored(whole: pd.DataFrame) -> pd.DataFrame:
    """The freshest handoff that was written early, of each cell that has one fresh enough: behind."""
    early = whole[(whole["stale_by"] > 0) & (whole["stale_by"] <= MOST_STALE)]
    return early.groupby(_CELL, observed=True, sort=False)["stale_by"].min().rename("behind").reset_index()


def _own(whole: pd.DataFrame) -> pd.DataFrame:
    """The output of each fixture and step that replays the harness's own summary: own_arm."""
    label = whole["arm"].str.partition("@")[0] if len(whole) else whole["arm"]
    replayed = whole[(whole["kind"] == "replay") & (label == OWN_ARM)]
    newest = replayed.groupby(["fixture", "chain_step"], observed=True, sort=False)["arm"].last()
    return newest.rename("own_arm").reset_index()


def _recalls(table: pd.DataFrame, scores: pd.DataFrame) -> pd.Series:
    """The recall of what each line delivers."""
    import pandas as pd

    known = {tuple(line[:-1]): line[-1] for line in scores[[*GRADING, *OUTPUT, "recall"]].itertuples(index=False)}
    own = {(*key[:3], key[5]): recall for key, recall in known.items() if key[3].partition("@")[0] == OWN_ARM}
    ours: list[float | None] = []
    for line in table[[*GRADING, *OUTPUT, "delivered", "behind"]].itertuples(index=False):
        grader, scope, fixture, arm, model, step, _, replicate, way, behind = line
        if way == NOTHING:
            ours.append(0.0)
        elif way == OWN:
            ours.append(own.get((grader, scope, fixture, step)))
        else:
            ours.append(known.get((grader, scope, fixture, arm, model, step, behind, replicate)))
    return pd.Series(ours, index=table.index, dtype="Float64")
