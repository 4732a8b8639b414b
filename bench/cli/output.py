"""How commands print: one table in text, the same rows as JSON."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence

import msgspec

from bench.text import printable
from bench.texttable import table


def emit(rows: Sequence[Mapping[str, object]], columns: Sequence[str], *, as_json: bool) -> None:
    """Print `rows`: as a JSON list with every member, or as a text table of `columns`."""
    if as_json:
        emit_json(list(rows))
    else:
        print(table(rows, columns))


def emit_json(value: object) -> None:
    """Print `value` as one JSON document, indented."""
    text = msgspec.json.format(msgspec.json.encode(value), indent=2).decode()
    print(text)


def say(line: str) -> None:
    """One line to a person on stderr; control characters shown as escapes."""
    print(printable(line), file=sys.stderr)
