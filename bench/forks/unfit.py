"""Why no stored reply of a run fits a fork: what the nearest one differs in, in one line. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from bench.forks.cells import Cell
from bench.forks.fork import Fork
from bench.rows import OutputRow

ASK = "'bench run' asks for it"

# what a reply belongs to, most far-reaching first: how it is told, and what row and cell say of it
_BELONGS: tuple[tuple[str, Callable[[OutputRow], object], Callable[[Cell], object]], ...] = (
    ("fixture", lambda row: row.fixture, lambda cell: cell.fixture),
    ("model", lambda row: row.model, lambda cell: cell.model),
    ("chain step", lambda row: row.chain_step, lambda cell: cell.chain_step),
    ("staleness", lambda row: row.stale_by, lambda cell: cell.stale_by),
    ("context", lambda row: row.context_sha256, lambda cell: cell.context_sha256),
    ("instruction", lambda row: row.instruction_sha256, lambda cell: cell.instruction_sha256),
)


def why_none(fork: Fork, cell: Cell, rows: Sequence[OutputRow]) -> str:
    """One line on a cell whose fork has no reply among those that made `rows`: what the nearest reply differs in."""
    left = [row for row in rows if row.reply_sha256 is not None]
    if not left:
        return f"{cell}: the run holds no reply of any model; {ASK}"
    for what, of_row, of_cell in _BELONGS:
        alike = [row for row in left if of_row(row) == of_cell(cell)]
        if not alike:
            return f"{cell}: no stored reply fits; the nearest, of '{left[0].arm}', differs in its {what}; {ASK}"
        left = alike
    if all(row.replicate != cell.replicate for row in left):
        most = max(row.replicate for row in left)
        there = "there is only 1 replicate" if most == 1 else f"there are only {most} replicates"
        return f"{cell}: no stored reply fits; {there} of '{left[0].arm}'; {ASK}"
    settings = f"max_tokens is {fork.max_tokens} here, effort {fork.effort or 'not set'}"
    return f"{cell}: no stored reply fits; the nearest, of '{left[0].arm}', differs in its settings ({settings}); {ASK}"
