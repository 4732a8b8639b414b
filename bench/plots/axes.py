"""Axes that several figures share: recall in points, costs in plain figures, a title with a line on how to read it."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

from bench.plots.style import MUTED

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
