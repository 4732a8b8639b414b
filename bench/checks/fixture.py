"""Everything that `bench check` asks of one fixture, and the stamp that keeps its facts true."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from bench.arms.newest import full_text
from bench.atomic import write_text
from bench.checks.key import key_faults
from bench.checks.parts import Fault, KeyParts, key_of, read_parts
from bench.checks.sharing import secrets_of
from bench.checks.source import Asked
from bench.errors import BenchError, Problem, collected
from bench.fixtures import (
    ABOUT,
    KEY,
    TRANSCRIPT,
    FixtureFile,
    fixture_name,
    read_about,
    read_system,
    read_tools,
    sha256_of,
)
from bench.grading.lexical import grade
from bench.schema import Lines, read_text
from bench.transcripts import read
from bench.transcripts.model import Transcript


def check_fixture(folder: Path) -> list[Problem]:
    """Every finding of the fixture, in the order of its files and their lines; none where it is sound."""
    if not folder.is_dir() or not any((folder / name).exists() for name in (ABOUT, KEY, TRANSCRIPT)):
        return [Problem(f"is no fixture; a fixture is a folder with {ABOUT}, {TRANSCRIPT} and {KEY}", str(folder))]
    problems: list[Problem] = []
    collected(problems, fixture_name, folder)
    about = collected(problems, read_about, folder)
    transcript = collected(problems, read, folder / TRANSCRIPT)
    if about:
        problems += _about(folder, *about, transcript)
    if transcript:
        problems += unread_of(folder, transcript)
    problems += secrets_of(folder)
    parts = collected(problems, read_parts, folder / KEY)
    if parts:
        problems += sorted(_key(parts, transcript), key=lambda p: p.line or 0)
    return problems


def unread_of(folder: Path, transcript: Transcript) -> list[Problem]:
    """A finding a line of the transcript that could not be read: a fixture is all that was said, or it is none."""
    mend = "mend the line, or import the session again"
    return [Problem(f"{one.reason}; {mend}", str(folder / TRANSCRIPT), one.line) for one in transcript.unread]


def stamp(folder: Path) -> bool:
    """Writes the transcript's tokens and sha256 into fixture.yaml, all else kept; whether that changed the file.

    Raises BenchError where transcript or fixture.yaml cannot be read, and where a line of the transcript cannot: a
    stamp would make what is damaged look sound.
    """
    path = folder / ABOUT
    before = read_text(path)
    transcript = read(folder / TRANSCRIPT)
    if damaged := unread_of(folder, transcript):
        raise BenchError(damaged[0].message, path=damaged[0].path, line=damaged[0].line)
    after = _with(_with(before, "tokens", str(transcript.tokens)), "sha256", _sha256(folder))
    if after != before:
        write_text(path, after)
    return after != before


def _with(text: str, field: str, value: str) -> str:
    """`text` with the line `field: value` in place of the field's old one (its comment kept), or appended."""
    line = re.compile(rf"(?m)^{field}:(?:[ \t]+[^#\s][^#\n]*?)?([ \t]*(?:#.*)?)$")
    if line.search(text):
        return line.sub(lambda found: f"{field}: {value}{found[1]}", text, count=1)
    return f"{text.rstrip()}\n{field}: {value}\n"


def _sha256(folder: Path) -> str:
    return f'"{sha256_of(folder / TRANSCRIPT)}"'


def _about(folder: Path, about: FixtureFile, lines: Lines, transcript: Transcript | None) -> list[Problem]:
    path = str(folder / ABOUT)
    found = [
        Problem(f"{field} is empty", path, lines.get((field,)))
        for field in ("title", "harness", "source", "licence", "language")
        if not getattr(about, field).strip()
    ]
    if transcript:
        for field, told, true in (
            ("tokens", str(about.tokens), str(transcript.tokens)),
            ("sha256", f'"{about.sha256}"', _sha256(folder)),
        ):
            if told != true:
                mend = f"write {field}: {true}, or run bench check --stamp"
                found.append(Problem(f"{field} is out of date; {mend}", path, lines.get((field,))))
    collected(found, read_system, folder, about, lines)
    collected(found, read_tools, folder, about, lines)
    return found


def _key(parts: KeyParts, transcript: Transcript | None) -> Iterator[Problem]:
    """The key's own faults, and which of its other atoms the arm `full` does not carry.

    The arm `nothing` needs no grading: a pattern that matches the empty text is refused.
    """
    messages = None if transcript is None else [Asked(m.text) for m in transcript.messages]
    faults = list(key_faults(parts, messages))
    yield from map(parts.problem, faults)
    at_fault = {fault.where[:2] for fault in faults}
    sound = [(i, a) for i, a in parts.atoms if ("atoms", i) not in at_fault]
    nevers = [(i, n) for i, n in parts.nevers if ("never", i) not in at_fault]
    if transcript is None or not sound:
        return
    key = key_of(KeyParts(path=parts.path, lines=parts.lines, atoms=tuple(sound), nevers=tuple(nevers), faults=()))
    full, _ = grade(full_text(transcript), key)
    for (i, atom), finding in zip(sound, full, strict=True):
        if finding.verdict != "carried":
            mend = "mend accept" if atom.accept else "its words are not found in one passage; give it accept patterns"
            told = f"atom {atom.id}: the transcript itself (arm 'full') grades {finding.verdict}, not carried; {mend}"
            yield parts.problem(Fault(told, ("atoms", i)))
