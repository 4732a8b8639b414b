"""Where variation comes from: moment (ANOVA) estimators of variance components.

One way, k groups of n_j values, N in all: MSW = SS within / (N - k), MSB = sum n_j (m_j - m)^2 / (k - 1),
n0 = (N - sum n_j^2 / N) / (k - 1); within = MSW, between = (MSB - MSW) / n0. Fixture x arm with R replicates each:
replicate = MS_rep, fixture-arm = (MS_fa - MS_rep) / R, fixture = (MS_f - MS_fa) / (A R), arm = (MS_a - MS_fa) / (F R).
A negative estimate means "not distinguishable from 0" and is kept as it is: `shown` cuts it off.
Source: Searle, Casella & McCulloch 1992; Brennan 2001. Balanced data give what REML gives, unless negative.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class OneWay:
    """Mean squares and components of values in groups, such as passes in runs. None where it cannot be computed."""

    ms_between: float | None
    ms_within: float | None
    df_within: int
    n0: float | None
    between: float | None
    """As estimated, negative values included."""


@dataclass(frozen=True)
class Crossed:
    """Variance components of fixtures x arms with replicates in each cell, as estimated."""

    fixture: float
    arm: float
    fixture_arm: float
    replicate: float
    ms_fixture_arm: float


def one_way(groups: Sequence[Sequence[float]]) -> OneWay:
    """Components of values in groups of any sizes; groups without a value are left out."""
    import numpy as np

    known = [np.asarray(g, dtype="float64") for g in groups if len(g)]
    sizes = np.array([len(g) for g in known])
    n, k = int(sizes.sum()), len(known)
    df = n - k
    within = float(sum(((g - g.mean()) ** 2).sum() for g in known) / df) if df > 0 else None
    if k < 2:
        return OneWay(None, within, df, None, None)
    means = np.array([g.mean() for g in known])
    grand = float(sizes @ means / n)
    ms_between = float(sizes @ (means - grand) ** 2 / (k - 1))
    n0 = float((n - (sizes**2).sum() / n) / (k - 1))
    return OneWay(ms_between, within, df, n0, None if within is None else (ms_between - within) / n0)


def se_of_mean(groups: Sequence[Sequence[float]]) -> float | None:
    """Standard error of the mean over runs, each the mean of its passes; None for fewer than two runs."""
    import numpy as np

    means = [float(np.mean(g)) for g in groups if len(g)]
    return float(np.std(means, ddof=1) / np.sqrt(len(means))) if len(means) > 1 else None


def crossed(cells: Sequence[Sequence[Sequence[float]]]) -> Crossed | None:
    """Components of `cells[fixture][arm][replicate]`, all cells of one size; None for fewer than two of any."""
    import numpy as np

    y = np.array(cells, dtype="float64")
    if y.ndim != 3 or min(y.shape) < 2:
        return None
    fixtures, arms, runs = y.shape
    cell, grand = y.mean(axis=2), float(y.mean())
    f, a = cell.mean(axis=1), cell.mean(axis=0)
    ms_f = arms * runs * float(((f - grand) ** 2).sum()) / (fixtures - 1)
    ms_a = fixtures * runs * float(((a - grand) ** 2).sum()) / (arms - 1)
    apart = cell - f[:, None] - a[None, :] + grand
    ms_fa = runs * float((apart**2).sum()) / ((fixtures - 1) * (arms - 1))
    ms_rep = float(((y - cell[:, :, None]) ** 2).sum()) / (fixtures * arms * (runs - 1))
    return Crossed(
        fixture=(ms_f - ms_fa) / (arms * runs),
        arm=(ms_a - ms_fa) / (fixtures * runs),
        fixture_arm=(ms_fa - ms_rep) / runs,
        replicate=ms_rep,
        ms_fixture_arm=ms_fa,
    )


def shown(component: float | None) -> float | None:
    """A component as it is told: 0 where its estimate is negative."""
    return None if component is None else max(0.0, component)
