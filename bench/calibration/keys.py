"""Labelled units as atoms: each document's units are one key, so that a word that all of them share weighs little."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bench.calibration.labels import LabelledText
from bench.keys import Atom, Key


def keys_of(texts: Sequence[LabelledText]) -> Mapping[str, Key]:
    """Document -> the key of all its units, by their ids. Units that share an id but not their words get their own."""
    units: dict[str, dict[str, str]] = {}
    for one in texts:
        units.setdefault(one.document, {}).update((atom_id(u.unit_id, u.text), u.text) for u in one.units)
    return {
        document: Key(version=1, atoms=tuple(_atom(name, text) for name, text in atoms.items()))
        for document, atoms in units.items()
    }


def atom_id(unit_id: str | int, text: str) -> str:
    """The id of a unit's atom: unlike for units of the same id with other words."""
    return f"{unit_id} {text}"


def _atom(name: str, text: str) -> Atom:
    return Atom(id=name, tag="state", text=text, importance="okay", by="user", at=(0,))
