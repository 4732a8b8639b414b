"""What a chain of compactions leaves: recall of facts by how many compactions they have been through."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from bench.analysis.arms.spread import POINTS
from bench.frames import records
from bench.plots.curves import Curve, curves

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

WORDS = (
    "What a chain of compactions leaves",
    "Line: an arm's mean over the stretches; dots: the facts of one stretch. Hollow, dotted: controls.",
    "Compactions that the facts have been through",
)


def chain_survival(table: pd.DataFrame, kinds: Mapping[str, str]) -> Figure:
    """The figure of `survival` with a name (an arm's, without its step): a line an arm over `compactions`."""
    lines = [line for line in records(table) if line["recall"] is not None]
    most = max((int(str(line["compactions"])) for line in lines), default=1)
    found = []
    for name in dict.fromkeys(str(line["name"]) for line in lines):
        at: dict[int, list[float]] = {}
        for line in lines:
            if line["name"] == name:
                at.setdefault(int(str(line["compactions"])) - 1, []).append(POINTS * float(str(line["recall"])))
        places = sorted(at)
        means = [sum(at[place]) / len(at[place]) for place in places]
        dots = [(place, recall) for place in places for recall in at[place] if len(at[place]) > 1]
        found.append(Curve(name, places, means, dots))
    return curves(found, kinds, [str(n) for n in range(1, most + 1)], WORDS)
