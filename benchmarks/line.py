"""A line of the table: what was measured, what was promised, and whether it holds."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from bench.text import Figure
from bench.texttable import table
from benchmarks.measure import Took

COLUMNS = ("what", "measured", "target", "ratio", "met", "wall s", "CPU s")


class Line(Struct, frozen=True, kw_only=True):
    """One promise. `value` is in `unit`; `ratio` is to `peer`, measured in the same run."""

    what: str
    target: str
    value: float | None = None
    unit: str = ""
    ratio: float | None = None
    peer: str | None = None
    met: bool | None = None
    """None where there is no promise, or no figure."""
    absent: str = ""
    """Why there is no figure, in a word or three; `note` says more."""
    wall_s: float | None = None
    cpu_s: float | None = None
    """CPU time of all threads, children aside."""
    note: str = ""


def at_most(bound: float, value: float, unit: str, what: str, took: Took | None = None, **more: object) -> Line:
    """A line that holds where the value is no more than the bound."""
    target = f"≤ {_number(bound)} {unit}" if bound else f"0 {unit}"
    return _line(value <= bound, target, value, unit, what, took, more)


def at_least(bound: float, value: float, unit: str, what: str, took: Took | None = None, **more: object) -> Line:
    """A line that holds where the value is no less than the bound."""
    return _line(value >= bound, f"≥ {_number(bound)} {unit}", value, unit, what, took, more)


def within(
    bound: float, value: float, of_peer: float, peer: str, unit: str, what: str, took: Took, note: str = ""
) -> Line:
    """A line that holds where the value is no more than so many times the peer's, measured in the same run."""
    ratio = value / of_peer
    return _line(
        ratio <= bound, f"≤ {bound:.2f} x {peer}", value, unit, what, took, {"ratio": ratio, "peer": peer, "note": note}
    )


def exceeding(
    bound: float, value: float, of_peer: float, peer: str, unit: str, what: str, took: Took, note: str = ""
) -> Line:
    """A line that holds where the value is no less than so many times the peer's, measured in the same run."""
    ratio = value / of_peer
    return _line(
        ratio >= bound, f"≥ {bound:.2f} x {peer}", value, unit, what, took, {"ratio": ratio, "peer": peer, "note": note}
    )


def not_built(what: str, target: str, why: str) -> Line:
    """A line of what the bench promises and does not have yet."""
    return Line(what=what, target=target, absent="not built yet", note=why)


def shown(lines: Sequence[Line]) -> str:
    """The table, and its notes under it."""
    notes = [f"  {line.what}: {line.note}" for line in lines if line.note]
    return "\n".join([table([_cells(line) for line in lines], COLUMNS), *notes])


def _line(
    met: bool, target: str, value: float, unit: str, what: str, took: Took | None, more: dict[str, object]
) -> Line:
    times = {"wall_s": took.wall_s, "cpu_s": took.cpu_s} if took else {}
    return Line(what=what, target=target.strip(), value=value, unit=unit, met=met, **(times | more))  # type: ignore[arg-type]


def _cells(line: Line) -> dict[str, object]:
    measured = None if line.value is None else Figure(f"{_number(line.value)} {line.unit}".strip())
    met = {True: "met", False: "NOT MET", None: line.absent or None}[line.met]
    return {
        "what": line.what,
        "measured": measured,
        "target": Figure(line.target),
        "ratio": None if line.ratio is None else Figure(f"{line.ratio:.2f} x {line.peer}"),
        "met": met,
        "wall s": None if line.wall_s is None else Figure(f"{line.wall_s:.2f}"),
        "CPU s": None if line.cpu_s is None else Figure(f"{line.cpu_s:.2f}"),
    }


def _number(value: float) -> str:
    if value == round(value):
        return f"{value:,.0f}"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"
