"""`report.html` of a run: gathered, rendered and written whole, within the size that a mail still takes."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from bench.atomic import write_bytes
from bench.errors import BenchError
from bench.report.data import Page, gather
from bench.report.outputs import Output, evidence_of, marked
from bench.report.page import article, render

if TYPE_CHECKING:
    from markupsafe import Markup

    from bench.runs.index import Run

MOST_BYTES = 3_000_000


def report_path(run: Run) -> Path:
    """Where the report of a run lies unless another place is named."""
    return run.root / "report.html"


def write_report(run: Run, to: Path | None = None) -> Path:
    """Write the run's report to `to`, or into its folder; returns the path.

    The same files give the same bytes. Raises BenchError where the page would be too large even without any output.
    """
    path = to or report_path(run)
    page = gather(run, _base(run, path.parent))
    write_bytes(path, report_html(run, page).encode())
    return path


def report_html(run: Run, page: Page, most: int = MOST_BYTES) -> str:
    """The page as HTML, at most `most` bytes. One replicate of each cell comes first, transcripts themselves last;
    outputs for which there is no room are linked as files."""
    room = most - len(render(page, []).encode())
    if room < 0:
        raise BenchError(
            f"its report is {-room:,} bytes over {most:,} even without any output;"
            " put fewer fixtures or arms into one sweep",
            path=run.root,
        )
    chosen: dict[str, tuple[Output, Markup]] = {}
    evidence = evidence_of(run, page.grading)
    for output in sorted(page.outputs, key=lambda o: (o.full, o.replicate)):
        if output.file is None or (output.row.handoff_chars or 0) > room:  # marks only make it longer
            continue
        text = article(output, marked(run, output, evidence))
        size = len(text.encode())
        if size <= room:
            room -= size
            chosen[output.id] = output, text
    return render(page, [chosen[o.id] for o in page.outputs if o.id in chosen])


def _base(run: Run, folder: Path) -> str:
    """The address of the run's folder as seen from `folder`; empty where they are the same."""
    way = os.path.relpath(run.root.resolve(), folder.resolve())
    return "" if way == "." else quote(Path(way).as_posix()) + "/"
