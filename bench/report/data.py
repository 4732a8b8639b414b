"""Everything that the page of a run says, gathered: a run in, a `Page` out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from markupsafe import Markup

from bench.analysis.units import CONTROLS, SERIES, named
from bench.report.atoms import Atom, atom_list
from bench.report.details import Details, details, run_fixtures
from bench.report.disputed import Disputed, disputed
from bench.report.figures import Picture, pictures
from bench.report.marks import marks
from bench.report.outputs import Output, fixture_atoms, output_list
from bench.report.verdicts import Verdicts, verdicts
from bench.runs.left_out import arms_left_out
from bench.runs.view import Grading, arm_table, compare, gradings, truncated_too
from bench.runs.words import ARMS, LEGENDS, in_words, spread_of

if TYPE_CHECKING:
    import pandas as pd

    from bench.runs.index import Run


@dataclass(frozen=True)
class ArmTable:
    """The arm table of one way of grading (None: the run is not graded): the names of its lines, and the lines."""

    grading: Grading | None
    names: Sequence[str]
    lines: Sequence[Mapping[str, object]]


@dataclass(frozen=True)
class Page:
    """What a page holds. The first way of grading is the one of figures, atoms and evidence."""

    run: str
    base: str
    grading: Grading | None
    verdicts: Sequence[Verdicts]
    tables: Sequence[ArmTable]
    legends: Sequence[str]
    pictures: Sequence[Picture]
    atoms: Sequence[Atom]
    atoms_left_out: int
    fixture_atoms: Mapping[str, Sequence[str]]
    outputs: Sequence[Output]
    disputes: Sequence[Disputed]
    details: Details
    notes: Sequence[str]
    marks: Mapping[str, Markup]
    drawings: Markup
    """What the marks point to."""
    names: Sequence[str]
    """Of the series, best recall first."""
    controls: frozenset[str]
    """Those of them that are controls."""
    outputs_left_out: int = 0
    left_out: Sequence[str] = ()
    """What the page lacks so that it is not too large, a sentence each."""

    @property
    def fixtures(self) -> list[str]:
        return sorted(self.fixture_atoms)

    @property
    def pair(self) -> list[str]:
        """Ids of the two outputs that stand beside each other first: of one fixture, of the two best arms, controls
        aside where there are others."""
        order = sorted(self.names, key=lambda name: name in self.controls)
        found = [o for name in order for o in self.outputs if o.name == name and o.file and o.replicate == 1]
        here = [o for o in found if o.fixture == found[0].fixture]
        return [o.id for o in here[:2]]

    @property
    def disputed(self) -> dict[str, list[Disputed]]:
        """Anchor of an atom -> its disputes."""
        found: dict[str, list[Disputed]] = {}
        for one in self.disputes:
            found.setdefault(one.anchor, []).append(one)
        return found

    @property
    def tags(self) -> list[str]:
        return sorted({atom.tag for atom in self.atoms})


def gather(run: Run, base: str = "") -> Page:
    """The page of a run; one that is not graded has tables of states, its outputs and its details.

    `base` is the address of the run's folder as seen from the page, with a slash at its end.
    """
    ways = gradings(run) if len(run.grades) else []
    first = ways[0] if ways else None
    cells = named(run.cells)
    series = {tuple(line): str(name) for *line, name in cells[[*SERIES, "name"]].itertuples(index=False)}
    kinds = {str(name): str(kind) for name, kind in cells[["name", "kind"]].itertuples(index=False)}
    table = named(arm_table(run))
    tables = _tables(table, ways)
    names = list(dict.fromkeys([*tables[0].names, *kinds]))
    fixtures, notes = run_fixtures(run)
    judged = ranks_any(run)
    compared = [compare(run, grading=way) for way in ways] if judged else []
    atoms, left_out = atom_list(run, first, series, kinds, fixtures, names) if first and judged else ([], 0)
    outputs = output_list(run, first, series, base)
    shown, drawings = marks(kinds)
    return Page(
        run=run.name,
        base=base,
        grading=first,
        verdicts=[
            verdicts(one, way, series, kinds, arms_left_out(run, one)) for one, way in zip(compared, ways, strict=False)
        ],
        tables=tables,
        legends=[*LEGENDS, *spread_of(table), *_cut_off(run)],
        pictures=list(pictures(run, compared[0])) if compared else [],
        atoms=atoms,
        atoms_left_out=left_out,
        fixture_atoms=fixture_atoms(run, first),
        outputs=outputs,
        disputes=disputed(run, outputs),
        details=details(run, fixtures),
        notes=notes,
        marks=shown,
        drawings=drawings,
        names=names,
        controls=frozenset(name for name, kind in kinds.items() if kind in CONTROLS),
    )


def ranks_any(run: Run) -> bool:
    """Whether any output is graded and ranked: without one there is nothing to compare and to draw."""
    from bench.analysis.units import rankable

    ranked = rankable(run.grades, run.outputs, with_truncated=truncated_too(run))
    return bool(ranked["verdict"].notna().any())


def _tables(table: pd.DataFrame, ways: Sequence[Grading]) -> list[ArmTable]:
    if not ways:
        return [ArmTable(None, list(map(str, table["name"])), in_words(table, ARMS))]
    parts = [table[(table["grader"] == way.grader) & (table["scope"] == way.scope)] for way in ways]
    return [
        ArmTable(way, list(map(str, part["name"])), in_words(part, ARMS)) for way, part in zip(ways, parts, strict=True)
    ]


def _cut_off(run: Run) -> list[str]:
    if not truncated_too(run):
        return []
    cut = int((run.outputs["outcome"] == "truncated").sum())
    return [f"{cut} of {len(run.outputs)} handoffs were cut off at the cap and are ranked all the same"] if cut else []
