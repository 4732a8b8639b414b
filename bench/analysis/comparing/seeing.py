"""What a design of two arms can see, and what it would take to see what is worth seeing. Differences in points."""

from __future__ import annotations

import statistics
from collections.abc import Sequence

from bench.analysis.arms.level import Level
from bench.analysis.arms.spread import POINTS
from bench.analysis.statistics.estimate import Estimate
from bench.analysis.statistics.over_runs import Pair
from bench.analysis.statistics.power import detectable, fixtures_needed, runs_needed, runs_needed_over_fixtures


def seeing(found: Level, fixtures: Sequence[Pair], worth_seeing: float) -> dict[str, object]:
    """sees, and the runs_for_it or fixtures_for_it that would see `worth_seeing`; empty without a standard error."""
    if found.main.se is None or found.main.df is None:
        return {}
    told: dict[str, object] = {"sees": POINTS * detectable(found.main.se, found.main.df)}
    if len(fixtures) > 1:
        return told | _over_fixtures(found.main.se, found.these, fixtures, worth_seeing)
    counts = run_counts(fixtures)
    mean = statistics.fmean(counts) if counts else None
    needed = None if mean is None else runs_needed(POINTS * found.main.se, found.main.df, mean, worth_seeing)
    return told | {"runs_for_it": needed}


def run_counts(fixtures: Sequence[Pair]) -> list[int]:
    """Runs an arm and fixture, of the arms that a further run could say more of."""
    sides = [side for pair in fixtures for side in (pair.base, pair.other)]
    return [len(side.recalls) for side in sides if not side.gradings]


def _over_fixtures(se: float, these: Estimate, fixtures: Sequence[Pair], worth_seeing: float) -> dict[str, object]:
    n, counts = len(fixtures), run_counts(fixtures)
    sd = POINTS * se * n**0.5
    runs_for_it = None
    if these.se is not None and counts:  # the variance of a mean over n fixtures, and so n times that of one of them
        within = n * (POINTS * these.se) ** 2
        runs_for_it = runs_needed_over_fixtures(sd, within, n, statistics.fmean(counts), worth_seeing)
    return {"runs_for_it": runs_for_it, "fixtures_for_it": fixtures_needed(sd, worth_seeing)}
