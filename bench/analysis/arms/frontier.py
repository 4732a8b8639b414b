"""The frontier with what is not known of it: intervals on both axes, and each arm's chance to be on it.

The frontier of point estimates favours arms that were lucky. Fixtures, and in them runs, are drawn again (`bootstrap`),
arms of a fixture together; an arm's chance is the share of draws in which no other dominates it, and it counts as
dominated only where one other arm does so in at least `SURE` of them. Source: acceptability curves of health economics
(Fenwick, Claxton & Sculpher 2001); Davison & Hinkley 1997.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from bench.analysis.arms.budget import at_budget
from bench.analysis.arms.level import ZERO, Level, level
from bench.analysis.arms.pareto import COST_COLUMNS, Axis, arm_points, counted
from bench.analysis.statistics.bootstrap import DRAWS, over_fixtures, over_runs
from bench.analysis.statistics.over_runs import Pair, Runs
from bench.analysis.units import NO_CHOICE, NO_MODEL

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

SURE = 0.95
"""Share of the draws in which an arm must be dominated by one other to be called so."""
ENDS = ["cost_low", "cost_high", "recall_low", "recall_high"]
SAME_ENDS = ["cost_these_low", "cost_these_high", "recall_these_low", "recall_these_high"]


def frontier_table(table: pd.DataFrame, axis: Axis, *, draws: int = DRAWS, seed: int = 0) -> pd.DataFrame:
    """One line a series of `output_table`: what `arm_points` gives (name, kind, cost, recall 0..1, fixtures,
    of_fixtures, on_frontier) and, with `ENDS`, the 95 % intervals of cost and recall over fixtures (over runs on one
    fixture; `target` says which), with `SAME_ENDS` those over runs on these fixtures, chance_on_frontier (0..1),
    dominated_by (an arm's name, NA where none surely does), dominated_chance, why_not, draws, seed.

    Arms that cannot be on a frontier have NA for their chance and `why_not` says why; so has every arm where nothing
    varies that could be drawn again (one fixture, no arm with two different runs). With two or three fixtures the
    chance speaks of little more than these.
    """
    import pandas as pd

    points = arm_points(table, axis)
    points = points.assign(why_not=_why_not(points))
    lines = [_ends(table[table["name"] == name], axis) for name in points["name"]]
    ends = pd.DataFrame(lines, columns=[*ENDS, *SAME_ENDS, "target"], index=points.index)
    ends = ends.astype(dict.fromkeys([*ENDS, *SAME_ENDS], "Float64") | {"target": "string"})
    rivals = points.loc[points["why_not"].isna(), "name"].astype(str).tolist()
    chances = _by_name(points, _chances(table, axis, rivals, draws, seed))
    return pd.concat([points, ends, chances], axis=1).assign(draws=draws, seed=seed)


def dominance(drawn: Floats) -> tuple[Floats, Floats]:
    """From draws (draws, arms, [cost, recall]): each arm's chance that none dominates it (arms,), and the chance that
    the second arm dominates the first (arms, arms). An arm without a recall in a draw is not on its frontier."""
    import numpy as np

    cost, recall = drawn[:, :, 0], np.nan_to_num(drawn[:, :, 1], nan=-np.inf)
    arms = range(drawn.shape[1])
    beaten = np.zeros((len(arms), len(arms)))
    on = recall > -np.inf
    for first in arms:
        mine = (cost[:, first, None], recall[:, first, None])
        over = (cost <= mine[0]) & (recall >= mine[1]) & ((cost < mine[0]) | (recall > mine[1]))
        beaten[first] = over.mean(axis=0)
        on[:, first] &= ~over.any(axis=1)
    return on.mean(axis=0), beaten


def recall_at_budget(points: pd.DataFrame, budgets: Sequence[float]) -> pd.DataFrame:
    """One line a budget (in the unit of the axis): name and recall (0..1) of the best arm of `frontier_table` within
    it, and mixture, what using two arms at random would recall. NA below the cheapest arm."""
    import pandas as pd

    rivals = points[points["why_not"].isna()]
    arms = {
        str(name): (float(c), float(r)) for name, c, r in rivals[["name", "cost", "recall"]].itertuples(index=False)
    }
    lines = [(budget, *at_budget(arms, budget)) for budget in budgets]
    table = pd.DataFrame(lines, columns=["budget", "name", "recall", "mixture"])
    return table.astype({"name": "string", "recall": "Float64", "mixture": "Float64"})


def _why_not(points: pd.DataFrame) -> pd.Series:
    """Why an arm can be on no frontier; NA where it can."""
    import pandas as pd

    why = pd.Series(pd.NA, index=points.index, dtype="string")
    share = points["fixtures"].astype("string") + " of " + points["of_fixtures"].astype("string") + " fixtures"
    why = why.mask(points["fixtures"] < points["of_fixtures"], share + ", not comparable")
    why = why.mask(points["recall"].isna(), "no handoff ranked")
    why = why.mask(points["cost"].isna(), "cost unknown")
    return why.mask(points["kind"].isin(NO_CHOICE), "a control that nobody would ship")


def _ends(mine: pd.DataFrame, axis: Axis) -> tuple[object, ...]:
    cost, recall = (_level(mine, column, axis) for column in (COST_COLUMNS[axis], "recall"))
    main = [cost.main.low, cost.main.high, recall.main.low, recall.main.high]
    these = [cost.these.low, cost.these.high, recall.these.low, recall.these.high]
    return (*_cut(main), *_cut(these), recall.target)


def _level(mine: pd.DataFrame, column: str, axis: Axis) -> Level:
    known = counted(mine, axis) if column != "recall" else mine
    pairs = []
    for fixture, one in known.dropna(subset=[column]).groupby("fixture", observed=True):
        values = tuple(float(v) for v in one[column])
        sure = bool((one["model"] == NO_MODEL).all()) and column != "recall"
        pairs.append(Pair(str(fixture), sum(values) / len(values), ZERO, Runs(values, sure)))
    return level(pairs)


def _cut(ends: list[float | None]) -> list[float | None]:
    """A cost ends at 0, a recall at 0 and 1."""
    cost, recall = ends[:2], ends[2:]
    return [None if v is None else max(0.0, v) for v in cost] + [
        None if v is None else max(0.0, min(1.0, v)) for v in recall
    ]


def _chances(
    table: pd.DataFrame, axis: Axis, rivals: list[str], draws: int, seed: int
) -> Mapping[str, tuple[float, str | None, float]]:
    """name -> (chance on the frontier, who dominates it for sure, how surely the likeliest does)."""
    import numpy as np

    if not rivals:
        return {}
    fixtures = sorted(table.dropna(subset=["recall"])["fixture"].unique())
    cells = [[_figures(table, name, fixture, axis) for name in rivals] for fixture in fixtures]
    if len(fixtures) == 1 and not any(len(np.unique(runs, axis=0)) > 1 for runs in cells[0]):
        return {}  # every draw would be the same: nothing tells how another run would lie
    sums = over_runs(cells, draws=draws, seed=seed)
    with np.errstate(invalid="ignore"):  # a draw may hold only runs without a figure; the arm then has none in it
        means = sums[..., [0, 2]] / sums[..., [1, 3]]
    on, beaten = dominance(over_fixtures(means, seed=seed + 1))
    found = {}
    for i, name in enumerate(rivals):
        by = int(beaten[i].argmax())
        found[name] = (float(on[i]), rivals[by] if beaten[i, by] >= SURE else None, float(beaten[i, by]))
    return found


def _figures(table: pd.DataFrame, name: str, fixture: str, axis: Axis) -> Floats:
    """(runs, 4): cost, whether it counts, recall, whether there is one. Unknown ones are 0 and do not count."""
    import numpy as np

    mine = table[(table["name"] == name) & (table["fixture"] == fixture)]
    counts = mine.index.isin(counted(mine, axis).index)
    cost = mine[COST_COLUMNS[axis]].to_numpy(dtype="float64", na_value=np.nan)
    recall = mine["recall"].to_numpy(dtype="float64", na_value=np.nan)
    known = [counts & ~np.isnan(cost), ~np.isnan(recall)]
    return np.stack(
        [np.where(known[0], cost, 0.0), known[0], np.where(known[1], recall, 0.0), known[1]], axis=1
    ).astype("float64")


def _by_name(points: pd.DataFrame, chances: Mapping[str, tuple[float, str | None, float]]) -> pd.DataFrame:
    import pandas as pd

    lines = [chances.get(str(name), (None, None, None)) for name in points["name"]]
    columns = {"chance_on_frontier": "Float64", "dominated_by": "string", "dominated_chance": "Float64"}
    return pd.DataFrame(lines, columns=list(columns), index=points.index).astype(columns)
