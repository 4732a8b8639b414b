"""Resampled means of arms: what fixtures and runs drawn again, with replacement, would have given.

Fixtures are drawn with all that was measured on them, so that arms stay paired; then, inside each, the runs of every
arm. Atoms are not drawn as well: over several fixtures the first stage already carries them, and drawing both counts
them twice. On one fixture atoms may be drawn instead, the same for every arm. It serves what has no formula (the chance
to be on the frontier, ratios, ranks); a mean has its t interval, since the percentiles of a few clusters lie too close
together. Source: Davison & Hinkley 1997, section 3.8; Field & Welsh 2007.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

DRAWS = 10_000


def resampled(values: Sequence[Sequence[Floats]], *, draws: int = DRAWS, seed: int = 0) -> Floats:
    """Means (draws, arms, figures) of `values[fixture][arm]`, each an array (runs, figures) with a run or more.

    Each fixture weighs alike, each run alike inside its fixture and arm. With one fixture only runs are drawn.
    """
    return over_fixtures(over_runs(values, draws=draws, seed=seed), seed=seed + 1)


def over_runs(values: Sequence[Sequence[Floats]], *, draws: int = DRAWS, seed: int = 0) -> Floats:
    """The runs of each fixture and arm drawn again: their means, (draws, fixtures, arms, figures)."""
    import numpy as np

    rng = np.random.default_rng(seed)
    return np.stack(
        [np.stack([_shares(len(runs), draws, rng) @ runs for runs in arms], axis=1) for arms in values], axis=1
    )


def over_fixtures(means: Floats, *, seed: int = 0) -> Floats:
    """Fixtures drawn again, with all their arms: the means over them, (draws, arms, figures)."""
    import numpy as np

    draws, fixtures = means.shape[:2]
    drawn: Floats = np.einsum("df,dfak->dak", _shares(fixtures, draws, np.random.default_rng(seed)), means)
    return drawn


def resampled_atoms(
    credits_: Sequence[Floats], weights: Sequence[float], *, draws: int = DRAWS, seed: int = 0
) -> Floats:
    """Recalls (draws, arms) on one fixture, from credits (runs, atoms) of each arm over the same atoms.

    Atoms are drawn, the same for every arm, and each arm's runs, independently: atoms like these. A draw in which no
    weight is left has no recall (NaN).
    """
    import numpy as np

    rng = np.random.default_rng(seed)
    drawn = _shares(len(weights), draws, rng) * np.asarray(weights, dtype="float64")
    total = drawn.sum(axis=1)
    carried = [((drawn @ runs.T) * _shares(len(runs), draws, rng)).sum(axis=1) for runs in credits_]
    return np.stack(carried, axis=1) / np.where(total > 0, total, np.nan)[:, None]


def mean_draws(values: Sequence[float], *, draws: int = DRAWS, seed: int = 0) -> Floats:
    """Means (draws,) of a sample of single values, such as the differences of fixtures."""
    import numpy as np

    drawn: Floats = _shares(len(values), draws, np.random.default_rng(seed)) @ np.asarray(values, dtype="float64")
    return drawn


def _shares(n: int, draws: int, rng: np.random.Generator) -> Floats:
    """(draws, n): which share of n draws with replacement falls on each."""
    import numpy as np

    if n == 1:
        return np.ones((draws, 1))
    shares: Floats = rng.multinomial(n, np.full(n, 1 / n), size=draws) / n
    return shares
