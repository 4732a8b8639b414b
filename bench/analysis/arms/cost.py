"""What an arm costs to write and to carry, in USD. Grading is the price of measuring and never in it.

Every output that was paid for counts, a refused one too: refused work is still paid work. A cost that is not known
stays NA with the reason beside it; 0 is a measured zero (a local model, an arm that asks no model).

A ratio of totals has Fieller's interval, from the totals of fixtures (transcripts like these), with one fixture from
its runs (these facts).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from bench.analysis.arms.level import LIKE_THESE, SAME_KEY
from bench.analysis.means import fixture_mean
from bench.analysis.statistics.fieller import fieller
from bench.analysis.units import GRADING, NO_MODEL, OUTPUT, SERIES
from bench.rows import BEFORE_CALL

if TYPE_CHECKING:
    import pandas as pd

Billing = Literal["api", "subscription"]
"""`api`: list prices. `subscription`: cache reads free."""

NOTHING_CARRIED = "nothing carried"
ONE_UNIT, ALIKE, FREE = "one run", "all runs are alike", "nothing was paid"
NOT_ABOVE_0 = "the atoms it carries differ too much from one fixture or run to the next"
PER_CARRIED = [
    "usd_per_carried", "usd_per_carried_low", "usd_per_carried_high", "usd_per_carried_target",
    "usd_per_carried_reason", "usd_per_carried_no_interval",
]  # fmt: skip
ROUNDING = 1e-9
"""Of a limit: two that lie closer are one."""
PASS_UNKNOWN = "what its commitments pass cost is not known"


def output_cost(outputs: pd.DataFrame, *, billing: Billing = "api") -> pd.DataFrame:
    """One line an output that was tried: write_usd (the fork and its commitments pass), carry_usd, and write_reason
    where it is unknown. Outcomes from before any call cost nothing and are not in it; an arm that asks no model and
    runs no command of the user's costs 0 to write."""
    tried = outputs[~outputs["outcome"].isin(BEFORE_CALL)]
    fork = tried[f"usd_{billing}"]
    free = (tried["model"] == NO_MODEL) & (tried["kind"] != "command") & fork.isna() & tried["usd_reason"].isna()
    passed = tried["commitments_chars"].notna() | tried["parts_failed"].fillna("").str.contains(r"\bcommitments\b")
    beside = tried["commitments_usd"].mask(~passed & tried["commitments_usd"].isna(), 0.0)
    write = fork.mask(free, 0.0) + beside
    reason = tried["usd_reason"].fillna(PASS_UNKNOWN).where(beside.isna(), tried["usd_reason"])
    reason = reason.fillna("cost not recorded").where(write.isna())
    return tried[[*OUTPUT, "carry_usd", "handoff_tokens"]].assign(write_usd=write, write_reason=reason)


def arm_cost(outputs: pd.DataFrame, *, billing: Billing = "api") -> pd.DataFrame:
    """One line a series: usd_write and usd_carry (means: replicates inside fixtures first), each with its reason if NA.

    A mean over outputs of which one's cost is unknown is unknown.
    """
    costs = output_cost(outputs, billing=billing)
    handed = costs[costs["handoff_tokens"].notna()]
    write = fixture_mean(costs, SERIES, "write_usd", whole=True).rename("usd_write")
    carry = fixture_mean(handed, SERIES, "carry_usd", whole=True).rename("usd_carry")
    reasons = costs.groupby(SERIES, observed=True, sort=False)["write_reason"].agg(_reasons)
    table = write.to_frame().join(reasons.rename("usd_write_reason")).join(carry).reset_index()
    handed_over = table[SERIES].merge(handed[SERIES].drop_duplicates(), how="left", indicator=True)["_merge"].eq("both")
    why = handed_over.map({True: "cost to carry not recorded; name [carry] in the sweep", False: "no handoff to carry"})
    return table.assign(usd_carry_reason=why.astype("string").where(table["usd_carry"].isna()))


def per_carried(outputs: pd.DataFrame, runs: pd.DataFrame, *, billing: Billing = "api") -> pd.DataFrame:
    """One line a series: usd_per_carried, the sum of write costs over the sum of carried weight, its 95 % interval
    (_low, _high) with its _target, and why there is no ratio (_reason) or no interval (_no_interval).

    `runs` is from `run_recall`. Totals over totals, not the mean of the runs' ratios; an output that was paid for and
    carried nothing (refused, empty) counts with its cost.
    """
    import pandas as pd

    by = [*GRADING, *SERIES]
    both = carried_costs(outputs, runs, billing=billing)
    lines = [(*series, *_per_carried(one)) for series, one in both.groupby(by, observed=True, sort=False)]
    table = pd.DataFrame(lines, columns=[*by, *PER_CARRIED])
    words = ("usd_per_carried_target", "usd_per_carried_reason", "usd_per_carried_no_interval")
    return table.astype({c: "string" if c in words else "Float64" for c in PER_CARRIED})


def carried_costs(outputs: pd.DataFrame, runs: pd.DataFrame, *, billing: Billing = "api") -> pd.DataFrame:
    """One line a way of grading and output that was tried: write_usd, write_reason, carried (weight times credit, 0
    where nothing was handed over)."""
    costs = output_cost(outputs, billing=billing)
    gradings = runs[GRADING].drop_duplicates()
    both = costs.merge(gradings, how="cross").merge(runs[[*GRADING, *OUTPUT, "carried"]], how="left")
    return both.assign(carried=both["carried"].fillna(0.0))


def _per_carried(one: pd.DataFrame) -> tuple[object, ...]:
    """`PER_CARRIED` of the outputs of one series."""
    carried, cost = float(one["carried"].sum()), one["write_usd"].sum()
    if one["write_reason"].notna().any():
        return (None, None, None, None, _reasons(one["write_reason"]), None)
    if carried == 0:
        return (None, None, None, None, NOTHING_CARRIED, None)
    units = one.groupby("fixture", observed=True)[["write_usd", "carried"]].sum()
    target = LIKE_THESE
    if len(units) < 2:
        units, target = one[["write_usd", "carried"]], SAME_KEY
    why, limits = _limits([float(v) for v in units["write_usd"]], [float(v) for v in units["carried"]])
    low, high = limits or (None, None)
    return (float(cost) / carried, low, high, target if limits else None, None, why)


def _limits(cost: list[float], carried: list[float]) -> tuple[str | None, tuple[float, float] | None]:
    """Why there is no interval, or the interval, cut at 0: no cost is below."""
    if len(cost) < 2:
        return ONE_UNIT, None
    if not any(cost):
        return FREE, None
    limits = fieller(cost, carried)
    if limits is None:
        return NOT_ABOVE_0, None
    if not limits[1] - limits[0] > ROUNDING * limits[1]:
        return ALIKE, None
    return None, (max(0.0, limits[0]), limits[1])


def _reasons(reasons: pd.Series) -> str | None:
    known = sorted(set(reasons.dropna()))
    return "; ".join(known) if known else None
