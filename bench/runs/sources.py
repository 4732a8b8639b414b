"""Where a run's variation comes from, worked out once: the tables and figures of its noise all rest on it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bench.runs.view import Grading, gradings, ranked_of

if TYPE_CHECKING:
    import pandas as pd

    from bench.runs.index import Run


def noise(run: Run, *, grading: Grading | None = None, with_truncated: bool = False) -> pd.DataFrame:
    """One line a source of variation (fixture, arm, fixture x arm, replicate, pass, atom …): see `noise_split`."""
    from bench.analysis.noise import noise_split

    asked = ("noise", grading or gradings(run)[0], with_truncated)
    if asked not in run.kept:
        run.kept[asked] = noise_split(ranked_of(run, grading, with_truncated))
    return run.kept[asked].copy()
