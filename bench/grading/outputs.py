"""The outputs that a grader is to grade, as it may see them, and which of them have a current grade."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from msgspec.structs import replace

from bench.calls.locks import held
from bench.fixtures import Fixture
from bench.grading.blind import Sealed, Seen, seal, seen, telling_labels, write_map
from bench.grading.files import Hashes, grade_path, hashes_at
from bench.grading.graders import grader_folder, grader_name
from bench.rows import GRADED, OutputRow
from bench.sweepfile import GraderSpec


class GradedStore(Protocol):
    """What grading needs of a run's files."""

    @property
    def name(self) -> str: ...
    @property
    def grades_dir(self) -> Path: ...
    @property
    def journal(self) -> Path: ...
    def rows(self) -> list[OutputRow]: ...
    def handoff_text(self, row: OutputRow) -> str: ...
    def summary_text(self, row: OutputRow) -> str: ...


@dataclass(frozen=True)
class Due:
    """One pass over one output."""

    sealed: Sealed
    fixture: Fixture
    seen: Seen
    hashes: Hashes
    path: Path
    """Where its grade lies, or will."""

    @property
    def row(self) -> OutputRow:
        return self.sealed.row

    @property
    def graded(self) -> bool:
        """Whether it has a grade for its text, its key and this grader."""
        return hashes_at(self.path) == self.hashes


def sealed_outputs(store: GradedStore, spec: GraderSpec, seed: int) -> list[Sealed]:
    """Every pass over every output with a text to grade, under its opaque id and in the order of the ids."""
    return seal((row for row in store.rows() if row.outcome in GRADED), seed, spec.passes)


def sealed_and_mapped(store: GradedStore, spec: GraderSpec, seed: int) -> list[Sealed]:
    """The same, with the grader's blind map brought up to date."""
    folder = store.grades_dir / grader_folder(spec)
    with held(folder / ".lock"):  # a process that lists outputs later writes the later map
        sealed = sealed_outputs(store, spec, seed)
        write_map(folder / "blind.json", store.name, grader_name(spec), spec.scope, seed, sealed)
    return sealed


def due(
    store: GradedStore,
    spec: GraderSpec,
    sealed: Sequence[Sealed],
    fixtures: Mapping[str, Fixture],
    grader_sha256: str,
) -> Iterator[Due]:
    """What of `sealed` is of these fixtures, read from disk one by one: text without lineage line and label.

    Each is asked for what its step of a chain can hold.
    """
    mine = [s for s in sealed if s.row.fixture in fixtures]
    labels = _telling_labels(mine, fixtures)
    folder = store.grades_dir / grader_folder(spec)
    steps = {(s.row.fixture, s.row.chain_step) for s in mine}
    keys = {(name, step): fixtures[name].key_at(step) for name, step in steps}
    for one in mine:
        fixture = fixtures[one.row.fixture]
        text = store.handoff_text(one.row) if spec.scope == "handoff" else store.summary_text(one.row)
        yield Due(
            sealed=one,
            fixture=replace(fixture, key=keys[one.row.fixture, one.row.chain_step]),
            seen=seen(text, labels[one.row.fixture, one.row.arm]),
            hashes=Hashes(
                output_sha256=hashlib.sha256(text.encode("utf-8", "replace")).hexdigest(),
                key_sha256=fixture.key_sha256,
                grader_sha256=grader_sha256,
            ),
            path=grade_path(folder, one.grading_pass, one.id),
        )


def _telling_labels(
    sealed: Sequence[Sealed], fixtures: Mapping[str, Fixture]
) -> dict[tuple[str, str], tuple[str, ...]]:
    """For each fixture and arm: the labels that a grader must not see."""
    talks = {name: "\n".join(m.text for m in f.transcript.messages) for name, f in fixtures.items()}
    pairs = {(s.row.fixture, s.row.arm) for s in sealed}
    return {(fixture, arm): telling_labels(arm, talks[fixture]) for fixture, arm in pairs}
