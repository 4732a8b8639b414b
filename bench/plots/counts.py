"""Recall by a number that belongs to each fact: its distance from the end, how often it was said, how many near misses
stand beside it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from bench.analysis.arms.spread import POINTS
from bench.analysis.atoms.by_distance import MOST_SAID
from bench.analysis.units import named
from bench.frames import records
from bench.plots.axes import note_lines, plain
from bench.plots.curves import Curve, curves
from bench.text import count

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
    tick: Callable[[int, Mapping[str, object]], str]
    """A number in words, and a line of the table that has it."""


def _bin(start: int, line: Mapping[str, object]) -> str:
    end = line["to_tokens"]
    if not isinstance(end, int):
        return f"{plain(start / 1000)}k or more"
    return f"under {plain(end / 1000)}k" if start == 0 else f"{plain(start / 1000)}k to {plain(end / 1000)}k"


DISTANCE = Count(
    "from_tokens",
    "Recall by distance from the end",
    "Each point: an arm's mean recall of the facts that stand so far from the end. Hollow, dotted: controls.",
    "Tokens (characters / 4) from the fact's last mention to the end of the transcript",
    "Nothing to draw: no fixture stands as the run found it, and only that tells where a fact is.",
    _bin,
)


TIMES_SAID = Count(
    "times_said",
    "Recall by how often a fact was said",
    "Each point: an arm's mean recall of the facts that so many messages establish. Hollow, dotted: controls.",
    "Messages that establish the fact",
    "Nothing to draw: no fixture stands as the run found it, and only that tells how often a fact was said.",
    lambda n, _: f"{n} or more" if n == MOST_SAID else f"{n}",
)
DISTRACTORS = Count(
    "distractors",
    "Recall by near misses",
    "Each point: an arm's mean recall of the facts that so many near misses stand beside. Hollow, dotted: controls.",
    "Near misses of the fact in the transcript",
    "Nothing to draw: only fixtures that 'bench fixtures synth' made, and whose key stands, tell of near misses.",
    lambda n, _: f"{n}",
)


def count_curves(table: pd.DataFrame, of: Count, kinds: Mapping[str, str]) -> Figure:
    """The figure of `by_distance`, `by_times_said` or `by_distractors`, a line an arm; ticks tell the numbers and their
    atoms.

    Without a line it is empty and says why: only the fixtures tell such numbers.
    """
    lines = [line for line in records(named(table)) if line["recall"] is not None]
    numbers = sorted({int(str(line[of.column])) for line in lines})
    words = (of.title, of.read, of.label)
    if not lines:
        return curves([], kinds, [], words, note_lines([of.none]))
    ticks = []
    for n in numbers:
        there = [line for line in lines if line[of.column] == n]
        atoms = max(int(str(line["atoms"])) for line in there)
        ticks.append(f"{of.tick(n, there[0])}\n{count(atoms, 'atom')}")
    found = []
    for name in dict.fromkeys(str(line["name"]) for line in lines):
        mine = [line for line in lines if line["name"] == name]
        places = [numbers.index(int(str(line[of.column]))) for line in mine]
        found.append(Curve(name, places, [POINTS * float(str(line["recall"])) for line in mine]))
    notes = note_lines(["Arms are compared within a column: columns hold other facts, and not all fixtures."])
    return curves(found, kinds, ticks, words, notes)
