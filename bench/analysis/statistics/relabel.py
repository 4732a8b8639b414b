"""Exact test over runs: would a difference as large come from labels that mean nothing?

Inside each fixture the runs of both arms are dealt out anew to two groups of the same sizes; p is the share of all
labellings whose |mean difference| is as large as the observed one. Where there are more than `MOST_LISTED` labellings
they are drawn, p = (hits + 1) / (draws + 1). Source: Fisher 1935; Pitman 1937.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from math import comb, fsum, prod
from typing import TYPE_CHECKING

from bench.analysis.statistics.sign_flip import DRAWS, TIE

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MOST_LISTED = 100_000
Fixture = tuple[Sequence[float], Sequence[float]]
"""Recalls of the runs of two arms on one fixture."""


def relabel(fixtures: Sequence[Fixture], *, seed: int = 0, draws: int = DRAWS) -> float | None:
    """Two-sided p; None where a fixture lacks runs of an arm. `seed` and `draws` count where labellings are drawn."""
    import numpy as np

    if not fixtures or any(not a or not b for a, b in fixtures):
        return None
    observed = abs(fsum(fsum(b) / len(b) - fsum(a) / len(a) for a, b in fixtures))
    least = observed - TIE * max(1.0, observed)
    if prod(_labellings(f) for f in fixtures) <= MOST_LISTED:
        sums = np.zeros(1)
        for fixture in fixtures:
            sums = np.add.outer(sums, _all(fixture)).ravel()
        return float((abs(sums) >= least).mean())
    rng = np.random.default_rng(seed)
    sums = np.sum([_drawn(fixture, rng, draws) for fixture in fixtures], axis=0)
    return float(((abs(sums) >= least).sum() + 1) / (draws + 1))


def smallest_p(sizes: Sequence[tuple[int, int]]) -> float:
    """The least p that the test can give for such numbers of runs; the mirrored labelling ties where they are equal."""
    ties = 2 if all(a == b for a, b in sizes) else 1
    return ties / prod(comb(a + b, a) for a, b in sizes)


def _labellings(fixture: Fixture) -> int:
    return comb(len(fixture[0]) + len(fixture[1]), len(fixture[0]))


def _all(fixture: Fixture) -> NDArray[np.float64]:
    """The mean difference under each labelling."""
    import numpy as np

    a, b = fixture
    runs = np.array([*a, *b], dtype="float64")
    first = np.array([runs[list(i)].sum() for i in itertools.combinations(range(len(runs)), len(a))])
    return np.asarray((runs.sum() - first) / len(b) - first / len(a))


def _drawn(fixture: Fixture, rng: np.random.Generator, draws: int) -> NDArray[np.float64]:
    import numpy as np

    a, b = fixture
    dealt = rng.permuted(np.tile(np.array([*a, *b], dtype="float64"), (draws, 1)), axis=1)
    return np.asarray(dealt[:, len(a) :].mean(axis=1) - dealt[:, : len(a)].mean(axis=1))
