"""How far a grader agrees with people. Pure: verdicts and labels in, shares and an interval out.

Units of one document are no independent draws (the same statements come again in each text of it), so the interval of
the accuracy is clustered by document: +-t(documents - 1) x CR1, as in `clustered.py`. Tied labels and missing verdicts
are left out and counted, never taken for a verdict.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from bench.analysis.statistics.agreement import agreement, cohen_kappa
from bench.analysis.statistics.clustered import clustered

LEVEL = 0.95


@dataclass(frozen=True)
class Judged:
    """One unit: the document it is of, what the grader said, and what people said; None where nothing is known."""

    document: str
    carried: bool | None
    label: bool | None
    unanimous: bool
    has_number: bool


@dataclass(frozen=True)
class Agreed:
    """Accuracy (0..1) and Cohen's kappa over n units; None where undefined."""

    accuracy: float | None
    kappa: float | None
    n: int


@dataclass(frozen=True)
class Calibration:
    """Agreement on all units, on those people were unanimous on, and on those with a number; counts beside it.

    precision: of the units that the grader calls carried, the share that people do. recall: of the units that people
    call carried, the share that the grader does. `interval`: 95 %, of the accuracy; None with one document.
    """

    all: Agreed
    unanimous: Agreed
    numbers: Agreed
    precision: float | None
    recall: float | None
    interval: tuple[float, float] | None
    documents: int
    tied: int
    missing: int


def calibration(units: Sequence[Judged]) -> Calibration:
    """The agreement of a grader with people over these units."""
    labelled = [u for u in units if u.label is not None]
    known = [u for u in labelled if u.carried is not None]
    both = sum(bool(u.carried and u.label) for u in known)
    said, true = sum(bool(u.carried) for u in known), sum(bool(u.label) for u in known)
    return Calibration(
        all=_agreed(known, lambda _: True),
        unanimous=_agreed(known, lambda u: u.unanimous),
        numbers=_agreed(known, lambda u: u.has_number),
        precision=both / said if said else None,
        recall=both / true if true else None,
        interval=_interval(known),
        documents=len({u.document for u in known}),
        tied=len(units) - len(labelled),
        missing=len(labelled) - len(known),
    )


def _agreed(units: Sequence[Judged], wanted: Callable[[Judged], bool]) -> Agreed:
    of = [u for u in units if wanted(u)]
    said, labels = [u.carried for u in of], [u.label for u in of]
    return Agreed(agreement(said, labels), cohen_kappa(said, labels), len(of))


def _interval(units: Sequence[Judged]) -> tuple[float, float] | None:
    from scipy.stats import t

    right: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for unit in units:
        right[unit.document].append((float(unit.carried == unit.label), 1.0))
    found = clustered(right)
    if found is None or found.cr1 is None:
        return None
    half = float(t.ppf((1 + LEVEL) / 2, found.clusters - 1)) * found.cr1
    return max(found.difference - half, 0.0), min(found.difference + half, 1.0)
