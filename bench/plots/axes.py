"""Axes that several figures share: recall in points, costs in plain figures, a title with a line on how to read it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from textwrap import wrap
from typing import TYPE_CHECKING

from bench.plots.figure import new_figure
from bench.plots.style import MUTED, drawable

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

RECALL_LABEL = "Recall, points of 100"
TITLE_IN, KEY_IN = 0.3, 0.52
"""How far under the figure's upper edge the title and the line under it stand, in inches."""


def title(figure: Figure, text: str, key: str, left_in: float) -> None:
    """A title at the left and, smaller under it, how to read the figure."""
    width, height = figure.get_size_inches()
    figure.text(left_in / width, 1 - TITLE_IN / height, text, fontsize=12, fontweight="bold", va="bottom")
    figure.text(left_in / width, 1 - KEY_IN / height, key, fontsize=8, color=MUTED, va="bottom")


def axes_at(figure: Figure, left: float, bottom: float, width: float, height: float) -> Axes:
    """Axes at that place, all in inches."""
    wide, high = figure.get_size_inches()
    return figure.add_axes((left / wide, bottom / high, width / wide, height / high))


def recall_limits() -> tuple[float, float]:
    """The whole scale, with room for marks at both ends: a cut axis would make differences look large."""
    return -4.0, 104.0


def plain(value: float) -> str:
    """A number without an exponent, and thousands of tokens as `16k`: 0.00002, 0.5, 16k."""
    if value >= 10_000:
        return f"{plain(value / 1000)}k"
    return f"{Decimal(f'{value:.6g}'):f}"


def linear_costs(axes: Axes, most: float) -> None:
    """Linear axis from 0 to a little beyond the dearest cost."""
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    axes.set_xlim(-0.02 * most, 1.15 * most)
    axes.xaxis.set_major_locator(MaxNLocator(6, steps=[1, 2, 5, 10]))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: plain(value)))


def log_costs(axes: Axes, low: float, high: float) -> None:
    """Log axis over costs low..high (both above 0): ticks at 1, 2, 5 of each decade, fewer over many decades."""
    from math import log10

    from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

    axes.set_xscale("log")
    axes.set_xlim(low, high)
    decades = log10(high / low)
    subs = (1.0, 2.0, 5.0) if decades < 2.2 else (1.0, 3.0) if decades < 4 else (1.0,)
    axes.xaxis.set_major_locator(LogLocator(base=10, subs=subs))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: plain(value)))


NOTE_IN, NOTE_CHARS = 0.175, 125
"""Height of a line of notes under a figure, and the characters that fit one."""


def note_lines(notes: Sequence[str]) -> list[str]:
    """The notes in lines that fit under a figure."""
    return [line for note in notes for line in wrap(note, NOTE_CHARS)]


def write_notes(figure: Figure, lines: Sequence[str], left_in: float) -> None:
    """The lines at the foot of the figure, small."""
    width, height = figure.get_size_inches()
    for i, line in enumerate(reversed(lines)):
        figure.text(left_in / width, (0.1 + NOTE_IN * i) / height, line, fontsize=8, color=MUTED, va="bottom")


class Rows:
    """A figure of named rows, first on top: names at the left, a free margin at the right, notes at the foot."""

    WIDTH_IN, LEFT_IN, TOP_IN, BOTTOM_IN, CHAR_IN, PLOT_LEAST_IN = 8.4, 0.4, 0.75, 0.62, 0.08, 3.0

    def __init__(self, names: Sequence[str], row_in: float, right_in: float, notes: Sequence[str] = ()) -> None:
        self._names, self._notes, self._row_in, self._right_in = names, notes, row_in, right_in

    def figure(self, text: str, key: str) -> tuple[Figure, Axes]:
        """The empty figure with its title, and its axes."""
        left = self.LEFT_IN + self.CHAR_IN * max((len(name) for name in self._names), default=0)
        width = max(self.WIDTH_IN, left + self.PLOT_LEAST_IN + self._right_in)
        bottom = self.BOTTOM_IN + NOTE_IN * len(self._notes)
        high = self._row_in * max(len(self._names), 1)
        figure = new_figure(width, bottom + high + self.TOP_IN)
        title(figure, text, key, 0.25)
        self._axes = axes_at(figure, left, bottom, width - left - self._right_in, high)
        self._axes.set_ylim(max(len(self._names), 1) - 0.5, -0.5)
        self._axes.set_yticks(range(len(self._names)), [drawable(name) for name in self._names])
        self._axes.tick_params(axis="y", length=0)
        self._axes.grid(visible=False, axis="y")
        write_notes(figure, self._notes, 0.25)
        return figure, self._axes

    def colour(self, inks: Mapping[str, str]) -> None:
        """Write the names in these colours."""
        for tick, name in zip(self._axes.get_yticklabels(), self._names, strict=True):
            tick.set_color(inks[name])
