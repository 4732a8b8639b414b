"""What in the key made a disputed verdict, and a line that would have brought the person's.

A proposal is made from the output's own words (the quote, or the sentence where the scored matcher finds most of the
atom) or from the atom's; it is tried on the output, on the atom's source messages, and never written into the key.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import msgspec
import yaml

from bench.drafting.patterns import quoted
from bench.grading.content import words_of
from bench.grading.lexical import Look
from bench.grading.patterns import CompiledAtom, compile_key
from bench.keys import Atom, Key, Patterns, Stale
from bench.rows import Verdict

AROUND = 200
"""Characters to either side of what an accept matched that count as its passage."""
MOST_WORDS = 8
"""Words of a proposed pattern: longer ones match nothing but the output they were made from."""


@dataclass(frozen=True)
class Mend:
    """Why the key gave its verdict, a line each; the proposed field as YAML, None where there is nothing to propose;
    and whether the proposal brings the person's verdict on this output and leaves the key answerable."""

    reasons: tuple[str, ...]
    proposal: str | None
    brings_it: bool
    answerable: bool


def mend(text: str, key: Key, atom_id: str, said: Verdict, *, quote: str | None, source: str) -> Mend:
    """How the key could be mended so that `text` gets the verdict `said` on that atom. `source`: the joined text of the
    messages that establish it, which an accept must match."""
    compiled = next(a for a in compile_key(key).atoms if a.atom.id == atom_id)
    look = Look(text, compile_key(key))
    reasons = tuple(_reasons(look, compiled))
    proposed = _proposed(text, look, compiled, said, quote)
    if proposed is None:
        return Mend(reasons, None, brings_it=False, answerable=True)
    atom, changed = proposed
    return Mend(
        reasons,
        yaml.safe_dump(changed, default_flow_style=True, allow_unicode=True, width=1000, sort_keys=False).strip(),
        brings_it=_verdict(text, key, atom) == said,
        answerable=not atom.accept or _verdict(source, key, atom) == "carried",
    )


def _reasons(look: Look, compiled: CompiledAtom) -> Iterator[str]:
    """Which pattern matched where, or which did not."""
    if not compiled.groups:
        span = look.carries(compiled)
        found = f"finds it in '{look.quote(span)}'" if span else "finds too little of it in any passage"
        yield f"no accept pattern: the scored matcher, by the atom's own words, {found}"
    elif span := look.carries(compiled):
        yield f"accept matches in '{look.quote(span)}'"
    else:
        alone = [look.states_any(group) for group in compiled.groups]
        for group, there in zip(compiled.groups, alone, strict=True):
            shown = " | ".join(p.source for p in group)
            yield f"accept needs /{shown}/: " + (f"matches in '{look.quote(there)}'" if there else "matches nowhere")
        if all(alone):
            yield "each matches, but no one passage holds them all"
    for name, patterns in (("wrong", compiled.wrong), ("stale", compiled.stale)):
        for pattern in patterns:
            if there := look.states((pattern,)):
                yield f"{name} /{pattern.source}/ matches in '{look.quote(there)}'"


def _proposed(
    text: str, look: Look, compiled: CompiledAtom, said: Verdict, quote: str | None
) -> tuple[Atom, dict[str, object]] | None:
    """The atom as it would be, and the fields of it that change."""
    atom, carried = compiled.atom, look.carries(compiled)
    passage = ""
    if carried:
        start, end = look.words(carried)
        passage = text[max(start - AROUND, 0) : end + AROUND]
    match said:
        case "carried" if carried is None and quote:
            return _wider(look, compiled, _pattern(quote))
        case "absent" if carried:
            return _narrower(atom, passage)
        case "wrong" | "stale" if quote or carried:
            return _contradicted(atom, said, _pattern(quote or look.quote(carried or (0, 0))), passage)
    return None


def _wider(look: Look, compiled: CompiledAtom, pattern: str) -> tuple[Atom, dict[str, object]]:
    """An accept that takes the person's words as another way to say it."""
    accept = compiled.atom.accept
    failing = [g[0].source for g in compiled.groups if len(g) == 1 and not look.states_any(g)]
    if accept.any and not [source for source in failing if source in accept.all]:
        accept = Patterns(all=accept.all, any=(*accept.any, pattern))
    elif accept:
        every = [f"{p}|{pattern}" if p in failing or not failing else p for p in accept.all]
        accept = Patterns(all=tuple(every), any=(*accept.any, pattern) if accept.any else ())
    else:
        accept = Patterns(any=(pattern, *_own_words(compiled.atom)))
    return _with(compiled.atom, accept=accept)


def _narrower(atom: Atom, passage: str) -> tuple[Atom, dict[str, object]] | None:
    """An accept that asks also for the atom's longest word that the passage does not hold."""
    held = passage.casefold()
    missing = [w for t in words_of(atom) if (w := t.word.decode()) not in held and t.stem.decode() not in held]
    if not missing:
        return None
    word = re.escape(max(missing, key=len))
    every = (*atom.accept.all, word) if atom.accept else tuple(re.escape(t.stem.decode()) for t in words_of(atom))
    return _with(atom, accept=Patterns(all=every, any=atom.accept.any))


def _contradicted(atom: Atom, said: Verdict, pattern: str, passage: str) -> tuple[Atom, dict[str, object]]:
    """The words as stale or wrong, and an accept that no longer takes them."""
    changes: dict[str, object] = {}
    if said == "wrong":
        changes["wrong"] = (*atom.wrong, pattern)
    else:
        changes["stale"] = (*atom.stale, Stale(match=pattern, until=max(atom.at, default=0)))
    if passage and (narrower := _narrower(atom, passage)):
        changes["accept"] = narrower[0].accept
    return _with(atom, **changes)


def _own_words(atom: Atom) -> tuple[str, ...]:
    """The atom's own words as a pattern, so that a first accept still takes the source's way of saying it."""
    words = [re.escape(t.word.decode()) for t in words_of(atom)]
    return (".*".join(words[:MOST_WORDS]),) if words else ()


def _pattern(words: str) -> str:
    """A pattern of the first words of a quote: their signs taken as they stand, any white space between."""
    return quoted(" ".join(words.casefold().split()[:MOST_WORDS]))


def _with(atom: Atom, **changes: object) -> tuple[Atom, dict[str, object]]:
    shown = {name: _plain(msgspec.to_builtins(value)) for name, value in changes.items()}
    return msgspec.structs.replace(atom, **changes), shown


def _plain(value: object) -> object:
    return {name: part for name, part in value.items() if part} if isinstance(value, dict) else value


def _verdict(text: str, key: Key, atom: Atom) -> Verdict | None:
    from bench.grading.lexical import grade

    atoms = tuple(atom if a.id == atom.id else a for a in key.atoms)
    findings, _ = grade(text, msgspec.structs.replace(key, atoms=atoms))
    return next(f.verdict for f in findings if f.atom == atom.id)
