"""A figure as bytes and as a file. The same data give the same bytes: no dates in the metadata."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

from bench.atomic import write_bytes
from bench.errors import BenchError
from bench.plots.style import DPI, RC

DRAWN = "drawn_png"
"""Attribute of a figure: its PNG bytes as they were drawn last."""

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def png(figure: Figure) -> bytes:
    """The figure as PNG bytes. One that is kept as a file and then shown is drawn once: the bytes stay with it until
    something in it changes, which matplotlib notes as `stale`."""
    drawn: bytes | None = getattr(figure, DRAWN, None)
    if drawn is None or figure.stale:
        drawn = _bytes(figure, "png", {"Software": None})
        setattr(figure, DRAWN, drawn)
        figure.stale = False  # saving sets and resets colours, and so leaves it stale
    return drawn


def svg(figure: Figure) -> bytes:
    """The figure as SVG bytes; its words are text, not outlines."""
    return _bytes(figure, "svg", {"Date": None, "Creator": None})


def save(figure: Figure, path: Path) -> Path:
    """Write the figure whole to `path`, as PNG or SVG by its suffix; returns the path. BenchError for any other."""
    kinds = {".png": png, ".svg": svg}
    if path.suffix not in kinds:
        raise BenchError("figures are saved as .png or .svg", path=path)
    write_bytes(path, kinds[path.suffix](figure))
    return path


def _bytes(figure: Figure, kind: str, metadata: dict[str, None]) -> bytes:
    import matplotlib as mpl

    buffer = BytesIO()
    with mpl.rc_context(dict(RC)):  # type: ignore[arg-type]
        figure.savefig(buffer, format=kind, dpi=DPI, metadata=metadata)
    return buffer.getvalue()
