"""Each arm against the first, paired: how much, how sure, and what the design could see (a forest plot)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from bench.analysis.units import NO_CHOICE
from bench.frames import records
from bench.plots.axes import Rows, note_lines
from bench.plots.style import INK, MUTED, RC, Style, styles, tip
from bench.runs.words import signed

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

TITLE = "Difference in recall to {first}"
KEY = "Mark: mean of the paired differences; line: 95 % interval, full where it is no chance; small: a fixture."
LABEL = "Points of recall more (right) or fewer (left) than {first}, on {target}"
ROW_IN, RIGHT_IN = 0.36, 2.6
SPAN_LEAST = 5.0
"""Points that the axis reaches to either side at the least."""


def differences(table: pd.DataFrame, kinds: Mapping[str, str]) -> Figure:
    """The figure of `bench.runs.view.compare`: a row an arm, most recall first; `kinds` are of all the run's series.

    Arms without an interval have their mark and the reason. Arms that nobody would ship (`full`, `nothing`) are left
    out, since their distance would flatten all others; a note says so.
    """
    import matplotlib as mpl

    first, *others = records(table)
    shown = [
        line for line in others if line["difference"] is not None and kinds.get(str(line["name"])) not in NO_CHOICE
    ]
    targets = dict.fromkeys(str(line["target"]) for line in shown)
    look = styles(kinds)
    with mpl.rc_context(dict(RC)):  # type: ignore[arg-type]
        rows = Rows([str(line["name"]) for line in shown], ROW_IN, RIGHT_IN, notes=_notes(others, shown))
        figure, axes = rows.figure(TITLE.format(first=first["name"]), KEY)
        axes.axvline(0, color=MUTED, lw=1, zorder=1)
        for place, line in enumerate(shown):
            _row(axes, place, line, look[str(line["name"])])
        rows.colour({name: style.ink for name, style in look.items()})
        reach = max([SPAN_LEAST, *(abs(v) for line in shown for v in _extent(line))])
        axes.set_xlim(-1.06 * reach, 1.06 * reach)
        axes.set_xlabel(LABEL.format(first=first["name"], target=" or ".join(targets) or "no target"))
    return figure


def _row(axes: Axes, place: int, line: Mapping[str, object], style: Style) -> None:
    difference, low, high = float(str(line["difference"])), line["low"], line["high"]
    found = line["found"] is True
    each = line["fixture_differences"]
    if isinstance(each, dict) and len(each) > 1:
        axes.scatter(list(each.values()), [place + 0.24] * len(each), s=9, color=style.colour, alpha=0.55, linewidths=0)
    if isinstance(low, float) and isinstance(high, float):
        dashes = "solid" if found else (0, (2, 1.6))
        axes.plot([low, high], [place, place], color=style.colour, lw=2, ls=dashes, zorder=2, solid_capstyle="butt")
    mark = axes.scatter(
        difference, place, s=62, marker=style.marker, facecolor="white" if style.hollow else style.colour,
        edgecolors=style.edge, linewidths=1.1, zorder=4,
    )  # fmt: skip
    told = _told(line)
    tip(mark, f"{line['name']}: {told}")
    axes.text(
        1.02,
        place,
        told,
        transform=axes.get_yaxis_transform(),
        va="center",
        fontsize=8.5,
        color=INK if found else MUTED,
    )


def _told(line: Mapping[str, object]) -> str:
    difference, low, high = line["difference"], line["low"], line["high"]
    assert isinstance(difference, float)
    if not (isinstance(low, float) and isinstance(high, float)):
        return f"{signed(difference)}, no interval"
    return f"{signed(difference)} ({signed(low)} to {signed(high)}){'' if line['found'] else ', cannot tell'}"


def _notes(others: list[dict[str, object]], shown: list[dict[str, object]]) -> list[str]:
    out = [str(line["name"]) for line in others if line not in shown]
    whys = dict.fromkeys(str(line["why_no_interval"]) for line in shown if line["why_no_interval"] is not None)
    notes = [*(f"No interval: {why}." for why in whys)]
    if out:
        notes.append(f"Not drawn (nothing to compare, or a control that nobody would ship): {', '.join(out)}.")
    return note_lines(notes)


def _extent(line: Mapping[str, object]) -> list[float]:
    each = line["fixture_differences"]
    values = [line["difference"], line["low"], line["high"], *(each.values() if isinstance(each, dict) else ())]
    return [v for v in values if isinstance(v, float)]
