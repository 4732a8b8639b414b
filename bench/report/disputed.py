"""A person's disputes as the report shows them: at the atom, and at the output that they are about."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bench.analysis.units import OUTPUT
from bench.frames import records
from bench.runs.view import disputes

if TYPE_CHECKING:
    from bench.report.outputs import Output
    from bench.runs.index import Run


@dataclass(frozen=True)
class Disputed:
    """What a person says of one atom in one output. `graded`: each grader's verdict, in words; `output`: its id."""

    fixture: str
    atom: str
    output: str
    where: str
    scope: str
    verdict: str
    note: str
    graded: str
    outdated: bool

    @property
    def anchor(self) -> str:
        """Of the atom on the page."""
        return f"{self.fixture}/{self.atom}"


def disputed(run: Run, outputs: list[Output]) -> list[Disputed]:
    """The disputes of the run, one each, in the order of fixture, arm and atom."""
    by = {tuple(getattr(o.row, column) for column in OUTPUT): o for o in outputs}
    found: dict[tuple[object, ...], list[Mapping[str, object]]] = {}
    for line in records(disputes(run)):
        found.setdefault(tuple(line[column] for column in (*OUTPUT, "scope", "atom")), []).append(line)
    return [_disputed(by[key[: len(OUTPUT)]], lines) for key, lines in found.items() if key[: len(OUTPUT)] in by]


def _disputed(output: Output, lines: list[Mapping[str, object]]) -> Disputed:
    first = lines[0]
    return Disputed(
        fixture=output.fixture,
        atom=str(first["atom"]),
        output=output.id,
        where=f"{output.name} {output.label}",
        scope=str(first["scope"]),
        verdict=str(first["verdict"]),
        note=str(first["note"]),
        graded=", ".join(dict.fromkeys(_graded(lines))) or "not graded",
        outdated=any(line["outdated"] is True for line in lines if line["grader"] is not None),
    )


def _graded(lines: list[Mapping[str, object]]) -> Iterator[str]:
    for line in lines:
        if line["grader"] is not None:
            yield f"{line['grader']}: {line['grader_verdict'] or 'no verdict'}"
