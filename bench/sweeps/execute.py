"""One notebook, executed by papermill in this process: template and parameters in, executed notebook and status out.

Everything goes through here, so that papermill could be replaced in one place. It takes a second to import, and so is
imported only when a notebook is about to run.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from bench import __version__
from bench.errors import BenchError
from bench.notebook import RESULT_FILE, Result
from bench.sweeps.status import Failure, Job, State, Status, sha256_of, write_status

if TYPE_CHECKING:
    from traitlets.config import Config

KERNEL = "python3"
START_TIMEOUT_S = 180
"""A kernel on a loaded machine takes longer than papermill's 60 s."""
IRI_GRAMMAR = "rfc3987_syntax"
STARTS_MOST = 2
"""A kernel that fails before its first cell (a port or a socket taken) is started once more."""


class NotExecuted(Exception):
    """A notebook that came back without an error but with code cells that never ran: `sys.exit(0)` in a cell."""


def execute(job: Job) -> Status:
    """Execute the job's notebook and write its files; returns the status, whose `error` says what went wrong.

    The notebook is `NAME.running.ipynb` while it runs, then `NAME.ipynb` or `NAME.failed.ipynb`. Never raises for what
    a notebook or a kernel does; an interrupt is noted and raised again.
    """
    started, clock = datetime.now(UTC), time.monotonic()
    running = job.path(".running.ipynb")
    running.parent.mkdir(parents=True, exist_ok=True)
    starts, error, result = 0, None, None
    state: State = "failed"
    template_sha256 = sha256_of(Path(job.template))
    try:
        while starts == 0 or (error is not None and starts < STARTS_MOST and not _cells_run(running)):
            starts += 1
            result, error = _attempt(job, running)
        state = "ok" if error is None else "failed"
    except KeyboardInterrupt:
        state = "interrupted"
        raise
    finally:
        status = Status(
            notebook=f"{job.name}.ipynb",
            state=state,
            parameters=job.parameters,
            template_sha256=template_sha256,
            inputs_sha256=job.inputs_sha256,
            versions=versions(),
            started_at=started.isoformat(timespec="seconds"),
            seconds=round(time.monotonic() - clock, 3),
            starts=starts,
            error=error,
            result=result,
        )
        _finish(job, running, status)
    return status


def versions() -> dict[str, str]:
    """Versions that an executed notebook may depend on."""
    return {
        "bench": __version__,
        "papermill": version("papermill"),
        "pandas": version("pandas"),
        "matplotlib": version("matplotlib"),
        "python": sys.version.split()[0],
    }


def check_kernel() -> None:
    """Nothing where the kernel `python3` runs this very Python; else BenchError, before anything starts."""
    from jupyter_client.kernelspec import KernelSpecManager, NoSuchKernel

    try:
        command = KernelSpecManager().get_kernel_spec(KERNEL).argv[0]
    except NoSuchKernel:
        raise BenchError("there is no Jupyter kernel 'python3'; install ipykernel beside the bench") from None
    # a bare name is replaced by the running interpreter
    if Path(command).name != command and Path(command).parent.resolve() != Path(sys.executable).parent.resolve():
        raise BenchError(
            f"the Jupyter kernel 'python3' runs {command}, not {sys.executable};"
            f" run '{sys.executable} -m ipykernel install --sys-prefix'"
        )


def _attempt(job: Job, running: Path) -> tuple[Result | None, Failure | None]:
    """One execution: what its last cell noted, and what went wrong."""
    import logging

    with _without_iris():
        import papermill

    for name in ("papermill", "traitlets"):
        logging.getLogger(name).setLevel(logging.ERROR)
    noted = job.path(".result.json")
    noted.unlink(missing_ok=True)
    os.environ[RESULT_FILE] = str(noted) if job.leaves_result else ""
    try:
        with _kernel_config() as config:
            papermill.execute_notebook(
                job.template,
                str(running),
                job.parameters,
                kernel_name=KERNEL,
                progress_bar=False,
                start_timeout=START_TIMEOUT_S,
                execution_timeout=job.timeout_s,
                config=config,
            )
        if not _all_run(running):
            raise NotExecuted("not every cell of the notebook ran; does a cell call sys.exit?")
        result = msgspec.json.decode(noted.read_bytes(), type=Result) if job.leaves_result else None
    except Exception as error:
        return None, _told(error)
    finally:
        noted.unlink(missing_ok=True)
    return result, None


@contextmanager
def _without_iris() -> Iterator[None]:
    """jsonschema, which papermill loads, builds a grammar of IRIs on import where it finds one, as it does beside
    JupyterLab: half of the time that papermill takes, for a format that no notebook's schema has."""
    if IRI_GRAMMAR in sys.modules:
        yield
        return
    sys.modules[IRI_GRAMMAR] = None  # type: ignore[assignment]
    try:
        yield
    finally:
        del sys.modules[IRI_GRAMMAR]


@contextmanager
def _kernel_config() -> Iterator[Config]:
    """Kernels over IPC, each in a short folder of its own: ports can be taken between choosing and binding them, and
    kernels that share the default socket path talk to one another. Windows has no such sockets and keeps TCP."""
    from traitlets.config import Config

    config = Config()
    if sys.platform == "win32":
        yield config
        return
    folder = tempfile.mkdtemp(prefix="hb")
    try:
        config.KernelManager.transport = "ipc"
        config.KernelManager.ip = f"{folder}/s"
        yield config
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _told(error: Exception) -> Failure:
    """The error in one line; of an error in a cell, that cell's own class and message."""
    kind, message = getattr(error, "ename", None), getattr(error, "evalue", None)
    if isinstance(kind, str) and isinstance(message, str):
        return Failure(kind, message)
    return Failure(type(error).__name__, " ".join(str(error).split()))


def _finish(job: Job, running: Path, status: Status) -> None:
    """Give the notebook its final name, take away what an earlier execution left under the other, write the status."""
    ok, failed = job.path(".ipynb"), job.path(".failed.ipynb")
    final, other = (ok, failed) if status.state == "ok" else (failed, ok)
    if running.is_file():
        running.replace(final)
        other.unlink(missing_ok=True)
    write_status(job, status)


def _code_cells(path: Path) -> list[dict[str, object]]:
    try:
        cells = json.loads(path.read_bytes())["cells"]
    except (OSError, ValueError):
        return []
    return [c for c in cells if c["cell_type"] == "code" and "".join(c["source"]).strip()]


def _cells_run(path: Path) -> int:
    """How many code cells of the notebook at `path` have run; 0 where there is none."""
    return sum(c["execution_count"] is not None for c in _code_cells(path))


def _all_run(path: Path) -> bool:
    return bool(_code_cells(path)) and _cells_run(path) == len(_code_cells(path))


__all__ = ["NotExecuted", "State", "check_kernel", "execute", "versions"]
