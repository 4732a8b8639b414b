"""What made-up transcripts say of how each of their facts was planted: `factors.csv` beside the key."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import TYPE_CHECKING

from bench.errors import BenchError
from bench.runs.atoms import standing_keys
from bench.runs.view import gradings, ranked_grades

if TYPE_CHECKING:
    import pandas as pd

    from bench.runs.index import Run

NO_DISTRACTORS = (
    "no fixture of it tells of near misses; those that 'bench fixtures synth' makes do, as long as their key stands"
)


def atom_distractors(run: Run) -> pd.DataFrame:
    """fixture, atom, distractors: how many near misses of the fact (another name with a number of the same unit) were
    planted, NA for a fact of a kind that has none.

    Of the atoms of made-up fixtures (`bench fixtures synth`) whose key stands unchanged; others have no line. Raises
    BenchError where the file cannot be read.
    """
    import pandas as pd

    from bench.fixtures import FACTORS

    lines = [
        (name, atom, near)
        for name, folder, _ in standing_keys(run)
        if (folder / FACTORS).is_file()
        for atom, near in _distractors(folder / FACTORS)
    ]
    table = pd.DataFrame(lines, columns=["fixture", "atom", "distractors"])
    return table.astype({"fixture": "string", "atom": "string", "distractors": "Int64"})


def distractor_table(run: Run, *, with_truncated: bool = False) -> pd.DataFrame:
    """One line an arm and number of near misses planted beside a fact: see `by_distractors`.

    Raises BenchError where no fixture of the run tells: only made-up ones do.
    """
    from bench.analysis.atoms.by_distance import by_distractors
    from bench.analysis.units import named

    gradings(run)
    planted = atom_distractors(run)
    if not len(planted):
        raise BenchError(NO_DISTRACTORS, path=run.root)
    return named(by_distractors(ranked_grades(run, with_truncated), planted))


def _distractors(path: Path) -> list[tuple[str, int | None]]:
    found: list[tuple[str, int | None]] = []
    with path.open(encoding="utf-8", errors="replace", newline="") as file:
        for n, line in enumerate(csv.DictReader(file), 2):
            atom, near = line.get("atom"), line.get("distractors")
            if not atom or near is None or (near and not near.isdecimal()):
                told = "a line has an atom and its distractors, a number or nothing; make the fixture again"
                raise BenchError(told, path=path, line=n)
            found.append((atom, int(near) if near else None))
    return found
