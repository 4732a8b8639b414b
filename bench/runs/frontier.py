"""The frontier of a run: which arms are worth their cost, how sure that is, and what a budget buys."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from bench.runs.index import Run
from bench.runs.told import Told
from bench.runs.view import Grading, gradings, one_grading, truncated_too
from bench.runs.words import points, usd, whole

if TYPE_CHECKING:
    import pandas as pd

    from bench.analysis.arms.pareto import Axis

UNITS: dict[str, str] = {"carry": "USD to carry", "write": "USD to write", "tokens": "tokens"}
ABOUT = (
    "chance: share of 10,000 draws of fixtures and runs in which no other arm has as much recall for no more cost",
    "dominated by: an arm that does in 95 % of them",
)

NO_CHANCE = (
    "one fixture, and no arm has two different runs on it: how the frontier would lie another time cannot be said"
)


def frontier(
    run: Run, axis: Axis = "carry", *, grading: Grading | None = None, with_truncated: bool = False
) -> pd.DataFrame:
    """One line an arm: cost and recall (0..1) with their 95 % intervals, whether it is on the frontier of recall
    against the axis (carry | write, USD; tokens), the chance that it is, and who dominates it: see `frontier_table`."""
    from bench.analysis.arms.frontier import frontier_table
    from bench.analysis.arms.output_table import output_table

    one = one_grading(run, grading)
    table = output_table(one.outputs, one.grades, with_truncated=truncated_too(run, with_truncated))
    return frontier_table(table, axis)


def recall_at_budget(
    run: Run, budgets: Sequence[float], axis: Axis = "carry", *, grading: Grading | None = None
) -> pd.DataFrame:
    """One line a budget (USD or tokens a handoff): the best arm within it, its recall (0..1), and what a mixture of two
    arms would recall; NA below the cheapest."""
    from bench.analysis.arms.frontier import recall_at_budget as bought

    return bought(frontier(run, axis, grading=grading), budgets)


def show_frontier(run: Run, axis: Axis = "carry", *, with_truncated: bool = False) -> Told:
    """The frontier of every way of grading, as people read it: cheapest first."""
    from bench.frames import records

    tables, notes, about = [], [], []
    for grading in gradings(run):
        found = frontier(run, axis, grading=grading, with_truncated=with_truncated).sort_values("cost")
        lines = records(found)
        title = f"{run.name}: graded by {grading.grader} on the {grading.scope}, recall against {UNITS[axis]}"
        tables.append((title, [_line(line, axis) for line in lines if line["recall"] is not None]))
        notes += [f"{line['name']} is on no frontier: {line['why_not']}" for line in lines if line["why_not"]]
        if any(isinstance(line["chance_on_frontier"], float) for line in lines):
            about = [*ABOUT]
        else:
            notes.append(NO_CHANCE)
        targets = {line["target"] for line in lines if line["recall_low"] is not None}
        notes += [f"intervals are on {target}" for target in sorted(map(str, targets))]
    return Told(tables, [*dict.fromkeys(notes), *about])


def _line(line: dict[str, object], axis: str) -> dict[str, object]:
    from bench.text import Figure

    cost = whole if axis == "tokens" else usd
    figures = {
        UNITS[axis]: (line["cost"], cost), "from": (line["cost_low"], cost), "to": (line["cost_high"], cost),
        "recall": (line["recall"], points), "95 % from": (line["recall_low"], points),
        "to ": (line["recall_high"], points), "chance %": (line["chance_on_frontier"], points),
    }  # fmt: skip
    told = {h: Figure(say(float(v))) if isinstance(v, int | float) else None for h, (v, say) in figures.items()}
    on = "yes" if line["on_frontier"] is True else "no"
    return {"arm": line["name"], **told, "on frontier": on, "dominated by": line["dominated_by"]}
