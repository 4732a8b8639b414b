"""Bootstrap of 10,000 resamples over a whole run's verdicts, beside scipy.stats.bootstrap on the same data.

From the verdicts to the recalls of every arm in every draw of fixtures and runs, and, for one fixture, of atoms and
runs. scipy draws one level only: it is given the 10 runs of each arm on one fixture, arm by arm.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bench.analysis.bootstrap import resampled, resampled_atoms
from benchmarks.line import Line, at_most
from benchmarks.measure import best

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

DRAWS = 10_000
FIXTURES, ARMS, RUNS, ATOMS = 3, 6, 10, 82
MOST_S = 1.0
SEED = 7
TIMES = 3


def run(size: float = 1.0) -> list[Line]:
    """Seconds of CPU: the machine may be busy with other things."""
    credits_, draws = made(), max(100, round(DRAWS * size))
    ours, theirs = best(TIMES, lambda: drawn(credits_, draws)), best(TIMES, lambda: by_scipy(credits_, draws))
    what = f"bootstrap of {draws:,} resamples, {FIXTURES} fixtures x {ARMS} arms x {RUNS} replicates x {ATOMS} atoms"
    note = f"scipy.stats.bootstrap, the runs of one fixture alone: {theirs.cpu_s:.2f} s"
    more = {"note": note, "ratio": ours.cpu_s / theirs.cpu_s, "peer": "scipy, a third of the data"}
    return [at_most(MOST_S, ours.cpu_s, "s", what, ours, **more)]


def made() -> NDArray[np.float64]:
    """Credits (fixtures, arms, runs, atoms), 0 or 1."""
    import numpy as np

    return np.random.default_rng(SEED).integers(0, 2, (FIXTURES, ARMS, RUNS, ATOMS)).astype("float64")


def drawn(credits_: NDArray[np.float64], draws: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Recalls (draws, arms) over fixtures and runs drawn again, and over atoms and runs of the first fixture."""
    recalls = credits_.mean(axis=3)[..., None]
    over_fixtures = resampled([list(fixture) for fixture in recalls], draws=draws, seed=SEED)[..., 0]
    return over_fixtures, resampled_atoms(list(credits_[0]), [1.0] * ATOMS, draws=draws, seed=SEED)


def by_scipy(credits_: NDArray[np.float64], draws: int) -> list[float]:
    """The standard error of each arm's recall on the first fixture."""
    import numpy as np
    from scipy import stats

    recalls = credits_[0].mean(axis=2)
    return [
        float(stats.bootstrap((arm,), np.mean, n_resamples=draws, method="percentile", rng=SEED).standard_error)
        for arm in recalls
    ]
