"""Every run of every arm a dot on one scale: how far do replicates lie apart, and how bad is the worst?"""

from __future__ import annotations

from textwrap import wrap
from typing import TYPE_CHECKING

from bench.analysis.arms.output_table import cut_off
from bench.analysis.arms.spread import POINTS, arm_spread
from bench.analysis.means import fixture_mean
from bench.plots.axes import RECALL_LABEL, axes_at, recall_limits, title
from bench.plots.figure import new_figure
from bench.plots.style import MUTED, RC, Style, styles, tip

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

TITLE = "Recall of every run"
KEY = "Dot: a run; bar: worst to best run of a fixture, a lane each; upright line: the arm's mean. {spread}"
SPREAD = "Spread: best \N{MINUS SIGN} worst of {m} runs, in points."
NO_SPREAD = "One run an arm and fixture: no spread."
WIDTH_IN, LANE_IN, ARM_IN = 8.4, 0.13, 0.26
LEFT_IN, RIGHT_IN, TOP_IN, BOTTOM_IN = 0.4, 1.75, 0.75, 0.6
NAME_CHAR_IN, PLOT_LEAST_IN = 0.08, 3.0
"""Width that a character of an arm's name takes; the least that is left to the dots."""
NOTE_CHARS = 125
LANES_MOST = 6
"""With more fixtures than this, their lanes lie on one another: the row would grow too tall to read."""


def spread_strips(table: pd.DataFrame) -> Figure:
    """The figure of `output_table`: a row an arm, best mean first; at the right each arm's runs and widest spread."""
    import matplotlib as mpl
    import pandas as pd

    known = table.dropna(subset=["recall"])
    spreads = arm_spread(known, ["name"]).set_index("name")
    m = spreads["spread_of"].max() if len(spreads) else None
    key = KEY.format(spread=NO_SPREAD if m is None or m is pd.NA else SPREAD.format(m=m))
    look = styles(dict(table[["name", "kind"]].itertuples(index=False)))
    means = fixture_mean(known, ["name"], "recall").sort_values(ascending=False, kind="stable")
    fixtures = sorted(known["fixture"].unique())
    lanes = min(max(len(fixtures), 1), LANES_MOST)
    row = ARM_IN + LANE_IN * lanes
    left_out = sorted(set(table["name"]) - set(known["name"]))
    said = (("Cut off, ranked all the same: ", cut_off(table)), ("No handoff ranked: ", left_out))
    notes = [line for what, names in said if names for line in wrap(f"{what}{', '.join(names)}.", NOTE_CHARS)]
    bottom = BOTTOM_IN + 0.175 * len(notes)
    height = bottom + row * max(len(means), 1) + TOP_IN
    left = LEFT_IN + NAME_CHAR_IN * max((len(str(name)) for name in means.index), default=0)
    width = max(WIDTH_IN, left + PLOT_LEAST_IN + RIGHT_IN)
    with mpl.rc_context(dict(RC)):  # type: ignore[arg-type]
        figure = new_figure(width, height)
        title(figure, TITLE, key, 0.25)
        axes = axes_at(figure, left, bottom, width - left - RIGHT_IN, height - bottom - TOP_IN)
        axes.set_xlim(*recall_limits())
        axes.set_ylim(max(len(means), 1) - 0.5, -0.5)
        axes.set_yticks(range(len(means)), [str(name) for name in means.index])
        axes.tick_params(axis="y", length=0)
        axes.grid(visible=False, axis="y")
        axes.set_xlabel(RECALL_LABEL)
        for place, (name, mean) in enumerate(means.items()):
            style, runs = look[str(name)], known[known["name"] == name]
            axes.get_yticklabels()[place].set_color(style.ink)
            _row(axes, place, runs, fixtures, lanes, float(mean) * POINTS, style)
            told = _told(len(runs), spreads.at[str(name), "spread"])
            axes.text(1.02, place, told, transform=axes.get_yaxis_transform(), va="center", fontsize=8.5)
        for i, line in enumerate(reversed(notes)):
            figure.text(0.25 / width, (0.1 + 0.175 * i) / height, line, fontsize=8, color=MUTED, va="bottom")
    return figure


def _row(
    axes: Axes, place: int, runs: pd.DataFrame, fixtures: list[str], lanes: int, mean: float, style: Style
) -> None:
    axes.axhline(place + 0.5, color="#ECECEC", lw=0.8, zorder=0)
    if len(runs) > 1:
        axes.plot([mean, mean], [place - 0.36, place + 0.36], color=style.colour, lw=2, zorder=3)
    for fixture, one in runs.groupby("fixture"):
        lane = fixtures.index(str(fixture)) % lanes
        y = place + (lane - (lanes - 1) / 2) * 0.62 / lanes
        recalls = [POINTS * float(r) for r in one["recall"]]
        if len(recalls) > 1:
            axes.plot([min(recalls), max(recalls)], [y, y], color=style.colour, lw=2.2, alpha=0.3, zorder=2)
        dots = axes.scatter(
            recalls, [y] * len(recalls), s=30, marker=style.marker, facecolor=style.face, edgecolors=style.edge,
            linewidths=1.0 if style.hollow else 0.5, alpha=0.9, zorder=4, clip_on=False,
        )  # fmt: skip
        tip(dots, f"{runs['name'].iloc[0]} on {fixture}: {', '.join(f'{r:.1f}' for r in recalls)}")


def _told(runs: int, spread: object) -> str:
    many = f"{runs} run{'s' * (runs > 1)}"
    return f"{many}, spread {spread:.1f}" if isinstance(spread, float) else f"{many}, no spread"
