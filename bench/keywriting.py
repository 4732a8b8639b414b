"""An answer key, and fixture.yaml, as a person would write them: text in single quotes. Format: docs/formats.md."""

from __future__ import annotations

from collections.abc import Iterable

from bench.fixtures import FixtureFile
from bench.keys import Atom, Key, Never

_YAML_WORDS = frozenset(("y", "n", "yes", "no", "on", "off", "true", "false", "null"))
"""Words that YAML reads as something else than text."""

WIDTH = 118
"""Characters of a line; a longer list of patterns stands one a line."""


def to_yaml(key: Key) -> str:
    """The key as YAML text that `bench.keys.read_key` reads back to an equal key. Defaults are left out."""
    lines = [f"version: {key.version}", "atoms:" if key.atoms else "atoms: []"]
    for atom in key.atoms:
        lines += _atom(atom)
    if key.never:
        lines.append("never:")
        for never in key.never:
            lines += _never(never)
    return "\n".join(lines) + "\n"


def about_yaml(about: FixtureFile) -> str:
    """fixture.yaml as text; absent values are left out."""
    values = ((name, getattr(about, name)) for name in about.__struct_fields__)
    return "".join(f"{n}: {quoted(v) if isinstance(v, str) else v}\n" for n, v in values if v is not None)


def quoted(text: str) -> str:
    """`text` as a YAML scalar: in single quotes, or in double quotes where only an escape can write a character."""
    if all(c.isprintable() for c in text):
        return "'" + text.replace("'", "''") + "'"
    return '"' + "".join(_escaped(c) for c in text) + '"'


def _escaped(c: str) -> str:
    if c in '"\\':
        return "\\" + c
    return c if c.isprintable() else f"\\U{ord(c):08x}"


def _atom(atom: Atom) -> list[str]:
    lines = [
        f"  - id: {_name(atom.id)}",
        f"    tag: {atom.tag}",
        f"    text: {quoted(atom.text)}",
        f"    importance: {atom.importance}",
        f"    by: {atom.by}",
        f"    at: [{', '.join(map(str, atom.at))}]",
    ]
    if atom.accept:
        lines.append("    accept:")
        lines += _patterns("      all", atom.accept.all) + _patterns("      any", atom.accept.any)
    if atom.stale:
        lines.append("    stale:")
        lines += [f"      - {{match: {quoted(s.match)}, until: {s.until}}}" for s in atom.stale]
    lines += _patterns("    wrong", atom.wrong)
    if atom.weight != 1.0:
        lines.append(f"    weight: {_number(atom.weight)}")
    if atom.probe is not None:
        lines.append(f"    probe: {quoted(atom.probe)}")
    return [*lines, f"    status: {atom.status}"]


def _number(value: float) -> str:
    """A number that YAML 1.1 reads as one: its exponents need a point before them."""
    mantissa, e, exponent = repr(value).partition("e")
    return mantissa + (".0" if e and "." not in mantissa else "") + e + exponent


def _never(never: Never) -> list[str]:
    return [
        f"  - id: {_name(never.id)}",
        f"    text: {quoted(never.text)}",
        *_patterns("    match", never.match, keep=True),
    ]


def _patterns(name: str, patterns: Iterable[str], *, keep: bool = False) -> list[str]:
    """A list of patterns under `name`, on one line where it fits; nothing for an empty one unless it must stand."""
    shown = [quoted(p) for p in patterns]
    if not shown and not keep:
        return []
    line = f"{name}: [{', '.join(shown)}]"
    if len(line) <= WIDTH:
        return [line]
    indent = " " * (len(name) - len(name.lstrip()) + 2)
    return [f"{name}:", *(f"{indent}- {p}" for p in shown)]


def _name(id_: str) -> str:
    """An id plain where YAML reads it back as that text, else in quotes."""
    return (
        id_ if id_.isascii() and id_[:1].isalpha() and id_.isalnum() and id_.lower() not in _YAML_WORDS else quoted(id_)
    )
