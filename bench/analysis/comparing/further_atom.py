"""What each further carried atom costs: the difference of two arms in cost over their difference in carried weight.

Means over the runs of a fixture, refused ones included; the differences of fixtures are paired, so Fieller's interval
of their ratio speaks of transcripts like these. With one fixture the runs of both arms vary each by themselves, and the
degrees of freedom are the fewer of the two arms': these facts. Where the arms do not surely differ in what they carry
there is no ratio. Source: the incremental ratio of health economics (Drummond et al. 2015); Fieller 1954.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from bench.analysis.arms.cost import carried_costs
from bench.analysis.statistics.fieller import fieller, ratio_limits
from bench.analysis.units import NO_MODEL, SERIES

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = ["usd_per_more", "usd_per_more_low", "usd_per_more_high"]
MODEL = SERIES.index("model")
Runs = list[tuple[float, float]]
"""(USD, carried) of each run."""
Fixtures = dict[str, Runs]


def further_atom(outputs: pd.DataFrame, runs: pd.DataFrame, first: tuple[object, ...]) -> pd.DataFrame:
    """One line a series: usd_per_more, the USD to write that each atom costs which it carries more than `first`, or
    saves of each that it carries less, with its 95 % interval; NA where there is no interval, or a cost is unknown.

    `runs` is from `run_recall`, of one way of grading; over the fixtures that both have outputs on.
    """
    import pandas as pd

    both = carried_costs(outputs, runs)
    unknown = {tuple(s) for s in both.loc[both["write_reason"].notna(), SERIES].itertuples(index=False)}
    arms: dict[tuple[object, ...], Fixtures] = {}
    for *series, fixture, usd, carried in both[[*SERIES, "fixture", "write_usd", "carried"]].itertuples(index=False):
        runs_of = arms.setdefault(tuple(series), {}).setdefault(str(fixture), [])
        runs_of.append((math.nan if usd is pd.NA else float(usd), float(carried)))
    lines = []
    for one in arms:
        known = first in arms and not {first, one} & unknown
        if one != first:
            lines.append((*one, *((_ratio(arms, first, one) if known else None) or (None,) * 3)))
    table = pd.DataFrame(lines, columns=[*SERIES, *COLUMNS])
    return table.astype({c: outputs[c].dtype for c in SERIES} | dict.fromkeys(COLUMNS, "Float64"))


def _ratio(
    arms: Mapping[tuple[object, ...], Fixtures], first: tuple[object, ...], series: tuple[object, ...]
) -> tuple[float, float, float] | None:
    base, other = arms[first], arms[series]
    shared = sorted(base.keys() & other.keys())
    apart = [[_apart(base[f], other[f], column) for f in shared] for column in (0, 1)]
    if not math.fsum(apart[1]):
        return None
    if len(shared) > 1:
        limits = fieller(*apart)
    else:
        drawn = [arms[one][shared[0]] for one in (first, series) if one[MODEL] != NO_MODEL]
        limits = _of_runs(drawn, (apart[0][0], apart[1][0]))
    if limits is None or not limits[1] > limits[0]:
        return None
    return (math.fsum(apart[0]) / math.fsum(apart[1]), *limits)


def _of_runs(drawn: Sequence[Runs], means: tuple[float, float]) -> tuple[float, float] | None:
    """Limits on one fixture, from the runs of the arms that vary: one that asks no model does not."""
    if not drawn or min(map(len, drawn)) < 2:
        return None
    terms = []
    for runs in drawn:
        cost, carried = zip(*runs, strict=True)
        cov = statistics.covariance(cost, carried)
        terms.append([v / len(runs) for v in (statistics.variance(cost), cov, statistics.variance(carried))])
    vxx, vxy, vyy = map(math.fsum, zip(*terms, strict=True))
    return ratio_limits(means, (vxx, vxy, vyy), min(map(len, drawn)) - 1)


def _apart(base: Runs, other: Runs, column: int) -> float:
    return statistics.fmean(r[column] for r in other) - statistics.fmean(r[column] for r in base)
