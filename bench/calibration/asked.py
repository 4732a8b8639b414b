"""What a grader says of labelled units: the scored matcher offline, or a judge over its usual questions.

A judge sees each labelled text as it sees an output, and the units of its document as atoms; its answers are kept under
`folder`, so that none is paid for twice. Its `carried` counts as present, all else as not; `partial` too is no more
than a part of the statement. A missing verdict is missing.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from bench.analysis.graders.calibration import Judged
from bench.calibration.keys import atom_id, keys_of
from bench.calibration.labels import LabelledText, Unit
from bench.fixtures import Fixture, FixtureFile
from bench.grading.matcher import Matcher
from bench.grading.means import Means
from bench.grading.negation import Reading
from bench.grading.results import GraderResult
from bench.grading.weights import Weights
from bench.keys import Key
from bench.rows import OutputRow
from bench.sweepfile import GraderSpec
from bench.transcripts.model import Transcript

SEED = 0
"""Of the judge's fences and orders: the same labels ask the same questions."""


def by_matcher(texts: Sequence[LabelledText], weights: Weights | None = None) -> list[Judged]:
    """Each unit with the verdict of the scored matcher, by the shipped weights or by others."""
    keys = keys_of(texts)
    judged = []
    for one in texts:
        key = keys[one.document]
        atoms = {atom.id: atom for atom in key.atoms}
        matcher = Matcher(Reading(one.text), key, weights)
        judged += [_judged(one, u, bool(matcher.find(atoms[atom_id(u.unit_id, u.text)]))) for u in one.units]
    return judged


def by_judge(
    texts: Sequence[LabelledText],
    model: str,
    means: Means,
    folder: Path,
    tell: Callable[[str, int, int], None] | None = None,
) -> tuple[list[Judged], GraderResult]:
    """Each unit with the judge's verdict, and what asking came to. What stays unasked is missing; ask again for it.

    Raises BenchError where the judge may not be paid for.
    """
    from bench.grading.run import grade_run, read_grades

    store = _LabelStore(folder, texts)
    (result,) = grade_run(store, (GraderSpec(kind="judge", model=model),), SEED, store.fixtures, tell, means=means)
    verdicts = {(row.arm, row.atom): row.verdict for row in read_grades(store)[0]}
    judged = []
    for number, one in enumerate(texts):
        for unit in one.units:
            verdict = verdicts.get((_arm(number), atom_id(unit.unit_id, unit.text)))
            judged.append(_judged(one, unit, None if verdict is None else verdict == "carried"))
    return judged, result


def _judged(one: LabelledText, unit: Unit, carried: bool | None) -> Judged:
    label = None if unit.label is None else unit.label == 1
    return Judged(one.document, carried, label, unit.unanimous, unit.has_number)


def _arm(number: int) -> str:
    return f"text-{number + 1}"


@dataclass(frozen=True)
class _LabelStore:
    """The labelled texts as the outputs of a run: one arm a text, one fixture a text with its own units as key."""

    root: Path
    texts: Sequence[LabelledText]
    name: str = "labels"

    @property
    def grades_dir(self) -> Path:
        return self.root / "grades"

    @property
    def journal(self) -> Path:
        return self.root / "journal.jsonl"

    def rows(self) -> list[OutputRow]:
        return [
            OutputRow(
                run=self.name, fixture=_arm(n), arm=_arm(n), kind="replay", model="none", replicate=1,
                outcome="handoff", cell_key=hashlib.sha256(f"{n}\0{one.text}".encode()).hexdigest(),
            )
            for n, one in enumerate(self.texts)
        ]  # fmt: skip

    def handoff_text(self, row: OutputRow) -> str:
        return self.texts[int(row.arm.removeprefix("text-")) - 1].text

    def summary_text(self, row: OutputRow) -> str:
        return self.handoff_text(row)

    @cached_property
    def fixtures(self) -> dict[str, Fixture]:
        keys = (keys_of([one])[one.document] for one in self.texts)
        return {_arm(n): _fixture(_arm(n), self.root, key) for n, key in enumerate(keys)}


def _fixture(name: str, folder: Path, key: Key) -> Fixture:
    about = FixtureFile(
        version=1, title=name, harness="none", source="human labels", licence="as the labels", language="en",
        split="dev", tokens=0, sha256="",
    )  # fmt: skip
    sha256 = hashlib.sha256("\0".join(f"{a.id}\0{a.text}" for a in key.atoms).encode()).hexdigest()
    return Fixture(
        name=name, folder=folder, about=about, transcript=Transcript(format="none", messages=()), key=key,
        key_lines={}, transcript_sha256="", key_sha256=sha256,
    )  # fmt: skip
