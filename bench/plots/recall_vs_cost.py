"""Recall against what a handoff costs, every run a dot: which arm is worth its tokens?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from textwrap import wrap
from typing import TYPE_CHECKING

from bench.analysis.arms.output_table import cut_off
from bench.analysis.arms.pareto import COST_COLUMNS, Axis, arm_points
from bench.analysis.arms.spread import POINTS
from bench.frames import records
from bench.plots.axes import RECALL_LABEL, axes_at, linear_costs, log_costs, recall_limits, title
from bench.plots.figure import new_figure
from bench.plots.labels import Label, place_labels
from bench.plots.style import MUTED, RC, Style, styles, tip

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

TITLES: dict[Axis, str] = {
    "carry": "Recall against the cost of carrying the handoff",
    "write": "Recall against the cost of writing the handoff",
    "tokens": "Recall against the size of the handoff",
}
LABELS: dict[Axis, str] = {
    "carry": "USD to carry the handoff through the next window",
    "write": "USD to write the handoff",
    "tokens": "Size of the handoff, estimated tokens (characters / 4)",
}
ZERO: dict[Axis, str] = {"carry": "0 USD", "write": "0 USD", "tokens": "0 tokens"}
KEY = (
    "Small: a run; large: an arm's mean. Line: Pareto frontier. Hollow grey: controls (full, nothing are never on it)."
)
LOG_FROM = 12.0
"""The axis is logarithmic where the dearest run costs this many times the cheapest: a linear one hides the cheap."""
WIDTH_IN, PLOT_IN, LINE_IN = 8.4, 3.9, 0.175
LEFT_IN, RIGHT_IN, TOP_IN, BOTTOM_IN = 0.72, 0.3, 0.68, 0.62
STRIP_IN, SLOT_IN, STRIP_MOST, GAP_IN = 0.9, 0.35, 0.45, 0.12
"""Width of the strip for arms that cost nothing: with none, for each arm, at most this share; and the gap after it."""
NOTE_CHARS = 130
CROWD = 200
"""From so many runs on, their marks are smaller and paler, so that the means stand out."""


@dataclass(frozen=True)
class Arm:
    """An arm that can be drawn: (cost, recall in points) of each run and of their mean."""

    name: str
    runs: list[tuple[float, float]]
    mean: tuple[float, float]
    on_frontier: bool
    style: Style

    def moved_to(self, x: float) -> Arm:
        return replace(self, runs=[(x, y) for _, y in self.runs], mean=(x, self.mean[1]))

    @property
    def marks(self) -> list[tuple[float, float]]:
        return [self.mean, *self.runs]


def recall_vs_cost(table: pd.DataFrame, axis: Axis = "carry", *, basis: str = "") -> Figure:
    """The figure of `output_table`; `basis` goes under the axis label (whose prices, how many turns).

    The axis is logarithmic where costs lie far apart. Arms that cost nothing then stand side by side in a strip at its
    left; so do all where none costs anything. What cannot be drawn (an unknown cost, nothing graded) is named under
    the axis with its reason.
    """
    import matplotlib as mpl

    arms, notes = drawable(table, axis)
    lines = [line for note in notes for line in wrap(note, NOTE_CHARS)]
    costs = [x for arm in arms for x, _ in arm.marks]
    free = [arm for arm in arms if arm.mean[0] == 0 and (is_log(costs) or not any(costs))]
    priced = [arm for arm in arms if arm not in free]
    bottom = BOTTOM_IN + LINE_IN * (bool(basis) + len(lines))
    height = bottom + PLOT_IN + TOP_IN
    inner = WIDTH_IN - LEFT_IN - RIGHT_IN
    strip = 0.0 if not free else min(STRIP_IN + SLOT_IN * len(free), STRIP_MOST * inner) if priced else inner
    with mpl.rc_context(dict(RC)):  # type: ignore[arg-type]
        figure = new_figure(WIDTH_IN, height)
        title(figure, TITLES[axis], KEY, LEFT_IN)
        panels = []
        if free:
            panels.append(axes_at(figure, LEFT_IN, bottom, strip, PLOT_IN))
            _strip(panels[0], free, ZERO[axis])
        if priced or not free:
            gap = strip + GAP_IN if free else 0.0
            panels.append(axes_at(figure, LEFT_IN + gap, bottom, inner - gap, PLOT_IN))
            _priced(panels[-1], priced, arms, log=is_log(costs))
            if free:
                panels[-1].tick_params(labelleft=False, left=False)
        panels[0].set_ylabel(RECALL_LABEL)
        panels[-1].set_xlabel("\n".join(filter(None, (LABELS[axis], basis))))
        for i, line in enumerate(reversed(lines)):
            figure.text(LEFT_IN / WIDTH_IN, (0.1 + LINE_IN * i) / height, line, fontsize=8, color=MUTED, va="bottom")
    return figure


def drawable(table: pd.DataFrame, axis: Axis) -> tuple[list[Arm], list[str]]:
    """The arms that have a place in the figure, and what is to be said of them, and of those that have none."""
    points = records(arm_points(table, axis))
    look = styles({str(p["name"]): str(p["kind"]) for p in points})
    arms, unknown, ungraded, free = [], [], [], []
    for point in points:
        name, cost, recall = str(point["name"]), point["cost"], point["recall"]
        mine = table[table["name"] == name]
        if not isinstance(recall, float):
            ungraded.append(f"{name} ({_outcomes(mine)})")
        elif not isinstance(cost, float):
            unknown.append(f"{name} ({_reason(mine, axis)})")
        else:
            runs = mine[[COST_COLUMNS[axis], "recall"]].dropna().itertuples(index=False)
            dots = [(float(x), POINTS * float(y)) for x, y in runs]
            arms.append(Arm(name, dots, (cost, POINTS * recall), point["on_frontier"] is True, look[name]))
            if cost == 0:
                free.append(name)
    notes = [
        (f"At {ZERO[axis]}: ", free if len(free) < len(arms) else ["every arm"]),
        ("Cut off, ranked all the same: ", cut_off(table)),
        ("Not drawn, cost unknown: ", unknown),
        ("Not drawn, no handoff ranked: ", ungraded),
    ]
    return arms, [words + ", ".join(names) + "." for words, names in notes if names]


def is_log(costs: Sequence[float]) -> bool:
    """Whether the costs above 0 lie so far apart that a linear axis would hide the cheap ones."""
    paid = [cost for cost in costs if cost > 0]
    return bool(paid) and max(paid) >= LOG_FROM * min(paid)


def _outcomes(outputs: pd.DataFrame) -> str:
    """`2 truncated`, `1 refused`: what became of an arm's outputs."""
    return ", ".join(f"{n} {outcome}" for outcome, n in sorted(outputs["outcome"].value_counts().items()))


