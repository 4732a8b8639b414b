"""Arms against the first of them, paired: same fixtures, same atoms, each difference with what is known of its chance.

With two fixtures or more the interval is over fixtures (`over_fixtures`) and speaks of transcripts like these; with one
it is over runs (`over_runs`) and speaks of these facts only. Atoms are never the units. p values are Holm's over all
arms of the table. The difference of the arms is the mean over common fixtures.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from bench.analysis.arms.extremes import extremes
from bench.analysis.arms.level import LIKE_THESE, interval_of, level
from bench.analysis.arms.spread import POINTS, arm_spread
from bench.analysis.bounds import Gap, cell_bounds, difference_bounds
from bench.analysis.comparing.pairs import Pairs, pairs
from bench.analysis.comparing.seeing import run_counts, seeing
from bench.analysis.comparing.two_outputs import COUNTS as OUTPUT_COUNTS
from bench.analysis.comparing.two_outputs import FIGURES as OUTPUT_FIGURES
from bench.analysis.comparing.two_outputs import two_outputs
from bench.analysis.credited import credited_by
from bench.analysis.recall import arm_recall, run_recall
from bench.analysis.statistics.equivalence import equivalence
from bench.analysis.statistics.estimate import Estimate
from bench.analysis.statistics.holm import holm
from bench.analysis.statistics.over_atoms import over_atoms
from bench.analysis.statistics.over_runs import Pair
from bench.analysis.statistics.relabel import relabel
from bench.analysis.statistics.sign_flip import LEAST_FIXTURES, sign_flip
from bench.analysis.units import GRADING, NO_MODEL, SERIES
from bench.errors import BenchError

if TYPE_CHECKING:
    import pandas as pd

WORTH_SEEING = 5.0
"""Points that a design should be able to see: what more runs or fixtures are worked out for, unless a call says so."""
ALPHA = 0.05

FIGURES = [
    "difference", "low", "high", "se", "df", "p", "p_holm", "p_exact", "sees", "worth_seeing", "runs_for_it",
    "fixtures_for_it", "these_low", "these_high", "these_p", "atoms_low", "atoms_high", "least", "most", "margin",
    "p_no_worse", "p_as_good", "gaps", "cells", "fewest_runs", "most_runs", "common_fixtures", "common_atoms",
    "atoms_left_out", *OUTPUT_FIGURES,
]  # fmt: skip
"""Numbers of a comparison; differences, limits, se and what it sees in points. low to high is the 95 % interval on the
target, these_ on these facts alone, atoms_ on atoms like these; least to most is what gaps leave open; only_ and
outputs_ are of two outputs only (`two_outputs`)."""
WORDS = ["target", "exact_test", "why_no_interval", "fixture_differences"]
COUNTS = [
    "gaps", "cells", "fewest_runs", "most_runs", "common_fixtures", "common_atoms", "atoms_left_out", *OUTPUT_COUNTS,
]  # fmt: skip


def compare(
    grades: pd.DataFrame,
    first: tuple[object, ...],
    *,
    cells: pd.DataFrame | None = None,
    runs: pd.DataFrame | None = None,
    worth_seeing: float = WORTH_SEEING,
    margin: float | None = None,
) -> pd.DataFrame:
    """One line a series, the first one on top: recall (0..1) with its own interval (`recall_low`, `recall_high`), n,
    fixtures of of_fixtures, spread, worst_at, worst, `FIGURES`, `WORDS` and `found`.

    `grades` holds one way of grading, ranked outputs only, `runs` its `run_recall` where that is known; `first` is a
    series (arm, model, chain_step, stale_by). With `cells` (from `cell_states`) what is missing of the grid is bounded:
    see `bounds`. `found` is true where the difference is not chance on its target, and no gap could turn it. `margin`
    (points, fixed beforehand): p_no_worse is of the arm being worse by as much or more, p_as_good also of its being
    better (`equivalence`). Raises BenchError where the first has no grades.
    """
    import pandas as pd

    base = grades[_is(grades, first)]
    if not base["verdict"].notna().any():
        raise BenchError(f"arm '{first[0]}' has no graded handoff in this run")
    runs = run_recall(grades) if runs is None else runs
    credits_ = credited_by(grades, [*GRADING, *SERIES])
    own = interval_of(runs, credits_)[[*GRADING, *SERIES, "low", "high"]]
    table = arm_recall(runs).assign(of_fixtures=runs.dropna(subset=["recall"])["fixture"].nunique())
    for part in (own.rename(columns={"low": "recall_low", "high": "recall_high"}), arm_spread(runs), extremes(runs)):
        table = table.merge(part, on=[*GRADING, *SERIES], how="left")
    table = table.assign(order=(~_is(table, first)).astype(int)).sort_values(
        ["order", "recall"], ascending=[True, False], na_position="last", ignore_index=True, kind="stable"
    )
    series = [tuple(s) for s in table[SERIES].itertuples(index=False)]
    sides = [credits_.get(one, {}) for one in table[[*GRADING, *SERIES]].itertuples(index=False, name=None)]
    both = [pairs(sides[0], side) for side in sides]
    gaps: list[Gap | None] = [None] * len(series)
    if cells is not None:
        ends = cell_bounds(runs, cells)
        gaps = [difference_bounds(ends[_is(ends, first)], ends[_is(ends, one)]) for one in series]
    lines = [_line(one, gap, worth_seeing, margin) for one, gap in zip(both, gaps, strict=True)]
    lines[0] = {"common_fixtures": len(both[0].fixtures), "common_atoms": both[0].common_atoms, "atoms_left_out": 0}
    if len(series) == 2:  # one comparison: a p of several would have to be adjusted
        lines[1] |= two_outputs(sides[0], sides[1])
    for line, adjusted in zip(lines, holm([_p(line) for line in lines]), strict=True):
        line["p_holm"] = adjusted
        line["found"] = _found(line)
    told = pd.DataFrame(lines, columns=[*FIGURES, *WORDS, "found"])
    dtypes = {c: "Int64" if c in COUNTS else "Float64" for c in FIGURES} | {"found": "boolean"}
    words = {c: "string" for c in WORDS if c != "fixture_differences"}
    return pd.concat([table.drop(columns="order"), told.astype(dtypes | words)], axis=1)


def cannot_be_said(table: pd.DataFrame) -> list[str]:
    """What this design cannot tell, in sentences; `table` is from `compare`. Empty where nothing is missing."""
    told = []
    if (table["fixtures"] < 2).all():
        told.append("One fixture: this speaks of its atoms only; nothing can be said about other transcripts.")
    told += [
        f"{line.arm}: {line.fixtures} of {line.of_fixtures} fixtures, not comparable with the others' recall; a"
        " difference is over shared fixtures only."
        for line in table[table["fixtures"] < table["of_fixtures"]].itertuples()
    ]
    # what asks no model is the same each time
    single = (table["n"] <= table["fixtures"]) & (table["model"] != NO_MODEL)
    alone = table.loc[single, "arm"].drop_duplicates().tolist()
    if alone:
        told.append(
            f"One run a fixture ({', '.join(alone)}): two outputs differ on some atoms; how much of a difference is"
            " chance from run to run cannot be said."
        )
    if (table["atoms_left_out"] > 0).any():
        told.append("Atoms that only one of two arms has a verdict on are left out of their difference.")
    return told


def _line(both: Pairs, gap: Gap | None, worth_seeing: float, margin: float | None) -> dict[str, object]:
    """Everything about one difference, in points."""
    fixtures = both.fixtures
    found, atoms = level(fixtures), over_atoms([credits_ for credits_ in both.credits if credits_ is not None])
    whole = len(both.credits) == len(fixtures) and None not in both.credits
    return {
        **_estimate(found.main),
        "these_low": _end(found.these.low), "these_high": _end(found.these.high), "these_p": found.these.p,
        "atoms_low": _end(atoms.low) if whole else None, "atoms_high": _end(atoms.high) if whole else None,
        **seeing(found, fixtures, worth_seeing),
        **_exact(fixtures, found.main),
        **_missing(gap),
        **_no_worse(found.main, margin),
        "target": found.target,
        "worth_seeing": worth_seeing,
        "fixture_differences": {p.fixture: POINTS * p.difference for p in fixtures},
        "fewest_runs": min(run_counts(fixtures), default=None), "most_runs": max(run_counts(fixtures), default=None),
        "common_fixtures": len(fixtures), "common_atoms": both.common_atoms, "atoms_left_out": both.atoms_left_out,
    }  # fmt: skip


def _no_worse(found: Estimate, margin: float | None) -> dict[str, object]:
    tests = None if margin is None else equivalence(found, margin / POINTS)
    return {} if tests is None else {"margin": margin, "p_no_worse": tests.p_worse, "p_as_good": tests.p}


def _missing(gap: Gap | None) -> dict[str, object]:
    """What the difference could be, had all that is missing carried all or nothing."""
    if gap is None:
        return {}
    return {"least": POINTS * gap.least, "most": POINTS * gap.most, "gaps": gap.gaps, "cells": gap.cells}


def _estimate(found: Estimate) -> dict[str, object]:
    ends = {"low": _end(found.low), "high": _end(found.high)}
    told = {"difference": _points(found.difference), "se": _points(found.se), "df": found.df, "p": found.p}
    return {**told, **ends, "why_no_interval": found.why or None}


def _exact(fixtures: Sequence[Pair], main: Estimate) -> dict[str, object]:
    """The exact test of the same target, where it could find anything or its runs are known; never without an interval:
    a p alone says nothing of how much."""
    if main.low is None:
        return {}
    if len(fixtures) > 1:
        if len(fixtures) < LEAST_FIXTURES:
            return {}
        return {"p_exact": sign_flip([p.difference for p in fixtures]), "exact_test": "sign-flip over fixtures"}
    if not all(len(side.recalls) > 1 and not side.gradings for p in fixtures for side in (p.base, p.other)):
        return {}
    p_exact = relabel([(p.base.recalls, p.other.recalls) for p in fixtures])
    return {} if p_exact is None else {"p_exact": p_exact, "exact_test": "relabelling of runs"}


def _p(line: dict[str, object]) -> float | None:
    p = line.get("p")
    return p if isinstance(p, float) else None


def _found(line: dict[str, object]) -> bool | None:
    """Whether the t test finds it among all comparisons, and over fixtures the exact test does not object."""
    adjusted, exact = line.get("p_holm"), line.get("p_exact")
    if not isinstance(adjusted, float):
        return None
    objects = line.get("target") == LIKE_THESE and isinstance(exact, float) and exact > ALPHA
    least, most = line.get("least"), line.get("most")
    open_ = isinstance(least, float) and isinstance(most, float) and least <= 0 <= most
    return adjusted <= ALPHA and not objects and not open_


def _points(recall: float | None) -> float | None:
    return None if recall is None else POINTS * recall


def _end(limit: float | None) -> float | None:
    """An end of an interval in points, cut at what two recalls can differ by."""
    return None if limit is None else POINTS * max(-1.0, min(1.0, limit))


def _is(table: pd.DataFrame, series: tuple[object, ...]) -> pd.Series:
    import pandas as pd

    match = pd.Series(True, index=table.index)
    for column, value in zip(SERIES, series, strict=True):
        match &= table[column] == value
    return match
