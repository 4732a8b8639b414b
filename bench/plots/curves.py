"""Recall as a line an arm over steps that have an order: shared by the figures of distance and of chains."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bench.plots.axes import RECALL_LABEL, axes_at, recall_limits, title, write_notes
from bench.plots.figure import new_figure
from bench.plots.style import RC, styles, tip

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WIDTH_IN, PLOT_IN, TOP_IN, BOTTOM_IN, LEFT_IN, NOTE_IN = 8.4, 3.6, 0.68, 0.75, 0.72, 0.175
NAME_CHAR_IN, NAME_GAP = 0.078, 5.2
"""Width of a character of an arm's name at its line's end; least distance of two names, in points of recall."""


@dataclass(frozen=True)
class Curve:
    """One arm's line: its places on the axis and recalls in points, and paler dots behind it."""

    name: str
    places: Sequence[float]
    recalls: Sequence[float]
    dots: Sequence[tuple[float, float]] = ()


def curves(
    found: Sequence[Curve],
    kinds: Mapping[str, str],
    ticks: Sequence[str],
    words: tuple[str, str, str],
    notes: Sequence[str] = (),
) -> Figure:
    """The figure: a line an arm, its name at the end; `ticks` are the steps; `words` title, how to read, axis label."""
    import matplotlib as mpl

    head, key, label = words
    right = 0.35 + NAME_CHAR_IN * max((len(curve.name) for curve in found), default=4)
    bottom = BOTTOM_IN + NOTE_IN * len(notes)
    look = styles(kinds)
    with mpl.rc_context(dict(RC)):  # type: ignore[arg-type]
        figure = new_figure(WIDTH_IN, bottom + PLOT_IN + TOP_IN)
        title(figure, head, key, LEFT_IN)
        axes = axes_at(figure, LEFT_IN, bottom, WIDTH_IN - LEFT_IN - right, PLOT_IN)
        for curve in found:
            style = look[curve.name]
            dots = {"s": 12, "color": style.colour, "alpha": 0.35, "linewidths": 0, "zorder": 2}
            axes.scatter([x for x, _ in curve.dots], [y for _, y in curve.dots], **dots)  # type: ignore[arg-type]
            (line,) = axes.plot(
                curve.places, curve.recalls, color=style.colour, marker=style.marker, ms=6.5, lw=1.6, mew=0.7,
                mfc="white" if style.hollow else style.colour, mec=style.edge, ls=":" if style.hollow else "-",
                zorder=3 if style.hollow else 4, clip_on=False,
            )  # fmt: skip
            tip(line, f"{curve.name}: {', '.join(f'{r:.1f}' for r in curve.recalls)}")
        axes.set_ylim(*recall_limits())
        axes.set_xlim(-0.25, max(len(ticks) - 1, 0) + 0.25)
        axes.set_xticks(range(len(ticks)), ticks)
        axes.grid(visible=False, axis="x")
        axes.set_ylabel(RECALL_LABEL)
        axes.set_xlabel(label)
        _names(axes, found, {curve.name: look[curve.name].ink for curve in found})
        write_notes(figure, notes, LEFT_IN)
    return figure


def _names(axes: Axes, found: Sequence[Curve], inks: Mapping[str, str]) -> None:
    """Each arm's name at the height of its last point, moved down as far as the name above it asks."""
    above = 200.0
    ends = sorted(((curve.recalls[-1], curve) for curve in found if curve.recalls), key=lambda e: (-e[0], e[1].name))
    spare = len(ends) * NAME_GAP
    for height, curve in ends:
        y = max(min(height, above - NAME_GAP), spare - NAME_GAP)
        spare -= NAME_GAP
        above = y
        axes.text(
            1.03, y, curve.name, transform=axes.get_yaxis_transform(), va="center", fontsize=9, color=inks[curve.name]
        )
        axes.plot(
            [curve.places[-1], axes.get_xlim()[1] + 0.022 * (axes.get_xlim()[1] - axes.get_xlim()[0])], [height, y],
            color=inks[curve.name], lw=0.5, alpha=0.5, clip_on=False, zorder=1,
        )  # fmt: skip
