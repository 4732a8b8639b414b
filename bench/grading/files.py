"""The grade files of a run: one file an output and pass, and the rows that they make with the blind map."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Literal, Protocol, TypeVar

import msgspec
from msgspec import Struct

from bench.errors import BenchError
from bench.grading.blind import BlindCell, read_map
from bench.grading.model import Invention
from bench.rows import SCORES, GradeRow, InventionRow, Verdict
from bench.sweepfile import Scope

T = TypeVar("T")


class GradeStore(Protocol):
    """Where a run's grades lie."""

    @property
    def grades_dir(self) -> Path: ...


class AtomVerdict(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One verdict with what the key said of the atom at that time, so that tables need no key."""

    atom: str
    tag: str
    by: str
    importance: str
    weight: float
    verdict: Verdict | None
    evidence: str | None = None
    evidence_found: bool | None = None
    position: int
    """Where the atom stood in the order that the grader saw, from 0."""
    call_id: str | None = None


class Hashes(Struct, frozen=True, kw_only=True):
    """What a grade rests on; where all three are the same it need not be made again."""

    output_sha256: str
    key_sha256: str
    grader_sha256: str


class GradeFile(Hashes, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """grades/<grader>/p1/<opaque>.json: the verdicts of one pass over one output."""

    version: Literal[1] = 1
    grader: str
    grader_model: str | None = None
    scope: Scope
    grading_pass: int
    verdicts: tuple[AtomVerdict, ...]
    inventions: tuple[Invention, ...] = ()
    inventions_known: bool = True
    """Whether inventions were looked for in full; where not, none found says nothing."""
    stale_known: bool = True
    """Whether an old value could be seen: the lexical grader sees one only where the key has a pattern of it."""
    wrong_known: bool = True


def grade_path(folder: Path, grading_pass: int, opaque: str) -> Path:
    """Where a grader (its folder) keeps the grade of one output and pass."""
    return folder / f"p{grading_pass}" / f"{opaque}.json"


def hashes_at(path: Path) -> Hashes | None:
    """What the grade at `path` rests on; None where there is none. Raises BenchError where it cannot be read."""
    return _decoded(path, Hashes) if path.is_file() else None


def read_grades(store: GradeStore) -> tuple[list[GradeRow], list[InventionRow]]:
    """Every verdict and invention of the run, joined with the outputs that they are of, by grader, output and pass.

    A grade that no blind map names (of an earlier seed, or of an output that is gone) is left out. Raises BenchError
    for a file that cannot be read.
    """
    grades: list[GradeRow] = []
    inventions: list[InventionRow] = []
    for path in sorted(store.grades_dir.glob("*/blind.json")):
        blind = read_map(path)
        cells = sorted(blind.outputs.items(), key=lambda item: _order(item[1]))
        for opaque, cell in cells:
            file = grade_path(path.parent, cell.grading_pass, opaque)
            if file.is_file():
                graded = _decoded(file, GradeFile)
                grades += _grade_rows(blind.run, cell, graded)
                inventions += _invention_rows(blind.run, cell, graded)
    return grades, inventions


def _grade_rows(run: str, cell: BlindCell, graded: GradeFile) -> Iterator[GradeRow]:
    for v in sorted(graded.verdicts, key=lambda v: v.atom):
        yield GradeRow(
            run=run,
            fixture=cell.fixture,
            arm=cell.arm,
            model=cell.model,
            replicate=cell.replicate,
            chain_step=cell.chain_step,
            stale_by=cell.stale_by,
            grader=graded.grader,
            grader_model=graded.grader_model,
            scope=graded.scope,
            grader_sha256=graded.grader_sha256,
            output_sha256=graded.output_sha256,
            key_sha256=graded.key_sha256,
            grading_pass=cell.grading_pass,
            atom=v.atom,
            tag=v.tag,
            by=v.by,
            importance=v.importance,
            weight=v.weight,
            verdict=v.verdict,
            score=None if v.verdict is None else SCORES[v.verdict],
            evidence=v.evidence,
            evidence_found=v.evidence_found,
            position=v.position,
            call_id=v.call_id,
            inventions_known=graded.inventions_known,
            stale_known=graded.stale_known,
            wrong_known=graded.wrong_known,
        )


def _invention_rows(run: str, cell: BlindCell, graded: GradeFile) -> Iterator[InventionRow]:
    for invention in graded.inventions:
        yield InventionRow(
            run=run,
            fixture=cell.fixture,
            arm=cell.arm,
            model=cell.model,
            replicate=cell.replicate,
            chain_step=cell.chain_step,
            stale_by=cell.stale_by,
            grader=graded.grader,
            scope=graded.scope,
            grading_pass=cell.grading_pass,
            never=invention.never,
            text=invention.text,
            evidence=invention.evidence,
        )


def _order(cell: BlindCell) -> tuple[str, str, str, int, int, int, int]:
    return cell.fixture, cell.arm, cell.model, cell.chain_step, cell.stale_by, cell.replicate, cell.grading_pass


def _decoded(path: Path, type_: type[T]) -> T:
    try:
        return msgspec.json.decode(path.read_bytes(), type=type_)
    except msgspec.MsgspecError as e:
        raise BenchError(f"is no grade: {e}; delete it and run 'bench grade'", path=path) from None
