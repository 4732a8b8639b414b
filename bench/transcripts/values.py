"""Values of a hostile file as what they should be, or None: nothing is converted that is not of the kind already."""

from __future__ import annotations

from datetime import UTC, datetime

LATEST_MS = 10**14
"""A clock beyond this (year 5138) is no time in milliseconds."""


def text_of(value: object) -> str | None:
    """The value where it is a text that is not empty."""
    return value if isinstance(value, str) and value else None


def number_of(value: object) -> int | None:
    """The value where it is a whole number (and no truth value)."""
    return value if type(value) is int else None


def count_of(value: object) -> int:
    """The value where it is a whole number above 0, else 0: a counter that a harness leaves out counted nothing."""
    return value if type(value) is int and value > 0 else 0


def texts_of(value: object) -> tuple[str, ...]:
    """The texts of a list, in order; nothing of any other value."""
    return tuple(v for v in value if isinstance(v, str)) if isinstance(value, list) else ()


def dict_of(value: object) -> dict[str, object]:
    """The value where it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def dicts_of(value: object) -> list[dict[str, object]]:
    """The objects of a list, in order; nothing of any other value."""
    return [v for v in value if isinstance(v, dict)] if isinstance(value, list) else []


def time_of(value: object) -> str | None:
    """ISO 8601 as written; a number is milliseconds since 1970."""
    number = number_of(value)
    if number is not None and 0 <= number < LATEST_MS:
        return datetime.fromtimestamp(number / 1000, UTC).isoformat(timespec="milliseconds")
    return text_of(value)
