"""Arms against the first of them, paired: same fixtures, same atoms, each difference with what is known of its chance.

With two fixtures or more the interval is over fixtures (`over_fixtures`) and speaks of transcripts like these; with one
it is over runs (`over_runs`) and speaks of these facts only. Atoms are never the units. p values are Holm's over all
arms of the table. The difference of the arms is the mean over common fixtures.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from typing import TYPE_CHECKING

from bench.analysis.estimate import Estimate
from bench.analysis.holm import holm
from bench.analysis.over_fixtures import over_fixtures
from bench.analysis.over_runs import Pair, over_runs
from bench.analysis.pairs import Pairs, pairs
from bench.analysis.power import detectable, fixtures_needed, runs_needed, runs_needed_over_fixtures
from bench.analysis.recall import arm_recall, run_recall
from bench.analysis.relabel import relabel
from bench.analysis.sign_flip import LEAST_FIXTURES, sign_flip
from bench.analysis.spread import POINTS, arm_spread
from bench.analysis.units import GRADING, NO_MODEL, SERIES
from bench.errors import BenchError

if TYPE_CHECKING:
    import pandas as pd

SAME_KEY, LIKE_THESE = "these facts", "transcripts like these"
"""What a difference is about: what would have to be drawn again for it to vanish."""
WORTH_SEEING = 5.0
"""Points that a design should be able to see: what more runs or fixtures are worked out for, unless a call says so."""
ALPHA = 0.05

FIGURES = [
    "difference", "low", "high", "se", "df", "p", "p_holm", "p_exact", "sees", "worth_seeing", "runs_for_it",
    "fixtures_for_it", "these_low", "these_high", "these_p", "fewest_runs", "most_runs", "common_fixtures",
    "common_atoms", "atoms_left_out",
]  # fmt: skip
"""Numbers of a comparison; differences, limits, se and what it sees in points."""
WORDS = ["target", "exact_test", "why_no_interval", "fixture_differences"]
COUNTS = ["fewest_runs", "most_runs", "common_fixtures", "common_atoms", "atoms_left_out"]


def compare(grades: pd.DataFrame, first: tuple[object, ...], *, worth_seeing: float = WORTH_SEEING) -> pd.DataFrame:
    """One line a series, the first one on top: recall (0..1), n, fixtures, spread, `FIGURES`, `WORDS` and `found`.

    `grades` holds one way of grading, ranked outputs only; `first` is a series (arm, model, chain_step, stale_by).
    `found` is true where the difference is not chance on its target. Raises BenchError where the first has no grades.
    """
    import pandas as pd

    base = grades[_is(grades, first)]
    if not base["verdict"].notna().any():
        raise BenchError(f"arm '{first[0]}' has no graded handoff in this run")
    runs = run_recall(grades)
    table = arm_recall(runs).merge(arm_spread(runs), on=[*GRADING, *SERIES], how="left")
    table = table.assign(order=(~_is(table, first)).astype(int)).sort_values(
        ["order", "recall"], ascending=[True, False], na_position="last", ignore_index=True, kind="stable"
    )
    both = [pairs(base, grades[_is(grades, tuple(s))]) for s in table[SERIES].itertuples(index=False)]
    lines = [_line(one, worth_seeing) for one in both]
    lines[0] = {"common_fixtures": len(both[0].fixtures), "common_atoms": both[0].common_atoms, "atoms_left_out": 0}
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


def _line(both: Pairs, worth_seeing: float) -> dict[str, object]:
    """Everything about one difference, in points."""
    fixtures = both.fixtures
    these = over_runs(fixtures)
    across = len(fixtures) > 1
    main = over_fixtures([p.difference for p in fixtures]) if across else these
    return {
        **_estimate(main),
        "these_low": _end(these.low), "these_high": _end(these.high), "these_p": these.p,
        **(_design_over_fixtures(main, these, fixtures, worth_seeing) if across
           else _design_over_runs(main, fixtures, worth_seeing)),
        **_exact(fixtures, across),
        "target": LIKE_THESE if across else SAME_KEY,
        "worth_seeing": worth_seeing,
        "fixture_differences": {p.fixture: POINTS * p.difference for p in fixtures},
        "fewest_runs": min(_run_counts(fixtures), default=None), "most_runs": max(_run_counts(fixtures), default=None),
        "common_fixtures": len(fixtures), "common_atoms": both.common_atoms, "atoms_left_out": both.atoms_left_out,
    }  # fmt: skip


def _estimate(found: Estimate) -> dict[str, object]:
    ends = {"low": _end(found.low), "high": _end(found.high)}
    told = {"difference": _points(found.difference), "se": _points(found.se), "df": found.df, "p": found.p}
    return {**told, **ends, "why_no_interval": found.why or None}


def _exact(fixtures: Sequence[Pair], across: bool) -> dict[str, object]:
    """The exact test of the same target, where it could find anything or its runs are known."""
    if across:
        if len(fixtures) < LEAST_FIXTURES:
            return {}
        return {"p_exact": sign_flip([p.difference for p in fixtures]), "exact_test": "sign-flip over fixtures"}
    if not all(len(side.recalls) > 1 and not side.gradings for p in fixtures for side in (p.base, p.other)):
        return {}
    p_exact = relabel([(p.base.recalls, p.other.recalls) for p in fixtures])
    return {} if p_exact is None else {"p_exact": p_exact, "exact_test": "relabelling of runs"}


def _design_over_runs(found: Estimate, fixtures: Sequence[Pair], worth_seeing: float) -> dict[str, object]:
    if found.se is None or found.df is None:
        return {}
    counts = _run_counts(fixtures)
    needed = runs_needed(POINTS * found.se, found.df, statistics.fmean(counts), worth_seeing) if counts else None
    return {"sees": POINTS * detectable(found.se, found.df), "runs_for_it": needed}


def _design_over_fixtures(
    found: Estimate, these: Estimate, fixtures: Sequence[Pair], worth_seeing: float
) -> dict[str, object]:
    if found.se is None or found.df is None:
        return {}
    n, sd = len(fixtures), POINTS * found.se * len(fixtures) ** 0.5
    runs_for_it = None
    counts = _run_counts(fixtures)
    if these.se is not None and counts:  # the variance of a mean over n fixtures, and so n times that of one of them
        within = n * (POINTS * these.se) ** 2
        runs_for_it = runs_needed_over_fixtures(sd, within, n, statistics.fmean(counts), worth_seeing)
    return {
        "sees": POINTS * detectable(found.se, found.df),
        "runs_for_it": runs_for_it,
        "fixtures_for_it": fixtures_needed(sd, worth_seeing),
    }


def _run_counts(fixtures: Sequence[Pair]) -> list[int]:
    """Runs an arm and fixture, of the arms that a further run could say more of."""
    sides = [side for pair in fixtures for side in (pair.base, pair.other)]
    return [len(side.recalls) for side in sides if not side.gradings]


def _p(line: dict[str, object]) -> float | None:
    p = line.get("p")
    return p if isinstance(p, float) else None


def _found(line: dict[str, object]) -> bool | None:
    """Whether the t test finds it among all comparisons, and over fixtures the exact test does not object."""
    adjusted, exact = line.get("p_holm"), line.get("p_exact")
    if not isinstance(adjusted, float):
        return None
    objects = line.get("target") == LIKE_THESE and isinstance(exact, float) and exact > ALPHA
    return adjusted <= ALPHA and not objects


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
