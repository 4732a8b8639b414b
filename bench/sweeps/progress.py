"""How far a sweep is: a line that moves on a terminal, plain lines elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TextIO

from bench.text import printable

TERMINAL_S, PLAIN_S = 1.0, 30.0
"""How often the count of outputs is shown."""


class Progress:
    """Says on `out` what happens, and how many outputs this start of the sweep has written into the run's folder."""

    def __init__(self, root: Path, *, out: TextIO | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        self._root, self._clock = root, clock
        self._out = sys.stderr if out is None else out
        self._terminal = self._out.isatty()
        self._before = self._outputs()
        self._shown, self._last, self._stopped = 0, clock(), False

    def tick(self) -> None:
        """Show the count of outputs, if it is time."""
        now = self._clock()
        if self._stopped or now - self._last < (TERMINAL_S if self._terminal else PLAIN_S):
            return
        self._last = now
        written = sum(self._before.get(path) != time_ for path, time_ in self._outputs().items())
        if written != self._shown:
            self._shown = written
            line = f"{written} output{'s' * (written != 1)} written"
            self._out.write(f"\r\x1b[K{line}" if self._terminal else f"{line}\n")
            self._out.flush()

    def stop(self) -> None:
        """All cells have been tried: no more counting."""
        self._stopped = True

    def say(self, line: str) -> None:
        """A line that stays."""
        self._out.write(("\r\x1b[K" if self._terminal else "") + printable(line) + "\n")
        self._out.flush()

    def _outputs(self) -> dict[Path, int]:
        """The outputs in the run's folder, and when each was written."""
        rows = (path for path in self._root.glob("outputs/*/*/*/*.json") if not path.name.endswith(".parts.json"))
        return {path: path.stat().st_mtime_ns for path in rows}
