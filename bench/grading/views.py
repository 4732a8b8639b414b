"""One atom, or one thing never said, as a run tells it: where it comes from, and each output's passage and verdict."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches

import msgspec
from msgspec import Struct

from bench.errors import BenchError
from bench.fixtures import Fixture
from bench.grading.lexical import Look
from bench.grading.patterns import CompiledAtom, compile_key
from bench.grading.run import GradedStore, read_grades
from bench.rows import GRADED, GradeRow, InventionRow, OutputRow
from bench.text import count

CLIP = 240
"""Characters of a source turn or a passage that are shown."""


class SourceTurn(Struct, frozen=True, kw_only=True):
    """A message that establishes the atom; `text` is clipped around what the key's patterns match in it."""

    message: int
    author: str
    text: str


class OutputVerdict(Struct, frozen=True, kw_only=True):
    """What one grader said of the atom in one output. `verdict` is null where the output is not graded."""

    arm: str
    model: str
    replicate: int
    chain_step: int
    stale_by: int
    grader: str | None
    scope: str | None
    grading_pass: int | None
    verdict: str | None
    evidence: str | None
    passage: str | None
    """The evidence with the words around it; null without evidence."""
    outdated: bool
    """Whether the key has changed since this verdict."""
    disputed: str | None = None
    """What a person says instead, of this output and scope; null where nobody disputes it."""
    note: str | None = None
    """Why, in the person's words."""


class AtomView(Struct, frozen=True, kw_only=True):
    fixture: str
    atom: str
    tag: str
    importance: str
    by: str
    text: str
    sources: tuple[SourceTurn, ...]
    outputs: tuple[OutputVerdict, ...]


class NeverView(Struct, frozen=True, kw_only=True):
    """Something that was never said, and what each output makes of it."""

    fixture: str
    never: str
    text: str
    outputs: tuple[OutputVerdict, ...]


def view_atom(
    store: GradedStore, fixtures: Mapping[str, Fixture], atom: str, fixture: str | None = None
) -> list[AtomView]:
    """The atom in every fixture whose key has it, or in `fixture` alone. Raises BenchError where no key has it."""
    if fixture is not None and fixture not in fixtures:
        raise BenchError(f"no fixture '{fixture}' in this run; it has {', '.join(sorted(fixtures))}")
    chosen = fixtures if fixture is None else {fixture: fixtures[fixture]}
    found = [(name, f, a) for name, f in chosen.items() for a in compile_key(f.key).atoms if a.atom.id == atom]
    if not found:
        raise _unknown(atom, chosen)
    grades, _ = read_grades(store)
    rows = store.rows()
    return [_view(store, name, f, a, grades, rows) for name, f, a in found]


def view_never(
    store: GradedStore, fixtures: Mapping[str, Fixture], never: str, fixture: str | None = None
) -> list[NeverView]:
    """What was never said, of every fixture (or of `fixture` alone) whose key lists it, and which output states it.

    Empty where no key does. Verdicts are `stated`, `not stated`, and null where nobody looked.
    """
    chosen = fixtures if fixture is None else {fixture: fixtures[fixture]} if fixture in fixtures else {}
    found = [(name, f, n) for name, f in chosen.items() for n in f.key.never if n.id == never]
    if not found:
        return []
    grades, inventions = read_grades(store)
    ways = {(*_of(g), g.grader, g.scope, g.grading_pass): g for g in grades}
    stated = {(*_of(i), i.grader, i.scope, i.grading_pass): i for i in inventions if i.never == never}
    views = []
    for name, one, entry in found:
        outputs: list[OutputVerdict] = []
        for row in (r for r in store.rows() if r.fixture == name and r.outcome in GRADED):
            mine = [(way, grade) for way, grade in ways.items() if way[:6] == _of(row)]
            outputs += [_of_never(store, row, g, stated.get(way), one.key_sha256) for way, g in mine] or [
                _ungraded(row)
            ]
        views.append(NeverView(fixture=name, never=entry.id, text=entry.text, outputs=tuple(outputs)))
    return views


def _unknown(asked: str, chosen: Mapping[str, Fixture]) -> BenchError:
    atoms = {a.id for f in chosen.values() for a in f.key.atoms}
    nevers = {n.id for f in chosen.values() for n in f.key.never}
    near = _same_number(asked, atoms | nevers) or get_close_matches(asked, sorted(atoms | nevers), n=1)
    # an id is unique in its own key only: a set of ids would count fewer than the keys hold
    held = sum(len(f.key.atoms) for f in chosen.values()), sum(len(f.key.never) for f in chosen.values())
    counts = f"the keys have {count(held[0], 'atom')} and {count(held[1], 'entry', 'entries')} of never"
    hint = f"did you mean '{near[0]}'?" if near else counts
    return BenchError(f"no atom '{asked}' in {', '.join(sorted(chosen))}; {hint}")


