"""Recall corrected for what a grader gets wrong, from units that people labelled, too.

Sensitivity se = P(grader carried | people carried), specificity sp = P(grader lost | people lost); observed recall p:
corrected = (p + sp - 1) / (se + sp - 1), cut to 0..1, undefined where the grader is no better than chance. The
correction widens what is unknown. A difference of arms is divided by se + sp - 1, but only if both are the same for
both arms. Source: Rogan & Gladen 1978; the interval: Lee et al. 2025, arXiv 2511.21140.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from bench.analysis.statistics.estimate import LEVEL


@dataclass(frozen=True)
class Labelled:
    """How many labelled units people and the grader call carried or lost (the grader's word last)."""

    carried_carried: int
    carried_lost: int
    lost_carried: int
    lost_lost: int

    @property
    def carried(self) -> int:
        """What people call carried."""
        return self.carried_carried + self.carried_lost

    @property
    def lost(self) -> int:
        return self.lost_carried + self.lost_lost

    @property
    def sensitivity(self) -> float | None:
        return self.carried_carried / self.carried if self.carried else None

    @property
    def specificity(self) -> float | None:
        return self.lost_lost / self.lost if self.lost else None

    @property
    def accuracy(self) -> float | None:
        n = self.carried + self.lost
        return (self.carried_carried + self.lost_lost) / n if n else None


@dataclass(frozen=True)
class Corrected:
    """A corrected recall (0..1), its standard error, its interval, and what a difference is multiplied by."""

    recall: float
    se: float
    low: float
    high: float
    factor: float


def rogan_gladen(recall: float, sensitivity: float, specificity: float) -> float | None:
    """The corrected recall, cut to 0..1; None where the grader is no better than chance."""
    better = sensitivity + specificity - 1
    return None if better <= 0 else max(0.0, min(1.0, (recall + specificity - 1) / better))


def corrected(recall: float, atoms: int, labelled: Labelled, *, level: float = LEVEL) -> Corrected | None:
    """The recall of `atoms` graded units corrected by the labelled ones; None where it is undefined."""
    se, sp = labelled.sensitivity, labelled.specificity
    if se is None or sp is None or atoms < 1:
        return None
    point = rogan_gladen(recall, se, sp)
    ends = judge_interval(recall, atoms, (se, labelled.carried), (sp, labelled.lost), level=level)
    if point is None or ends is None:
        return None
    error = _se(point, (recall, atoms), (se, labelled.carried), (sp, labelled.lost))
    return Corrected(point, error, *ends, 1 / (se + sp - 1))


def judge_interval(
    recall: float, atoms: float, sensitivity: tuple[float, int], specificity: tuple[float, int], *, level: float = LEVEL
) -> tuple[float, float] | None:
    """The interval of the corrected recall, each share being (share, units behind it) and smoothed first."""
    from scipy.special import ndtri

    z = float(ndtri(0.5 + level / 2))
    p = ((atoms * recall + z * z / 2) / (atoms + z * z), atoms + z * z)
    se, sp = (((m * share + 1) / (m + 2), m + 2) for share, m in (sensitivity, specificity))
    better = se[0] + sp[0] - 1
    if better <= 0:
        return None
    point = max(0.0, min(1.0, (p[0] + sp[0] - 1) / better))
    drift = point * se[0] * (1 - se[0]) / se[1] - (1 - point) * sp[0] * (1 - sp[0]) / sp[1]
    centre, reach = point + 2 * z * z * drift, z * _se(point, p, se, sp)
    return max(0.0, centre - reach), min(1.0, centre + reach)


def _se(point: float, p: tuple[float, float], se: tuple[float, float], sp: tuple[float, float]) -> float:
    """By the delta method; each pair is a share and the units behind it."""
    of = [share * (1 - share) / n for share, n in (p, se, sp)]
    variance = of[0] + point**2 * of[1] + (1 - point) ** 2 * of[2]
    return math.sqrt(variance) / (se[0] + sp[0] - 1)
