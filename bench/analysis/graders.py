"""Agreement of a run's graders with each other, and of each with itself from pass to pass. Pure frames in and out."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING

from bench.analysis.agreement import (
    agreement,
    cohen_kappa,
    flip_rate,
    krippendorff_alpha,
    pairwise_disagreement,
    unanimous,
)
from bench.analysis.units import GRADING, OUTPUT

if TYPE_CHECKING:
    import pandas as pd

UNIT = [*OUTPUT, "atom"]
"""What a verdict is of: one atom in one output."""
BETWEEN = ["scope", "grader", "other", "outputs", "atoms", "pairs", "missing", "agreement", "kappa", "alpha"]
WITHIN = ["grader", "scope", "passes", "outputs", "atoms", "missing", "agreement", "alpha", "flip_rate", "unanimous"]
FLIPS = ["grader", "scope", "fixture", "atom", "tag", "outputs", "flip_rate"]


def between_graders(grades: pd.DataFrame) -> pd.DataFrame:
    """One line a pair of graders of one scope: how far they agree on the atoms of the outputs that both graded.

    Every pass of one is held against every pass of the other. agreement 0..1, kappa (Cohen, unweighted) and alpha
    (Krippendorff, nominal) NA where undefined; `missing` counts pairs in which a verdict is missing.
    """
    lines = []
    for scope, graded in grades.groupby("scope", observed=True):
        for one, other in itertools.combinations(sorted(graded["grader"].unique()), 2):
            tables = [graded.loc[graded["grader"] == name, [*UNIT, "verdict"]] for name in (one, other)]
            both = tables[0].merge(tables[1], on=UNIT, suffixes=("", "_other"))
            a, b = _ratings(both["verdict"]), _ratings(both["verdict_other"])
            lines.append(
                {
                    "scope": scope, "grader": one, "other": other,
                    "outputs": len(both[OUTPUT].drop_duplicates()), "atoms": len(both[UNIT].drop_duplicates()),
                    "pairs": len(both), "missing": sum(x is None or y is None for x, y in zip(a, b, strict=True)),
                    "agreement": agreement(a, b), "kappa": cohen_kappa(a, b), "alpha": krippendorff_alpha([a, b]),
                }
            )  # fmt: skip
    return _frame(lines, BETWEEN)


def between_passes(grades: pd.DataFrame) -> pd.DataFrame:
    """One line a grader and scope with several passes: how far its passes agree.

    agreement is the share of pass pairs, over all atoms, that say the same; flip_rate is 1 - agreement; unanimous the
    share of atoms on which all passes agree; alpha is Krippendorff's, nominal. NA where undefined.
    """
    lines = []
    for (grader, scope), graded in grades.groupby(GRADING, observed=True):
        passes = _by_pass(graded)
        if len(passes) < 2:
            continue
        flips = pairwise_disagreement(passes)
        lines.append(
            {
                "grader": grader, "scope": scope, "passes": len(passes),
                "outputs": len(graded[OUTPUT].drop_duplicates()), "atoms": len(passes[0]),
                "missing": sum(v is None for one in passes for v in one),
                "agreement": None if flips is None else 1 - flips, "alpha": krippendorff_alpha(passes),
                "flip_rate": flips, "unanimous": unanimous(passes),
            }
        )  # fmt: skip
    return _frame(lines, WITHIN)


def atom_flips(grades: pd.DataFrame) -> pd.DataFrame:
    """One line a grader, scope and atom with several passes, the most wavering first: mean flip rate over outputs."""
    lines = []
    for (grader, scope, fixture, atom), graded in grades.groupby([*GRADING, "fixture", "atom"], observed=True):
        per_output = [flip_rate(_ratings(one["verdict"])) for _, one in graded.groupby(OUTPUT, observed=True)]
        rates = [rate for rate in per_output if rate is not None]
        if rates:
            lines.append(
                {
                    "grader": grader, "scope": scope, "fixture": fixture, "atom": atom, "tag": graded["tag"].iloc[0],
                    "outputs": len(rates), "flip_rate": sum(rates) / len(rates),
                }
            )  # fmt: skip
    table = _frame(lines, FLIPS)
    order = ["flip_rate", "grader", "scope", "fixture", "atom"]
    return table.sort_values(order, ascending=[False, True, True, True, True], ignore_index=True)


def _by_pass(graded: pd.DataFrame) -> list[list[str | None]]:
    """The verdicts of each pass over the same units in the same order; None where a pass has none."""
    wide = graded.pivot(index=UNIT, columns="grading_pass", values="verdict")
    return [_ratings(wide[number]) for number in sorted(wide.columns)]


def _ratings(verdicts: pd.Series) -> list[str | None]:
    return [None if gone else str(value) for value, gone in zip(verdicts, verdicts.isna(), strict=True)]


def _frame(lines: Sequence[dict[str, object]], columns: Sequence[str]) -> pd.DataFrame:
    import pandas as pd

    return pd.DataFrame(list(lines), columns=list(columns)).convert_dtypes()
