"""`report.html` of a run: gathered, rendered and written whole, within the size that a mail still takes."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from bench.atomic import write_bytes
from bench.errors import BenchError
from bench.report.data import Page, gather
from bench.report.narrow import narrower, texts_left_out
from bench.report.outputs import Output, evidence_of, marked
from bench.report.page import MOST_BYTES, article, render

if TYPE_CHECKING:
    from markupsafe import Markup

    from bench.runs.index import Run

RESERVED_BYTES = 200
"""For the sentence on texts without room, which is known last."""


def report_path(run: Run) -> Path:
    """Where the report of a run lies unless another place is named."""
    return run.root / "report.html"


def write_report(run: Run, to: Path | None = None, say: Callable[[str], None] | None = None) -> Path:
    """Write the run's report to `to`, or into its folder; returns the path.

    The same files give the same bytes. A page that would be too large is made narrower: it says what it lacks, and so
    does `say`, a line each. Raises BenchError where the verdict, the arm tables and the details alone are too large.
    """
    path = to or report_path(run)
    page, html = report_html(run, gather(run, _base(run, path.parent)))
    write_bytes(path, html.encode())
    if say is not None:
        for line in page.left_out:
            say(f"the report leaves out {line}")
    return path


def report_html(run: Run, whole: Page, most: int = MOST_BYTES) -> tuple[Page, str]:
    """The page as it has room, and its HTML, at most `most` bytes. One replicate of each cell comes first, transcripts
    themselves last; outputs for which there is no room are linked as files."""
    page, room = _narrowed(run, whole, most)
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
    page = replace(page, left_out=(*page.left_out, *texts_left_out(page, len(chosen))))
    return page, render(page, [chosen[o.id] for o in page.outputs if o.id in chosen])


def _narrowed(run: Run, whole: Page, most: int) -> tuple[Page, int]:
    """The widest page that has room, and the bytes that are left for texts."""
    for page in narrower(whole):
        room = most - RESERVED_BYTES - len(render(page, []).encode())
        if room >= 0:
            return page, room
    raise BenchError(
        f"its report is {-room:,} bytes over {most:,} even without atoms, figures and outputs;"
        " put fewer fixtures or arms into one sweep",
        path=run.root,
    )


def _base(run: Run, folder: Path) -> str:
    """The address of the run's folder as seen from `folder`; empty where they are the same."""
    way = os.path.relpath(run.root.resolve(), folder.resolve())
    return "" if way == "." else quote(Path(way).as_posix()) + "/"
