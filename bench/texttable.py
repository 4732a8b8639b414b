"""Rows as a table of aligned text, for terminals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bench.text import ABSENT, Figure, printable


def table(rows: Sequence[Mapping[str, object]], columns: Sequence[str]) -> str:
    """The rows as aligned text; numbers to the right, a missing value as an em dash."""
    cells = [[_shown(row.get(c)) for c in columns] for row in rows]
    numeric = [all(isinstance(r.get(c), int | float | Figure) or r.get(c) is None for r in rows) for c in columns]
    widths = [max(len(c), *(len(r[i]) for r in cells)) if cells else len(c) for i, c in enumerate(columns)]
    lines = [list(columns), *cells]
    return "\n".join(
        "  ".join(v.rjust(w) if n else v.ljust(w) for v, w, n in zip(line, widths, numeric, strict=True)).rstrip()
        for line in lines
    )


def _shown(value: object) -> str:
    match value:
        case None:
            return ABSENT
        case bool():
            return "yes" if value else "no"
        case float():
            return f"{value:.4g}" if abs(value) < 1 else f"{value:,.2f}"
        case int():
            return f"{value:,}"
        case _:
            return printable(str(value)).replace("\n", " ")
