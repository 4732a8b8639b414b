"""The outputs of a run as the report shows them: what became of each, its verdicts, and its text with the evidence."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import quote

from bench.analysis.units import OUTPUT, SERIES
from bench.forks.store import TEXT
from bench.frames import lines, records
from bench.report.highlight import Piece, located, pieces
from bench.runs.view import Grading, one_grading, recall
from bench.runs.words import points, usd, whole
from bench.text import ABSENT

if TYPE_CHECKING:
    import pandas as pd

    from bench.rows import OutputRow
    from bench.runs.index import Run

LETTERS = {"carried": "C", "partial": "P", "absent": "L", "stale": "S", "wrong": "W", None: "."}
"""Verdict -> its letter; '.' where the grade is missing, a blank where the atom was not asked about."""
NOT_ASKED = " "
HELD = ("carried", "partial", "stale", "wrong")
"""Verdicts whose evidence is something that the handoff says of the atom."""

Key = tuple[object, ...]


@dataclass(frozen=True)
class Output:
    """One output. Figures are in words; `verdicts` has a text of letters a pass, in the order of the atoms."""

    id: str
    fixture: str
    name: str
    """Of its series, as tables and figures call it."""
    label: str
    """Which one of the series: `r1`."""
    outcome: str
    detail: str
    recall: str
    tokens: str
    cost: str
    file: str | None
    """Address of its text as seen from the page; None where it has none."""
    verdicts: tuple[str, ...]
    replicate: int
    full: bool
    row: OutputRow
    more: int = 0
    """Further replicates that the page does not list."""


def output_list(
    run: Run, grading: Grading | None, series: Mapping[tuple[object, ...], str], base: str = ""
) -> list[Output]:
    """Every output in the order of fixture, arm, model, step, staleness, replicate.

    `series` maps a series to its name on the page; `base` is the address of the run's folder as seen from the page,
    with a slash at its end.
    """
    grades = _grades(run, grading)
    recalls = {} if grading is None else _recalls(run, grading)
    atoms = fixture_atoms(run, grading)
    rows = {_key(row): row for row in run.store.rows()}
    found = []
    for n, line in enumerate(records(run.outputs[OUTPUT]), 1):
        row = rows[_place(line)]
        place = run.store.output_path(row, TEXT).relative_to(run.root).as_posix()
        file = base + quote(place) if row.handoff_chars else None
        name = series[tuple(line[column] for column in SERIES)]
        found.append(_output(f"o{n}", name, row, file, recalls, grades, atoms))
    return found


def fixture_atoms(run: Run, grading: Grading | None) -> dict[str, list[str]]:
    """Ids of each fixture's atoms that anything was graded on, in order."""
    found: dict[str, set[str]] = {str(fixture): set() for fixture in run.outputs["fixture"].unique()}
    for fixture, atom in lines(_grades_of(run, grading)[["fixture", "atom"]].drop_duplicates()):
        found[str(fixture)].add(str(atom))
    return {fixture: sorted(atoms) for fixture, atoms in found.items()}


def marked(run: Run, output: Output, evidence: Mapping[Key, list[tuple[str, str, str | None]]]) -> list[Piece]:
    """The output's text in pieces; `evidence` is from `evidence_of`."""
    text = run.store.handoff_text(output.row)
    return pieces(text, located(text, evidence.get(_key(output.row), [])))


def evidence_of(run: Run, grading: Grading | None) -> dict[Key, list[tuple[str, str, str | None]]]:
    """Output -> (atom, verdict, quote) of every pass that found something said of the atom."""
    found: dict[Key, list[tuple[str, str, str | None]]] = defaultdict(list)
    grades = _grades_of(run, grading)
    held = grades[grades["verdict"].isin(HELD) & grades["evidence"].notna()]
    for *place, atom, verdict, quoted in lines(held[[*OUTPUT, "atom", "verdict", "evidence"]]):
        found[tuple(place)].append((str(atom), str(verdict), str(quoted)))
    return dict(found)


def _output(
    id_: str,
    name: str,
    row: OutputRow,
    file: str | None,
    recalls: Mapping[Key, object],
    grades: Mapping[Key, dict[int, dict[str, str]]],
    atoms: Mapping[str, list[str]],
) -> Output:
    place = _key(row)
    value = recalls.get(place)
    passes = grades.get(place, {})
    return Output(
        id=id_,
        fixture=row.fixture,
        name=name,
        label=f"r{row.replicate}",
        outcome=row.outcome,
        detail=row.detail or "",
        recall=points(value) if isinstance(value, float) else ABSENT,
        tokens=ABSENT if row.handoff_tokens is None else whole(row.handoff_tokens),
        cost=ABSENT if row.usd_api is None else usd(row.usd_api),
        file=file,
        verdicts=tuple("".join(passes[n].get(a, NOT_ASKED) for a in atoms[row.fixture]) for n in sorted(passes)),
        replicate=row.replicate,
        full=row.kind == "full",
        row=row,
    )


def _recalls(run: Run, grading: Grading) -> dict[Key, object]:
    table = recall(run)
    table = table[(table["grader"] == grading.grader) & (table["scope"] == grading.scope)]
    return {_place(line): line["recall"] for line in records(table[[*OUTPUT, "recall"]])}


def _grades(run: Run, grading: Grading | None) -> dict[Key, dict[int, dict[str, str]]]:
    """Output -> pass -> atom -> letter."""
    found: dict[Key, dict[int, dict[str, str]]] = defaultdict(lambda: defaultdict(dict))
    columns = [*OUTPUT, "grading_pass", "atom", "verdict"]
    for *place, number, atom, verdict in lines(_grades_of(run, grading)[columns]):
        found[tuple(place)][int(str(number))][str(atom)] = LETTERS[verdict]  # type: ignore[index]
    return found


def _grades_of(run: Run, grading: Grading | None) -> pd.DataFrame:
    """The verdicts of one way of grading; without one, none."""
    return run.grades.iloc[:0] if grading is None else one_grading(run, grading).grades


def _place(line: Mapping[str, object]) -> Key:
    return tuple(line[column] for column in OUTPUT)


def _key(row: OutputRow) -> Key:
    return tuple(getattr(row, column) for column in OUTPUT)
