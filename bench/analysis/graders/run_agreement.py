"""Agreement of a run's graders with each other, and of each with itself from pass to pass. Pure frames in and out."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from bench.analysis.groups import coded, groups_of
from bench.analysis.recall import credit
from bench.analysis.statistics.agreement import (
    agreement,
    cohen_kappa,
    krippendorff_alpha,
    pairwise_disagreement,
    unanimous,
)
from bench.analysis.statistics.agreement_interval import alpha_interval, clusters, kappa_interval
from bench.analysis.statistics.multi_rater import multi_rater
from bench.analysis.statistics.pass_flips import pass_flips
from bench.analysis.units import GRADING, OUTPUT

if TYPE_CHECKING:
    import pandas as pd

UNIT = [*OUTPUT, "atom"]
"""What a verdict is of: one atom in one output."""
BETWEEN = [
    "scope", "grader", "other", "outputs", "atoms", "pairs", "missing", "agreement", "kappa", "kappa_low", "kappa_high",
    "alpha", "alpha_low", "alpha_high", "ac1",
]  # fmt: skip
WITHIN = [
    "grader", "scope", "passes", "outputs", "atoms", "missing", "agreement", "alpha", "alpha_low", "alpha_high", "ac1",
    "flip_rate", "unanimous", "whole",
]  # fmt: skip
FLIPS = ["grader", "scope", "fixture", "atom", "tag", "outputs", "flip_rate"]


def between_graders(grades: pd.DataFrame) -> pd.DataFrame:
    """One line a pair of graders of one scope: how far they agree on the atoms of the outputs that both graded.

    Every pass of one is held against every pass of the other. agreement 0..1, kappa (Cohen, unweighted) and alpha
    (Krippendorff, nominal) with their 95 % intervals (`agreement_interval`) and ac1 (Gwet), NA where undefined;
    `missing` counts pairs in which a verdict is missing.
    """
    lines = []
    for scope, graded in grades.groupby("scope", observed=True):
        for one, other in itertools.combinations(sorted(graded["grader"].unique()), 2):
            tables = [graded.loc[graded["grader"] == name, [*UNIT, "verdict"]] for name in (one, other)]
            both = tables[0].merge(tables[1], on=UNIT, suffixes=("", "_other"))
            a, b = _ratings(both["verdict"]), _ratings(both["verdict_other"])
            of = clusters(both["fixture"].tolist(), both["atom"].tolist())
            lines.append(
                {
                    "scope": scope, "grader": one, "other": other,
                    "outputs": len(both[OUTPUT].drop_duplicates()), "atoms": len(both[UNIT].drop_duplicates()),
                    "pairs": len(both), "missing": sum(x is None or y is None for x, y in zip(a, b, strict=True)),
                    "agreement": agreement(a, b), "kappa": cohen_kappa(a, b), "alpha": krippendorff_alpha([a, b]),
                    **_limits("kappa", kappa_interval(a, b, of)), **_limits("alpha", alpha_interval([a, b], of)),
                    "ac1": multi_rater([a, b]).ac1,
                }
            )  # fmt: skip
    return _frame(lines, BETWEEN)


def between_passes(grades: pd.DataFrame) -> pd.DataFrame:
    """One line a grader and scope with several passes: how far its passes agree.

    agreement is the share of pass pairs, over all atoms, that say the same; flip_rate is 1 - agreement; unanimous the
    share of atoms on which all passes agree; alpha is Krippendorff's, nominal, with its 95 % interval, ac1 is Gwet's;
    whole is the ratio of `pass_flips`, its variances summed over outputs. NA where undefined.
    """
    lines = []
    for (grader, scope), graded in grades.groupby(GRADING, observed=True):
        wide = graded.pivot(index=UNIT, columns="grading_pass", values="verdict")
        passes = [_ratings(wide[number]) for number in sorted(wide.columns)]
        if len(passes) < 2:
            continue
        of = clusters(*(wide.index.get_level_values(level).tolist() for level in ("fixture", "atom")))
        flips = pairwise_disagreement(passes)
        lines.append(
            {
                "grader": grader, "scope": scope, "passes": len(passes),
                "outputs": len(graded[OUTPUT].drop_duplicates()), "atoms": len(passes[0]),
                "missing": sum(v is None for one in passes for v in one),
                "agreement": None if flips is None else 1 - flips, "alpha": krippendorff_alpha(passes),
                **_limits("alpha", alpha_interval(passes, of)), "ac1": multi_rater(passes).ac1,
                "flip_rate": flips, "unanimous": unanimous(passes), "whole": _whole(graded),
            }
        )  # fmt: skip
    return _frame(lines, WITHIN)


def atom_flips(grades: pd.DataFrame) -> pd.DataFrame:
    """One line a grader, scope and atom with several passes, the most wavering first: mean flip rate over outputs."""
    by = [*GRADING, "fixture", "atom"]
    units = groups_of(grades, [*GRADING, *UNIT])
    codes, verdicts = coded(grades["verdict"])
    cells = (units.of * verdicts + codes)[codes >= 0]
    counts = np.bincount(cells, minlength=len(units) * verdicts).reshape(-1, verdicts)
    rated = counts.sum(axis=1)
    twice = rated > 1
    pairs, alike = (rated * (rated - 1))[twice], (counts * (counts - 1)).sum(axis=1)[twice]
    apart = (pairs - alike) / pairs
    lines = grades.iloc[units.first[twice]]
    atoms = groups_of(lines, by)
    outputs = atoms.counts()
    told = lines.iloc[atoms.first][[*by, "tag"]].reset_index(drop=True)
    table: pd.DataFrame = told.assign(outputs=outputs, flip_rate=atoms.sums(apart) / outputs)[FLIPS].convert_dtypes()
    order = ["flip_rate", "grader", "scope", "fixture", "atom"]
    return table.sort_values(order, ascending=[False, True, True, True, True], ignore_index=True)


def _whole(graded: pd.DataFrame) -> float | None:
    """Observed over predicted variance of a pass's recall, over the atoms of each output with a verdict in every pass.

    A pass of one output is a call of its own, so that strictness belongs to the pass of an output.
    """
    outputs = groups_of(graded, OUTPUT)
    credits_ = credit(graded).to_numpy(dtype="float64", na_value=np.nan)
    weights = graded["weight"].to_numpy(dtype="float64")
    atoms, passes = coded(graded["atom"])[0], graded["grading_pass"].to_numpy(dtype="int64")
    found = []
    for lines in outputs.lines():
        _, first, of_atom = np.unique(atoms[lines], return_index=True, return_inverse=True)
        numbers, of_pass = np.unique(passes[lines], return_inverse=True)
        wide = np.full((len(numbers), len(first)), np.nan)
        wide[of_pass, of_atom] = credits_[lines]
        whole = ~np.isnan(wide).any(axis=0)
        found.append(pass_flips(wide[:, whole], weights[lines][first][whole]))
    predicted, observed = (sum(getattr(f, name) for f in found if f) for name in ("predicted", "observed"))
    return observed / predicted if predicted else None


def _limits(name: str, interval: tuple[float, float] | None) -> dict[str, float | None]:
    low, high = interval or (None, None)
    return {f"{name}_low": low, f"{name}_high": high}


def _ratings(verdicts: pd.Series) -> list[str | None]:
    return [None if gone else str(value) for value, gone in zip(verdicts, verdicts.isna(), strict=True)]


def _frame(lines: Sequence[dict[str, object]], columns: Sequence[str]) -> pd.DataFrame:
    import pandas as pd

    return pd.DataFrame(list(lines), columns=list(columns)).convert_dtypes()
