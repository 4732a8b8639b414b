"""How far a sweep is: a line that moves on a terminal, plain lines elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TextIO

from bench.text import printable

TERMINAL_S, PLAIN_S = 1.0, 30.0
"""How often the count of cells is shown."""


class Progress:
    """Says on `out` what happens, and how many of `total` cells in the run's folder have an output."""

    def __init__(
        self, root: Path, total: int, *, out: TextIO | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._root, self._total, self._clock = root, total, clock
        self._out = sys.stderr if out is None else out
        self._terminal = self._out.isatty()
        self._shown, self._last, self._stopped = "", clock(), False

    def tick(self) -> None:
        """Show the count of cells, if it is time."""
        now = self._clock()
        if self._stopped or now - self._last < (TERMINAL_S if self._terminal else PLAIN_S):
            return
        self._last = now
        line = f"{self.done()} of {self._total} cells done"
        if line != self._shown:
            self._shown = line
            self._out.write(f"\r\x1b[K{line}" if self._terminal else f"{line}\n")
            self._out.flush()

    def stop(self) -> None:
        """All cells have been tried: no more counting."""
        self._stopped = True

    def say(self, line: str) -> None:
        """A line that stays."""
        self._out.write(("\r\x1b[K" if self._terminal else "") + printable(line) + "\n")
        self._out.flush()
        self._shown = ""

    def done(self) -> int:
        """Outputs in the run's folder."""
        rows = self._root.glob("outputs/*/*/*/*.json")
        return sum(not path.name.endswith(".parts.json") for path in rows)
