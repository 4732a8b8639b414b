"""The figures of the page: which ones a run gives, each with a sentence on how to read it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from markupsafe import Markup

from bench.report.svg import inline
from bench.run_plots import plot_lost_atoms, plot_recall_vs_cost, plot_spread

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from bench.index import Run


@dataclass(frozen=True)
class Picture:
    """A figure on the page."""

    name: str
    reading: str
    svg: Markup


@dataclass(frozen=True)
class Drawing:
    """How a figure comes about, and how it is read."""

    name: str
    title: str
    reading: str
    draw: Callable[[Run], Figure | None]
    """None where the run does not give the figure."""


DRAWINGS = (
    Drawing(
        "recall-vs-carry",
        "Recall against the cost of carrying the handoff",
        "Up and to the left is better. For an arm below the line, another one carries as much for less.",
        lambda run: plot_recall_vs_cost(run, "carry"),
    ),
    Drawing(
        "spread",
        "Recall of every run",
        "A compaction gets one attempt: look at the worst run, not only at the mean. Where two arms' dots mingle, the"
        " difference of their means says little.",
        plot_spread,
    ),
    Drawing(
        "lost-atoms",
        "Which atom does each arm carry?",
        "A row of light cells is a fact that prompts lose; a column of them is an arm.",
        plot_lost_atoms,
    ),
)


def pictures(run: Run) -> Iterator[Picture]:
    """The figures that the run gives, in the order of the page."""
    for drawing in DRAWINGS:
        figure = drawing.draw(run)
        if figure is not None:
            yield Picture(drawing.name, drawing.reading, inline(figure, drawing.name, drawing.title))
