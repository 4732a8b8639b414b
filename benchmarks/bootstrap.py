"""Bootstrap of 10,000 resamples over a whole run's verdicts, beside scipy.stats.bootstrap on the same data.

From the verdicts to the recalls of every arm in every draw of fixtures and runs, and, for one fixture, of atoms and
runs. scipy draws one level only: it is given the atoms of every run, whose mean it draws again as often.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bench.analysis.statistics.bootstrap import resampled, resampled_atoms
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
BATCH = 200
"""Draws that scipy holds at once: 24 MB."""


def run(size: float = 1.0) -> list[Line]:
    """Seconds of CPU: the machine may be busy with other things."""
    credits_, draws = made(), max(100, round(DRAWS * size))
    ours, theirs = best(TIMES, lambda: drawn(credits_, draws)), best(1, lambda: by_scipy(credits_, draws))
    what = f"bootstrap of {draws:,} resamples, {FIXTURES} fixtures x {ARMS} arms x {RUNS} replicates x {ATOMS} atoms"
    note = f"scipy.stats.bootstrap over the atoms of every run: {theirs.cpu_s:.2f} s"
    more = {"note": note, "ratio": ours.cpu_s / theirs.cpu_s, "peer": "scipy"}
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


def by_scipy(credits_: NDArray[np.float64], draws: int) -> NDArray[np.float64]:
    """The standard error of the recall of each run, from its atoms."""
    import numpy as np
    from scipy import stats

    runs = credits_.reshape(-1, ATOMS)
    drawn = stats.bootstrap((runs,), np.mean, axis=1, n_resamples=draws, batch=BATCH, method="percentile", rng=SEED)
    return np.asarray(drawn.standard_error)
