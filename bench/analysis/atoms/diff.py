"""Two arms, or two versions of one, atom by atom: what the second lost and what it gained.

The share of an atom is the mean of its credits over an arm's runs (a run's credit is its mean over grading passes: 1
carried, 0.5 partial, 0 else). Lost: the share fell; gained: it rose. Only atoms that both have a verdict on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bench.analysis.arms.spread import POINTS
from bench.analysis.recall import atom_credit
from bench.analysis.units import GRADING, NO_MODEL, OUTPUT

if TYPE_CHECKING:
    import pandas as pd

LOST, GAINED, ALIKE = "lost", "gained", "alike"
PAIR = [*GRADING, "model", "chain_step", "stale_by"]
"""What both sides have in common; an arm without a model is held against the other's every model."""
_ATOM = ["tag", "importance", "weight"]


def diff(grades: pd.DataFrame, before: str, after: str) -> pd.DataFrame:
    """One line a pair, fixture and atom: change (lost | gained | alike), and of both arms carried (sum of credits),
    runs and share (0..1), as `carried_before`, `carried_after` and so on.

    `grades` are of ranked outputs; `before` and `after` are labels of arms. Empty where they have nothing in common.
    """
    import pandas as pd

    atoms = atom_credit(grades).dropna(subset=["credit"])
    sides = [_shares(atoms[atoms["arm"] == arm]) for arm in (before, after)]
    keys = [*PAIR, "fixture", "atom"]
    table = _beside(sides[0], sides[1]).merge(
        _beside(sides[1], sides[0]).drop(columns=_ATOM), on=keys, suffixes=("_before", "_after")
    )
    rise = table["share_after"] - table["share_before"]
    change = pd.Series(ALIKE, index=table.index, dtype="string").mask(rise < 0, LOST).mask(rise > 0, GAINED)
    return table.assign(change=change)


def points(changes: pd.DataFrame) -> float | None:
    """Points of recall that the second arm has more: weighted over a fixture's atoms, then the mean of fixtures."""
    rise = changes["weight"] * (changes["share_after"] - changes["share_before"])
    sums = changes.assign(rise=rise).groupby("fixture", observed=True)[["rise", "weight"]].sum()
    sums = sums[sums["weight"] > 0]
    return POINTS * float((sums["rise"] / sums["weight"]).mean()) if len(sums) else None


def passages(grades: pd.DataFrame, *arms: str) -> pd.DataFrame:
    """The verdicts of those arms that rest on words of the output, one line each, in the order of arms and runs."""
    said = grades[grades["arm"].isin(list(arms)) & grades["evidence"].notna()]
    order = said["arm"].map({arm: n for n, arm in enumerate(arms)})
    columns = [*GRADING, *OUTPUT, "grading_pass", "atom", "verdict", "evidence"]
    return said.assign(order=order).sort_values(["order", "replicate", "grading_pass"], kind="stable")[columns]


def _shares(atoms: pd.DataFrame) -> pd.DataFrame:
    by = [*PAIR, "fixture", "atom"]
    return (
        atoms.groupby(by, observed=True, sort=False)
        .agg(
            carried=("credit", "sum"),
            runs=("credit", "count"),
            share=("credit", "mean"),
            **{c: (c, "first") for c in _ATOM},
        )
        .reset_index()
    )


def _beside(side: pd.DataFrame, other: pd.DataFrame) -> pd.DataFrame:
    """`side`, its lines without a model repeated for each model that `other` was asked of."""
    models = [m for m in other["model"].drop_duplicates() if m != NO_MODEL]
    if not models:
        return side
    import pandas as pd

    free = side[side["model"] == NO_MODEL]
    return pd.concat([side[side["model"] != NO_MODEL], *(free.assign(model=m) for m in models)], ignore_index=True)
