"""The fitted weights of the scored matcher: figures of an overlap in, the probability that people say "carried" out.

A logistic model. Each figure is held to the range seen in the fit, so that a text unlike those it was fitted on cannot
push it anywhere; then centred and scaled. `weights.json` holds the shipped ones with what they were fitted on and how
far they agree with people; `bench calibrate --fit` writes it anew.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path

import msgspec
from msgspec import Struct

from bench.errors import BenchError
from bench.grading.overlap import FIGURES
from bench.schema import read_text

PLACE = ("bench.grading", "weights.json")


class Weight(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Of one figure: its weight on the scaled value, and mean, scale and range over the units of the fit."""

    weight: float
    mean: float
    scale: float
    low: float
    high: float


class Agreement(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Accuracy (0..1) and Cohen's kappa over `n` units."""

    accuracy: float
    kappa: float | None
    n: int


class Fitted(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """On what the weights were fitted, and how they agree with people on documents held out of the fit."""

    labels: str
    documents: int
    folds: int
    penalty: float
    all: Agreement
    interval: tuple[float, float]
    """95 % interval of the accuracy, clustered by document."""
    unanimous: Agreement
    numbers: Agreement


class Weights(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A logistic model over FIGURES."""

    intercept: float
    figures: dict[str, Weight]
    fitted: Fitted | None = None

    def probability(self, figures: Sequence[float]) -> float:
        """The probability (0..1) that people find the atom in the passage with these figures."""
        z = self.intercept
        for name, value in zip(FIGURES, figures, strict=True):
            w = self.figures[name]
            z += w.weight * (min(max(value, w.low), w.high) - w.mean) / w.scale
        return 1 / (1 + math.exp(-z)) if z >= 0 else math.exp(z) / (1 + math.exp(z))


@cache
def shipped() -> Weights:
    """The weights that come with the bench."""
    return msgspec.json.decode(files(PLACE[0]).joinpath(PLACE[1]).read_bytes(), type=Weights)


def read_weights(path: Path) -> Weights:
    """Weights as `bench calibrate --fit` writes them. Raises BenchError where the file holds none, or not all."""
    try:
        weights = msgspec.json.decode(read_text(path), type=Weights)
    except msgspec.DecodeError as e:
        raise BenchError(f"holds no weights: {e}; 'bench calibrate --fit' writes them", path=path) from None
    if missing := [name for name in FIGURES if name not in weights.figures]:
        raise BenchError(f"has no weight for {', '.join(missing)}; fit them anew", path=path)
    return weights


def told(weights: Weights) -> str:
    """One line: how far verdicts by these weights agree with people."""
    known = weights.fitted
    if known is None:
        return "scored matcher: its weights were never held against people"
    low, high = known.interval
    return (
        f"scored matcher (atoms without patterns): the same as people on {100 * known.all.accuracy:.1f} % of "
        f"{known.all.n:,} units of documents held out of its fit (95 % interval {100 * low:.1f} to {100 * high:.1f}, "
        f"{known.documents} documents; kappa {known.all.kappa or 0:.2f}; where people were of one mind "
        f"{100 * known.unanimous.accuracy:.1f} %)"
    )
