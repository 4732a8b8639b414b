"""Where a run's variation comes from, worked out once: the tables and figures of its noise all rest on it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bench.runs.view import Grading, gradings, ranked_of

if TYPE_CHECKING:
    import pandas as pd

    from bench.runs.index import Run


def contested(run: Run, grading: Grading | None = None, with_truncated: bool = False) -> pd.DataFrame:
    """The ranked verdicts without those on the whole transcript, its tail and the empty handoff, whose distance from
    all other arms would be most of the variance and says nothing of it. All of them where fewer than two other series
    are left.
    """
    from bench.analysis.units import CONTROLS, SERIES

    ranked = ranked_of(run, grading, with_truncated)

    def others() -> pd.DataFrame:
        kinds = run.outputs.drop_duplicates(SERIES)[[*SERIES, "kind"]]
        series = kinds[~kinds["kind"].isin(CONTROLS)][SERIES].astype(ranked.dtypes[SERIES].to_dict())
        kept = ranked.merge(series, on=SERIES)
        return kept if len(kept[SERIES].drop_duplicates()) > 1 else ranked

    return run.once(("contested", grading or gradings(run)[0], with_truncated), others)


def left_out(run: Run, grading: Grading | None = None, with_truncated: bool = False) -> list[str]:
    """Names of the controls that `contested` leaves out."""
    from bench.analysis.units import SERIES, named

    series = contested(run, grading, with_truncated)[SERIES].drop_duplicates()
    there = named(ranked_of(run, grading, with_truncated)[SERIES].drop_duplicates())
    both = there.merge(series, on=SERIES, how="left", indicator=True)
    return both.loc[both["_merge"] == "left_only", "name"].tolist()


def noise(run: Run, *, grading: Grading | None = None, with_truncated: bool = False) -> pd.DataFrame:
    """One line a source of variation (fixture, arm, fixture x arm, replicate, pass, atom …): see `noise_split`.

    Controls are left out, see `contested`.
    """
    from bench.analysis.noise import noise_split

    asked = ("noise", grading or gradings(run)[0], with_truncated)
    return run.once(asked, lambda: noise_split(contested(run, grading, with_truncated))).copy()
