"""A whole sweep through its notebooks: `sweep.ipynb` once a fixture and model, then the analysis over the whole run.

What is left to do is the runner's to know: the notebooks of the groups are executed each time, and a group of which
nothing is left ends within seconds. An analysis notebook is executed again only when the run's files, the notebook, its
parameters or the versions have changed. Stopping at any moment loses no output: they are the runner's files, and a
kernel holds none.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from bench.analysis.arms.added_parts import families
from bench.errors import BenchError, shown
from bench.fixtures import FACTORS
from bench.models.names import family
from bench.notebook import Result
from bench.sweeps.groups import Group, group_parameters, groups, like_another
from bench.sweeps.progress import Progress
from bench.sweeps.status import Job, Status, current_status
from bench.sweeps.templates import check_template, find_template
from bench.sweeps.workers import run_all, workers

if TYPE_CHECKING:
    from concurrent.futures import ProcessPoolExecutor

    from bench.forks.resolve import Overrides, Resolved

SWEEP = "sweep"
ANALYSIS = ("compare_arms", "recall_vs_cost", "lost_atoms")
"""Notebooks over the whole run."""
OF_CHAINS = ("chain_survival",)
"""The same, where the sweep has several compactions in a row."""
OF_PARTS = ("assembly",)
"""The same, where some of its arms differ by a part only."""
OF_GRADERS = ("graders",)
"""The same, where it is graded by several graders, or in several passes by one."""
OF_MADE_UP = ("factors",)
"""The same, where some fixture was made up, and tells how each of its facts was planted."""
ANALYSIS_CELL_S = 600
"""Limit of a cell of an analysis; a sweep's cells have none, their forks have limits of their own."""
EXIT_BUDGET = 3
JOBS_MOST = 4
"""Kernels at once unless asked otherwise: each holds about 180 MB."""


@dataclass(frozen=True)
class SweepResult:
    """What a sweep left: the run's folder, executed notebooks, figures, the report, and the notebooks that failed."""

    root: Path
    notebooks: tuple[Path, ...]
    plots: tuple[Path, ...]
    report: Path | None
    """The page of the run; None where there is no output to tell of."""
    failed: tuple[Status, ...]
    exit_status: int


def sweep(path: Path, *, jobs: int | None = None, overrides: Overrides | None = None) -> SweepResult:
    """Run the sweep at `path` through its notebooks, `jobs` kernels at once.

    Raises BenchError, before anything starts, for a sweep that cannot run and a notebook that cannot take its
    parameters. Call it under `if __name__ == "__main__":` in a script: workers are spawned.
    """
    from bench.forks.resolve import Overrides, resolve
    from bench.sweeps.execute import check_kernel

    asked = overrides or Overrides()
    resolved = resolve(path, asked)
    first = [_group_job(group, resolved, asked) for group in groups(resolved)]
    analysis_jobs(resolved, inputs_sha256=None)  # so that a missing notebook is told before hours of work
    check_kernel()
    progress = Progress(resolved.root)
    at_once = jobs or min(os.cpu_count() or 1, JOBS_MOST)
    with workers(at_once) as pool:
        statuses = _execute(pool, first, at_once, progress)
        progress.stop()
        refresh_tails(resolved, asked)
        statuses += _execute(pool, _current_analysis(resolved, progress), at_once, progress)
    return _result(resolved, statuses, progress)


def refresh_tails(resolved: Resolved, overrides: Overrides) -> None:
    """Build tails like another arm anew once every model has run: they are of its mean size over all models.

    Nothing where the first model's group, which builds them, is the only one.
    """
    tails = like_another(resolved)
    if tails and len(resolved.sweep.models) > 1:
        from bench.forks.run import run_sweep

        given = msgspec.structs.asdict(overrides) | {"arms": tails, "models": ()}
        run_sweep(resolved.path, **given)


def _group_job(group: Group, resolved: Resolved, overrides: Overrides) -> Job:
    job = _job(resolved, SWEEP, group.name, group_parameters(group, resolved, overrides))
    local = group.model is not None and family(group.model) == "local"
    return msgspec.structs.replace(job, leaves_result=True, alone_with=group.model if local else None)


