"""Output tokens, seconds and USD of arms, told like recall: level, spread at equal n, worst run, paired difference.

A compaction gets one attempt, so the dearest and the slowest run are part of what an arm is. Every output that was
tried counts, a refused one too. A mean over outputs of which one's figure is not known is not known.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from bench.analysis.arms.cost import output_cost, per_carried
from bench.analysis.arms.level import ZERO, level
from bench.analysis.arms.ratio import more
from bench.analysis.arms.spread import best_at, range_at
from bench.analysis.statistics.over_runs import Pair, Runs
from bench.analysis.units import NO_MODEL, OUTPUT, SERIES

if TYPE_CHECKING:
    import pandas as pd

MEASURES = ("output_tokens", "seconds", "usd_write")
PER_CARRIED = "usd_per_carried"
"""A ratio of totals: no run has one of its own, so there is no spread, no worst and no difference of it."""
COLUMNS = [
    "measure", "n", "missing", "fixtures", "mean", "low", "high", "spread", "worst_at", "spread_of", "worst",
    "worst_fixture", "worst_replicate", "difference", "difference_low", "difference_high", "difference_p", "more",
    "more_low", "more_high", "common_fixtures", "target", "why_no_interval",
]  # fmt: skip
WORDS = ("measure", "worst_fixture", "target", "why_no_interval")
COUNTS = ("n", "missing", "fixtures", "spread_of", "worst_replicate", "common_fixtures")


def measure_table(outputs: pd.DataFrame, first: tuple[object, ...]) -> pd.DataFrame:
    """One line a measure (`MEASURES`) and series, the first series before the others.

    n outputs with a figure, missing without; mean with its 95 % interval (low, high; see `level`); spread, the mean
    over fixtures of the range of `spread_of` runs, and worst_at, of the greatest of so many; worst, the greatest of
    all, and where. difference to the first series, over common fixtures, with its interval and p (NA without one), and
    `more`, how much more than the first one's it is (0.38 is 38 % more; see `ratio`), with its interval (more_low,
    more_high). Tokens, seconds, USD. NA where a figure is not known.
    """
    import pandas as pd

    tried = output_cost(outputs)[[*OUTPUT, "write_usd"]].rename(columns={"write_usd": "usd_write"})
    table = tried.merge(outputs[[*OUTPUT, "output_tokens", "seconds"]], on=OUTPUT)
    parts = {tuple(one): part for one, part in table.groupby(SERIES, observed=True, sort=False)}
    order = sorted(parts, key=lambda one: one != first)
    lines = [
        (*one, *(line.get(c) for c in COLUMNS))
        for measure in MEASURES
        for one, line in _lines({one: parts[one] for one in order}, measure, first)
    ]
    told = pd.DataFrame(lines, columns=[*SERIES, *COLUMNS])
    kinds = {c: "string" if c in WORDS else "Int64" if c in COUNTS else "Float64" for c in COLUMNS}
    return told.astype(kinds | {c: outputs[c].dtype for c in SERIES})


def atom_lines(outputs: pd.DataFrame, runs: pd.DataFrame, table: pd.DataFrame) -> pd.DataFrame:
    """Lines like those of `table` (from `measure_table`, in the order of its series) of the measure `PER_CARRIED`: mean
    is the USD per carried atom, with its interval. `runs` is from `run_recall`, of one way of grading."""
    import pandas as pd

    found = per_carried(outputs, runs).rename(
        columns={
            "usd_per_carried": "mean", "usd_per_carried_low": "low", "usd_per_carried_high": "high",
            "usd_per_carried_target": "target", "usd_per_carried_no_interval": "why_no_interval",
        }
    )  # fmt: skip
    counted = [*SERIES, "n", "missing", "fixtures"]
    of = table.loc[table["measure"] == "usd_write", counted]
    told = of.merge(found, on=SERIES, how="left").assign(measure=PER_CARRIED)
    return pd.DataFrame(told.reindex(columns=table.columns)).astype(table.dtypes.to_dict())


def _lines(
    parts: Mapping[tuple[object, ...], pd.DataFrame], measure: str, first: tuple[object, ...]
) -> Iterator[tuple[tuple[object, ...], dict[str, object]]]:
    """Each series with its line of one measure."""
    runs = {one: _runs(part, measure) for one, part in parts.items()}
    counts = [len(r.recalls) for of in runs.values() for r in of.values() if len(r.recalls) > 1]
    m = min(counts, default=0)
    for one, part in parts.items():
        whole = not part[measure].isna().any()
        line: dict[str, object] = {"measure": measure, "missing": int(part[measure].isna().sum())}
        line |= _worst(part, measure) | {"n": int(part[measure].notna().sum()), "fixtures": len(runs[one])}
        if whole and runs[one]:
            line |= _own(runs[one]) | _at(runs[one], m)
        base = parts.get(first)
        if one != first and whole and base is not None and not base[measure].isna().any():
            line |= _against(runs[first], runs[one])
        yield one, line


def _runs(part: pd.DataFrame, measure: str) -> dict[str, Runs]:
    """fixture -> the figures of its runs. What an arm writes and costs that asks no model is the same each time."""
    sure = bool((part["model"] == NO_MODEL).all()) and measure != "seconds"
    known = part.dropna(subset=[measure]).groupby("fixture", observed=True)[measure]
    return {str(fixture): Runs(tuple(map(float, values)), sure) for fixture, values in known}


def _own(runs: Mapping[str, Runs]) -> dict[str, object]:
    found = level([Pair(f, statistics.fmean(r.recalls), ZERO, r) for f, r in runs.items()])
    low = None if found.main.low is None else max(0.0, found.main.low)
    return {"mean": found.main.difference, "low": low, "high": found.main.high}


def _at(runs: Mapping[str, Runs], m: int) -> dict[str, object]:
    """Spread and worst of m runs, means over the fixtures that have as many."""
    values = [r.recalls for r in runs.values() if len(r.recalls) >= m]
    if m < 2 or not values:
        return {}
    spans, ends = [range_at(v, m) for v in values], [best_at(v, m) for v in values]
    told = {"spread": spans, "worst_at": ends}
    means = {name: statistics.fmean(v for v in of if v is not None) for name, of in told.items()}
    return {**means, "spread_of": m}


def _worst(part: pd.DataFrame, measure: str) -> dict[str, object]:
    known = part.dropna(subset=[measure])
    if not len(known):
        return {}
    order = [measure, "fixture", "replicate"]
    line = known.sort_values(order, ascending=[False, True, True], kind="stable").iloc[0]
    return {
        "worst": float(line[measure]), "worst_fixture": line["fixture"], "worst_replicate": int(line["replicate"]),
    }  # fmt: skip


def _against(base: Mapping[str, Runs], other: Mapping[str, Runs]) -> dict[str, object]:
    common = [f for f in base if f in other]
    means = [(statistics.fmean(base[f].recalls), statistics.fmean(other[f].recalls)) for f in common]
    found = level([Pair(f, b - a, base[f], other[f]) for f, (a, b) in zip(common, means, strict=True)])
    main, ratio = found.main, more(base, other, common)
    return {
        "difference": main.difference, "difference_low": main.low, "difference_high": main.high,
        "difference_p": main.p, "more": ratio.more, "more_low": ratio.low, "more_high": ratio.high,
        "common_fixtures": len(common), "target": found.target, "why_no_interval": main.why or None,
    }  # fmt: skip
