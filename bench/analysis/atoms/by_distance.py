"""Recall by how far from the end a fact stands, how often it was said, and how many near misses stand beside it.

The distance of an atom is the tokens (characters / 4) of the messages after the last one that establishes it; what was
said again near the end is near. Bins are a factor of four wide, and the same for every fixture, since windows grow so.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from bench.analysis.recall import arm_recall, run_recall

if TYPE_CHECKING:
    import pandas as pd

EDGES = (0, 1_000, 4_000, 16_000, 64_000, 256_000)
"""Tokens from the end at which a bin begins; the last one is open."""
MOST_SAID = 4
"""Messages from which on how often a fact was said is not told apart."""
_ATOM = ["fixture", "atom"]


def by_distance(grades: pd.DataFrame, places: pd.DataFrame, *, edges: Sequence[int] = EDGES) -> pd.DataFrame:
    """One line a series and bin, nearest first: from_tokens, to_tokens (NA in the open bin), recall (0..1), n,
    fixtures, atoms, missing.

    `places` has fixture, atom, distance_tokens, as `bench.atom_places` gives them; atoms without a place are left out.
    Bins without an atom have no line. A fixture without atoms in a bin does not enter that bin's mean.
    """
    import pandas as pd

    at = places.dropna(subset=["distance_tokens"])
    bins = pd.cut(at["distance_tokens"], [*edges, float("inf")], right=False, labels=False)
    found = _within(grades, at.assign(bin=bins.astype("Int64")).dropna(subset=["bin"]), "bin")
    starts = dict(enumerate(edges))
    table = found.assign(
        from_tokens=found["bin"].map(starts).astype("Int64"),
        to_tokens=(found["bin"] + 1).map(starts).astype("Int64"),
    )
    return table.drop(columns="bin")


def by_times_said(grades: pd.DataFrame, places: pd.DataFrame) -> pd.DataFrame:
    """One line a series and number of messages that establish a fact (`times_said`, `MOST_SAID` stands for more):
    recall (0..1), n, fixtures, atoms, missing. `places` has fixture, atom, times_said."""
    said = places.assign(times_said=places["times_said"].clip(upper=MOST_SAID)).dropna(subset=["times_said"])
    return _within(grades, said, "times_said")


def by_distractors(grades: pd.DataFrame, planted: pd.DataFrame) -> pd.DataFrame:
    """One line a series and number of near misses that stand in the transcript beside a fact (`distractors`): recall
    (0..1), n, fixtures, atoms, missing. `planted` has fixture, atom, distractors, NA where none could have been."""
    return _within(grades, planted.dropna(subset=["distractors"]), "distractors")


def _within(grades: pd.DataFrame, places: pd.DataFrame, column: str) -> pd.DataFrame:
    placed = grades.merge(places[[*_ATOM, column]], on=_ATOM, how="inner")
    table = arm_recall(run_recall(placed, within=(column,)), within=(column,))
    return table.sort_values(column, kind="stable", ignore_index=True)