def analysis_jobs(resolved: Resolved, inputs_sha256: str | None) -> list[Job]:
    """The notebooks over the whole run that fit the sweep. Raises BenchError where one of them is missing."""
    parameters: dict[str, object] = {"run": resolved.run, "results_dir": str(resolved.root.parent.resolve())}
    parts = OF_PARTS if families(a.arm.label for a in resolved.arms) else ()
    graders = OF_GRADERS if sum(grader.passes for grader in resolved.sweep.graders) > 1 else ()
    chains = OF_CHAINS if resolved.sweep.chain > 1 else ()
    made_up = OF_MADE_UP if any((f.folder / FACTORS).is_file() for f in resolved.fixtures) else ()
    names = (*ANALYSIS, *parts, *chains, *graders, *made_up)
    return [_job(resolved, name, name, parameters, inputs_sha256, ANALYSIS_CELL_S) for name in names]


def _job(
    resolved: Resolved,
    template: str,
    name: str,
    parameters: dict[str, object],
    inputs_sha256: str | None = None,
    timeout_s: int | None = None,
) -> Job:
    path = find_template(resolved.project, template)
    check_template(path, parameters)
    return Job(
        name=name, template=str(path.resolve()), folder=str((resolved.root / "notebooks").resolve()),
        parameters=parameters, inputs_sha256=inputs_sha256, timeout_s=timeout_s,
    )  # fmt: skip


def _current_analysis(resolved: Resolved, progress: Progress) -> list[Job]:
    """The analysis jobs over the run as it is now, its tables rebuilt first; none where nothing came of it."""
    from bench.forks.store import Store
    from bench.runs.index import build_index, content_sha256, is_indexed

    store = Store(resolved.root)
    if not store.rows():
        progress.say("no output to analyse")
        return []
    if not is_indexed(store):
        build_index(store)
    return analysis_jobs(resolved, inputs_sha256=content_sha256(store))


def _report(root: Path, say: Callable[[str], None]) -> Path | None:
    """Write the report of the run over what is there, also where some notebook failed."""
    from bench.report import write_report
    from bench.runs.index import open_run

    run = open_run(root)
    return write_report(run, say=say) if len(run.outputs) else None


def _execute(pool: ProcessPoolExecutor, jobs: Iterable[Job], at_once: int, progress: Progress) -> list[Status]:
    """The status of each job; jobs that are current are not executed again."""
    from bench.sweeps.execute import versions

    current = {job.name: status for job in jobs if (status := current_status(job, versions()))}
    for name in current:
        progress.say(f"{name}: nothing has changed")
    statuses = list(current.values())
    left = [job for job in jobs if job.name not in current]
    for job, status in run_all(pool, left, at_once, progress.tick):
        told = f"done in {status.seconds:.0f} s" if status.error is None else f"failed: {_told(job, status)}"
        progress.say(f"{job.name}: {told}")
        for line in status.result.lines if status.result else ():
            progress.say(f"  {line}")
        statuses.append(status)
    return statuses


def _told(job: Job, status: Status) -> str:
    assert status.error is not None
    kind = "" if status.error.kind == BenchError.__name__ else f"{status.error.kind}: "
    return f"{kind}{status.error.message} (see {shown(job.path('.failed.ipynb'))})"


def _result(resolved: Resolved, statuses: list[Status], progress: Progress) -> SweepResult:
    failed = tuple(status for status in statuses if status.state != "ok")
    folder = resolved.root / "notebooks"
    return SweepResult(
        root=resolved.root,
        notebooks=tuple(folder / status.notebook for status in statuses if status.state == "ok"),
        plots=tuple(sorted((resolved.root / "plots").glob("*.png"))),
        report=_report(resolved.root, progress.say),
        failed=failed,
        exit_status=exit_status([status.result for status in statuses if status.result], bool(failed)),
    )


def exit_status(results: list[Result], failed: bool) -> int:
    """3 where the budget stopped a group; 1 where a notebook or a cell failed, or there was nothing to do; else 0.

    A group all of whose cells wait for a model that is not installed has none, which is no failure beside others.
    """
    ended = {result.exit_status for result in results if result.cells}
    if EXIT_BUDGET in ended:
        return EXIT_BUDGET
    return 1 if failed or ended - {0} or not ended else 0
