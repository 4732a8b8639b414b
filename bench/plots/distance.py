"""Recall by how far from the end of the transcript a fact stands: what does an arm forget, the old or the new?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from bench.analysis.arms.spread import POINTS
from bench.frames import records
from bench.plots.axes import note_lines, plain
from bench.plots.curves import Curve, curves

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

WORDS = (
    "Recall by distance from the end",
    "Each point: an arm's mean recall of the facts that stand so far from the end. Hollow, dotted: controls.",
    "Tokens (characters / 4) from the fact's last mention to the end of the transcript",
)
NO_PLACES = "Nothing to draw: no fixture stands as the run found it, and only that tells where a fact is."


def distance_curves(table: pd.DataFrame, kinds: Mapping[str, str]) -> Figure:
    """The figure of `by_distance` with a name: nearest at the left; ticks tell the bins and their atoms.

    Without a line it is empty and says why: only the fixtures tell where a fact stands.
    """
    lines = [line for line in records(table) if line["recall"] is not None]
    starts = sorted({int(str(line["from_tokens"])) for line in lines})
    most: dict[int, int] = dict.fromkeys(starts, 0)
    ends: dict[int, object] = {}
    for line in lines:
        start = int(str(line["from_tokens"]))
        most[start] = max(most[start], int(str(line["atoms"])))
        ends[start] = line["to_tokens"]
    ticks = [f"{_bin(start, ends[start])}\n{most[start]} atom{'s' * (most[start] != 1)}" for start in starts]
    found = []
    for name in dict.fromkeys(str(line["name"]) for line in lines):
        mine = [line for line in lines if line["name"] == name]
        places = [starts.index(int(str(line["from_tokens"]))) for line in mine]
        found.append(Curve(name, places, [POINTS * float(str(line["recall"])) for line in mine]))
    if not lines:
        return curves([], kinds, [], WORDS, note_lines([NO_PLACES]))
    notes = note_lines(["Arms are compared within a column: columns hold other facts, and not all fixtures."])
    return curves(found, kinds, ticks, WORDS, notes)


def _bin(start: int, end: object) -> str:
    if not isinstance(end, int):
        return f"{plain(start / 1000)}k or more"
    return f"under {plain(end / 1000)}k" if start == 0 else f"{plain(start / 1000)}k to {plain(end / 1000)}k"
