"""JupyterLab as a person uses it: started by `bench lab`, a notebook opened, all cells run, the figure looked at."""

import time

import pytest
from browser import Watched, chromium
from labs import PATIENCE_MS, lab, opened, run_all
from runs import output, project, write_run


@pytest.mark.slow
@pytest.mark.browser
def test_a_notebook_is_opened_all_of_it_run_and_its_figure_seen(tmp_path):
    folder = project(tmp_path / "p")
    rows = [output("a", replicate=1), output("a", replicate=2), output("b", carry_usd=0.002)]
    write_run(folder / "results/tiny", {"f1": {"a": ["CL", "CC"], "b": ["LL"]}}, rows=rows)
    with chromium() as browser, lab(folder, "recall_vs_cost") as address:
        page = opened(Watched(browser, viewport={"width": 1400, "height": 1000}).page, address)
        run_all(page)
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
