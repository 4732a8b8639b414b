"""Recall against cost with what is not known of both: an arm a cross of two intervals, its chance beside its name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from bench.analysis.arms.pareto import Axis
from bench.analysis.arms.spread import POINTS
from bench.frames import records
from bench.plots.axes import (
    RECALL_LABEL,
    axes_at,
    linear_costs,
    log_costs,
    note_lines,
    recall_limits,
    title,
    write_notes,
)
from bench.plots.figure import new_figure
from bench.plots.labels import Label, place_labels
from bench.plots.recall_vs_cost import LABELS, ZERO, frontier_corners, is_log
from bench.plots.style import INK, RC, Style, styles, tip

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

TITLES: Mapping[Axis, str] = {
    "carry": "Recall against the cost to carry, with 95 % intervals",
    "write": "Recall against the cost to write, with 95 % intervals",
    "tokens": "Recall against the size, with 95 % intervals",
}
KEY = "Line: Pareto frontier of the means; per cent: an arm's chance to be on it. Hollow grey: controls."
WIDTH_IN, PLOT_IN, TOP_IN, BOTTOM_IN, LEFT_IN, RIGHT_IN, NOTE_IN = 8.4, 4.1, 0.68, 0.62, 0.72, 0.3, 0.175
SAMPLES = 30
"""Points of an interval that labels keep off."""
Line = Mapping[str, object]


def frontier_map(table: pd.DataFrame, kinds: Mapping[str, str], axis: Axis = "carry", *, basis: str = "") -> Figure:
    """The figure of `frontier_table`; `basis` goes under the axis label. What has no place is named under the axis."""
    import matplotlib as mpl

    lines = records(table)
    known = [line for line in lines if isinstance(line["cost"], float) and isinstance(line["recall"], float)]
    log = is_log([float(str(line["cost"])) for line in known])
    shown = [line for line in known if not log or line["cost"] != 0]
    notes = note_lines(_notes(lines, shown, known, axis))
    look = styles(kinds)
    bottom = BOTTOM_IN + NOTE_IN * (len(notes) + bool(basis))
    with mpl.rc_context(dict(RC)):  # type: ignore[arg-type]
        figure = new_figure(WIDTH_IN, bottom + PLOT_IN + TOP_IN)
        title(figure, TITLES[axis], KEY, LEFT_IN)
        axes = axes_at(figure, LEFT_IN, bottom, WIDTH_IN - LEFT_IN - RIGHT_IN, PLOT_IN)
        axes.set_ylim(*recall_limits())
        _limits(axes, shown, log)
        points = [(float(str(p["cost"])), POINTS * float(str(p["recall"])), p["on_frontier"] is True) for p in known]
        corners = frontier_corners([(x, y) for x, y, on in points if on], *axes.get_xlim())
        axes.plot(*zip(*corners, strict=True), color=INK, lw=1.5, alpha=0.85, zorder=2.7)
        for line in shown:
            _cross(axes, line, look[str(line["name"])])
        labels = [
            Label(_name(p), float(str(p["cost"])), POINTS * float(str(p["recall"])), look[str(p["name"])].ink)
            for p in shown
        ]
        place_labels(axes, labels, _crowded(shown, axes, log), corners)
        axes.set_ylabel(RECALL_LABEL)
        axes.set_xlabel("\n".join(filter(None, (LABELS[axis], basis))))
        write_notes(figure, notes, LEFT_IN)
    return figure


def _crowded(shown: Sequence[Line], axes: Axes, log: bool) -> list[tuple[float, float]]:
    """Points along the intervals of costs, for labels to keep off."""
    import numpy as np

    points = []
    for line in shown:
        low, high = line["cost_low"], line["cost_high"]
        if isinstance(low, float) and isinstance(high, float):
            ends = max(low, axes.get_xlim()[0]), min(high, axes.get_xlim()[1])
            along = np.geomspace(*ends, SAMPLES) if log else np.linspace(*ends, SAMPLES)
            points += [(float(x), POINTS * float(str(line["recall"]))) for x in along]
    return points


def _limits(axes: Axes, shown: Sequence[Line], log: bool) -> None:
    ends = [float(v) for line in shown for c in ("cost", "cost_low", "cost_high") if isinstance(v := line[c], float)]
    if log:
        cheap = min(float(str(line["cost"])) for line in shown)
        low = min([cheap / 2, *(v for v in ends if v > 0.3 * cheap)])  # an interval that ends near 0 has no end here
        log_costs(axes, low / 1.2, max(ends) * 1.6)
    else:
        linear_costs(axes, max(ends, default=1.0))


def _cross(axes: Axes, line: Line, style: Style) -> None:
    """The arm's mark with its two intervals, each cut at the axes."""
    x, y = float(str(line["cost"])), POINTS * float(str(line["recall"]))
    left = axes.get_xlim()[0]
    cost, recall = (line["cost_low"], line["cost_high"]), (line["recall_low"], line["recall_high"])
    if isinstance(cost[0], float) and isinstance(cost[1], float):
        axes.plot([max(cost[0], left), cost[1]], [y, y], color=style.colour, lw=1.1, alpha=0.55, zorder=2.6)
    if isinstance(recall[0], float) and isinstance(recall[1], float):
        ends = [POINTS * recall[0], POINTS * recall[1]]
        axes.plot([x, x], ends, color=style.colour, lw=1.1, alpha=0.55, zorder=2.6)
    mark = axes.scatter(
        x, y, s=85, marker=style.marker, facecolor="white" if style.hollow else style.colour, edgecolors=style.edge,
        linewidths=1.2, zorder=4, clip_on=False,
    )  # fmt: skip
    tip(mark, f"{_name(line)}: recall {y:.1f}, cost {x:.3g}")


def _name(line: Line) -> str:
    chance = line["chance_on_frontier"]
    return f"{line['name']} {100 * chance:.0f} %" if isinstance(chance, float) else str(line["name"])


def _notes(lines: Sequence[Line], shown: Sequence[Line], known: Sequence[Line], axis: Axis) -> list[str]:
    free = [f"{p['name']} ({POINTS * float(str(p['recall'])):.1f})" for p in known if p not in shown]
    unknown = [f"{p['name']} ({p['why_not']})" for p in lines if p not in known]
    bare = [str(p["name"]) for p in shown if p["recall_low"] is None and p["cost_low"] is None]
    beaten = [f"{p['name']} by {p['dominated_by']}" for p in shown if p["dominated_by"] is not None]
    targets = dict.fromkeys(str(p["target"]) for p in shown if p["target"] is not None)
    said = (
        (f"At {ZERO[axis]}, with recall: ", free),
        ("Not drawn: ", unknown),
        ("No interval, too few runs and fixtures: ", bare),
        ("Dominated in 95 % of the draws or more: ", beaten),
        ("Intervals speak of ", list(targets)),
    )
    return [f"{words}{', '.join(names)}." for words, names in said if names]
