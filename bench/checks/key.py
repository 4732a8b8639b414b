"""The rules that an answer key keeps to by itself and against its transcript."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import islice

from bench.checks.parts import Fault, KeyParts, Where
from bench.checks.source import Asked, joined
from bench.grading.content import has_content
from bench.grading.passages import WINDOW
from bench.grading.patterns import Pattern, PatternError, compile_pattern
from bench.keys import Atom, Never
from bench.project import LABEL
from bench.text import clip

Messages = Sequence[Asked]
QUOTED = 80
"""Characters of the transcript that a finding quotes."""


def key_faults(parts: KeyParts, messages: Messages | None) -> Iterator[Fault]:
    """Every fault of the key. Without messages (the transcript cannot be read) only what the key says by itself."""
    yield from parts.faults
    yield from _duplicates(parts)
    for i, atom in parts.atoms:
        yield from (Fault(f"atom {atom.id}: {f.message}", ("atoms", i, *f.where)) for f in _atom(atom, messages))
    for i, never in parts.nevers:
        yield from (Fault(f"never {never.id}: {f.message}", ("never", i, *f.where)) for f in _never(never, messages))


def _duplicates(parts: KeyParts) -> Iterator[Fault]:
    seen: dict[str, Where] = {}
    named = [(a.id, "atom", ("atoms", i)) for i, a in parts.atoms]
    named += [(n.id, "never", ("never", i)) for i, n in parts.nevers]
    for id_, kind, where in named:
        first = seen.setdefault(id_, where)
        if first is not where:
            line = parts.lines.get(first)
            yield Fault(f"{kind} {id_}: this id stands at line {line} already; give it one of its own", (*where, "id"))


def _atom(atom: Atom, messages: Messages | None) -> Iterator[Fault]:
    if not LABEL.match(atom.id):
        yield Fault("an id is letters, digits, dot, dash and underscore", ("id",))
    if not has_content(atom.text):
        yield Fault("text says nothing; write the fact as a sentence", ("text",))
    if not (math.isfinite(atom.weight) and atom.weight > 0):
        yield Fault("weight is a number above 0", ("weight",))
    if not atom.at:
        yield Fault("at is empty; name the messages that establish it", ("at",))
    if messages is not None:
        yield from _range(atom, len(messages))
    groups: list[tuple[Where, Sequence[str]]] = [
        (("accept", "all"), atom.accept.all),
        (("accept", "any"), atom.accept.any),
        (("stale",), [s.match for s in atom.stale]),
        (("wrong",), atom.wrong),
    ]
    for where, patterns in groups:
        yield from _uncompiled(patterns, where)
    yield from _own_text(atom)
    if messages and atom.accept and atom.at and all(0 <= i < len(messages) for i in atom.at):
        yield from _unanswered(atom, joined(messages, atom.at))


def _range(atom: Atom, messages: int) -> Iterator[Fault]:
    for i, at in enumerate(atom.at):
        if not 0 <= at < messages:
            yield Fault(f"at[{i}] is {at}, but the transcript's messages are 0 to {messages - 1}", ("at", i))
    for i, stale in enumerate(atom.stale):
        if not 0 < stale.until < messages:
            yield Fault(
                f"stale[{i}].until is {stale.until}; name the message that changed the value, 1 to {messages - 1}",
                ("stale", i, "until"),
            )


def _uncompiled(patterns: Sequence[str], where: Where) -> Iterator[Fault]:
    for i, pattern in enumerate(patterns):
        try:
            compile_pattern(pattern)
        except PatternError as e:
            yield Fault(f"{'.'.join(map(str, where))}[{i}] {e}", (*where, i))


def _own_text(atom: Atom) -> Iterator[Fault]:
    own = Asked(atom.text)
    for where, patterns in (("stale", [s.match for s in atom.stale]), ("wrong", atom.wrong)):
        for i, pattern in enumerate(_compiled(patterns)):
            if pattern and own.states(pattern):
                yield Fault(
                    f"{where}[{i}] matches the atom's own text; a text that is right would be graded {where}",
                    (where, i),
                )


def _unanswered(atom: Atom, source: Asked) -> Iterator[Fault]:
    """Why `accept` does not match `source`, the joined text of `at`; nothing where it does."""
    every, some = _compiled(atom.accept.all), _compiled(atom.accept.any)
    one_of = [p for p in some if p]
    if None in (*every, *some) or source.carries([*([p] for p in every if p), *([one_of] if one_of else [])]):
        return  # a pattern that does not compile is told already
    dead = [(f"accept.all[{i}]", p) for i, p in enumerate(every) if p and not source.carries([[p]])]
    if one_of and not source.carries([one_of]):
        dead += [(f"accept.any[{i}]", p) for i, p in enumerate(one_of)]
    at = f"message{'s' if len(atom.at) > 1 else ''} {', '.join(map(str, atom.at))}"
    if unsaid := [name for name, p in dead if not source.mentions(p)]:
        verb = "matches" if len(unsaid) == 1 else "match"
        yield Fault(f"{', '.join(unsaid)} {verb} nothing at {at}; quote the transcript or fix 'at'", _where(unsaid[0]))
    if denied := [name for name, p in dead if source.mentions(p)]:
        verb = "stands" if len(denied) == 1 else "stand"
        mend = "hold the negation in the pattern, as in 'not (use|want)'"
        yield Fault(f"{', '.join(denied)} {verb} only under a negation at {at}; {mend}", _where(denied[0]))
    if not dead:
        passage = f"one passage (a line, or {WINDOW} characters around a hit)"
        yield Fault(f"accept matches at {at}, but not inside {passage}; choose words that stand together", ("accept",))


def _where(name: str) -> Where:
    """The path of a part from its name: 'accept.any[1]' -> ('accept', 'any', 1)."""
    path, index = name.rstrip("]").split("[")
    return (*path.split("."), int(index))


def _never(never: Never, messages: Messages | None) -> Iterator[Fault]:
    if not LABEL.match(never.id):
        yield Fault("an id is letters, digits, dot, dash and underscore", ("id",))
    if not has_content(never.text):
        yield Fault("text says nothing; write what was never said as a sentence", ("text",))
    if not never.match:
        yield Fault("match is empty; it would never be found", ("match",))
    yield from _uncompiled(never.match, ("match",))
    for i, pattern in enumerate(_compiled(never.match)):
        said = ((at, q) for at, m in enumerate(messages or ()) if pattern and (q := m.states(pattern)))
        for at, quote in islice(said, 1):
            words = clip(" ".join(quote.split()), QUOTED)
            mend = "it was said, so take it out or narrow the pattern"
            yield Fault(f"match[{i}] occurs at message {at}: “{words}”; {mend}", ("match", i))


def _compiled(patterns: Sequence[str]) -> list[Pattern | None]:
    """The patterns compiled; None for one that does not."""
    out: list[Pattern | None] = []
    for source in patterns:
        try:
            out.append(compile_pattern(source))
        except PatternError:
            out.append(None)
    return out
