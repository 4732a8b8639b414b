"""Answer keys: the atomic facts a handoff is graded against. Format: docs/formats.md."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from bench.schema import Lines, load_yaml

Tag = Literal[
    "ask", "constraint", "rejected", "decision", "reason", "file", "command",
    "identifier", "number", "error", "promise", "pending", "state", "correction",
]  # fmt: skip
By = Literal["user", "assistant", "tool"]
Importance = Literal["vital", "okay"]


class Patterns(Struct, frozen=True, forbid_unknown_fields=True):
    """All of `all` and, where `any` is not empty, one of `any` must match inside one passage (RE2 syntax)."""

    all: tuple[str, ...] = ()
    any: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.all or self.any)


class Stale(Struct, frozen=True, forbid_unknown_fields=True):
    """An older value: true before message `until`, wrong to carry as current afterwards."""

    match: str
    until: int


class Atom(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One thing a successor could be wrong about."""

    id: str
    tag: Tag
    text: str
    importance: Importance
    by: By
    at: tuple[int, ...]
    accept: Patterns = Patterns()
    stale: tuple[Stale, ...] = ()
    wrong: tuple[str, ...] = ()
    weight: float = 1.0
    probe: str | None = None
    status: Literal["drafted", "reviewed"] = "drafted"


class Never(Struct, frozen=True, forbid_unknown_fields=True):
    """Something that was never said; an output that states it has invented it."""

    id: str
    text: str
    match: tuple[str, ...]


class Key(Struct, frozen=True, forbid_unknown_fields=True):
    """An answer key as written in key.yaml."""

    version: Literal[1]
    atoms: tuple[Atom, ...]
    never: tuple[Never, ...] = ()


def established(key: Key, end: int) -> Key:
    """The key of the conversation before message `end`: the atoms whose last `at` lies there.

    A value counts as old only once it was replaced (`until`). What was never said stays so at any time.
    """
    atoms = (a for a in key.atoms if max(a.at, default=0) < end)
    return replace(key, atoms=tuple(replace(a, stale=tuple(s for s in a.stale if s.until < end)) for a in atoms))


def read_key(path: Path) -> tuple[Key, Lines]:
    """The key at `path` and the line of each of its parts. Raises BenchError with file and line."""
    return load_yaml(path, Key)
