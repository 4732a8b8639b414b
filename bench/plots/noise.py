"""Where a run's recall gets its variation from: what replicates, fixtures, arms, passes and atoms each add."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from bench.frames import records
from bench.plots.axes import Rows, note_lines
from bench.plots.style import INK, MUTED, PALETTE, RC, tip

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

TITLE = "Where the variation comes from"
KEY = "Share of the variance of one run's recall; beside it, how far the source alone moves a run (standard deviation)."
LABEL = "Share of the variance, per cent"
WORDS = {
    "fixture": "fixtures differ",
    "arm": "arms differ",
    "fixture x arm": "an arm suits a fixture",
    "replicate": "a run is lucky",
    "pass": "a grader's pass is strict",
    "atom": "atoms differ in difficulty",
    "atom x arm": "an arm keeps an atom",
    "atom x replicate": "a run keeps an atom",
    "rest": "an atom in one pass",
}
"""Source of `noise_split` -> what it means."""
KINDS = {
    "arm": "arms", "fixture x arm": "arms", "atom x arm": "arms",
    "replicate": "chance", "pass": "chance", "atom x replicate": "chance", "rest": "chance",
}  # fmt: skip
"""Source -> whose doing it is; all others are the fixtures' and their atoms'."""
LOOKS = {"fixtures": (PALETTE[0], ""), "arms": (PALETTE[2], ".."), "chance": (PALETTE[1], "////")}
COLOURS = (
    "Blue: fixtures and their atoms; green, dotted: what arms do; orange, hatched: chance between runs and passes."
)
ROW_IN, RIGHT_IN = 0.31, 1.6


def noise_bars(split: pd.DataFrame, left_out: Sequence[str] = ()) -> Figure:
    """The figure of `noise_split` for one way of grading: a bar a source, or why the design tells none.

    `left_out` are names of the controls that are no part of it.
    """
    import matplotlib as mpl

    lines = records(split)
    names = [f"{WORDS.get(str(line['source']), line['source'])} ({line['source']})" for line in lines]
    out = [f"Controls, left out: {', '.join(left_out)}."] if left_out else []
    with mpl.rc_context(dict(RC)):  # type: ignore[arg-type]
        rows = Rows(names, ROW_IN, RIGHT_IN, notes=note_lines([COLOURS, *_reasons(lines), *out]))
        figure, axes = rows.figure(TITLE, KEY)
        for place, (line, name) in enumerate(zip(lines, names, strict=True)):
            _bar(axes, place, line, name)
        axes.set_xlim(0, 100)
        axes.set_xlabel(LABEL)
    return figure


def _bar(axes: Axes, place: int, line: Mapping[str, object], name: str) -> None:
    share, variance = line["share"], line["run_variance"]
    told, ink = "not told", MUTED
    if isinstance(share, float) and isinstance(variance, float):
        told, ink = f"{100 * share:.0f} %, ±{variance**0.5:.1f} points", INK
        colour, hatch = LOOKS[KINDS.get(str(line["source"]), "fixtures")]
        bar = axes.barh(place, 100 * share, height=0.62, color=colour, hatch=hatch, edgecolor="white", lw=0)[0]
        tip(bar, f"{name}: {told}")
    axes.text(1.02, place, told, transform=axes.get_yaxis_transform(), va="center", fontsize=8.5, color=ink)


def _reasons(lines: Sequence[Mapping[str, object]]) -> list[str]:
    """Why a source has no bar, in one note."""
    reasons = [f"{line['source']}: {line['why_none']}." for line in lines if line["why_none"] is not None]
    return [" ".join(["Not told.", *reasons])] if reasons else []
