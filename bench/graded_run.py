"""A sweep run and graded, in one call: what `sweep.ipynb` does."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bench.forks.progress import Progress
    from bench.forks.summary import RunSummary


def run_and_grade(path: Path | str, *, progress: Progress | None = None, **overrides: Any) -> RunSummary:
    """What the sweep came to, once every missing cell has been tried and every output of its fixtures is graded.

    `overrides` are those of `run_sweep`, which also says what it raises; after an interrupt nothing is graded.
    """
    from bench.forks.run import run_sweep

    return run_sweep(path, progress=progress, **overrides)
