"""A run's tables in formats that other programs read."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING, Literal

from bench.text import ABSENT, printable

if TYPE_CHECKING:
    import pandas as pd

    from bench.runs.told import Told


def as_bytes(table: pd.DataFrame, to: Literal["csv", "parquet"]) -> bytes:
    """The frame as CSV (UTF-8, a header, nothing where nothing is known) or as Parquet, types kept.

    In CSV a text that a spreadsheet would take for a formula begins with a quote sign.
    """
    if to == "parquet":
        buffer = BytesIO()
        table.to_parquet(buffer, index=False)
        return buffer.getvalue()
    inert = table.apply(lambda column: column.map(_inert, na_action="ignore") if column.dtype == "string" else column)
    return str(inert.to_csv(index=False, lineterminator="\n")).encode()


def as_markdown(told: Told) -> str:
    """The tables as people read them, as Markdown, with what stands above and under them."""
    parts = [*map(_escaped, told.verdicts)]
    for title, lines in told.tables:
        parts.append(f"**{_escaped(title)}**\n\n{_table([dict(line) for line in lines])}")
    parts += [_escaped(note) for note in told.notes if note]
    return "\n\n".join(parts) + "\n"


def _table(lines: list[dict[str, object]]) -> str:
    if not lines:
        return "none"
    rows = [list(lines[0]), ["---"] * len(lines[0])]
    rows += [[ABSENT if value is None else str(value) for value in line.values()] for line in lines]
    head, rule, *body = rows
    told = [list(map(_escaped, head)), rule, *(list(map(_escaped, row)) for row in body)]
    return "\n".join(f"| {' | '.join(row)} |" for row in told)


def _escaped(text: str) -> str:
    """Text that may come from a transcript, with no sign that Markdown or a terminal takes for markup."""
    shown = printable(text).replace("\n", " ")
    return "".join(f"\\{c}" if c in "\\`*_[]<>|#~" else c for c in shown)


def _inert(text: str) -> str:
    return f"'{text}" if text[:1] in ("=", "+", "-", "@", "\t", "\r") else text
