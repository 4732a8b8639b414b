"""Where a run's variation comes from, worked out once: the tables and figures of its noise all rest on it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bench.runs.view import Grading, gradings, ranked_of

if TYPE_CHECKING:
    import pandas as pd

    from bench.runs.index import Run


def without_controls(run: Run, ranked: pd.DataFrame) -> pd.DataFrame:
    """The verdicts without those on the whole transcript, its tail and the empty handoff, whose distance from all other
    arms would be most of the variance and says nothing of it. All of them where fewer than two other series are left.
    """
    from bench.analysis.units import CONTROLS, SERIES

    kinds = run.outputs.drop_duplicates(SERIES)[[*SERIES, "kind"]]
    others = kinds[~kinds["kind"].isin(CONTROLS)][SERIES]
    kept = ranked.merge(others.astype(ranked.dtypes[SERIES].to_dict()), on=SERIES)
    return kept if kept[SERIES].drop_duplicates().shape[0] > 1 else ranked


def left_out(run: Run, ranked: pd.DataFrame) -> list[str]:
    """Names of the controls that `without_controls` leaves out."""
    from bench.analysis.units import named

    there = dict.fromkeys(named(ranked)["name"])
    kept = set(without_controls(run, named(ranked))["name"])
    return [str(name) for name in there if name not in kept]


def noise(run: Run, *, grading: Grading | None = None, with_truncated: bool = False) -> pd.DataFrame:
    """One line a source of variation (fixture, arm, fixture x arm, replicate, pass, atom …): see `noise_split`.

    Controls are left out, see `without_controls`.
    """
    from bench.analysis.noise import noise_split

    asked = ("noise", grading or gradings(run)[0], with_truncated)
    if asked not in run.kept:
        run.kept[asked] = noise_split(without_controls(run, ranked_of(run, grading, with_truncated)))
    return run.kept[asked].copy()
