"""Recall by a number that belongs to each fact: how often it was said, how many near misses stand beside it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from bench.analysis.arms.spread import POINTS
from bench.analysis.atoms.by_distance import MOST_SAID
from bench.analysis.units import named
from bench.frames import records
from bench.plots.axes import note_lines
from bench.plots.curves import Curve, curves

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure


class Count(NamedTuple):
    """A number of each fact: its column, title, how to read, axis; what is said where no fixture tells it."""

    column: str
    title: str
    read: str
    label: str
    none: str
    most: int | None = None
    """The number that stands for itself and all above."""


TIMES_SAID = Count(
    "times_said",
    "Recall by how often a fact was said",
    "Each point: an arm's mean recall of the facts that so many messages establish. Hollow, dotted: controls.",
    "Messages that establish the fact",
    "Nothing to draw: no fixture stands as the run found it, and only that tells how often a fact was said.",
    MOST_SAID,
)
DISTRACTORS = Count(
    "distractors",
    "Recall by near misses",
    "Each point: an arm's mean recall of the facts that so many near misses stand beside. Hollow, dotted: controls.",
    "Near misses of the fact in the transcript",
    "Nothing to draw: only fixtures that 'bench fixtures synth' made, and whose key stands, tell of near misses.",
)


def count_curves(table: pd.DataFrame, of: Count, kinds: Mapping[str, str]) -> Figure:
    """The figure of `by_times_said` or `by_distractors`, a line an arm; ticks tell the numbers and their atoms."""
    lines = [line for line in records(named(table)) if line["recall"] is not None]
    numbers = sorted({int(str(line[of.column])) for line in lines})
    atoms = {n: max(int(str(line["atoms"])) for line in lines if line[of.column] == n) for n in numbers}
    words = (of.title, of.read, of.label)
    if not lines:
        return curves([], kinds, [], words, note_lines([of.none]))
    ticks = [f"{n}{' or more' if n == of.most else ''}\n{atoms[n]} atom{'s' * (atoms[n] != 1)}" for n in numbers]
    found = []
    for name in dict.fromkeys(str(line["name"]) for line in lines):
        mine = [line for line in lines if line["name"] == name]
        places = [numbers.index(int(str(line[of.column]))) for line in mine]
        found.append(Curve(name, places, [POINTS * float(str(line["recall"])) for line in mine]))
    notes = note_lines(["Arms are compared within a column: columns hold other facts, and not all fixtures."])
    return curves(found, kinds, ticks, words, notes)
