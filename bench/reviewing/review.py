"""What a review does to a key: accept, edit, retag, weigh, drop, take back. Every action is in key.yaml at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from msgspec.structs import replace

from bench.atomic import write_text
from bench.drafting.merge import carries
from bench.errors import BenchError
from bench.fixtures import KEY, TRANSCRIPT
from bench.keys import Atom, Importance, Key, Patterns, Tag, read_key
from bench.keywriting import to_yaml
from bench.transcripts import read
from bench.transcripts.model import Transcript


@dataclass(frozen=True)
class Counts:
    """How far a review has come. `accepted` and `dropped` are of this sitting, the others of the key as it is."""

    accepted: int
    dropped: int
    left: int
    """Atoms that are still drafted."""
    reviewed: int


class Review:
    """A fixture's key under review. The file is the only state: a new `Review` goes on where the last one stopped.

    Raises BenchError for a key or a transcript that cannot be read, and on every action where something else changed
    the key's file meanwhile: nothing is overwritten.
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / KEY
        self._bytes = self._on_disk()
        self._key: Key = read_key(self.path)[0]
        self.transcript: Transcript = read(folder / TRANSCRIPT)
        self._order = tuple(atom.id for atom in self._key.atoms)
        self._before: list[tuple[str, Key]] = []
        self._touched: set[str] = set()

    @property
    def order(self) -> tuple[str, ...]:
        """The ids of all atoms as the key was opened; dropped ones keep their place, so that counts do not move."""
        return self._order

    @property
    def counts(self) -> Counts:
        """Of this sitting's answers, what they came to: an atom that was accepted and then dropped is a dropped one."""
        drafted = sum(a.status == "drafted" for a in self._key.atoms)
        now = [self.get(id_) for id_ in self._touched]
        accepted = sum(atom is not None and atom.status == "reviewed" for atom in now)
        return Counts(accepted, now.count(None), drafted, len(self._key.atoms) - drafted)

    def get(self, id_: str) -> Atom | None:
        """The atom as it is now; None where it was dropped."""
        return next((a for a in self._key.atoms if a.id == id_), None)

    def next_drafted(self, after: int = -1) -> int | None:
        """The place of the next atom still drafted, from the start again at the end; None where none is left."""
        places = [i for i, id_ in enumerate(self._order) if (a := self.get(id_)) and a.status == "drafted"]
        return next((i for i in places if i > after), places[0] if places else None)

    def place_of(self, named: str) -> int | None:
        """The place of an atom named by its id or by its number, counted from 1; None where there is none."""
        named = named.strip().casefold()
        ids = [id_.casefold() for id_ in self._order]
        if named in ids:
            return ids.index(named)
        number = int(named) - 1 if named.isdecimal() else -1
        return number if 0 <= number < len(ids) else None

    def accept(self, id_: str) -> None:
        """The atom counts as reviewed."""
        self._change(id_, lambda atom: replace(atom, status="reviewed"))
        self._touched.add(id_)

    def drop(self, id_: str) -> None:
        """The atom is taken out of the key."""
        self._change(id_, lambda _: None)
        self._touched.add(id_)

    def retag(self, id_: str, tag: Tag) -> None:
        self._change(id_, lambda atom: replace(atom, tag=tag))

    def weigh(self, id_: str, importance: Importance) -> None:
        self._change(id_, lambda atom: replace(atom, importance=importance))

    def edit(self, id_: str, text: str, accept: Patterns) -> None:
        """New words and patterns. Raises BenchError where the messages that the atom names do not carry them."""
        atom = self.get(id_)
        if atom is None:
            raise BenchError(f"{id_} was dropped; take that back first")
        if not text.strip():
            raise BenchError("an atom says something; type its text")
        edited = replace(atom, text=text.strip(), accept=accept)
        source = "\n".join(m.text for i, m in enumerate(self.transcript.messages) if i in atom.at)
        if accept and not carries(source, edited):
            named = ", ".join(map(str, atom.at))
            raise BenchError(f"message {named} does not carry that; quote it, or name the messages in {self.path.name}")
        self._change(id_, lambda _: edited)

    def take_back(self) -> str | None:
        """Undo the last action; the id of its atom, or None where there is nothing to undo."""
        if not self._before:
            return None
        id_, key = self._before[-1]
        self._write(key)
        self._before.pop()
        return id_

    def _change(self, id_: str, change: Callable[[Atom], Atom | None]) -> None:
        changed = [change(a) if a.id == id_ else a for a in self._key.atoms]
        if self.get(id_) is None:
            raise BenchError(f"{id_} is not in the key any more")
        before = self._key
        self._write(replace(before, atoms=tuple(a for a in changed if a is not None)))
        self._before.append((id_, before))

    def _write(self, key: Key) -> None:
        if self._on_disk() != self._bytes:
            raise BenchError("was changed by something else since this review began; open it again", path=self.path)
        text = to_yaml(key)
        write_text(self.path, text)
        self._bytes, self._key = text.encode(), key

    def _on_disk(self) -> bytes:
        try:
            return self.path.read_bytes()
        except FileNotFoundError:
            raise BenchError("is missing; 'bench key draft' makes one", path=self.path) from None
