"""A key's patterns, compiled once: RE2 over folded text."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache

import re2

from bench.errors import BenchError
from bench.grading.needles import needles
from bench.grading.negation import holds_negation
from bench.keys import Atom, Key, Never

_PLAIN = {"’": "'", "‘": "'", "“": '"', "”": '"', "\u2010": r"\-", "\u2011": r"\-", "\u2013": r"\-", "\u2212": r"\-"}
"""What `fold` makes of these in a text, so that a pattern may be written with them."""
_TICK = re.compile(r"(\\.|\[\^?\]?(?:\\.|[^\]\\])*\])|`[?*+]?")
"""A back-tick outside a character class (the class, or an escaped sign, is group 1)."""
_EDGE = re.compile(r"\\[Az]|(?<![\\\[])(?:\\\\)*[\^$]")


class PatternError(ValueError):
    """A pattern that cannot be used; `str()` says why."""


@dataclass(frozen=True, eq=False)
class Pattern:
    """One compiled pattern."""

    source: str
    regex: re2._Regexp = field(repr=False)
    holds_negation: bool
    at_edge: bool
    """Whether it asks for the beginning or end of a passage, so that a search of the whole text says nothing."""
    needles: tuple[bytes, ...]
    """Words of which a text must hold one for the pattern to match; none where that is not known."""

    def spans(self, data: bytes) -> Iterator[tuple[int, int]]:
        """Spans of its hits in `data`, leftmost first, not overlapping, never empty."""
        return (span for m in self.regex.finditer(data) if (span := m.span())[0] < span[1])


@lru_cache(maxsize=4096)
def compile_pattern(source: str) -> Pattern:
    """The pattern compiled. Raises PatternError where it holds a control character or matches the empty string, or
    where RE2 refuses it."""
    if any(unicodedata.category(c) == "Cc" for c in source):
        raise PatternError(r"holds a control character; write it in single quotes (double quotes turn \b into one)")
    plain = "".join(_PLAIN.get(c, c if c.isascii() else c.casefold()) for c in source)
    folded = _TICK.sub(lambda found: found[1] or "", plain)
    try:
        regex = re2.compile(folded, options=_options())
    except re2.error as e:
        reason = e.args[0].decode("utf-8", "replace") if isinstance(e.args[0], bytes) else str(e)
        raise PatternError(f"does not compile: {reason}; patterns use RE2's syntax") from None
    if regex.search(b""):
        raise PatternError("matches the empty string, so it would match everywhere")
    return Pattern(source, regex, holds_negation(source), bool(_EDGE.search(folded)), needles(folded))


def _options() -> re2.Options:
    options = re2.Options()
    options.log_errors = False
    options.case_sensitive = False  # text is casefolded; a pattern with a capital must not silently be dead
    options.never_capture = True
    return options


@dataclass(frozen=True, eq=False)
class CompiledAtom:
    """An atom with its patterns. `groups` must all match in one passage, each by any of its patterns."""

    atom: Atom
    groups: tuple[tuple[Pattern, ...], ...]
    stale: tuple[Pattern, ...]
    wrong: tuple[Pattern, ...]


@dataclass(frozen=True, eq=False)
class CompiledNever:
    never: Never
    patterns: tuple[Pattern, ...]


class CompiledKey:
    """A key ready to grade with. Raises BenchError (atom and field named) where a pattern cannot be used."""

    def __init__(self, key: Key) -> None:
        self.key = key
        self.atoms = tuple(_atom(a) for a in key.atoms)
        self.nevers = tuple(
            CompiledNever(n, tuple(_compiled(p, f"never {n.id}: match[{i}]") for i, p in enumerate(n.match)))
            for n in key.never
        )


@lru_cache(maxsize=64)
def compile_key(key: Key) -> CompiledKey:
    """The key compiled; kept, since one key grades many outputs."""
    return CompiledKey(key)


def _atom(atom: Atom) -> CompiledAtom:
    def compiled(sources: Iterable[str], where: str) -> tuple[Pattern, ...]:
        return tuple(_compiled(p, f"atom {atom.id}: {where.format(i)}") for i, p in enumerate(sources))

    every = tuple((p,) for p in compiled(atom.accept.all, "accept.all[{}]"))
    some = compiled(atom.accept.any, "accept.any[{}]")
    stale = compiled((s.match for s in atom.stale), "stale[{}].match")
    return CompiledAtom(atom, (*every, *((some,) if some else ())), stale, compiled(atom.wrong, "wrong[{}]"))


def _compiled(source: str, where: str) -> Pattern:
    try:
        return compile_pattern(source)
    except PatternError as e:
        raise BenchError(f"{where} {e}") from None
