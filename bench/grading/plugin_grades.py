"""A grader of another package over a run: blind like all others, its findings checked before they are a grade.

It is given the text of one output and the key, atoms in an order of that output's own; neither holds an arm, a model, a
run or a fixture's name. Where it fails, or says what cannot be, that grade stays missing, with the reason in one line.
"""

from __future__ import annotations

import hashlib
import inspect
import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import get_args

import msgspec
from msgspec.structs import replace

from bench.atomic import write_all
from bench.environment import struck
from bench.errors import BenchError
from bench.fixtures import Fixture
from bench.forks.cells import place
from bench.grading.blind import shuffled
from bench.grading.graders import grader_folder
from bench.grading.made import grade_file
from bench.grading.model import Finding, Invention
from bench.grading.outputs import Due, GradedStore, due, sealed_and_mapped
from bench.grading.results import GraderResult
from bench.grading.tell import Tell
from bench.keys import Atom, Key
from bench.plugins import REASON_CHARS, Grader, OfferedGrader, open_grader
from bench.rows import Verdict
from bench.sweepfile import GraderSpec
from bench.text import clip

VERDICTS = get_args(Verdict)


class BadFinding(BenchError):
    """What a grader said cannot be a grade."""


def plugin_run(
    store: GradedStore, spec: GraderSpec, seed: int, fixtures: Mapping[str, Fixture], tell: Tell
) -> GraderResult:
    """What the grader of that kind came to over the outputs of these fixtures. Raises BenchError where there is none.

    A grade is on disk before the next is made. Where the grader raised, or a finding was refused, the grade is missing.
    """
    offered = open_grader(spec.kind)
    sealed = sealed_and_mapped(store, spec, seed)
    total = sum(s.row.fixture in fixtures for s in sealed)
    made, unsaid = 0, 0
    missing: list[str] = []
    failures: Counter[str] = Counter()
    for done, one in enumerate(due(store, spec, sealed, fixtures, plugin_sha256(spec.kind, offered)), 1):
        if not one.graded:
            atoms = shuffled(one.fixture.key.atoms, [a.id for a in one.fixture.key.atoms], seed, one.sealed.id)
            try:
                found = _graded(offered.grader, one, atoms)
            except BadFinding as refused:
                failures[f"grader '{spec.kind}' {refused}"] += 1
                missing.append(f"{place(one.row)} pass {one.sealed.grading_pass}")
            else:
                grade = grade_file(one, spec, atoms, *found)
                write_all([(one.path, msgspec.json.encode(grade) + b"\n")])
                made += 1
                unsaid += sum(v.verdict is None for v in grade.verdicts)
        tell(done, total)
    return GraderResult(
        grader=grader_folder(spec),
        grades=total,
        made=made,
        missing=tuple(missing),
        failures=failures,
        missing_verdicts=unsaid,
    )


def plugin_sha256(kind: str, offered: OfferedGrader) -> str:
    """A hash of the grader: its kind, its package with version, its module's file, and its `rules` where it has any.

    A change of one of them makes its grades out of date. `rules` is text or bytes, for what lies elsewhere: weights.
    """
    grader, package = offered
    rules: object = getattr(grader, "rules", "")
    digest = hashlib.sha256()
    for part in (
        kind.encode(),
        package.encode(),
        _source(grader),
        rules if isinstance(rules, bytes) else str(rules).encode(),
    ):
        digest.update(hashlib.sha256(part).digest())
    return digest.hexdigest()


def _source(grader: Grader) -> bytes:
    """The file that the grader's class, or the grader itself where it is a module, is written in; empty for none."""
    try:
        file = inspect.getsourcefile(grader if inspect.ismodule(grader) else type(grader))
    except TypeError:  # built in, or made at run time
        return b""
    return Path(file).read_bytes() if file and Path(file).is_file() else b""


def _graded(grader: Grader, one: Due, atoms: Sequence[Atom]) -> tuple[list[Finding], list[Invention]]:
    """What the grader finds in the text, checked. Raises BadFinding where it raises or says what cannot be."""
    key, text = replace(one.fixture.key, atoms=tuple(atoms)), one.seen.text
    try:
        findings, inventions = grader.grade(text, key)
        said = [*findings], [*inventions]
    except (Exception, SystemExit) as error:  # anything at all may go wrong in another package
        why = struck(" ".join(f"{type(error).__name__}: {error}".split()), os.environ)
        raise BadFinding(f"failed: {clip(why, REASON_CHARS)}") from error
    return _findings(said[0], text, key), _inventions(said[1], text, key)


def _findings(said: Iterable[object], text: str, key: Key) -> list[Finding]:
    known = {atom.id for atom in key.atoms}
    checked: dict[str, Finding] = {}
    for one in said:
        if not isinstance(one, Finding):
            raise BadFinding(f"gives a {type(one).__name__} where a Finding belongs")
        if not isinstance(one.atom, str) or one.atom not in known:
            raise BadFinding(f"gives a verdict on an atom that the key does not have: {_shown(one.atom)}")
        if one.atom in checked:
            raise BadFinding(f"gives two verdicts on atom {one.atom}")
        if one.verdict is not None and one.verdict not in VERDICTS:
            raise BadFinding(f"calls atom {one.atom} {_shown(one.verdict)}; verdicts are {', '.join(VERDICTS)}")
        _check_evidence(one.evidence, text, f"atom {one.atom}")
        found = True if one.evidence else None
        checked[one.atom] = Finding(
            atom=one.atom, verdict=one.verdict, evidence=one.evidence or None, evidence_found=found
        )
    return list(checked.values())


def _inventions(said: Iterable[object], text: str, key: Key) -> list[Invention]:
    """Those of the key under its own words; others are numbered `free-1`, `free-2`, …."""
    nevers = {never.id: never.text for never in key.never}
    checked: list[Invention] = []
    free = 0
    for one in said:
        if not (isinstance(one, Invention) and isinstance(one.text, str) and isinstance(one.never, str)):
            raise BadFinding(f"gives a {type(one).__name__} where an Invention with a text belongs")
        _check_evidence(one.evidence, text, f"invention {_shown(one.never)}")
        listed = one.never in nevers
        free += not listed
        never = one.never if listed else f"free-{free}"
        checked.append(Invention(never=never, text=nevers.get(never, one.text), evidence=one.evidence or None))
    return checked


def _check_evidence(evidence: object, text: str, of: str) -> None:
    if evidence is not None and (not isinstance(evidence, str) or evidence not in text):
        raise BadFinding(f"gives evidence for {of} that does not stand in the output: {_shown(evidence)}")


def _shown(value: object) -> str:
    return repr(clip(" ".join(str(value).split()), 60))
