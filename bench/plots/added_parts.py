"""Recall against tokens for each part that is added to a handoff: which part is worth its room?"""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING

from bench.analysis.arms.added_parts import added_parts
from bench.analysis.arms.output_table import cut_off
from bench.analysis.arms.spread import POINTS
from bench.analysis.units import NO_MODEL
from bench.plots.axes import RECALL_LABEL, axes_at, linear_costs, note_lines, recall_limits, title, write_notes
from bench.plots.figure import new_figure
from bench.plots.labels import Label, place_labels
from bench.plots.style import RC, Style, styles, tip

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

TITLE = "What each part of a handoff adds"
KEY = "A line: one arm with one part more at each mark (mean of its runs). Small: a run. Hollow: the transcript itself."
SIZE_LABEL = "Size of the handoff, estimated tokens (characters / 4)"
FULL = "full"
PANEL_IN, WHOLE_IN, HIGH_IN = 4.6, 7.4, 3.7
"""A panel beside another, and one alone."""
LEFT_IN, GAP_IN, TOP_IN, BOTTOM_IN, ROW_IN = 0.72, 0.5, 0.95, 0.6, 0.55
ACROSS = 2
"""Fixtures side by side."""


def added_parts_lines(table: pd.DataFrame) -> Figure:
    """The figure of an `output_table`: a panel a fixture, a line a family of arms. Empty axes without any family."""
    import matplotlib as mpl

    lines = added_parts(table)
    fixtures = list(dict.fromkeys(lines["fixture"])) or ["no arms that differ by a part"]
    across = min(ACROSS, len(fixtures))
    rows = ceil(len(fixtures) / across)
    kinds = dict(lines[["family", "kind"]].itertuples(index=False, name=None))
    look = styles({**kinds, FULL: FULL})
    cut = cut_off(table)
    notes = note_lines([f"Cut off, ranked all the same: {', '.join(cut)}."] if cut else [])
    foot = BOTTOM_IN + 0.175 * len(notes)
    panel = PANEL_IN if across > 1 else WHOLE_IN
    width = LEFT_IN + across * panel + (across - 1) * GAP_IN + 0.25
    height = foot + rows * HIGH_IN + (rows - 1) * ROW_IN + TOP_IN
    with mpl.rc_context(dict(RC)):  # type: ignore[arg-type]
        figure = new_figure(width, height)
        title(figure, TITLE, KEY, 0.25)
        for i, fixture in enumerate(fixtures):
            row, column = divmod(i, across)
            bottom = foot + (rows - 1 - row) * (HIGH_IN + ROW_IN)
            axes = axes_at(figure, LEFT_IN + column * (panel + GAP_IN), bottom, panel, HIGH_IN)
            axes.set_title(fixture, fontsize=9.5, loc="left")
            _panel(axes, lines[lines["fixture"] == fixture], table[table["fixture"] == fixture], look)
            if column == 0:
                axes.set_ylabel(RECALL_LABEL)
            if row == rows - 1:
                axes.set_xlabel(SIZE_LABEL)
        write_notes(figure, notes, 0.25)
    return figure


def _panel(axes: Axes, lines: pd.DataFrame, outputs: pd.DataFrame, look: dict[str, Style]) -> None:
    full = outputs[(outputs["kind"] == FULL)].dropna(subset=["recall", "handoff_tokens"])
    sizes = [*lines["tokens"], *full["handoff_tokens"].astype(float)]
    axes.set_ylim(*recall_limits())
    linear_costs(axes, max(sizes, default=1.0))
    labels: list[Label] = []
    dots: list[tuple[float, float]] = []
    corners: list[tuple[float, float]] = []
    for (name, model), one in lines.groupby(["family", "model"], sort=False):
        style = look[str(name)]
        points = [(float(x), POINTS * float(y)) for x, y in one[["tokens", "recall"]].itertuples(index=False)]
        axes.plot(*zip(*points, strict=True), color=style.colour, lw=1.4, alpha=0.8, zorder=2)
        corners += points
        for (x, y), arm in zip(points, one["arm"], strict=True):
            mark = axes.scatter(x, y, s=70, marker=style.marker, color=style.colour, edgecolors="white", zorder=4)
            tip(mark, f"{arm}: recall {y:.1f}, {x:,.0f} tokens")
        runs = outputs[outputs["arm"].isin(one["arm"]) & outputs["model"].isin([model, NO_MODEL])]
        runs = runs.dropna(subset=["recall", "handoff_tokens"])
        dots += [(float(x), POINTS * float(y)) for x, y in runs[["handoff_tokens", "recall"]].itertuples(index=False)]
        labels += _labels(points, list(one["added"]), style)
    if dots:
        xs, ys = zip(*dots, strict=True)
        axes.scatter(xs, ys, s=9, color="#888888", alpha=0.5, linewidths=0, zorder=3)
    for x, y in full[["handoff_tokens", "recall"]].itertuples(index=False):
        star = look[FULL]
        axes.scatter(
            x, POINTS * y, s=120, marker=star.marker, facecolor="none", edgecolors=star.colour, zorder=4, clip_on=False
        )
        labels.append(Label(FULL, float(x), POINTS * float(y), star.ink))
    place_labels(axes, labels, dots, corners, size=8.0)


def _labels(points: list[tuple[float, float]], added: list[str], style: Style) -> list[Label]:
    """A label a place: parts that changed nothing share that of the mark they lie on."""
    at: dict[tuple[float, float], list[str]] = {}
    for point, told in zip(points, added, strict=True):
        at.setdefault(point, []).append(told)
    return [Label(" ".join(told), *point, style.ink) for point, told in at.items()]
