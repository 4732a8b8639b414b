"""Grading a run: every output that has no grade yet for its text, its key and this grader; blind, in opaque order."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Protocol

import msgspec

from bench.atomic import write_all
from bench.errors import BenchError
from bench.fixtures import Fixture
from bench.forks.locks import held
from bench.grading.blind import Scope, Sealed, Seen, seal, seen, shuffled, telling_labels, write_map
from bench.grading.files import AtomVerdict, GradeFile, Hashes, grade_path, hashes_at, read_grades
from bench.grading.lexical import grade
from bench.rows import GRADED, OutputRow
from bench.sweepfile import GraderSpec

__all__ = ["GradedStore", "Progress", "grade_run", "grader_folder", "grader_sha256", "read_grades"]

BATCH = 64
"""Grades written in one go: an fsync each, but together."""
_RULES = ("blind", "fold", "hits", "lexical", "matcher", "needles", "negation", "passages", "patterns")
"""The modules that decide a lexical verdict; a change in one of them makes every grade out of date."""

Progress = Callable[[str, int, int], None]
"""Called with the grader's folder name, how many outputs are done, and how many there are."""


class GradedStore(Protocol):
    """What grading needs of a run's files."""

    @property
    def name(self) -> str: ...
    @property
    def grades_dir(self) -> Path: ...
    def rows(self) -> list[OutputRow]: ...
    def handoff_text(self, row: OutputRow) -> str: ...
    def summary_text(self, row: OutputRow) -> str: ...


def grade_run(
    store: GradedStore,
    graders: Sequence[GraderSpec],
    seed: int,
    fixtures: Mapping[str, Fixture],
    progress: Progress | None = None,
) -> None:
    """Grades every output of `fixtures` that has no grade for its text, key and grader; the others keep theirs.

    Only outcomes with a text to grade are graded. Raises BenchError, before any grading, for a grader that is not
    built yet.
    """
    for spec in graders:
        if spec.kind != "lexical":
            raise BenchError(f"the grader '{spec.kind}' is not built yet; use kind = \"lexical\"")
    for spec in graders:
        _grade(store, spec, seed, fixtures, progress)


def grader_folder(spec: GraderSpec) -> str:
    """The grader's folder in grades/: `lexical`, or `lexical-summary` where it reads the model's reply alone."""
    return spec.kind if spec.scope == "handoff" else f"{spec.kind}-{spec.scope}"


@cache
def grader_sha256() -> str:
    """A hash of the lexical grader's own rules."""
    digest = hashlib.sha256()
    for name in _RULES:
        digest.update((files("bench.grading") / f"{name}.py").read_bytes())
    return digest.hexdigest()


def _grade(
    store: GradedStore,
    spec: GraderSpec,
    seed: int,
    fixtures: Mapping[str, Fixture],
    progress: Progress | None,
) -> None:
    folder = store.grades_dir / grader_folder(spec)
    with held(folder / ".lock"):  # a process that lists outputs later writes the later map
        sealed = seal((row for row in store.rows() if row.outcome in GRADED), seed, spec.passes)
        write_map(folder / "blind.json", store.name, spec.kind, spec.scope, seed, sealed)
    mine = [s for s in sealed if s.row.fixture in fixtures]
    labels = _telling_labels(mine, fixtures)
    waiting: list[tuple[Path, bytes]] = []
    for done, one in enumerate(mine, 1):
        fixture = fixtures[one.row.fixture]
        text = store.handoff_text(one.row) if spec.scope == "handoff" else store.summary_text(one.row)
        hashes = Hashes(output_sha256=_sha256(text), key_sha256=fixture.key_sha256, grader_sha256=grader_sha256())
        path = grade_path(folder, one.grading_pass, one.id)
        if hashes_at(path) != hashes:
            graded = _graded(seen(text, labels[one.row.fixture, one.row.arm]), fixture, one, spec.scope, seed, hashes)
            waiting.append((path, msgspec.json.encode(graded) + b"\n"))
        if waiting and (len(waiting) == BATCH or done == len(mine)):
            write_all(waiting)
            waiting = []
        if progress:
            progress(folder.name, done, len(mine))


def _telling_labels(
    sealed: Sequence[Sealed], fixtures: Mapping[str, Fixture]
) -> dict[tuple[str, str], tuple[str, ...]]:
    """For each fixture and arm: the labels that a grader must not see."""
    talks = {name: "\n".join(m.text for m in f.transcript.messages) for name, f in fixtures.items()}
    pairs = {(s.row.fixture, s.row.arm) for s in sealed}
    return {(fixture, arm): telling_labels(arm, talks[fixture]) for fixture, arm in pairs}


def _graded(text: Seen, fixture: Fixture, one: Sealed, scope: Scope, seed: int, hashes: Hashes) -> GradeFile:
    findings, inventions = grade(text.text, fixture.key)
    by_id = {finding.atom: finding for finding in findings}
    atoms = shuffled(fixture.key.atoms, [a.id for a in fixture.key.atoms], seed, one.id)
    verdicts = [
        AtomVerdict(
            atom=atom.id,
            tag=atom.tag,
            by=atom.by,
            importance=atom.importance,
            weight=atom.weight,
            verdict=(finding := by_id[atom.id]).verdict,
            evidence=None if finding.evidence is None else text.restore(finding.evidence),
            evidence_found=finding.evidence_found,
            position=position,
        )
        for position, atom in enumerate(atoms)
    ]
    restored = [msgspec.structs.replace(i, evidence=text.restore(i.evidence or "")) for i in inventions]
    return GradeFile(
        output_sha256=hashes.output_sha256,
        key_sha256=hashes.key_sha256,
        grader_sha256=hashes.grader_sha256,
        grader="lexical",
        scope=scope,
        grading_pass=one.grading_pass,
        verdicts=tuple(verdicts),
        inventions=tuple(restored),
    )


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
