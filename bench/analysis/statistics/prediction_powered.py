"""A mean that people's labels on some units and a grader's on all of them give together, whatever errors it makes.

theta = lam * mean(f, unlabelled) + mean(y - lam f, labelled); SE^2 = lam^2 var(f, unlabelled) / N + var(y - lam f) / n.
lam = 1, or tuned: cov(y, f) / ((1 + n / N) var(f, all)), cut to 0..1. The labelled units must be a random sample of the
graded ones. Source: Angelopoulos et al. 2023, Science 382:669; Angelopoulos, Duchi & Zrnic 2023, arXiv 2311.01453.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bench.analysis.statistics.estimate import LEVEL

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


@dataclass(frozen=True)
class PredictionPowered:
    """The mean, its interval (normal) and how much the grader counted (0: not at all)."""

    mean: float
    low: float
    high: float
    lam: float


def prediction_powered(
    human: Sequence[float],
    grader: Sequence[float],
    unlabelled: Sequence[float],
    *,
    tuned: bool = True,
    level: float = LEVEL,
) -> PredictionPowered | None:
    """From people's and the grader's credits on the same units, and the grader's on further ones.

    None for fewer than two labelled units or without further ones.
    """
    import numpy as np
    from scipy.special import ndtri

    y, f, u = (np.asarray(v, dtype="float64") for v in (human, grader, unlabelled))
    n, more = len(y), len(u)
    if n < 2 or more < 1:
        return None
    lam = _tuned(y, f, u) if tuned else 1.0
    apart = y - lam * f
    mean = lam * float(u.mean()) + float(apart.mean())
    reach = float(ndtri(0.5 + level / 2)) * math.sqrt(lam**2 * float(u.var()) / more + float(apart.var()) / n)
    return PredictionPowered(mean, mean - reach, mean + reach, lam)


def _tuned(y: Floats, f: Floats, u: Floats) -> float:
    import numpy as np

    n, more = len(y), len(u)
    spread = float(np.concatenate([f, u]).var(ddof=1))
    if not spread:
        return 0.0
    together = float(((y - y.mean()) * (f - f.mean())).mean())
    return max(0.0, min(1.0, together / ((1 + n / more) * spread)))
