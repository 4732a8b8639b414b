"""From findings to the grade of one pass over one output. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from bench.grading.files import AtomVerdict, GradeFile
from bench.grading.graders import grader_name
from bench.grading.judge.looking import Looked
from bench.grading.judge.subjects import Pass
from bench.grading.model import Finding, Invention
from bench.sweepfile import GraderSpec


def grade_of(one: Pass, spec: GraderSpec, looked: Iterable[Looked]) -> GradeFile:
    """The grade, from what all questions of the pass came to; what was not answered is missing in it."""
    looked = list(looked)
    findings = {id_: finding for part in looked for id_, finding in part.findings.items()}
    nevers = {n.id: n for n in one.due.fixture.key.never}
    stated = [findings[i] for i in nevers if i in findings]
    listed = [
        Invention(never=id_, text=never.text, evidence=findings[id_].evidence)
        for id_, never in nevers.items()
        if id_ in findings and findings[id_].verdict == "carried"
    ]
    free = [replace(i, never=f"free-{n}") for n, i in enumerate((i for part in looked for i in part.inventions), 1)]
    hashes = one.due.hashes
    return GradeFile(
        output_sha256=hashes.output_sha256,
        key_sha256=hashes.key_sha256,
        grader_sha256=hashes.grader_sha256,
        grader=grader_name(spec),
        grader_model=spec.model,
        scope=spec.scope,
        grading_pass=one.number,
        verdicts=tuple(_verdicts(one, findings)),
        inventions=(*listed, *free),
        inventions_known=all(part.answered for part in looked) and all(f.verdict is not None for f in stated),
    )


def blank_grade(one: Pass, spec: GraderSpec) -> GradeFile:
    """The grade of an output that holds nothing: nothing is carried, nothing invented."""
    key = one.due.fixture.key
    absent = {i: Finding(atom=i, verdict="absent") for i in (*(a.id for a in key.atoms), *(n.id for n in key.never))}
    return grade_of(one, spec, [Looked(absent)])


def missing_grade(one: Pass, spec: GraderSpec) -> GradeFile:
    """The grade of an output that the judge cannot read whole: every verdict is missing."""
    return grade_of(one, spec, [Looked({}, answered=False)])


def _verdicts(one: Pass, findings: dict[str, Finding]) -> Iterable[AtomVerdict]:
    """In the order in which the pass asked."""
    for position, atom in enumerate(one.sheet.atoms.values()):
        finding = findings.get(atom.id) or Finding(atom=atom.id, verdict=None)
        yield AtomVerdict(
            atom=atom.id,
            tag=atom.tag,
            by=atom.by,
            importance=atom.importance,
            weight=atom.weight,
            verdict=finding.verdict,
            evidence=finding.evidence,
            evidence_found=finding.evidence_found,
            position=position,
            call_id=finding.call_id,
        )
