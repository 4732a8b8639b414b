"""What each further carried atom costs: the difference of two arms in cost over their difference in carried weight.

Means over the runs of a fixture, refused ones included; the differences of fixtures are paired, so Fieller's interval
of their ratio speaks of transcripts like these. With one fixture the runs of both arms vary each by themselves, and the
degrees of freedom are the fewer of the two arms': these facts. Where the arms do not surely differ in what they carry
there is no ratio. Source: the incremental ratio of health economics (Drummond et al. 2015); Fieller 1954.
"""

from __future__ import annotations

import math
import statistics
from typing import TYPE_CHECKING

from bench.analysis.arms.cost import carried_costs
from bench.analysis.statistics.fieller import fieller, ratio_limits
from bench.analysis.units import NO_MODEL, SERIES

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = ["usd_per_more", "usd_per_more_low", "usd_per_more_high"]


def further_atom(outputs: pd.DataFrame, runs: pd.DataFrame, first: tuple[object, ...]) -> pd.DataFrame:
    """One line a series: usd_per_more, the USD to write that each atom costs which it carries more than `first`, or
    saves of each that it carries less, with its 95 % interval; NA where there is no interval, or a cost is unknown.

    `runs` is from `run_recall`, of one way of grading; over the fixtures that both have outputs on.
    """
    import pandas as pd

    both = carried_costs(outputs, runs)
    parts = {tuple(series): one for series, one in both.groupby(SERIES, observed=True, sort=False)}
    base = parts.get(first)
    lines = [(*series, *(_ratio(base, one) or (None,) * 3)) for series, one in parts.items() if series != first]
    table = pd.DataFrame(lines, columns=[*SERIES, *COLUMNS])
    return table.astype({c: outputs[c].dtype for c in SERIES} | dict.fromkeys(COLUMNS, "Float64"))


def _ratio(base: pd.DataFrame | None, other: pd.DataFrame) -> tuple[float, float, float] | None:
    if base is None or base["write_reason"].notna().any() or other["write_reason"].notna().any():
        return None
    sides = [_by_fixture(base), _by_fixture(other)]
    shared = [fixture for fixture in sides[0] if fixture in sides[1]]
    if not shared:
        return None
    apart = [[_apart(sides[0][f], sides[1][f], column) for f in shared] for column in (0, 1)]
    if not math.fsum(apart[1]):
        return None
    if len(shared) > 1:
        limits = fieller(*apart)
    else:
        limits = _of_runs(base, other, (apart[0][0], apart[1][0]), [side[shared[0]] for side in sides])
    if limits is None or not limits[1] > limits[0]:
        return None
    return (math.fsum(apart[0]) / math.fsum(apart[1]), *limits)


Runs = list[tuple[float, float]]
"""(USD, carried) of each run."""


def _of_runs(
    base: pd.DataFrame, other: pd.DataFrame, means: tuple[float, float], sides: list[Runs]
) -> tuple[float, float] | None:
    """Limits on one fixture; an arm that asks no model does not vary."""
    drawn = [runs for side, runs in ((base, sides[0]), (other, sides[1])) if (side["model"] != NO_MODEL).any()]
    if not drawn or min(map(len, drawn)) < 2:
        return None
    terms = []
    for runs in drawn:
        cost, carried = zip(*runs, strict=True)
        cov = statistics.covariance(cost, carried)
        terms.append([v / len(runs) for v in (statistics.variance(cost), cov, statistics.variance(carried))])
    vxx, vxy, vyy = map(math.fsum, zip(*terms, strict=True))
    return ratio_limits(means, (vxx, vxy, vyy), min(map(len, drawn)) - 1)


def _by_fixture(one: pd.DataFrame) -> dict[str, Runs]:
    groups = one.groupby("fixture", observed=True, sort=True)
    return {
        str(fixture): [(float(usd), float(n)) for usd, n in part[["write_usd", "carried"]].itertuples(index=False)]
        for fixture, part in groups
    }


def _apart(base: Runs, other: Runs, column: int) -> float:
    return statistics.fmean(r[column] for r in other) - statistics.fmean(r[column] for r in base)
