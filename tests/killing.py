"""Runs that are killed.

with Killer() as killer:
    killer.run(sweep, 0.3)     # started, and killed with SIGKILL 0.3 s later if it still runs; True where it was
    killer.run(sweep, batch=True, at="bench.calls.ledger.Ledger.sent")     # killed when it comes to call that
"""

from __future__ import annotations

import importlib
import os
import signal
import sys
from pathlib import Path

from forking import Forker


class Killer(Forker):
    """A preloaded parent whose children are runs."""

    def run(self, sweep: Path, kill_after_s: float = 60.0, *, batch: bool = False, at: str = "") -> bool:
        """Whether the run was killed before its end."""
        options = ["batch"] if batch else [""]
        child = self.start("import killing; killing.main()", sweep.parent, str(sweep), *options, at)
        return child.killed_after(kill_after_s)


def main() -> None:
    """A run without grading, in a child: of that sweep, in batches or not, up to the call of a method."""
    from bench.forks.run import run_sweep

    sweep, batch, at = sys.argv[1:]
    if at:
        _die_at(at)
    sys.exit(run_sweep(sweep, grade=False, batch=bool(batch) or None).exit_status)


def _die_at(name: str) -> None:
    """Kill this process when it calls that method."""
    where, _, method = name.rpartition(".")
    module, _, class_ = where.rpartition(".")
    owner = getattr(importlib.import_module(module), class_)
    setattr(owner, method, lambda *_, **__: os.kill(os.getpid(), signal.SIGKILL))
