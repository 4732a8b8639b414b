"""How far a run is: a bar per group on a terminal, plain lines elsewhere."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, TextIO

from bench.forks.cells import Cell
from bench.text import printable

BAR_CHARS = 20
REDRAW_S = 0.1
"""Least time between two drawings of the bars."""
LINE_EVERY_S = 10.0
"""Least time between two plain lines of one group, the first and last aside."""
UP, CLEAR = "\x1b[{}A", "\x1b[K"


class Progress(Protocol):
    """Told of what happens; every method returns at once."""

    def planned(self, cells: Sequence[Cell], outcomes: Callable[[], Mapping[str, str]]) -> None:
        """What the run is to come to. `outcomes`: place -> outcome of those that are there."""
        ...

    def wrote(self, place: str, outcome: str) -> None:
        """The cell at that place has its files."""
        ...

    def begin(self, group: str, cells: int) -> None:
        """A group has started, with so many cells to do."""
        ...

    def done(self, group: str, outcome: str, spent_usd: float) -> None:
        """A cell has its final outcome; `spent_usd` is the whole run's."""
        ...

    def failed(self, group: str, cells: int, why: str) -> None:
        """Cells that stay without an outcome."""
        ...

    def note(self, line: str) -> None:
        """Something a person should know, in one line."""
        ...

    def end(self) -> None:
        """Nothing more will happen."""
        ...


class Silent:
    """Tells nobody."""

    def planned(self, cells: Sequence[Cell], outcomes: Callable[[], Mapping[str, str]]) -> None: ...
    def wrote(self, place: str, outcome: str) -> None: ...

    def begin(self, group: str, cells: int) -> None: ...
    def done(self, group: str, outcome: str, spent_usd: float) -> None: ...
    def failed(self, group: str, cells: int, why: str) -> None: ...
    def note(self, line: str) -> None: ...
    def end(self) -> None: ...


@dataclass
class Tally:
    """One group's cells and how they went."""

    name: str
    cells: int
    began: float
    done: int = 0
    failed: int = 0
    other: Counter[str] = field(default_factory=Counter)
    """Outcomes that are no handoff."""
    spent_usd: float = 0.0
    said: float = float("-inf")
    """When its last line was written."""

    @property
    def over(self) -> bool:
        return self.done + self.failed >= self.cells

    def add(self, outcome: str, spent_usd: float) -> None:
        """One more cell has its outcome."""
        self.done += 1
        self.spent_usd = spent_usd
        if outcome != "handoff":
            self.other[outcome] += 1

    def line(self, now: float) -> str:
        """`quickstart/local  12/48 done (2 truncated), 1 failed, $0.42 spent, 30 s left`."""
        other = ", ".join(f"{n} {outcome}" for outcome, n in sorted(self.other.items()))
        failed = f", {self.failed} failed" if self.failed else ""
        spent = f", ${self.spent_usd:.2f} spent" if self.spent_usd else ""
        how = f" ({other})" if other else ""
        return printable(f"{self.name}  {self.done}/{self.cells} done{how}{failed}{spent}{self._left(now)}")

    def _left(self, now: float) -> str:
        ended = self.done + self.failed
        if not ended or self.over:
            return ""
        seconds = (now - self.began) / ended * (self.cells - ended)
        return f", {seconds:.0f} s left" if seconds < 120 else f", {seconds / 60:.0f} min left"

    def bar(self) -> str:
        """A bar of BAR_CHARS characters."""
        filled = BAR_CHARS * (self.done + self.failed) // max(self.cells, 1)
        return "█" * filled + "░" * (BAR_CHARS - filled)


class Lines(Silent):
    """Plain lines: one when a group starts and ends, and now and then between."""

    def __init__(self, write: Callable[[str], object], clock: Callable[[], float] = time.monotonic) -> None:
        self._write = write
        self._clock = clock
        self._tallies: dict[str, Tally] = {}

    def begin(self, group: str, cells: int) -> None:
        self._tallies[group] = Tally(group, cells, self._clock())
        self._tell(self._tallies[group])

    def done(self, group: str, outcome: str, spent_usd: float) -> None:
        tally = self._tallies[group]
        tally.add(outcome, spent_usd)
        if tally.over or self._clock() - tally.said >= LINE_EVERY_S:
            self._tell(tally)

    def failed(self, group: str, cells: int, why: str) -> None:
        self._tallies[group].failed += cells
        self._write(printable(f"{group}  {why}"))

    def note(self, line: str) -> None:
        self._write(printable(line))

    def end(self) -> None: ...

    def _tell(self, tally: Tally) -> None:
        tally.said = self._clock()
        self._write(tally.line(tally.said))


class Bars(Silent):
    """A bar per group, redrawn in place; notes scroll away above them."""

    def __init__(self, stream: TextIO, clock: Callable[[], float] = time.monotonic) -> None:
        self._stream = stream
        self._clock = clock
        self._tallies: dict[str, Tally] = {}
        self._drawn = 0
        """Lines on the screen that the next drawing replaces."""
        self._drawn_at = float("-inf")

    def begin(self, group: str, cells: int) -> None:
        self._tallies[group] = Tally(group, cells, self._clock())
        self._draw()

    def done(self, group: str, outcome: str, spent_usd: float) -> None:
        tally = self._tallies[group]
        tally.add(outcome, spent_usd)
        if tally.over or self._clock() - self._drawn_at >= REDRAW_S:
            self._draw()

    def failed(self, group: str, cells: int, why: str) -> None:
        self._tallies[group].failed += cells
        self.note(f"{group}  {why}")

    def note(self, line: str) -> None:
        self._draw(above=printable(line))

    def end(self) -> None:
        self._draw()

    def _draw(self, above: str | None = None) -> None:
        """Replace the bars; those of finished groups stay where they are and are not drawn again."""
        self._drawn_at = now = self._clock()
        out = [UP.format(self._drawn)] if self._drawn else []
        lines = [] if above is None else [above]
        finished = [t for t in self._tallies.values() if t.over]
        running = [t for t in self._tallies.values() if not t.over]
        lines += [f"{t.bar()} {t.line(now)}" for t in (*finished, *running)]
        out += [f"\r{line}{CLEAR}\n" for line in lines]
        self._drawn = len(running)
        for tally in finished:
            del self._tallies[tally.name]
        self._stream.write("".join(out))
        self._stream.flush()


def progress_on(stream: TextIO) -> Progress:
    """Bars where the stream is a terminal, else plain lines."""
    if stream.isatty():
        return Bars(stream)
    return Lines(lambda line: print(line, file=stream, flush=True))
