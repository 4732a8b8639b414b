"""Drafted atoms beside those that a key holds already: what a person reviewed stays, and nothing is asked twice."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from bench.grading.lexical import grade
from bench.keys import Atom, Key, Patterns


def merged(key: Key, drafted: Sequence[Atom]) -> Key:
    """The key with the drafted atoms that ask for something new, under ids of their own; its own atoms stay."""
    kept = list(key.atoms)
    taken = {a.id for a in kept} | {n.id for n in key.never}
    for atom in drafted:
        if not any(same(atom, own) for own in kept):
            id_ = _free(taken)
            taken.add(id_)
            kept.append(replace(atom, id=id_))
    return Key(version=1, atoms=tuple(kept), never=key.never)


def joined(first: Sequence[Atom], second: Sequence[Atom]) -> tuple[list[Atom], int]:
    """Both lists without what is asked twice, and how many of `second` were.

    The atom of `first` stays; sources and older values of its double are added to it.
    """
    kept = list(first)
    twice = 0
    for atom in second:
        place = next((i for i, own in enumerate(kept) if same(atom, own)), None)
        if place is None:
            kept.append(atom)
            continue
        twice += 1
        own = kept[place]
        new = (s for s in atom.stale if s not in own.stale and not carries(own.text, _stating(s.match)))
        kept[place] = replace(own, at=tuple(sorted({*own.at, *atom.at})), stale=(*own.stale, *new))
    return kept, twice


def _stating(pattern: str) -> Atom:
    """An atom that asks for the pattern alone."""
    return Atom(id="s", tag="state", text="", importance="okay", by="user", at=(0,), accept=Patterns(all=(pattern,)))


def same(a: Atom, b: Atom) -> bool:
    """Whether two atoms ask for the same thing: the same patterns, or each one's text carries the other."""
    if a.accept and a.accept == b.accept:
        return True
    return carries(a.text, b) and carries(b.text, a)


def carries(text: str, atom: Atom) -> bool:
    """Whether a text carries the atom, as the grader sees it."""
    findings, _ = grade(text, Key(version=1, atoms=(atom,)))
    return findings[0].verdict == "carried"


def overlaps(atoms: Sequence[Atom]) -> list[tuple[Atom, Atom]]:
    """The pairs of atoms that ask for the same thing, in the order of the key."""
    carried = {a.id: _carried(a.text, atoms) for a in atoms}
    return [
        (a, b)
        for i, a in enumerate(atoms)
        for b in atoms[i + 1 :]
        if (a.accept and a.accept == b.accept) or (b.id in carried[a.id] and a.id in carried[b.id])
    ]


def _carried(text: str, atoms: Iterable[Atom]) -> frozenset[str]:
    key = Key(version=1, atoms=tuple(atoms))
    findings, _ = grade(text, key)
    return frozenset(a.id for a, f in zip(key.atoms, findings, strict=True) if f.verdict == "carried")


def _free(taken: set[str]) -> str:
    n = 1
    while f"a{n:03}" in taken:
        n += 1
    return f"a{n:03}"
