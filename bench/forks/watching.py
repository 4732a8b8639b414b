"""A live table of cells: a line for each fixture, arm and model, a mark for each cell; on a terminal or in Jupyter."""

from __future__ import annotations

import html
import shutil
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol, TextIO

from bench.forks.cells import Cell
from bench.forks.progress import CLEAR, UP, Progress, Silent
from bench.text import printable

WAITING, FAILED = "·", "!"
MARKS = {
    "handoff": "✓", "truncated": "T", "refused": "R", "mismatch": "M", "empty": "E", "empty-reply": "E",
    "no-summary": "N",
}  # fmt: skip
UNASKED = "-"
"""An outcome that needed no call."""
LEGEND = "✓ handoff  T truncated  R refused  M mismatch  E empty  N no summary  - not asked  ! failed  · waiting"
REDRAW_S = 0.2
MOST_NOTES = 5
SPARE_LINES = 2
"""Of the screen, for the prompt and what stands above it."""

_Line = tuple[str, str, str]
"""Fixture, arm, model."""


class Screen(Protocol):
    """Where a table is shown, each time in the place of the last."""

    def show(self, lines: Sequence[str]) -> None: ...


class _Handle(Protocol):
    """IPython's, as far as it is used."""

    def display(self, obj: Mapping[str, str], *, raw: bool) -> None: ...
    def update(self, obj: Mapping[str, str], *, raw: bool) -> None: ...


class Terminal:
    """Draws over what it drew before; a table longer than the screen is cut, and says so."""

    def __init__(self, stream: TextIO, height: Callable[[], int] = lambda: shutil.get_terminal_size().lines) -> None:
        self._stream = stream
        self._height = height
        self._drawn = 0

    def show(self, lines: Sequence[str]) -> None:
        room = max(1, self._height() - SPARE_LINES)
        if len(lines) > room:
            lines = [*lines[: room - 1], f"… and {len(lines) - room + 1} more lines"]
        up = UP.format(self._drawn) if self._drawn else ""
        gone = "".join(f"{CLEAR}\n" for _ in range(self._drawn - len(lines)))
        self._stream.write(up + "".join(f"\r{line}{CLEAR}\n" for line in lines) + gone)
        self._stream.flush()
        self._drawn = max(len(lines), self._drawn)


class Notebook:
    """A display of the cell that makes it, updated in place."""

    def __init__(self) -> None:
        from IPython.display import DisplayHandle

        handle: _Handle = DisplayHandle()  # type: ignore[no-untyped-call]
        self._handle = handle
        handle.display(self._bundle([]), raw=True)

    def show(self, lines: Sequence[str]) -> None:
        self._handle.update(self._bundle(lines), raw=True)

    def _bundle(self, lines: Sequence[str]) -> dict[str, str]:
        text = "\n".join(lines)
        return {"text/plain": text, "text/html": f"<pre>{html.escape(text)}</pre>"}


class Watch(Silent):
    """A run's progress as a live table."""

    def __init__(self, screen: Screen, clock: Callable[[], float] = time.monotonic) -> None:
        self._screen = screen
        self._clock = clock
        self._marks: dict[_Line, dict[str, str]] = {}
        """Line -> place of each of its cells -> its mark."""
        self._line_of: dict[str, _Line] = {}
        self._notes: list[str] = []
        self._spent_usd = 0.0
        self._drawn_at = float("-inf")

    def planned(self, cells: Sequence[Cell], outcomes: Callable[[], Mapping[str, str]]) -> None:
        there = outcomes()
        for cell in cells:
            place, line = str(cell), (cell.fixture, cell.arm, cell.model)
            self._line_of[place] = line
            self._marks.setdefault(line, {})[place] = mark(there[place]) if place in there else WAITING
        self._draw()

    def done(self, group: str, outcome: str, spent_usd: float) -> None:  # noqa: ARG002 - the protocol's
        self._spent_usd = max(spent_usd, self._spent_usd)

    def wrote(self, place: str, outcome: str) -> None:
        self._mark(place, mark(outcome))

    def failed(self, group: str, cells: int, why: str) -> None:  # noqa: ARG002 - the protocol's
        self._mark(why.partition(": ")[0], FAILED)
        self.note(why)

    def note(self, line: str) -> None:
        self._notes = [*self._notes, printable(line)][-MOST_NOTES:]
        self._draw()

    def end(self) -> None:
        self._draw()

    def _mark(self, place: str, sign: str) -> None:
        line = self._line_of.get(place)
        if line is not None:
            self._marks[line][place] = sign
        if self._clock() - self._drawn_at >= REDRAW_S:
            self._draw()

    def _draw(self) -> None:
        self._drawn_at = self._clock()
        self._screen.show(self.lines())

    def lines(self) -> list[str]:
        """The table as it stands."""
        names = [tuple(map(printable, line)) for line in self._marks]
        widths = [max((len(n[i]) for n in names), default=0) for i in range(3)]
        out = []
        for name, marks in zip(names, self._marks.values(), strict=True):
            over = sum(sign not in (WAITING, FAILED) for sign in marks.values())
            columns = "  ".join(text.ljust(width) for text, width in zip(name, widths, strict=True))
            out.append(f"{columns}  {''.join(marks.values())}  {over}/{len(marks)}")
        spent = f"  ${self._spent_usd:.4f} spent" if self._spent_usd else ""
        return [*out, f"{LEGEND}{spent}", *self._notes]


def mark(outcome: str) -> str:
    """The sign of an outcome."""
    return MARKS.get(outcome, UNASKED)


def watch_on(stream: TextIO) -> Progress | None:
    """A live table on a terminal; None where the stream is none, and nothing can be drawn over."""
    return Watch(Terminal(stream)) if stream.isatty() else None


def progress_here() -> Progress:
    """A live table in a Jupyter kernel, silence elsewhere."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return Watch(Notebook()) if getattr(shell, "kernel", None) is not None else Silent()
