"""An answer key read part by part, so that one bad atom does not hide what is wrong with the others."""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

from msgspec import Struct

from bench.errors import BenchError, Problem
from bench.keys import Atom, Key, Never
from bench.schema import Lines, convert, nearest_line, read_yaml

Where = tuple[str | int, ...]
"""Path of a part inside the key: ('atoms', 3, 'accept', 'any', 1)."""
Part = TypeVar("Part", Atom, Never)


class Fault(Struct, frozen=True):
    """What is wrong with a part of the key."""

    message: str
    where: Where


class KeyParts(Struct, frozen=True, kw_only=True):
    """What could be read of a key: its sound atoms and nevers with their index in the file, and the faults."""

    path: Path
    lines: Lines
    atoms: tuple[tuple[int, Atom], ...]
    nevers: tuple[tuple[int, Never], ...]
    faults: tuple[Fault, ...]

    def problem(self, fault: Fault) -> Problem:
        """The fault as a line that names the file and the part's line."""
        return Problem(fault.message, str(self.path), nearest_line(self.lines, fault.where))


class _Outline(Struct, frozen=True, forbid_unknown_fields=True):
    """The key without its parts' insides."""

    version: int
    atoms: tuple[object, ...]
    never: tuple[object, ...] = ()


def read_parts(path: Path) -> KeyParts:
    """The key's parts. Raises BenchError where the file as a whole cannot be read."""
    data, lines = read_yaml(path)
    outline = convert(data, _Outline, path, lambda at: nearest_line(lines, at))
    faults: list[Fault] = []
    if outline.version != 1:
        faults.append(Fault(f"version {outline.version} is not known; this bench reads version 1", ("version",)))
    if not outline.atoms:
        faults.append(Fault("the key has no atoms, so nothing can be graded", ("atoms",)))
    atoms = _sound(outline.atoms, Atom, "atoms", faults)
    nevers = _sound(outline.never, Never, "never", faults)
    return KeyParts(path=path, lines=lines, atoms=atoms, nevers=nevers, faults=tuple(faults))


def key_of(parts: KeyParts) -> Key:
    """The key made of the sound parts."""
    return Key(version=1, atoms=tuple(a for _, a in parts.atoms), never=tuple(n for _, n in parts.nevers))


def _sound(
    items: tuple[object, ...], type_: type[Part], section: str, faults: list[Fault]
) -> tuple[tuple[int, Part], ...]:
    sound = []
    for i, item in enumerate(items):
        reached: list[Where] = []
        try:
            sound.append((i, convert(item, type_, Path(), reached.append)))
        except BenchError as e:
            where: Where = reached[0] if reached else ()
            faults.append(Fault(f"{_name(item, section, i)}: {e.problem.message}", (section, i, *where)))
    return tuple(sound)


def _name(item: object, section: str, index: int) -> str:
    kind = "atom" if section == "atoms" else "never"
    given = item.get("id") if isinstance(item, dict) else None
    return f"{kind} {given}" if isinstance(given, str) else f"{section}[{index}]"
