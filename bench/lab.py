"""JupyterLab over a project, on this machine only. It says where it listens once it does; Ctrl-C ends it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, NoReturn

from bench.errors import BenchError
from bench.project import Project

HOST = "127.0.0.1"
START_S = 180.0
"""Ready in 2 s on an idle machine; a loaded one takes far longer."""
POLL_S = 0.1
STOP_S = 10.0
NEWS = "@jupyterlab/apputils-extension:announcements"
"""Asks at the first start whether to fetch news; it stays off, so that nothing is fetched."""


def run_lab(project: Project, notebook: str | None = None, *, port: int = 8888, browser: bool = True) -> int:
    """Start JupyterLab in the project, print its address, and wait until it ends; returns its exit status.

    Raises BenchError where there is no such notebook, or the server does not come up.
    """
    path = find_notebook(project, notebook)
    with _folder_without_news() as folder, (folder / "jupyter.log").open("w+b") as log:
        server = subprocess.Popen(
            lab_command(project, path, port=port, browser=browser),
            cwd=project.notebooks,
            env=os.environ | {"JUPYTER_CONFIG_PATH": _joined(str(folder), os.environ.get("JUPYTER_CONFIG_PATH"))},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=log,
            start_new_session=True,
        )
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGTERM, _ended)  # the server is in a session of its own: nobody else would end it
        try:
            print(f"JupyterLab: {_address(server, log, path, project)}\nCtrl-C ends it", flush=True)
            return server.wait()
        except KeyboardInterrupt:
            return 0
        finally:
            _stop(server)


def find_notebook(project: Project, notebook: str | None) -> Path | None:
    """The notebook: a path, or a name in the project's notebooks; None for none. BenchError where it is missing."""
    if notebook is None:
        return None
    name = notebook if notebook.endswith(".ipynb") else f"{notebook}.ipynb"
    found = [path for path in (Path(name), project.notebooks / name) if path.is_file()]
    if not found:
        there = ", ".join(sorted(p.stem for p in project.notebooks.glob("*.ipynb")))
        raise BenchError(f"no such notebook; there are {there or 'none'}", path=notebook)
    if not found[0].resolve().is_relative_to(project.root):
        raise BenchError("lies outside the project; JupyterLab would not show it", path=found[0])
    return found[0].resolve()


def lab_command(project: Project, notebook: Path | None, *, port: int, browser: bool) -> list[str]:
    """The command line: this Python's JupyterLab, loopback only, the project as root, in the notebooks folder."""
    command = [
        sys.executable, "-m", "jupyterlab", f"--ip={HOST}", f"--port={port}", f"--ServerApp.root_dir={project.root}",
        f"--LabApp.default_url={_page(notebook, project)}", *([] if browser else ["--no-browser"]),
    ]  # fmt: skip
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        command.append("--allow-root")
    return command


def _page(notebook: Path | None, project: Project) -> str:
    from urllib.parse import quote

    return "/lab/tree/" + quote(str((notebook or project.notebooks).relative_to(project.root)))


def _address(server: subprocess.Popen[bytes], log: IO[bytes], notebook: Path | None, project: Project) -> str:
    """The address with its token, read from the running server: a busy port moves it on to another."""
    end = time.monotonic() + START_S
    while (info := _running(server.pid)) is None:
        if server.poll() is not None:
            log.seek(0)
            said = log.read().decode("utf-8", "replace").strip().splitlines()
            raise BenchError(f"JupyterLab did not start: {said[-1] if said else 'it gave no reason'}")
        if time.monotonic() > end:
            raise BenchError(f"JupyterLab did not start within {START_S:.0f} s")
        time.sleep(POLL_S)
    return f"{info['url'].rstrip('/')}{_page(notebook, project)}?token={info['token']}"


def _running(pid: int) -> dict[str, str] | None:
    """What the server of that process says of itself in Jupyter's runtime folder; None while it says nothing."""
    from jupyter_core.paths import jupyter_runtime_dir

    try:
        info = json.loads((Path(jupyter_runtime_dir()) / f"jpserver-{pid}.json").read_bytes())
    except (OSError, ValueError):
        return None
    return {"url": str(info["url"]), "token": str(info["token"])}


@contextmanager
def _folder_without_news() -> Iterator[Path]:
    """A configuration folder, put before the user's own, in which only the news are turned off."""
    with tempfile.TemporaryDirectory(prefix="bench-lab-") as folder:
        page = Path(folder) / "labconfig" / "page_config.json"
        page.parent.mkdir()
        page.write_text(json.dumps({"disabledExtensions": {NEWS: True}}), encoding="utf-8")
        yield Path(folder)


def _joined(first: str, rest: str | None) -> str:
    return os.pathsep.join(filter(None, (first, rest)))


def _ended(signum: int, _: object) -> NoReturn:
    raise SystemExit(128 + signum)


def _stop(server: subprocess.Popen[bytes]) -> None:
    """End the server and its kernels: it ends them itself when told to."""
    if server.poll() is None:
        server.send_signal(signal.SIGTERM)
        try:
            server.wait(STOP_S)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()
