"""How many times as much one arm takes as another: the ratio of their means on each fixture, then over fixtures.

What an arm writes and costs grows with the transcript, so a difference in USD is mostly that of the longest; a ratio
is of all of them. Over fixtures: the geometric mean, its interval by t over the logarithms (Fleming & Wallace 1986). On
one fixture: the ratio of the two means, the variance of its logarithm being that of the runs over their squared mean
(the delta method), degrees of freedom after Welch and Satterthwaite.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from bench.analysis.arms.level import level
from bench.analysis.statistics.over_runs import Pair, Runs


class More(NamedTuple):
    """How much more an arm takes, as a share of the other's: 0.38 is 38 % more; its 95 % interval, None without one."""

    more: float | None
    low: float | None = None
    high: float | None = None


NOTHING = More(-1.0)
UNKNOWN = More(None)


def more(base: Mapping[str, Runs], other: Mapping[str, Runs], fixtures: Sequence[str]) -> More:
    """What `other` takes on the fixtures beside what `base` takes; `UNKNOWN` where that takes nothing on one."""
    means = [(statistics.fmean(base[f].recalls), statistics.fmean(other[f].recalls)) for f in fixtures]
    if not means or min(theirs for theirs, _ in means) <= 0:
        return UNKNOWN
    if not any(ours for _, ours in means):
        return NOTHING
    if min(ours for _, ours in means) <= 0:
        return More(sum(ours for _, ours in means) / sum(theirs for theirs, _ in means) - 1)
    pairs = [
        Pair(f, math.log(ours / theirs), _of_its_mean(base[f], theirs), _of_its_mean(other[f], ours))
        for f, (theirs, ours) in zip(fixtures, means, strict=True)
    ]
    found = level(pairs).main
    return More(*(None if log is None else math.expm1(log) for log in (found.difference, found.low, found.high)))


def _of_its_mean(runs: Runs, mean: float) -> Runs:
    return Runs(tuple(value / mean for value in runs.recalls), sure=runs.sure, gradings=runs.gradings)
