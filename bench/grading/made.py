"""From what a grader found in the text that it saw to the grade of one pass over one output. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from bench.grading.files import AtomVerdict, GradeFile
from bench.grading.graders import grader_name
from bench.grading.model import Finding, Invention
from bench.grading.outputs import Due
from bench.keys import Atom
from bench.rows import Verdict
from bench.sweepfile import GraderSpec


def grade_file(
    one: Due, spec: GraderSpec, atoms: Sequence[Atom], findings: Sequence[Finding], inventions: Sequence[Invention]
) -> GradeFile:
    """The grade, its evidence in the words of the output itself; `atoms` in the order in which the grader saw them.

    An atom without a finding has no verdict.
    """
    restore = one.seen.restore
    by_id = {finding.atom: finding for finding in findings}
    verdicts = []
    for position, atom in enumerate(atoms):
        finding = by_id.get(atom.id) or Finding(atom=atom.id, verdict=None)
        evidence = None if finding.evidence is None else restore(finding.evidence)
        verdicts.append(verdict_on(atom, position, finding.verdict, evidence, finding.evidence_found))
    return one_pass(one, spec, verdicts, [replace(i, evidence=restore(i.evidence or "")) for i in inventions])


def verdict_on(
    atom: Atom, position: int, verdict: Verdict | None, evidence: str | None, found: bool | None
) -> AtomVerdict:
    """The verdict on an atom that stood at that position; `evidence` in the words of the output itself."""
    return AtomVerdict(
        atom=atom.id,
        tag=atom.tag,
        by=atom.by,
        importance=atom.importance,
        weight=atom.weight,
        verdict=verdict,
        evidence=evidence,
        evidence_found=found,
        position=position,
    )


def one_pass(
    one: Due, spec: GraderSpec, verdicts: Iterable[AtomVerdict], inventions: Iterable[Invention], *, known: bool = True
) -> GradeFile:
    """The grade of one pass over one output; `known`: whether inventions were looked for in full."""
    return GradeFile(
        output_sha256=one.hashes.output_sha256,
        key_sha256=one.hashes.key_sha256,
        grader_sha256=one.hashes.grader_sha256,
        grader=grader_name(spec),
        scope=spec.scope,
        grading_pass=one.sealed.grading_pass,
        verdicts=tuple(verdicts),
        inventions=tuple(inventions),
        inventions_known=known,
    )
