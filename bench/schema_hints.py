"""What could have stood where a person's file says something else: from the types that it is read into."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from difflib import get_close_matches
from typing import Any


def did_you_mean(name: str, known: Collection[str]) -> str:
    """The end of a sentence on an unknown field: the name that is near, else all there are."""
    near = get_close_matches(name, known, n=1, cutoff=0.6)
    if near:
        return f"did you mean '{near[0]}'?"
    return f"known are {', '.join(known)}" if known else "take it out"


def fields_at(type_: Any, at: tuple[str | int, ...]) -> list[str]:
    """The names of the fields that the table at path `at` may have; empty where it is no table."""
    from msgspec import inspect

    tables = (t for t in _at(inspect.type_info(type_), at) if isinstance(t, inspect.StructType))
    return list(dict.fromkeys(field.encode_name for table in tables for field in table.fields))


def values_at(type_: Any, at: tuple[str | int, ...]) -> list[str]:
    """The words that the value at path `at` may be; empty where it is not one of a list."""
    from msgspec import inspect

    lists = (t for t in _at(inspect.type_info(type_), at) if isinstance(t, inspect.LiteralType))
    return list(dict.fromkeys(str(value) for one in lists for value in one.values))


def _at(info: Any, at: tuple[str | int, ...]) -> Iterator[Any]:
    """The types that may stand at a path: several where a union allows them."""
    from msgspec import inspect

    if isinstance(info, inspect.UnionType):
        for one in info.types:
            yield from _at(one, at)
        return
    if not at:
        yield info
        return
    match info:
        case inspect.StructType():
            for field in info.fields:
                if field.encode_name == at[0]:
                    yield from _at(field.type, at[1:])
        case inspect.DictType():
            yield from _at(info.value_type, at[1:])
        case inspect.ListType() | inspect.VarTupleType():
            yield from _at(info.item_type, at[1:] if isinstance(at[0], int) else at)
