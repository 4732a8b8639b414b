"""The level of one arm with its interval: the same two ways as a difference, the other side being a known zero.

Over fixtures (two or more) the interval speaks of transcripts like these; over runs, of these facts only. The first is
wide where transcripts differ in how hard they are, which two arms on the same fixtures share: never tell two arms apart
by whether such intervals overlap; that is what the paired difference is for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bench.analysis.credited import Credited, credited_by
from bench.analysis.recall import fixture_recall, run_recall
from bench.analysis.statistics.estimate import Estimate
from bench.analysis.statistics.over_fixtures import over_fixtures
from bench.analysis.statistics.over_runs import Pair, Runs, over_runs
from bench.analysis.units import GRADING, SERIES

if TYPE_CHECKING:
    import pandas as pd

SAME_KEY, LIKE_THESE = "these facts", "transcripts like these"
"""What an interval is about: what would have to be drawn again for it to move."""
ZERO = Runs((0.0,), sure=True)
COLUMNS = ["low", "high", "se", "df", "target", "why_no_interval", "these_low", "these_high"]


@dataclass(frozen=True)
class Level:
    """`main` is over fixtures where there are two or more, else over runs, as `these` always is."""

    main: Estimate
    these: Estimate
    target: str


def level(fixtures: Sequence[Pair]) -> Level:
    """What is known of the mean difference of the pairs; with `ZERO` as the base, of the mean itself."""
    these = over_runs(fixtures)
    if len(fixtures) < 2:
        return Level(these, these, SAME_KEY)
    return Level(over_fixtures([p.difference for p in fixtures]), these, LIKE_THESE)


def own(means: Mapping[str, float], runs: Mapping[str, Runs]) -> list[Pair]:
    """Pairs against zero, from a fixture's mean and the runs behind it."""
    return [Pair(fixture, mean, ZERO, runs[fixture]) for fixture, mean in means.items()]


def arm_interval(grades: pd.DataFrame) -> pd.DataFrame:
    """One line a way of grading and series: the 95 % interval of its mean recall (low, high, 0..1) with se and df, its
    `target`, `why_no_interval`, and that of these facts alone (these_low, these_high).

    `grades` holds ranked outputs. Replicates are averaged inside fixtures first. NA where there is no interval.
    """
    return interval_of(run_recall(grades), credited_by(grades, [*GRADING, *SERIES]))


def interval_of(recalls: pd.DataFrame, sides: Mapping[tuple[object, ...], Mapping[str, Credited]]) -> pd.DataFrame:
    """The table of `arm_interval` from what `run_recall` and `credited_by` make of the grades: for who has them."""
    import pandas as pd

    by = [*GRADING, *SERIES]
    means = fixture_recall(recalls).dropna(subset=["recall"]).groupby(by, observed=True)
    known = {series: dict(zip(one["fixture"], one["recall"].astype(float), strict=True)) for series, one in means}
    lines = []
    for series in recalls[by].drop_duplicates().itertuples(index=False, name=None):
        runs = {fixture: side.recalls() for fixture, side in sides.get(series, {}).items()}
        lines.append((*series, *_told(level(own(known.get(series, {}), runs)))))
    table = pd.DataFrame(lines, columns=[*by, *COLUMNS])
    words = ("target", "why_no_interval")
    return table.astype({c: "string" if c in words else "Float64" for c in COLUMNS})


def _told(found: Level) -> tuple[object, ...]:
    main, these = found.main, found.these
    ends = [_share(main.low), _share(main.high), main.se, main.df, found.target, main.why or None]
    return (*ends, _share(these.low), _share(these.high))


def _share(limit: float | None) -> float | None:
    """An end of an interval, cut at what a recall can be."""
    return None if limit is None else max(0.0, min(1.0, limit))
