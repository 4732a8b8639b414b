"""The recipe of the shipped weights: a logistic model over the figures of the best passage, fitted on human labels.

Newton's method on the mean log loss plus `penalty` / 2 x the squared weights of the scaled figures (the intercept is
free). What is aimed at is the share of the people who found the unit: two of three say less than three of three, and a
tie says something too. Documents are the folds, never units. The penalty is chosen by folds inside the documents of the
fit only, so that the agreement that is told was had on documents that neither weights nor penalty have seen (nested
folds). Units whose best passage lacks a number or an identifier of theirs, or holds next to nothing of them, are never
carried, whatever the weights; they are no part of the fit, and count in the agreement.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bench.analysis.graders.calibration import Agreed, Judged, calibration
from bench.calibration.keys import atom_id, keys_of
from bench.calibration.labels import LabelledText, Unit
from bench.errors import BenchError
from bench.grading.matcher import CARRIED, Matcher
from bench.grading.negation import Reading
from bench.grading.overlap import FIGURES
from bench.grading.weights import Agreement, Fitted, Weight, Weights

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]

FOLDS = 10
INNER_FOLDS = 5
PENALTIES = (0.0003, 0.001, 0.003, 0.01, 0.03, 0.1)
STEPS = 25
"""Newton steps; the loss is convex and settles in fewer than ten."""
DIGITS = 6
"""Significant digits of what is written."""


@dataclass(frozen=True)
class Row:
    """One labelled unit in one text: its figures, None where it is not carried whatever the weights."""

    document: str
    unit: Unit
    figures: tuple[float, ...] | None


def rows_of(texts: Sequence[LabelledText]) -> list[Row]:
    """The figures of every unit, tied ones too."""
    keys = keys_of(texts)
    rows = []
    for one in texts:
        key = keys[one.document]
        by_id = {atom.id: atom for atom in key.atoms}
        matcher = Matcher(Reading(one.text), key)
        for unit in one.units:
            found = matcher.figures(by_id[atom_id(unit.unit_id, unit.text)])
            rows.append(Row(one.document, unit, found))
    return rows


def fit(texts: Sequence[LabelledText], name: str) -> Weights:
    """The weights over all the texts, with the agreement that the same recipe reaches on held-out documents.

    Raises BenchError with fewer than FOLDS documents, or where people said only one thing.
    """
    rows = rows_of(texts)
    documents = sorted({row.document for row in rows})
    if len(documents) < FOLDS:
        raise BenchError(f"a fit needs labels of {FOLDS} documents; {name} has {len(documents)}")
    told = held_out(rows, documents)
    penalty = best_penalty(rows, documents)
    weights = fit_rows(rows, penalty)
    result = calibration(told)
    assert result.interval is not None
    return Weights(
        intercept=weights.intercept,
        figures=weights.figures,
        fitted=Fitted(
            labels=name, documents=len(documents), folds=FOLDS, penalty=penalty,
            all=_agreement(result.all), interval=(_short(result.interval[0]), _short(result.interval[1])),
            unanimous=_agreement(result.unanimous), numbers=_agreement(result.numbers),
        ),
    )  # fmt: skip


def held_out(rows: Sequence[Row], documents: Sequence[str], penalties: Sequence[float] = PENALTIES) -> list[Judged]:
    """Each unit as judged by weights that were fitted, penalty and all, on the documents of the other folds."""
    judged = []
    for fold in folds(documents, FOLDS):
        seen = [row for row in rows if row.document not in fold]
        rest = [d for d in documents if d not in fold]
        penalty = penalties[0] if len(penalties) == 1 else best_penalty(seen, rest, penalties)
        weights = fit_rows(seen, penalty)
        judged += [judge(row, weights) for row in rows if row.document in fold]
    return judged


def best_penalty(rows: Sequence[Row], documents: Sequence[str], penalties: Sequence[float] = PENALTIES) -> float:
    """The penalty with the fewest wrong verdicts over folds of these documents, the greater one of two as good."""
    wrong = dict.fromkeys(penalties, 0)
    for fold in folds(documents, INNER_FOLDS):
        seen = [row for row in rows if row.document not in fold]
        held = [row for row in rows if row.document in fold and row.figures is not None and row.unit.label is not None]
        x, _ = _known(held)
        for penalty in penalties:
            said = _probabilities(fit_rows(seen, penalty), x) >= CARRIED
            wrong[penalty] += sum(one != (row.unit.label == 1) for one, row in zip(said, held, strict=True))
    return min(penalties, key=lambda penalty: (wrong[penalty], -penalty))


def folds(documents: Sequence[str], n: int) -> list[frozenset[str]]:
    """The documents dealt out, one each in turn, in the order of their names."""
    ordered = sorted(documents)
    return [frozenset(ordered[i::n]) for i in range(n)]


def judge(row: Row, weights: Weights) -> Judged:
    """What the matcher with these weights says of the unit, beside what people said."""
    carried = row.figures is not None and weights.probability(row.figures) >= CARRIED
    label = None if row.unit.label is None else row.unit.label == 1
    return Judged(row.document, carried, label, row.unit.unanimous, row.unit.has_number)


def fit_rows(rows: Sequence[Row], penalty: float) -> Weights:
    """The weights of the rows that have figures and that somebody judged."""
    x, y = _known(rows)
    if not len(y) or y.min() == y.max():
        raise BenchError("a fit needs units that people found and units that they did not")
    mean, scale = x.mean(axis=0), x.std(axis=0)
    scale = np.where(scale > 0, scale, 1.0)
    solved = logistic((x - mean) / scale, y, penalty)
    return Weights(
        intercept=_short(solved[0]),
        figures={
            name: Weight(
                weight=_short(solved[i + 1]), mean=_short(mean[i]), scale=_short(scale[i]),
                low=_short(x[:, i].min()), high=_short(x[:, i].max()),
            )
            for i, name in enumerate(FIGURES)
        },
    )  # fmt: skip


def logistic(x: Numbers, y: Numbers, penalty: float) -> Numbers:
    """Intercept and weights that minimise the mean log loss + penalty / 2 x |weights|^2, by Newton's method; `y` is
    any share (0..1)."""
    with_one = np.column_stack([np.ones(len(x)), x])
    ridge = np.diag([0.0, *[penalty] * x.shape[1]])
    beta = np.zeros(with_one.shape[1])
    for _ in range(STEPS):
        p = 1 / (1 + np.exp(-(with_one @ beta)))
        slope = with_one.T @ (p - y) / len(y) + ridge @ beta
        bend = (with_one * (p * (1 - p))[:, None]).T @ with_one / len(y) + ridge
        step = np.linalg.solve(bend + 1e-9 * np.eye(len(beta)), slope)
        beta = beta - step
        if np.abs(step).max() < 1e-9:
            break
    return beta


def _probabilities(weights: Weights, x: Numbers) -> Numbers:
    """`Weights.probability` of many units at once."""
    w = [weights.figures[name] for name in FIGURES]
    low, high, mean, scale, weight = np.array([(f.low, f.high, f.mean, f.scale, f.weight) for f in w]).T
    return np.asarray(1 / (1 + np.exp(-(weights.intercept + (np.clip(x, low, high) - mean) / scale @ weight))))


def _known(rows: Sequence[Row]) -> tuple[Numbers, Numbers]:
    kept = [row for row in rows if row.figures is not None and row.unit.share is not None]
    x = np.array([row.figures for row in kept], dtype=float).reshape(len(kept), len(FIGURES))
    return x, np.array([row.unit.share for row in kept], dtype=float)


def _agreement(agreed: Agreed) -> Agreement:
    kappa = None if agreed.kappa is None else _short(agreed.kappa)
    return Agreement(accuracy=_short(agreed.accuracy or 0.0), kappa=kappa, n=agreed.n)


def _short(value: float) -> float:
    return float(f"{float(value):.{DIGITS}g}")
