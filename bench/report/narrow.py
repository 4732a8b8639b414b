"""A page made narrower, step by step, until it has room: what is worth most on it goes last.

First go further replicates (their files stay linked by their folder), then atoms that many arms carry, then figures,
the largest first, then all outputs but those that a person disputes. Verdict, arm tables and details always stay.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from bench.report.data import Page
from bench.report.outputs import Output

ATOM_SHARES = (1 / 2, 1 / 4, 1 / 8, 0.0)


def narrower(page: Page) -> Iterator[Page]:
    """The page itself, then ever narrower ones; each says in `left_out` what it lacks of the first."""
    for less in _steps(page):
        yield replace(
            less, left_out=tuple(_told(page, less)), outputs_left_out=len(page.outputs) - len(less.outputs),
            atoms_left_out=page.atoms_left_out + len(page.atoms) - len(less.atoms),
        )  # fmt: skip


def _steps(page: Page) -> Iterator[Page]:
    yield page
    disputed = {one.output for one in page.disputes}
    less = replace(page, outputs=_one_a_cell(page.outputs, disputed))
    yield less
    for share in ATOM_SHARES:
        less = replace(less, atoms=page.atoms[: int(len(page.atoms) * share)])
        yield less
    while less.pictures:
        largest = max(less.pictures, key=lambda picture: len(picture.svg))
        less = replace(less, pictures=[picture for picture in less.pictures if picture is not largest])
        yield less
    yield replace(less, outputs=[output for output in page.outputs if output.id in disputed])


def _one_a_cell(outputs: Sequence[Output], disputed: set[str]) -> list[Output]:
    """The first output of each cell that has a text, else its first, and the disputed ones; with how many more."""
    cells: dict[tuple[object, ...], list[Output]] = {}
    for output in outputs:
        cells.setdefault((output.fixture, output.name), []).append(output)
    kept = []
    for cell in cells.values():
        first = next((output for output in cell if output.file), cell[0])
        shown = [output for output in cell if output is first or output.id in disputed]
        kept += [replace(output, more=len(cell) - len(shown)) for output in shown]
    return kept


def _told(page: Page, less: Page) -> Iterator[str]:
    gone = len(page.outputs) - len(less.outputs)
    if gone:
        disputed = all(output.id in {one.output for one in page.disputes} for output in less.outputs)
        which = "what is disputed" if disputed else "one of each arm and fixture"
        yield f"{gone:,} of {len(page.outputs):,} outputs: {which} stays, the others are files in outputs/"
    if len(less.atoms) < len(page.atoms):
        yield f"{len(page.atoms) - len(less.atoms):,} of {len(page.atoms):,} atoms, those that more arms carry"
    names = [picture.name for picture in page.pictures if picture.name not in {p.name for p in less.pictures}]
    if names:
        yield f"the figure{'' if len(names) == 1 else 's'} {', '.join(names)}; 'bench sweep' keeps figures in plots/"


def texts_left_out(page: Page, on_page: int) -> Iterator[str]:
    """What is said where handoffs that are listed have no room for their text."""
    gone = sum(output.file is not None for output in page.outputs) - on_page
    if gone:
        yield f"the texts of {gone:,} handoffs: they are linked as files"
