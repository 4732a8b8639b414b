"""Rows as frames and back: nullable columns, derived from the structs in `bench.rows`.

A column that holds nothing known is NA, never NaN and never 0; `records` gives None for it, so JSON has null.
"""

from __future__ import annotations

import types
import typing
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, TypeVar, cast

import msgspec

if TYPE_CHECKING:
    import pandas as pd

DTYPES: dict[type, str] = {str: "string", int: "Int64", float: "Float64", bool: "boolean"}
"""Plain Python type of a field -> the nullable dtype of its column."""

Row = TypeVar("Row", bound=msgspec.Struct)


@cache
def dtypes(row: type[msgspec.Struct]) -> Mapping[str, str]:
    """Column -> nullable dtype of the frame of such rows, in the order of the struct's fields."""
    hints = typing.get_type_hints(row)
    return {name: DTYPES[_plain(hints[name])] for name in row.__struct_fields__}


def frame(rows: Sequence[Row], row: type[Row]) -> pd.DataFrame:
    """The rows as a frame; with no rows, a frame with every column and no line."""
    import pandas as pd

    columns = {name: [getattr(r, name) for r in rows] for name in row.__struct_fields__}
    return pd.DataFrame({name: pd.Series(columns[name], dtype=dtype) for name, dtype in dtypes(row).items()})


def records(table: pd.DataFrame) -> list[dict[str, object]]:
    """The frame's lines as plain dicts of JSON types: NA and NaN become None, numpy scalars become Python's."""
    names = [str(name) for name in table.columns]
    return [dict(zip(names, line, strict=True)) for line in lines(table)]


def lines(table: pd.DataFrame) -> Iterator[tuple[object, ...]]:
    """The frame's lines as tuples of the same, cheaper where there are many."""
    return zip(*(_values(table[name]) for name in table.columns), strict=True)


def number(value: object) -> float | None:
    """A figure of such a line as a float; None for what is none."""
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _values(column: pd.Series) -> list[object]:
    values: list[object] = column.tolist()
    if column.dtype == object:
        values = [_python(value) for value in values]
    missing = column.isna()
    if not missing.any():
        return values
    return [None if gone else value for value, gone in zip(values, missing.tolist(), strict=True)]


def _python(value: object) -> object:
    import numpy as np

    return value.item() if isinstance(value, np.generic) else value


def _plain(hint: object) -> type:
    """str, int, float or bool of a hint such as `Literal['a', 'b'] | None`."""
    kinds = {_plain_of(part) for part in _parts(hint)} - {types.NoneType}
    if len(kinds) != 1:
        raise TypeError(f"a column holds one type, not {hint}")
    return kinds.pop()


def _parts(hint: object) -> tuple[object, ...]:
    return typing.get_args(hint) if typing.get_origin(hint) in (typing.Union, types.UnionType) else (hint,)


def _plain_of(part: object) -> type:
    if typing.get_origin(part) is typing.Literal:
        return type(typing.get_args(part)[0])
    return cast(type, part)
