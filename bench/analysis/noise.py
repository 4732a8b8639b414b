"""Where verdicts and recalls get their variation from: fixture, arm, replicate, pass and atom, and what crosses them.

Model of a verdict's credit: fixture + arm + fixture x arm + replicate + pass + atom + atom x arm + atom x replicate +
rest, all random; replicates nested in fixture and arm, passes in runs, atoms in fixtures. A shift of a whole run or
pass moves every atom, and stays however many there are; what an atom does alone is averaged over atoms, so it moves a
recall by its variance over their number. Weights enter as in the recall: a credit counts by its weight over the mean
weight, as far as it lies from its fixture's recall, so that the mean over a pass's atoms is its recall to the digit
(the linear form of a ratio; Cochran 1977, 6.3). Source: Brennan 2001, Generalizability Theory; estimators in
`components`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bench.analysis.arms.spread import POINTS
from bench.analysis.groups import groups_of
from bench.analysis.recall import credit, pass_recall
from bench.analysis.statistics.components import RESIDUAL, components
from bench.analysis.units import GRADING, SERIES

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

    Places = NDArray[np.intp]

RUN = ["fixture", *SERIES, "replicate"]
WHOLE = {
    "fixture": ["fixture"], "arm": SERIES, "fixture x arm": ["fixture", *SERIES], "replicate": RUN,
    "pass": [*RUN, "grading_pass"],
}  # fmt: skip
"""Source -> the columns that make its levels; it moves all atoms of a run alike."""
ATOMS = {
    "atom": ["fixture", "atom"], "atom x arm": ["fixture", "atom", *SERIES], "atom x replicate": [*RUN, "atom"],
}  # fmt: skip
"""The same, of what an atom does alone."""
REST = "rest"
"""An atom in one pass; with one pass, in one run."""
CONFUSED = (
    ("fixture x arm", "fixture", "one arm a fixture: it is in fixture"),
    ("fixture x arm", "arm", "one fixture an arm: it is in arm"),
    ("replicate", "fixture", "one run a fixture: what a run adds is in fixture"),
    ("replicate", "arm", "one run an arm: what a run adds is in arm"),
    ("replicate", "fixture x arm", "one run a fixture and arm: what a run adds is in fixture x arm"),
    ("pass", "fixture", "one pass a fixture: what the grader adds is in fixture and rest"),
    ("pass", "arm", "one pass an arm: what the grader adds is in arm and rest"),
    ("pass", "fixture x arm", "one pass a fixture and arm: what the grader adds is in fixture x arm and rest"),
    ("pass", "replicate", "one pass a run: what the grader adds is in replicate and rest"),
    ("atom x arm", "atom", "one arm: it is in atom"),
    ("atom x arm", REST, "one run and one pass: it is in rest"),
    ("atom x replicate", "atom", "one run of one arm: it is in atom"),
    ("atom x replicate", REST, "one pass a run: it is in rest"),
    ("atom x replicate", "atom x arm", "one run a fixture and arm: it is in atom x arm"),
)
"""(source, source or rest with as many levels, why the first has no component of its own); the first that holds is
told, which is the coarsest."""
COLUMNS = [*GRADING, "source", "levels", "variance", "sd", "run_variance", "share", "why_none"]


def noise_split(grades: pd.DataFrame) -> pd.DataFrame:
    """One line a way of grading and source (`WHOLE`, `ATOMS`, `REST`): levels, variance (of a credit 0..1, as
    estimated, negative ones included), sd (points; 0 where the estimate is negative), run_variance (points squared
    that it adds to the recall of one run graded once), share of the sum of those (0..1), why_none.

    Atoms count by their weights. NA, with the reason, where the design does not tell a source.
    """
    import pandas as pd

    known = _by_weight(grades.assign(credit=credit(grades)).dropna(subset=["credit"]))
    lines: list[tuple[object, ...]] = []
    for grading, one in known.groupby(GRADING, observed=True, sort=False):
        lines += [(*grading, *line) for line in _split(one)]
    table = pd.DataFrame(lines, columns=COLUMNS)
    words = [*GRADING, "source", "why_none"]
    return table.astype({c: "string" if c in words else "Int64" if c == "levels" else "Float64" for c in COLUMNS})


def run_components(grades: pd.DataFrame) -> dict[str, float | None]:
    """Variance components of pass recalls (0..1) of one way of grading: fixture, arm, fixture x arm, replicate, pass.

    With one pass a run, pass is None and its noise is in replicate; with one run a cell, both are in fixture x arm.
    """
    recalls = pass_recall(grades).dropna(subset=["recall"])
    levels = {name: _codes(recalls, columns) for name, columns in WHOLE.items() if name != "pass"}
    found = components(recalls["recall"].to_numpy(dtype="float64"), levels)
    rest = found.pop(RESIDUAL)
    # what is left varies within the finest factor that was told apart: within runs only where one was graded twice
    last = "pass" if found["replicate"] is not None else _finest(found, recalls)
    return found | {"pass": None} | ({last: rest} if last else {})


def _by_weight(known: pd.DataFrame) -> pd.DataFrame:
    """`known` with credits that count by weight; lines of passes in which nothing weighs anything are left out."""
    if known["weight"].nunique() < 2:
        return known
    weight, y = known["weight"].astype("float64"), known["credit"].astype("float64")
    fixture = [known[c] for c in (*GRADING, "fixture")]
    one_pass = [known[c] for c in (*GRADING, *RUN, "grading_pass")]
    recall = (weight * y).groupby(fixture, observed=True).transform("sum")
    recall = recall / weight.groupby(fixture, observed=True).transform("sum")
    mean = weight.groupby(one_pass, observed=True).transform("mean")
    return known.assign(credit=recall + weight / mean.where(mean > 0) * (y - recall)).dropna(subset=["credit"])


def _finest(found: dict[str, float | None], recalls: pd.DataFrame) -> str | None:
    """Of what the residual is where each run has one recall: replicates where a cell has several runs."""
    if len(recalls) < 2:
        return None
    cells = recalls[["fixture", *SERIES]].drop_duplicates()
    if len(cells) < len(recalls):
        return "replicate"
    return "fixture x arm" if found["fixture"] is not None and found["arm"] is not None else None


def _split(known: pd.DataFrame) -> list[tuple[object, ...]]:
    sources = WHOLE | ATOMS
    codes = {name: _codes(known, columns) for name, columns in sources.items()}
    found = components(known["credit"].to_numpy(dtype="float64"), codes)
    found[REST] = found.pop(RESIDUAL)
    per_fixture = known.groupby("fixture", observed=True)["atom"].nunique()
    atoms = float((1 / per_fixture).mean())
    scale = {name: POINTS**2 * (1 if name in WHOLE else atoms) for name in found}
    moved = {name: None if v is None else scale[name] * max(0.0, v) for name, v in found.items()}
    total = sum(v for v in moved.values() if v is not None)
    counts = {name: int(code.max()) + 1 for name, code in codes.items()} | {REST: len(known)}
    return [_line(name, variance, moved[name], total, counts) for name, variance in found.items()]


def _line(
    name: str, variance: float | None, moved: float | None, total: float, counts: dict[str, int]
) -> tuple[object, ...]:
    if variance is None or moved is None:
        return (name, counts[name], None, None, None, None, _why(name, counts))
    sd = POINTS * max(0.0, variance) ** 0.5
    return (name, counts[name], variance, sd, moved, moved / total if total else None, None)


def _why(name: str, counts: dict[str, int]) -> str:
    if counts[name] < 2:
        return f"one {name}"
    found = [why for finer, coarser, why in CONFUSED if name == finer and counts[finer] == counts[coarser]]
    return found[0] if found else "this design does not tell it from the others"


def _codes(table: pd.DataFrame, columns: list[str]) -> Places:
    return groups_of(table, columns).of
