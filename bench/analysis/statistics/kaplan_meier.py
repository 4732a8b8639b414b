"""How long atoms last in a chain, the first step at which one is not carried being its loss.

S(t) = product of 1 - d / n over the steps up to t (Kaplan & Meier 1958), variance S^2 * sum d / (n (n - d)) (Greenwood
1926). Retention a step = 1 - losses / trials. A slip of the grader looks like a loss; atoms of a run share its fate, so
an error over trials would be too small: resample runs or fixtures. Fragile atoms go first: no half-life reaches beyond
the last step. Where atoms come back, recall at each step (`survival.py`) is the curve to read.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from bench.analysis.statistics.proportion import least_if_all


@dataclass(frozen=True)
class Curve:
    """A line a step at which an atom was lost or last seen."""

    steps: tuple[int, ...]
    at_risk: tuple[int, ...]
    losses: tuple[int, ...]
    survival: tuple[float, ...]
    variance: tuple[float, ...]


@dataclass(frozen=True)
class Retention:
    """Chance to survive one step, and the steps until half are lost (None where nothing or everything is).

    `least`: where nothing was lost, the one-sided lower limit of the chance.
    """

    trials: int
    losses: int
    retention: float
    half_life: float | None
    least: float | None


def kaplan_meier(last_step: Sequence[int], lost: Sequence[bool]) -> Curve:
    """From each atom's step of loss, or the last step at which it was still seen (`lost` false)."""
    lines: list[tuple[int, int, int, float, float]] = []
    left, spread = 1.0, 0.0
    for step in sorted(set(last_step)):
        n = sum(last >= step for last in last_step)
        d = sum(last == step and gone for last, gone in zip(last_step, lost, strict=True))
        left *= 1 - d / n
        spread += d / (n * (n - d)) if n > d else 0.0
        lines.append((step, n, d, left, left**2 * spread))
    return Curve(*(tuple(column) for column in zip(*lines, strict=True))) if lines else Curve((), (), (), (), ())


def retention(last_step: Sequence[int], lost: Sequence[bool]) -> Retention | None:
    """The same atoms as one chance a step; None without a step."""
    trials, losses = sum(last_step), sum(map(bool, lost))
    if not trials:
        return None
    kept = 1 - losses / trials
    half = math.log(0.5) / math.log(kept) if 0 < kept < 1 else None
    return Retention(trials, losses, kept, half, None if losses else least_if_all(trials))
