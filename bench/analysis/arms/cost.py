"""What an arm costs to write and to carry, in USD. Grading is the price of measuring and never in it.

Every output that was paid for counts, a refused one too: refused work is still paid work. A cost that is not known
stays NA with the reason beside it; 0 is a measured zero (a local model, an arm that asks no model).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from bench.analysis.means import fixture_mean
from bench.analysis.units import GRADING, NO_MODEL, OUTPUT, SERIES
from bench.rows import BEFORE_CALL

if TYPE_CHECKING:
    import pandas as pd

Billing = Literal["api", "subscription"]
"""`api`: list prices. `subscription`: cache reads free."""

NOTHING_CARRIED = "nothing carried"
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
    """One line a series: usd_per_carried, the sum of write costs over the sum of carried weight, and its reason if NA.

    `runs` is from `run_recall`. Totals over totals, not the mean of the runs' ratios; an output that was paid for and
    carried nothing (refused, empty) counts with its cost.
    """
    import pandas as pd

    costs = output_cost(outputs, billing=billing)
    gradings = runs[GRADING].drop_duplicates()
    both = costs.merge(gradings, how="cross").merge(runs[[*GRADING, *OUTPUT, "carried"]], how="left")
    lines = []
    for series, one in both.groupby([*GRADING, *SERIES], observed=True, sort=False):
        carried = float(one["carried"].fillna(0.0).sum())
        unknown = one["write_reason"].dropna()
        if len(unknown):
            lines.append((*series, None, _reasons(one["write_reason"])))
        elif carried == 0:
            lines.append((*series, None, NOTHING_CARRIED))
        else:
            lines.append((*series, float(one["write_usd"].sum()) / carried, None))
    columns = [*GRADING, *SERIES, "usd_per_carried", "usd_per_carried_reason"]
    table = pd.DataFrame(lines, columns=columns)
    return table.astype({"usd_per_carried": "Float64", "usd_per_carried_reason": "string"})


def _reasons(reasons: pd.Series) -> str | None:
    known = sorted(set(reasons.dropna()))
    return "; ".join(known) if known else None
