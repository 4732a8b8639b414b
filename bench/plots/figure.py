"""The class of our figures: they show themselves as PNG in a notebook and need no display."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from bench.plots.save import png
from bench.plots.style import DPI

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def new_figure(width: float, height: float) -> Figure:
    """An empty figure of that size in inches."""
    figure: Figure = _picture()(figsize=(width, height), dpi=DPI)
    return figure


@cache
def _picture() -> type[Figure]:
    """The class, made on first use: matplotlib is slow to load."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    class Picture(Figure):
        def __init__(self, **options: object) -> None:
            super().__init__(**options)  # type: ignore[arg-type]
            FigureCanvasAgg(self)

        def _repr_png_(self) -> bytes:
            return png(self)

    return Picture
