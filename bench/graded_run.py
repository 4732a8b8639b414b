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
    from bench.forks.store import Store
    from bench.grading.run import grade_run
    from bench.grading.subjects import fixtures_of

    summary = run_sweep(path, progress=progress, **overrides)
    store = Store(summary.folder)
    run_file = store.run_json()
    # no more than this start's own: another fixture of the run may be gone by now
    only = {Path(entry).name for entry in _names(overrides.get("fixtures")) or run_file.sweep.fixtures}
    fixtures = fixtures_of(run_file, store.root, [name for name in run_file.fixtures if name in only])
    grade_run(store, run_file.sweep.graders, run_file.seed, fixtures)
    return summary


def _names(value: object) -> list[str]:
    return [str(name) for name in value] if isinstance(value, list | tuple) else []
