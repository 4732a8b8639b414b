"""The lexical grader over a run: no model, no money, one pass."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path

import msgspec
from msgspec.structs import replace

from bench.atomic import write_all
from bench.fixtures import Fixture
from bench.grading.blind import shuffled
from bench.grading.files import GradeFile
from bench.grading.graders import grader_folder
from bench.grading.lexical import grade
from bench.grading.made import grade_file
from bench.grading.outputs import Due, GradedStore, due, sealed_and_mapped
from bench.grading.results import GraderResult
from bench.grading.tell import Tell
from bench.grading.weights import shipped, told
from bench.sweepfile import GraderSpec

BATCH = 64
"""Grades written in one go: an fsync each, but together."""
_RULES = (
    "blind.py", "content.py", "fold.py", "hits.py", "lexical.py", "matcher.py", "needles.py", "negation.py",
    "overlap.py", "passages.py", "patterns.py", "sentences.py", "weights.json",
)  # fmt: skip
"""The files that decide a lexical verdict; a change in one of them makes every grade out of date."""


@cache
def lexical_sha256() -> str:
    """A hash of the lexical grader's own rules."""
    digest = hashlib.sha256()
    for name in _RULES:
        digest.update((files("bench.grading") / name).read_bytes())
    return digest.hexdigest()


def lexical_run(
    store: GradedStore, spec: GraderSpec, seed: int, fixtures: Mapping[str, Fixture], tell: Tell
) -> GraderResult:
    """What the lexical grader came to over the outputs of these fixtures: none stays without a grade."""
    sealed = sealed_and_mapped(store, spec, seed)
    total = sum(s.row.fixture in fixtures for s in sealed)
    made = 0
    waiting: list[tuple[Path, bytes]] = []
    for done, one in enumerate(due(store, spec, sealed, fixtures, lexical_sha256()), 1):
        if not one.graded:
            waiting.append((one.path, msgspec.json.encode(_grade(one, spec, seed)) + b"\n"))
            made += 1
        if waiting and (len(waiting) == BATCH or done == total):
            write_all(waiting)
            waiting = []
        tell(done, total)
    scored = any(not atom.accept for fixture in fixtures.values() for atom in fixture.key.atoms)
    notes = (told(shipped()),) if scored else ()
    return GraderResult(grader=grader_folder(spec), grades=total, made=made, notes=notes)


def _grade(one: Due, spec: GraderSpec, seed: int) -> GradeFile:
    key = one.fixture.key
    findings, inventions = grade(one.seen.text, key)
    atoms = shuffled(key.atoms, [a.id for a in key.atoms], seed, one.sealed.id)
    made = grade_file(one, spec, atoms, findings, inventions)
    return replace(
        made,
        inventions_known=bool(key.never),
        stale_known=any(a.stale for a in key.atoms),
        wrong_known=any(a.wrong for a in key.atoms),
    )
