"""Atoms against arms: which facts does each arm carry, and which does none?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bench.analysis.units import CEILING, named
from bench.frames import records
from bench.plots.axes import axes_at, title
from bench.plots.figure import new_figure
from bench.plots.style import INK, MUTED, RC, drawable, styles
from bench.text import clip

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.patches import Patch

TITLE = "Which atom does each arm carry?"
KEY = "Full colour: carried in every run; none: in no run. s, w: an old, a wrong value. Hatched: no verdict. ▸: no arm."
ROWS_MOST = 40
"""More atoms than fit a screen make no figure: the ones that the fewest arms carry are drawn, the rest is counted."""
CELL_IN, ROW_IN = 0.46, 0.19
LEFT_IN, RIGHT_IN, HEAD_IN, TOP_IN, BOTTOM_IN, LEAST_IN = 0.4, 1.1, 0.25, 0.65, 0.3, 8.4
NAME_CHAR_IN, ROW_CHAR_IN = 0.053, 0.064
"""What a character takes: of an arm's slanted name in height, of an atom's in width."""
TEXT_CHARS = 48
DARK_FROM = 0.6
"""Share carried from which a cell is so dark that its letter is white."""
CARRIED = "#08519C"


def lost_atoms_map(cells: pd.DataFrame, outputs: pd.DataFrame, texts: pd.DataFrame | None = None) -> Figure:
    """The heat map of `atom_arms`: atoms (most lost on top) by arms (best first); `outputs` names the arms' kinds.

    `texts` (fixture, atom, text) puts the beginning of each atom's text beside its id.
    """
    import matplotlib as mpl

    cells = cells.reset_index(drop=True)
    table = named(cells).assign(row=_row_names(cells, texts))
    kinds = {str(name): str(kind) for name, kind in named(outputs)[["name", "kind"]].itertuples(index=False)}
    look = styles(kinds)
    grid = table.pivot_table(index="row", columns="name", values="credit", aggfunc="mean", dropna=False)
    columns = grid.mean().sort_values(ascending=False, kind="stable").index
    rivals = grid[[name for name in columns if kinds.get(name) not in CEILING]]
    order = rivals.mean(axis=1).fillna(2).sort_values(kind="stable").index
    lost = set(rivals.index[rivals.max(axis=1).eq(0).fillna(False)])
    shown, hidden = order[:ROWS_MOST], max(len(order) - ROWS_MOST, 0)
    left = LEFT_IN + ROW_CHAR_IN * max((len(row) for row in shown), default=0)
    wide, high = CELL_IN * max(len(columns), 1), ROW_IN * max(len(shown), 1)
    head = HEAD_IN + NAME_CHAR_IN * max((len(name) for name in columns), default=0)
    width, height = max(left + wide + RIGHT_IN, LEAST_IN), TOP_IN + head + high + BOTTOM_IN
    with mpl.rc_context(dict(RC)):  # type: ignore[arg-type]
        figure = new_figure(width, height)
        title(figure, TITLE, KEY, 0.2)
        axes = axes_at(figure, left, BOTTOM_IN, wide, high)
        _cells(axes, grid.loc[shown, columns])
        _letters(axes, table, list(shown), list(columns))
        axes.set_yticks(range(len(shown)), [drawable(f"▸ {row}" if row in lost else row) for row in shown], fontsize=8)
        axes.set_xticks(range(len(columns)), columns, rotation=40, ha="left", rotation_mode="anchor", fontsize=9)
        for tick, name in zip(axes.get_xticklabels(), columns, strict=True):
            tick.set_color(look[name].ink)
        if hidden:
            note = f"Left out: {hidden} of {len(order)} atoms, those that the most arms carry."
            figure.text(0.2 / width, 0.08 / height, note, fontsize=8, color=MUTED, va="bottom")
    return figure


def _row_names(cells: pd.DataFrame, texts: pd.DataFrame | None) -> pd.Series:
    name: pd.Series = (
        cells["atom"] + "  " + cells["tag"] + cells["importance"].eq("vital").map({True: ", vital", False: ""})
    )
    if cells["fixture"].nunique() > 1:
        name = cells["fixture"] + " " + name
    if texts is None:
        return name
    text = cells[["fixture", "atom"]].merge(texts, on=["fixture", "atom"], how="left")["text"].fillna("")
    clipped: pd.Series = text.map(lambda t: clip(" ".join(t.split()), TEXT_CHARS))
    return name.reset_index(drop=True) + ": " + clipped


def _cells(axes: Axes, grid: pd.DataFrame) -> None:
    import numpy as np
    from matplotlib.colors import LinearSegmentedColormap

    shades = LinearSegmentedColormap.from_list("credit", ["#FFFFFF", "#9ECAE1", CARRIED])
    values = grid.to_numpy(dtype=float, na_value=np.nan)
    rows, columns = values.shape
    axes.set_facecolor("#F4F4F4")
    axes.pcolormesh(
        np.arange(columns + 1) - 0.5, np.arange(rows + 1) - 0.5, np.ma.masked_invalid(values), cmap=shades, vmin=0,
        vmax=1, edgecolors="#D0D0D0", linewidth=0.5,
    )  # fmt: skip
    for row, column in zip(*np.nonzero(np.isnan(values)), strict=True):
        axes.add_patch(_hatched(column, row))
    axes.set_xlim(-0.5, columns - 0.5)
    axes.set_ylim(rows - 0.5, -0.5)
    axes.grid(visible=False)
    axes.tick_params(length=0, labeltop=True, labelbottom=False, top=True)
    axes.spines[:].set_visible(False)


def _hatched(column: int, row: int) -> Patch:
    from matplotlib.patches import Rectangle

    return Rectangle((column - 0.5, row - 0.5), 1, 1, fill=False, hatch="////", edgecolor="#BBBBBB", linewidth=0)


def _letters(axes: Axes, table: pd.DataFrame, rows: list[str], columns: list[str]) -> None:
    """s and w in the cells where an arm gave an old or a wrong value."""
    word = table["stale"].gt(0).map({True: "s", False: ""}) + table["wrong"].gt(0).map({True: "w", False: ""})
    said = table.assign(word=word, dark=table["credit"].fillna(0) > DARK_FROM)
    said = said[(said["word"] != "") & said["row"].isin(rows)]
    for line in records(said[["row", "name", "word", "dark"]]):
        place = columns.index(str(line["name"])), rows.index(str(line["row"]))
        ink = "white" if line["dark"] else INK
        axes.text(*place, str(line["word"]), ha="center", va="center", fontsize=7.5, color=ink)
