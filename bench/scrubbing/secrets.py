"""Keys and tokens in a text: what looks like one by itself (`shapes.py`), and what its place tells (`named.py`)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from bench.scrubbing import named, shapes
from bench.scrubbing.looks import SHORTEST_PASSWORD, is_example
from bench.scrubbing.sieve import found

KEPT = re.compile(r"redacted-[a-z0-9-]+-\d+")
"""What stands in the place of a secret; never taken for one."""
SHORTEST = 8
"""Characters of a secret but a password in its place: what is shorter could not be told from a word."""


@dataclass(frozen=True)
class Secret:
    """A secret as it stands in a text, and where."""

    kind: str
    value: str
    start: int


def secrets_in(text: str) -> list[Secret]:
    """Every secret of the text, each value once, in the order of their places."""
    if len(text) < SHORTEST or not _sign().search(text):
        return []
    known: dict[str, Secret] = {}
    spans: list[tuple[int, int]] = []
    for kind, value, start in _candidates(text):
        end = start + len(value)
        within = any(first <= start and end <= last for first, last in spans)
        least = SHORTEST_PASSWORD if kind == "password" else SHORTEST
        if len(value) >= least and not KEPT.search(value) and not within:
            spans.append((start, end))
            known.setdefault(value, Secret(kind, value, start))
    return sorted(known.values(), key=lambda s: s.start)


def _candidates(text: str) -> Iterator[tuple[str, str, int]]:
    for kind, match in found(shapes.LONG_SHAPES, text):
        group = "value" if "value" in match.re.groupindex else 0
        yield kind, match[group], match.start(group)
    text = shapes.BLOB.sub(lambda blob: " " * len(blob[0]), text)
    for kind, match in found((*shapes.SHAPES, *shapes.vendors()), text):
        if not is_example(match[0]):
            yield kind, match[0], match.start()
    yield from named.named(text)


@cache
def _sign() -> re.Pattern[str]:
    """The signs as RE2, which takes a text of any length in one pass."""
    import re2

    sign: re.Pattern[str] = re2.compile(f"(?i){shapes.SIGNS}|{named.SIGNS}")
    return sign
