"""Human labels: is this statement present in this text? One text a line of a JSON Lines file.

Two shapes are read. `doc_id, system, summary, units [{unit_id, text, votes, label}]`: one text with all its units, as
of REALSumm. `summary, unit, label`, with `item_id` and `doc_id` where known: one text with one unit. A label is 1
(present), 0 (not), or null for a tie, which is left out and counted. Unknown fields are kept aside.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct

from bench.errors import BenchError
from bench.schema import read_text


class Unit(Struct, frozen=True, kw_only=True):
    """One statement with what people said of it: 1 present, 0 not, null a tie. `votes` may be unknown."""

    unit_id: str | int
    text: str
    label: Literal[0, 1] | None
    votes: tuple[int, ...] = ()

    @property
    def unanimous(self) -> bool:
        """Whether several people said, and all the same."""
        return len(self.votes) > 1 and len(set(self.votes)) == 1

    @property
    def share(self) -> float | None:
        """The share of the people who found it (0..1); the label where their votes are unknown."""
        return sum(self.votes) / len(self.votes) if self.votes else self.label

    @property
    def has_number(self) -> bool:
        return any(c.isdigit() for c in self.text)


class _Labelled(Struct, frozen=True, kw_only=True):
    summary: str
    doc_id: str | int | None = None
    item_id: str | int | None = None
    units: tuple[Unit, ...] | None = None
    unit: str | None = None
    label: Literal[0, 1] | bool | None = None


@dataclass(frozen=True)
class LabelledText:
    """A text and the units that people looked for in it; texts of one document share their units' words."""

    document: str
    text: str
    units: tuple[Unit, ...]


def read_labels(path: Path) -> tuple[LabelledText, ...]:
    """The labelled texts of the file, in order. Raises BenchError with the line of whatever is no label."""
    found = list(_texts(path))
    if not found:
        raise BenchError("holds no labels; see docs/calibration.md for the format", path=path)
    return tuple(found)


def _texts(path: Path) -> Iterator[LabelledText]:
    for number, line in enumerate(read_text(path).splitlines(), 1):
        if not line.strip():
            continue
        try:
            one = msgspec.json.decode(line, type=_Labelled)
        except msgspec.DecodeError as e:
            raise BenchError(f"no labelled text: {e}; see docs/calibration.md", path=path, line=number) from None
        if (one.units is None) == (one.unit is None):
            raise BenchError("needs either 'units' or 'unit' with its 'label'", path=path, line=number)
        label: Literal[0, 1] | None = None if one.label is None else 1 if one.label else 0
        units = one.units or (Unit(unit_id=one.item_id or str(number), text=one.unit or "", label=label),)
        ids = [str(unit.unit_id) for unit in units]
        if len(set(ids)) < len(ids):
            raise BenchError("two units have the same unit_id", path=path, line=number)
        document = one.doc_id if one.doc_id is not None else f"line {number}"
        yield LabelledText(document=str(document), text=one.summary, units=units)
