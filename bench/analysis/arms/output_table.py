"""One line an output with what a figure shows of it: recall, sizes, costs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bench.analysis.arms.cost import output_cost
from bench.analysis.recall import run_recall
from bench.analysis.units import OUTPUT, checked_grades, named, rankable

if TYPE_CHECKING:
    import pandas as pd


def output_table(outputs: pd.DataFrame, grades: pd.DataFrame, *, with_truncated: bool = False) -> pd.DataFrame:
    """One line an output: name, kind, outcome, recall, atoms, missing, handoff_tokens, write_usd (with write_reason),
    carry_usd. `grades` holds one way of grading; recall is NA where the output is not ranked or not graded."""
    ranked = checked_grades(rankable(grades, outputs, with_truncated=with_truncated))
    runs = run_recall(ranked)[[*OUTPUT, "recall", "atoms", "missing"]]
    costs = output_cost(outputs)[[*OUTPUT, "write_usd", "write_reason"]]
    table = outputs[[*OUTPUT, "kind", "outcome", "handoff_tokens", "carry_usd"]]
    return named(table.merge(runs, on=OUTPUT, how="left").merge(costs, on=OUTPUT, how="left"))


def cut_off(table: pd.DataFrame) -> list[str]:
    """The series of `output_table` that have truncated outputs with a recall, as `short (2 of 4 runs)`."""
    ranked = table.dropna(subset=["recall"]).assign(cut=lambda t: t["outcome"] == "truncated")
    runs = ranked.groupby("name", observed=True, sort=False)["cut"].agg(["sum", "size"])
    return [f"{name} ({cut} of {n} runs)" for name, cut, n in runs.itertuples(name=None) if cut]
