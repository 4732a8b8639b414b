"""How far a run's graders agree: with each other, from pass to pass, and with people. In tables, and in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from bench.runs.index import Run
from bench.runs.told import Lines, Told
from bench.runs.view import read_grades
from bench.text import Figure

if TYPE_CHECKING:
    import pandas as pd

CHOSEN = (
    "disputes: the verdicts that a person disputed, as that person reads them; they are chosen for disagreement, so "
    "agreement with them says nothing of how often a grader errs ('bench grade RUN --human' does)"
)
RESTS_ON = (
    "sensitivity, specificity: of the atoms that people call carried, or not, the share that the grader calls so;"
    " partial is not carried",
    "corrected: the grader's share, corrected by both; supposes that it errs alike in all arms",
    "people: people's mean credit, from their grades of the labelled atoms and the grader's on the rest; supposes"
    " that these are a random sample",
    "both in per cent with 95 % intervals, unweighted, of these outputs only; a dash where it cannot be said",
)
MOST_ATOMS = 20
"""Lines of the table of atoms as people read it."""
_OF = ("scope", "grader", "arm", "model", "chain_step", "stale_by", "atoms", "labelled")


class Agreements(NamedTuple):
    """Five tables of a run."""

    graders: pd.DataFrame
    """One line a pair of graders: see `between_graders`."""
    passes: pd.DataFrame
    """One line a grader of several passes: see `between_passes`."""
    atoms: pd.DataFrame
    """One line a way of grading and atom on which passes differ, most first: see `atom_flips`."""
    errors: pd.DataFrame
    """One line a grader that people's grades can be held against: see `grader_errors`."""
    corrected: pd.DataFrame
    """One line a grader and arm, corrected by what people said: see `corrected_recalls`."""


def agreements(run: Run) -> Agreements:
    """How far the run's graders agree; tables without a line where there is nothing to hold together."""
    from bench.analysis.graders.against_people import corrected_recalls, grader_errors
    from bench.analysis.graders.run_agreement import atom_flips, between_graders, between_passes

    grades = read_grades(run)
    flips = atom_flips(grades)
    return Agreements(
        between_graders(grades), between_passes(grades), flips[flips["flip_rate"] > 0].reset_index(drop=True),
        grader_errors(grades), corrected_recalls(grades),
    )  # fmt: skip


def show_agreement(run: Run, *, atoms: bool = False) -> Told:
    """The tables as people read them; with `atoms` also the atoms on which passes differ most."""
    from bench.analysis.graders.against_people import ERRORS
    from bench.analysis.graders.disputes import READER
    from bench.analysis.graders.run_agreement import BETWEEN, FLIPS, WITHIN
    from bench.frames import records

    of = {name: records(table) for name, table in agreements(run)._asdict().items()}
    tables: list[tuple[str, Lines]] = []
    notes: list[str] = []
    for title, lines, columns, none in (
        ("between graders", of["graders"], BETWEEN, "fewer than two graded this run"),
        ("between passes", of["passes"], WITHIN, "no grader made several"),
    ):
        if lines:
            tables.append((title, _shares(lines, columns)))
        else:
            notes.append(f"{title}: {none}")
    if any(READER in (line["grader"], line["other"]) for line in of["graders"]):
        notes.append(CHOSEN)
    if of["errors"]:
        tables += [
            ("against people", _shares(of["errors"], ERRORS)),
            ("corrected", [_corrected(line) for line in of["corrected"]]),
        ]
        notes += RESTS_ON
    if atoms and of["atoms"]:
        more = f", the first {MOST_ATOMS} of {len(of['atoms'])}" if len(of["atoms"]) > MOST_ATOMS else ""
        tables.append((f"atoms{more}", _shares(of["atoms"][:MOST_ATOMS], FLIPS)))
    elif atoms:
        notes.append("atoms: no two passes differ")
    return Told(tables, notes)


def _shares(lines: Lines, columns: Sequence[str]) -> Lines:
    """The columns, shares and coefficients with two decimals: what a third would say lies inside their intervals."""
    return [{c: Figure(f"{v:.2f}") if isinstance(v := line[c], float) else v for c in columns} for line in lines]


def _corrected(line: dict[str, object]) -> dict[str, object]:
    """A line as people read it: per cent, each with its interval."""

    def told(name: str) -> Figure | None:
        point, low, high = (line[f"{name}{end}"] for end in ("", "_low", "_high"))
        if not (isinstance(point, int | float) and isinstance(low, int | float) and isinstance(high, int | float)):
            return None
        return Figure(f"{100 * point:.1f} ({100 * low:.1f} to {100 * high:.1f})")

    share = line["share"]
    return {
        **{c: line[c] for c in _OF},
        "share": Figure(f"{100 * share:.1f}") if isinstance(share, int | float) else None,
        "corrected": told("corrected"), "people": told("people"),
    }  # fmt: skip
