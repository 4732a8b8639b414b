"""A JupyterLab over a project for tests, started as a person starts it, and its pages in a browser."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from contextlib import contextmanager

LAB = "import sys; from bench.cli import main; sys.exit(main(['lab', sys.argv[1], '--no-browser']))"
PATIENCE_MS = 60_000
"""A kernel that draws its first figure on a loaded machine takes its time."""
IDLE = "Python 3 (ipykernel) | Idle"


@contextmanager
def lab(folder, notebook, **parameters):
    """The address of a JupyterLab over the project with the notebook, its parameters set; it is ended afterwards.

    Settings and workspaces are not the user's own: none of them is read, and none is left.
    """
    set_parameters(folder / "notebooks" / f"{notebook}.ipynb", parameters)
    own = {f"JUPYTERLAB_{what}_DIR": str(settings(folder) / what.lower()) for what in ("SETTINGS", "WORKSPACES")}
    command = [sys.executable, "-c", LAB, notebook]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True, env=os.environ | own) as one:
        assert one.stdout is not None
        try:
            yield one.stdout.readline().split()[-1]
        finally:
            one.send_signal(signal.SIGINT)
            one.wait(60)


def settings(folder):
    """Where the JupyterLab over the project keeps what is set in it."""
    return folder.parent / f"{folder.name}-lab"


def set_theme(folder, name):
    """Have the pages that are opened next show that theme: `JupyterLab Light` or `JupyterLab Dark`."""
    path = settings(folder) / "settings" / "@jupyterlab" / "apputils-extension" / "themes.jupyterlab-settings"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"theme": name}))


def set_parameters(path, values):
    """Put the values into the notebook's parameters cell, as a person types them."""
    book = json.loads(path.read_text())
    cell = next(c for c in book["cells"] if "parameters" in c["metadata"].get("tags", []))
    lines = "".join(cell["source"]).splitlines()
    cell["source"] = "\n".join([*lines, *(f"{name} = {value!r}" for name, value in values.items())])
    path.write_text(json.dumps(book))


def opened(page, address):
    """The page with the notebook in it and a kernel that waits."""
    page.set_default_timeout(PATIENCE_MS)
    page.goto(address)
    page.get_by_text(IDLE).wait_for()  # before that Lab asks which kernel to take
    return page


def run_all(page):
    page.get_by_role("menuitem", name="Run", exact=True).click()
    page.get_by_role("menuitem", name="Run All Cells", exact=True).click()


def page_of(address, notebook):
    """The address of another notebook of the same JupyterLab."""
    before, token = address.split("?")
    return f"{before.rsplit('/', 1)[0]}/{notebook}.ipynb?{token}"
