"""The figures of the page: which ones a run gives, each with a sentence on how to read it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from markupsafe import Markup

from bench.report.svg import inline
from bench.runs.atoms import atom_places
from bench.runs.figures import (
    plot_distance,
    plot_frontier,
    plot_lost_atoms,
    plot_noise,
    plot_recall_vs_cost,
    plot_spread,
    plot_survival,
    series_kinds,
)  # fmt: skip
from bench.runs.steps import survival_table

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

    from bench.runs.index import Run


@dataclass(frozen=True)
class Picture:
    """A figure on the page."""

    name: str
    reading: str
    svg: Markup


Draw = Callable[["Run", "pd.DataFrame"], "Figure | None"]
"""A run and its comparison in, the figure out; None where the run does not give it."""


@dataclass(frozen=True)
class Drawing:
    """How a figure comes about, and how it is read."""

    name: str
    title: str
    reading: str
    draw: Draw


def _differences(run: Run, compared: pd.DataFrame) -> Figure | None:
    from bench.plots import differences

    return differences(compared, series_kinds(run)) if len(compared) > 1 else None


def _distance(run: Run, compared: pd.DataFrame) -> Figure | None:  # noqa: ARG001
    return plot_distance(run) if len(atom_places(run)) else None


def _survival(run: Run, compared: pd.DataFrame) -> Figure | None:  # noqa: ARG001
    return plot_survival(run) if len(survival_table(run)) else None


DRAWINGS = (
    Drawing(
        "recall-vs-carry",
        "Recall against the cost of carrying the handoff",
        "Up and to the left is better. For an arm below the line, another one carries as much for less.",
        lambda run, _: plot_recall_vs_cost(run, "carry"),
    ),
    Drawing(
        "differences",
        "Paired differences in recall to the first arm",
        "Right of the line an arm carries more than the first one. A dashed interval means that the difference may be"
        " chance, alone or among so many comparisons.",
        _differences,
    ),
    Drawing(
        "spread",
        "Recall of every run",
        "A compaction gets one attempt: look at the worst run, not only at the mean. Where two arms' dots mingle, the"
        " difference of their means says little.",
        lambda run, _: plot_spread(run),
    ),
    Drawing(
        "frontier",
        "Recall against the cost of carrying the handoff, with 95 % intervals",
        "An arm whose cross covers its neighbours' may as well lie elsewhere: the percentage is its chance to be on the"
        " frontier when fixtures and runs are drawn again.",
        lambda run, _: plot_frontier(run, "carry"),
    ),
    Drawing(
        "noise",
        "Where the variation of recall comes from",
        "What is orange goes down with more replicates or more passes of the grader, what is blue with more fixtures.",
        lambda run, _: plot_noise(run),
    ),
    Drawing(
        "lost-atoms",
        "Which atom does each arm carry?",
        "A row with little colour is a fact that prompts lose; a column of little colour is an arm that loses much.",
        lambda run, _: plot_lost_atoms(run),
    ),
    Drawing(
        "distance",
        "Recall by distance from the end",
        "A line that falls to the right is an arm that keeps what was said last and forgets what was said first.",
        _distance,
    ),
    Drawing(
        "survival",
        "What a chain of compactions leaves",
        "Facts that a handoff drops cannot come back: how fast a line falls is what a long session loses.",
        _survival,
    ),
)


def pictures(run: Run, compared: pd.DataFrame) -> Iterator[Picture]:
    """The figures that the run gives, in the order of the page; `compared` is its `compare`."""
    for drawing in DRAWINGS:
        figure = drawing.draw(run, compared)
        if figure is not None:
            yield Picture(drawing.name, drawing.reading, inline(figure, drawing.name, drawing.title))
