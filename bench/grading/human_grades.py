"""People as a grader: sheets written for what has no grade yet, and grades made of the sheets that come back.

What is missing is named by the sheets' opaque ids: whoever grades reads these lines, and must not learn an arm.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

import msgspec

from bench.atomic import write_all
from bench.errors import shown
from bench.fixtures import Fixture
from bench.grading.blind import shuffled
from bench.grading.files import GradeFile
from bench.grading.graders import grader_folder
from bench.grading.human_sheets import Filled, human_sha256, read_sheets, write_sheet
from bench.grading.made import one_pass, verdict_on
from bench.grading.model import Invention
from bench.grading.outputs import Due, GradedStore, due, sealed_and_mapped
from bench.grading.results import GraderResult
from bench.sweepfile import GraderSpec

SHEETS = "sheets"


def sheets_folder(store: GradedStore, spec: GraderSpec) -> Path:
    """Where the blind sheets of this way of grading lie."""
    return store.grades_dir / grader_folder(spec) / SHEETS


def human_run(store: GradedStore, spec: GraderSpec, seed: int, fixtures: Mapping[str, Fixture]) -> GraderResult:
    """Write a sheet for every output and pass without a current grade; the result says where they wait."""
    dues = _dues(store, spec, seed, fixtures)
    folder = sheets_folder(store, spec)
    missing = [one for one in dues.values() if not one.graded]
    new = sum(write_sheet(one, folder, seed) for one in missing)
    waiting = f"{len(missing)} sheets wait in {shown(folder)}, {new} of them new; read them with --human --read FILE"
    return GraderResult(
        grader=grader_folder(spec),
        asks=True,
        grades=len(dues),
        missing=tuple(f"sheet {one.sealed.id}" for one in missing),
        skipped=waiting if missing else None,
    )


def read_human(
    store: GradedStore, spec: GraderSpec, seed: int, fixtures: Mapping[str, Fixture], paths: Iterable[Path]
) -> GraderResult:
    """Grades made of filled-in sheets. Raises Problems that name each bad line; then no grade is made."""
    dues = _dues(store, spec, seed, fixtures)
    filled = read_sheets(paths, dues, sheets_folder(store, spec))
    grades = [(dues[id_], _grade(dues[id_], said, spec, seed)) for id_, said in filled.items()]
    write_all([(one.path, msgspec.json.encode(grade) + b"\n") for one, grade in grades])
    missing = [one for one in dues.values() if not one.graded]
    return GraderResult(
        grader=grader_folder(spec),
        asks=True,
        grades=len(dues),
        made=len(grades),
        missing=tuple(f"sheet {one.sealed.id}" for one in missing),
        missing_verdicts=sum(v.verdict is None for _, grade in grades for v in grade.verdicts),
        skipped=f"{len(missing)} sheets are still out" if missing else None,
    )


def _dues(store: GradedStore, spec: GraderSpec, seed: int, fixtures: Mapping[str, Fixture]) -> dict[str, Due]:
    sealed = sealed_and_mapped(store, spec, seed)
    return {one.sealed.id: one for one in due(store, spec, sealed, fixtures, human_sha256())}


def _grade(one: Due, filled: Filled, spec: GraderSpec, seed: int) -> GradeFile:
    key = one.fixture.key
    verdicts = []
    for position, atom in enumerate(shuffled(key.atoms, [a.id for a in key.atoms], seed, one.sealed.id)):
        verdict, evidence = filled.said.get(atom.id, (None, None))
        verdicts.append(verdict_on(atom, position, verdict, evidence, None if evidence is None else True))
    stated = {never: filled.said.get(never.id, (None, None)) for never in key.never}
    listed = [
        Invention(never=n.id, text=n.text, evidence=evidence)
        for n, (verdict, evidence) in stated.items()
        if verdict == "carried"
    ]
    free = [Invention(never=f"free-{i}", text=text, evidence=e) for i, (text, e) in enumerate(filled.free, 1)]
    known = all(verdict is not None for verdict, _ in stated.values())
    return one_pass(one, spec, verdicts, (*listed, *free), known=known)
