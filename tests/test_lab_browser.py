"""JupyterLab as a person uses it: started by `bench lab`, a notebook opened, all cells run, the figure looked at."""

import signal
import subprocess
import sys
import time
from contextlib import contextmanager

import pytest
from browser import Watched, chromium
from runs import output, project, write_run

LAB = "import sys; from bench.cli import main; sys.exit(main(['lab', 'recall_vs_cost', '--no-browser']))"
PATIENCE_MS = 60_000
"""A kernel that draws its first figure on a loaded machine takes its time."""


@contextmanager
def lab(folder):
    """The address of a JupyterLab over the project, which is ended afterwards."""
    with subprocess.Popen([sys.executable, "-c", LAB], cwd=folder, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            yield server.stdout.readline().split()[-1]
        finally:
            server.send_signal(signal.SIGINT)
            server.wait(60)


@pytest.mark.slow
@pytest.mark.browser
def test_a_notebook_is_opened_all_of_it_run_and_its_figure_seen(tmp_path):
    folder = project(tmp_path / "p")
    rows = [output("a", replicate=1), output("a", replicate=2), output("b", carry_usd=0.002)]
    write_run(folder / "results/tiny", {"f1": {"a": ["CL", "CC"], "b": ["LL"]}}, rows=rows)
    with chromium() as browser, lab(folder) as address:
        page = Watched(browser, viewport={"width": 1400, "height": 1000}).page
        page.set_default_timeout(PATIENCE_MS)
        page.goto(address)
        page.get_by_text("Python 3 (ipykernel) | Idle").wait_for()  # before that Lab asks which kernel to take
        page.get_by_role("menuitem", name="Run", exact=True).click()
        page.get_by_role("menuitem", name="Run All Cells", exact=True).click()
        figure = page.locator(".jp-NotebookPanel .jp-OutputArea img").first
        figure.wait_for()
        width, height = figure.evaluate("async (e) => { await e.decode(); return [e.naturalWidth, e.naturalHeight]; }")
        assert width > 1000 and height > 500
        # cells below the window are drawn when they come into sight; the last one's file says that all have run
        last, end = folder / "results/tiny/plots/recall_vs_write.png", time.monotonic() + PATIENCE_MS / 1000
        while not last.is_file() and time.monotonic() < end:
            page.wait_for_timeout(100)
        assert last.is_file()
        assert page.locator("[data-mime-type='application/vnd.jupyter.stderr']").count() == 0