def _reason(outputs: pd.DataFrame, axis: Axis) -> str:
    if axis == "write":
        return "; ".join(sorted(set(outputs["write_reason"].dropna())))
    return "no [carry] in the sweep, or no price for its model" if axis == "carry" else "size not recorded"


def _priced(axes: Axes, arms: list[Arm], all_arms: list[Arm], *, log: bool) -> None:
    """Arms at their cost; the frontier over `all_arms`, of which some may stand in the strip."""
    costs = [x for arm in arms for x, _ in arm.marks]
    axes.set_ylim(*recall_limits())
    if log:
        paid = [x for x in costs if x > 0]
        log_costs(axes, min(paid) / 1.6, max(paid) * 1.9)
    else:
        linear_costs(axes, max(costs, default=1.0))
    corners = frontier_corners([arm.mean for arm in all_arms if arm.on_frontier], *axes.get_xlim())
    axes.plot(*zip(*corners, strict=True), color=MUTED, lw=1.2, alpha=0.8, zorder=2)
    _draw(axes, arms, corners)


def _strip(axes: Axes, arms: list[Arm], zero: str) -> None:
    """Arms that cost nothing, side by side in the order of their recall."""
    axes.set_ylim(*recall_limits())
    axes.set_xlim(0, len(arms) + 0.6)
    axes.set_xticks([(len(arms) + 0.6) / 2], [f"{zero}; in order of recall" if len(arms) > 4 else zero])
    axes.tick_params(bottom=False)
    axes.grid(visible=False, axis="x")
    ordered = sorted(arms, key=lambda arm: (arm.mean[1], arm.name))
    _draw(axes, [arm.moved_to(i + 0.5) for i, arm in enumerate(ordered)], [])


def _draw(axes: Axes, arms: list[Arm], line: list[tuple[float, float]]) -> None:
    size, alpha = (20, 0.5) if sum(len(arm.runs) for arm in arms) < CROWD else (11, 0.3)
    for arm in sorted(arms, key=lambda arm: arm.style.hollow):  # a hollow mark hides nothing under it
        style = arm.style
        if len(arm.runs) > 1:
            xs, ys = zip(*arm.runs, strict=True)
            axes.scatter(xs, ys, s=size, marker=style.marker, color=style.colour, alpha=alpha, linewidths=0, zorder=3)
        mark = axes.scatter(
            *arm.mean,
            s=130 if style.hollow else 95,
            marker=style.marker,
            facecolor=style.face,
            edgecolors=style.edge,
            linewidths=1.3 if style.hollow else 0.9,
            zorder=4,
            clip_on=False,
        )
        tip(mark, f"{arm.name}: recall {arm.mean[1]:.1f}, {len(arm.runs)} run{'s' * (len(arm.runs) != 1)}")
    labels = [Label(arm.name, *arm.mean, arm.style.ink) for arm in arms]
    place_labels(axes, labels, [run for arm in arms for run in arm.runs if len(arm.runs) > 1], line)


def frontier_corners(points: Sequence[tuple[float, float]], low: float, high: float) -> list[tuple[float, float]]:
    """Corners of the recall that each budget from `low` to `high` buys, `points` (cost, recall) being the frontier's:
    level from an arm to the next dearer one, then up."""
    steps = sorted({(max(x, low), y) for x, y in points})
    corners = [corner for (x, y), (after, _) in pairwise([*steps, (high, 0.0)]) for corner in ((x, y), (after, y))]
    return corners or [(low, 0.0)]
