"""What people's grades of some atoms say of a grader, and of each arm's share of carried atoms. Pure frames.

A unit is one atom of one output, an unweighted one. A grader calls it carried where more than half of its passes do;
`partial` counts as not carried, since an error rate needs two answers. The prediction-powered mean takes credits (0,
0.5, 1), the mean over passes. Intervals take units as drawn one by one: they speak of these outputs. A person's
disputes are no grades here: they are chosen for disagreement. Sources: `grader_error.py`, `prediction_powered.py`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from bench.analysis.recall import credit
from bench.analysis.statistics.grader_error import Labelled, corrected
from bench.analysis.statistics.prediction_powered import prediction_powered
from bench.analysis.units import OUTPUT, SERIES

if TYPE_CHECKING:
    import pandas as pd

PEOPLE = "human"
"""The grader under which people's grades stand."""
NO_GRADERS = (PEOPLE, "disputes")
ERRORS = ["scope", "grader", "labelled", "carried", "lost", "sensitivity", "specificity"]
CORRECTED = [
    "scope", "grader", *SERIES, "atoms", "labelled", "share", "corrected", "corrected_low", "corrected_high",
    "people", "people_low", "people_high",
]  # fmt: skip
_UNIT = [*OUTPUT, "atom"]


def grader_errors(grades: pd.DataFrame) -> pd.DataFrame:
    """One line a scope and grader that people graded beside: labelled units, how many of them people call carried and
    lost, and of these the shares (0..1) that the grader calls so: sensitivity, specificity; NA where there are none."""
    lines: list[dict[str, object]] = []
    for scope, grader, units in _joined(grades):
        of = _labelled(units)
        counts = (of.carried + of.lost, of.carried, of.lost, of.sensitivity, of.specificity)
        lines.append(dict(zip(ERRORS, (scope, grader, *counts), strict=True)))
    return _frame(lines, ERRORS)


def corrected_recalls(grades: pd.DataFrame) -> pd.DataFrame:
    """One line a scope, grader and series: the share of its atoms that the grader calls carried, corrected by the
    grader's errors on all labelled units of the scope; and people's mean credit, from their grades of the arm's
    `labelled` units and the grader's on the rest. 0..1 with 95 % limits.

    corrected is NA where the grader is no better than chance or people call all atoms the same; people is NA for
    fewer than two labelled units of the arm, or where people graded all of them. The first supposes that the grader
    errs alike in all arms, the second that the labelled units are a random sample of the arm's.
    """
    lines: list[dict[str, object]] = []
    for scope, grader, units in _joined(grades):
        of = _labelled(units)
        for series, arm in units.groupby(SERIES, observed=True, sort=True):
            share = float(arm["carried"].mean())
            fixed = corrected(share, len(arm), of)
            known = arm["people"].notna()
            y, f = (arm.loc[known, c].astype(float).tolist() for c in ("people", "credit"))
            powered = prediction_powered(y, f, arm.loc[~known, "credit"].astype(float).tolist())
            ends = (None, None, None) if fixed is None else (fixed.recall, fixed.low, fixed.high)
            mean = (None, None, None) if powered is None else (powered.mean, powered.low, powered.high)
            told = (scope, grader, *series, len(arm), int(known.sum()), share, *ends, *mean)
            lines.append(dict(zip(CORRECTED, told, strict=True)))
    return _frame(lines, CORRECTED)


def _joined(grades: pd.DataFrame) -> Iterator[tuple[str, str, pd.DataFrame]]:
    """scope, grader, and its units: credit, carried, and people's credit and word (NA where nobody graded it)."""
    for scope, graded in grades.groupby("scope", observed=True):
        people = _units(graded[graded["grader"] == PEOPLE])
        theirs = people.rename(columns={"credit": "people", "carried": "people_carried"})
        for grader, own in graded.groupby("grader", observed=True):
            if grader in NO_GRADERS:
                continue
            units = _units(own).merge(theirs, on=_UNIT, how="left")
            if units["people"].notna().any():
                yield str(scope), str(grader), units


def _units(grades: pd.DataFrame) -> pd.DataFrame:
    rated = grades.assign(credit=credit(grades)).dropna(subset=["verdict"])
    rated = rated.assign(carried=(rated["verdict"] == "carried").astype(float))
    units = rated.groupby(_UNIT, observed=True)[["credit", "carried"]].mean().reset_index()
    return units.assign(carried=units["carried"] > 0.5)


def _labelled(units: pd.DataFrame) -> Labelled:
    known = units.dropna(subset=["people"])
    ours, theirs = known["carried"].astype(bool), known["people_carried"].astype(bool)
    counts = [int((theirs == t).mul(ours == o).sum()) for t in (True, False) for o in (True, False)]
    return Labelled(*counts)


def _frame(lines: list[dict[str, object]], columns: list[str]) -> pd.DataFrame:
    import pandas as pd

    return pd.DataFrame(lines, columns=columns).convert_dtypes()
