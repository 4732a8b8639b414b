"""The atoms of a run as the report shows them: what each asks, where it comes from, and which arms carried it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bench.analysis.atoms.lost import atom_arms
from bench.analysis.units import CEILING, CONTROLS, SERIES
from bench.fixtures import Fixture
from bench.frames import records
from bench.grading.views import SourceTurn, sources_of
from bench.runs.atoms import atom_texts
from bench.runs.view import Grading, ranked_of

if TYPE_CHECKING:
    from bench.runs.index import Run

Line = Mapping[str, object]
Place = tuple[str, str]
"""A fixture and an atom of it."""

CELLS_MOST = 15_000
"""Atoms times arms of one page: each cell takes some 130 bytes of it."""


@dataclass(frozen=True)
class Carried:
    """One arm's cell: how many of its outputs carried the atom, `1.5/2` with partial ones."""

    name: str
    told: str
    level: str
    """`all`, `some`, `none` or `unknown`."""
    stale: int
    wrong: int


@dataclass(frozen=True)
class Atom:
    """One atom of one fixture. `text` is None where the key is not the one that was graded with."""

    fixture: str
    id: str
    tag: str
    importance: str
    text: str | None
    sources: tuple[SourceTurn, ...]
    arms: tuple[Carried, ...]

    @property
    def anchor(self) -> str:
        return f"{self.fixture}/{self.id}"


def atom_list(
    run: Run,
    grading: Grading,
    series: Mapping[tuple[object, ...], str],
    kinds: Mapping[str, str],
    fixtures: Mapping[str, Fixture],
    order: Sequence[str],
) -> tuple[list[Atom], int]:
    """The atoms, those that fewest arms carried on top, and how many of the others are left out.

    `series` maps a series to its name on the page, `kinds` that to its kind; `fixtures` are those that are still there,
    `order` is that of the names.
    """
    texts = {(str(f), str(a)): str(t) for f, a, t in atom_texts(run).itertuples(index=False)}
    sources = _sources(run, fixtures)
    found: dict[Place, dict[str, Line]] = defaultdict(dict)
    for line in records(atom_arms(ranked_of(run, grading))):
        name = series[tuple(line[column] for column in SERIES)]
        found[str(line["fixture"]), str(line["atom"])][name] = line
    controls_last = sorted(order, key=lambda name: kinds[name] in CONTROLS)
    ranked = [
        (
            _mean(lines, kinds),
            _atom(place, {n: lines[n] for n in controls_last if n in lines}, texts.get(place), sources.get(place, ())),
        )
        for place, lines in found.items()
    ]
    ranked.sort(key=lambda pair: (pair[0], pair[1].anchor))
    most = max(CELLS_MOST // max(len(series), 1), 1)
    return [atom for _, atom in ranked[:most]], max(len(ranked) - most, 0)


def _atom(place: Place, lines: Mapping[str, Line], text: str | None, sources: tuple[SourceTurn, ...]) -> Atom:
    first = next(iter(lines.values()))
    arms = tuple(_carried(name, line) for name, line in lines.items())
    return Atom(*place, str(first["tag"]), str(first["importance"]), text, sources, arms)


def _mean(lines: Mapping[str, Line], kinds: Mapping[str, str]) -> float:
    """Mean credit over the arms, but those that hold the transcript itself."""
    rivals = [_number(line["credit"]) for name, line in lines.items() if kinds.get(name) not in CEILING]
    return sum(rivals) / len(rivals) if rivals else 0.0


def _carried(name: str, line: Line) -> Carried:
    n, credit = int(_number(line["n"])), line["credit"]
    share = _number(credit) if credit is not None else 0.0
    level = "unknown" if credit is None or not n else "all" if share == 1 else "some" if share else "none"
    told = f"{round(share * n, 1):g}/{n}"
    return Carried(name, told, level, int(_number(line["stale"])), int(_number(line["wrong"])))


def _sources(run: Run, fixtures: Mapping[str, Fixture]) -> dict[Place, tuple[SourceTurn, ...]]:
    """Where each atom is established, of the fixtures whose key is still the one of the run."""
    marks = run.store.run_json().fixtures
    return {
        (name, atom): turns
        for name, fixture in fixtures.items()
        if fixture.key_sha256 == marks[name].key_sha256
        for atom, turns in sources_of(fixture).items()
    }


def _number(value: object) -> float:
    return float(value) if isinstance(value, int | float) else 0.0