def _same_number(asked: str, ids: Iterable[str]) -> list[str]:
    """The ids that differ from the asked one in leading zeros or case alone: a3 means a003, never a043."""

    def plain(name: str) -> str:
        return re.sub(r"(?<!\d)0+(?=\d)", "", name.lower())

    return sorted(i for i in ids if plain(i) == plain(asked))


def _view(
    store: GradedStore,
    name: str,
    fixture: Fixture,
    compiled: CompiledAtom,
    grades: Sequence[GradeRow],
    rows: Iterable[OutputRow],
) -> AtomView:
    atom = compiled.atom
    verdicts: list[OutputVerdict] = []
    for row in (r for r in rows if r.fixture == name and r.outcome in GRADED):
        mine = [g for g in grades if g.atom == atom.id and _of(g) == _of(row)]
        verdicts += [_graded(store, row, g, fixture.key_sha256) for g in mine] or [_ungraded(row)]
    return AtomView(
        fixture=name,
        atom=atom.id,
        tag=atom.tag,
        importance=atom.importance,
        by=atom.by,
        text=atom.text,
        sources=tuple(_sources(fixture, compiled)),
        outputs=tuple(verdicts),
    )


def _of_never(
    store: GradedStore, row: OutputRow, grade: GradeRow, stated: InventionRow | None, key_sha256: str
) -> OutputVerdict:
    evidence = None if stated is None else stated.evidence
    found = _graded(store, row, msgspec.structs.replace(grade, evidence=evidence), key_sha256)
    looked = "not stated" if grade.inventions_known else None
    return msgspec.structs.replace(found, verdict=looked if stated is None else "stated")


def _of(row: GradeRow | OutputRow | InventionRow) -> tuple[str, str, str, int, int, int]:
    return row.fixture, row.arm, row.model, row.replicate, row.chain_step, row.stale_by


def sources_of(fixture: Fixture) -> dict[str, tuple[SourceTurn, ...]]:
    """Id of each atom of the fixture's key -> the messages that establish it."""
    return {a.atom.id: tuple(_sources(fixture, a)) for a in compile_key(fixture.key).atoms}


def _sources(fixture: Fixture, compiled: CompiledAtom) -> Iterator[SourceTurn]:
    messages = fixture.transcript.messages
    for i in compiled.atom.at:
        if 0 <= i < len(messages):
            look = Look(messages[i].text, compile_key(fixture.key))
            span = look.mention(compiled)
            text = around(messages[i].text, *(look.words(span) if span else (0, 0)))
            yield SourceTurn(message=i, author=messages[i].author, text=text)


def _graded(store: GradedStore, row: OutputRow, grade: GradeRow, key_sha256: str) -> OutputVerdict:
    text = store.handoff_text(row) if grade.scope == "handoff" else store.summary_text(row)
    at = -1 if grade.evidence is None else text.find(grade.evidence)
    return OutputVerdict(
        arm=row.arm,
        model=row.model,
        replicate=row.replicate,
        chain_step=row.chain_step,
        stale_by=row.stale_by,
        grader=grade.grader,
        scope=grade.scope,
        grading_pass=grade.grading_pass,
        verdict=grade.verdict,
        evidence=grade.evidence,
        passage=None if at < 0 or grade.evidence is None else around(text, at, at + len(grade.evidence)),
        outdated=grade.key_sha256 != key_sha256,
    )


def _ungraded(row: OutputRow) -> OutputVerdict:
    return OutputVerdict(
        arm=row.arm,
        model=row.model,
        replicate=row.replicate,
        chain_step=row.chain_step,
        stale_by=row.stale_by,
        grader=None,
        scope=None,
        grading_pass=None,
        verdict=None,
        evidence=None,
        passage=None,
        outdated=False,
    )


def around(text: str, start: int, end: int, chars: int = CLIP) -> str:
    """About `chars` characters of `text` with text[start:end] in their middle, on one line, cuts marked by '…'."""
    first = max(0, min((start + min(end, start + chars) - chars) // 2, len(text) - chars))
    last = min(len(text), first + chars)
    words = " ".join(text[first:last].split())
    return f"{'… ' if first else ''}{words}{' …' if last < len(text) else ''}"
