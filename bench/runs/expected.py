"""What to expect of further runs, in words: their spread, the widest there was, passes that are worth their price."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from bench.runs.words import usd

if TYPE_CHECKING:
    import pandas as pd

    from bench.runs.index import Run

RUNS = (2, 3, 5, 10)
"""Numbers of runs that an expected spread is told of."""


def spread_lines(recalls: Mapping[str, Sequence[float]], sd: float, df: int) -> list[str]:
    """What runs of this pooled SD (points, `df`) show: the expected spread, and whether the widest of `recalls` (an arm
    on a fixture -> points of its runs) is wider than chance has it among so many. Runs are taken as normal."""
    from bench.analysis.statistics.normal_range import d2, range_p, sigma_limits

    spans = {name: max(r) - min(r) for name, r in recalls.items() if len(r) > 1}
    if not sd or not spans:
        return []
    expected = ", ".join(f"{d2(n) * sd:.1f} in {n}" for n in RUNS)
    told = [
        f"runs with such an SD spread over {expected} runs, on average: spreads of different numbers do not compare"
    ]
    ps = {name: range_p(span, sd, len(recalls[name]), df) for name, span in spans.items()}
    known = {name: p for name, p in ps.items() if p is not None}
    widest = min(known, key=lambda name: known[name])
    n, span = len(recalls[widest]), spans[widest]
    limits = sigma_limits(n)
    if limits is None or len(known) < 2:
        return told
    own = statistics.stdev(recalls[widest])
    p = min(1.0, len(known) * known[widest])
    return [
        *told,
        f"the widest spread for its number of runs: {widest}, {span:.1f} points in {n} runs, an SD of {own:.1f} (95 %"
        f" limits {own * limits[0]:.1f} to {own * limits[1]:.1f}); one as wide among {len(known)} by chance: p {p:.2g}",
    ]


def worth_passes(run: Run, ranked: pd.DataFrame) -> list[str]:
    """How many passes a run give the least variance for the money, where both variances and prices are known."""
    from bench.analysis.arms.cost import output_cost
    from bench.analysis.noise import run_components
    from bench.analysis.statistics.projection import Sources, best_whole_passes
    from bench.analysis.units import NO_MODEL, OUTPUT

    found = run_components(ranked)
    replicate, grading = found["replicate"], found["pass"]
    judged = run.calls[run.calls["purpose"] == "judge"]
    if replicate is None or grading is None or not len(judged) or judged["usd_api"].isna().any():
        return []
    costs = output_cost(run.outputs)
    asked = costs.loc[costs["model"] != NO_MODEL, "write_usd"]
    passes = len(run.grades.loc[run.grades["grader"] == "judge", [*OUTPUT, "grading_pass"]].drop_duplicates())
    if not len(asked) or asked.isna().any() or not passes:
        return []
    a_run, a_pass = float(asked.mean()), float(judged["usd_api"].sum()) / passes
    best = best_whole_passes(Sources(0.0, max(0.0, replicate), max(0.0, grading)), a_run, a_pass)
    if best is None:
        return []
    told = f"a run costs {usd(a_run)} USD, a pass over it {usd(a_pass)}"
    return [f"for the least variance a USD, grade each run {best} time{'s' * (best > 1)} ({told}; more money to runs)"]
