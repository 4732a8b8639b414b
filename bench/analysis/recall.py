"""Recall: which share of a key's weight the handoffs carry.

Per pass R = sum(w * y) / sum(w) over graded atoms; y is 1 carried, `partial` partial, 0 absent, stale or wrong. A run's
recall is atom-first: y of an atom is its mean over the passes that graded it, so that a missing verdict in one pass
does not move the others. Replicates are averaged inside a fixture before fixtures are averaged, so that a fixture with
more replicates weighs no more. Where nothing is graded or the weights sum to 0, recall is NA, never 0.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bench.analysis.groups import Groups, groups_of
from bench.analysis.units import GRADING, OUTPUT, SERIES
from bench.errors import BenchError
from bench.rows import SCORES

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray
    from pandas.api.extensions import ExtensionArray

    Floats = NDArray[np.float64]
    Places = NDArray[np.intp]

PARTIAL = SCORES["partial"]
"""Credit of a partial verdict unless a caller says otherwise."""

CARRIED = 0.5
"""Where an atom is carried or not: a credit above it is, by more than half of the passes; partial alone is not."""

_ATOM = ["tag", "by", "importance", "weight"]


def pass_recall(grades: pd.DataFrame, *, partial: float = PARTIAL) -> pd.DataFrame:
    """One line a grading pass over an output: recall (0..1), atoms, missing, coverage (graded share of the weight)."""
    by = [*GRADING, *OUTPUT, "grading_pass"]
    weights = _checked_weights(grades)
    return _weighted(grades, by, groups_of(grades, by), _numbers(credit(grades, partial)), weights)


def atom_credit(grades: pd.DataFrame, *, partial: float = PARTIAL, keep: tuple[str, ...] = ()) -> pd.DataFrame:
    """One line an output and atom: credit (mean over the passes that graded it, else NA), passes, passes_missing.

    `keep` names further columns of the atoms that `grades` has and the result shall have too.
    """
    by = [*GRADING, *OUTPUT, "atom"]
    atoms = groups_of(grades, by)
    mean, graded = _means(atoms, _numbers(credit(grades, partial)))
    passes = atoms.counts()
    lines = grades.iloc[atoms.first][[*by, *dict.fromkeys((*_ATOM, *keep))]].reset_index(drop=True)
    found = lines.assign(credit=_floats(mean), passes=_counts(passes), passes_missing=_counts(passes - graded))
    return found[[*by, "credit", "passes", *lines.columns[len(by) :], "passes_missing"]]


def run_recall(grades: pd.DataFrame, *, partial: float = PARTIAL, within: tuple[str, ...] = ()) -> pd.DataFrame:
    """One line an output: recall (0..1), atoms, missing, weight, carried (weight times credit), coverage,
    effective_atoms (atoms of one weight that tell as much as the graded ones; Kish 1965).

    `within` splits each output further by columns of the atoms, such as `("tag",)`.
    """
    by = [*GRADING, *OUTPUT, *within]
    weights = _checked_weights(grades)
    runs = groups_of(grades, by)
    atoms = runs.split(grades["atom"])
    mean, _ = _means(atoms, _numbers(credit(grades, partial)))
    return _weighted(grades, by, Groups(runs.of[atoms.first], runs.first), mean, weights[atoms.first])


def fixture_recall(runs: pd.DataFrame, *, within: tuple[str, ...] = ()) -> pd.DataFrame:
    """One line a series and fixture, from `run_recall`: recall (mean over replicates with one) and n, their number."""
    by = [*GRADING, *SERIES, *within, "fixture"]
    means = runs.groupby(by, observed=True, sort=False).agg(
        recall=("recall", "mean"), n=("recall", "count"), atoms=("atoms", "max"), missing=("missing", "sum")
    )
    return means.reset_index()


def arm_recall(runs: pd.DataFrame, *, within: tuple[str, ...] = ()) -> pd.DataFrame:
    """One line a series, from `run_recall`: recall (mean of the fixtures' means), n outputs, fixtures, atoms, missing.

    `n` and `fixtures` count what has a recall and went into the mean; `atoms` sums the fixtures' atoms; `missing`
    counts atoms without any verdict over all outputs.
    """
    fixtures = fixture_recall(runs, within=within)
    means = fixtures.groupby([*GRADING, *SERIES, *within], observed=True, sort=False).agg(
        recall=("recall", "mean"),
        n=("n", "sum"),
        fixtures=("recall", "count"),
        atoms=("atoms", "sum"),
        missing=("missing", "sum"),
    )
    return means.reset_index()


def atom_mean(runs: pd.DataFrame) -> pd.DataFrame:
    """One line a series, from `run_recall`: recall (0..1) with each fixture counting by the weight of its atoms.

    `arm_recall` answers for a typical transcript, this for a typical atom; replicates are averaged first in both.
    """
    by = [*GRADING, *SERIES]
    known = runs.dropna(subset=["recall"]).groupby([*by, "fixture"], observed=True, sort=False)
    means = known.agg(recall=("recall", "mean"), weight=("weight", "first")).reset_index()
    means = means.assign(carried=means["recall"] * means["weight"])
    sums = means.groupby(by, observed=True, sort=False)[["carried", "weight"]].sum().reset_index()
    return sums[by].assign(recall=sums["carried"] / sums["weight"].where(sums["weight"] > 0))


def credit(grades: pd.DataFrame, partial: float = PARTIAL) -> pd.Series:
    """Credit of each verdict: 1, `partial`, 0, or NA where the verdict is missing."""
    import pandas as pd

    codes, verdicts = pd.factorize(grades["verdict"])
    scores = SCORES | {"partial": partial}
    known = np.array([*(scores.get(verdict, np.nan) for verdict in verdicts), np.nan])
    return pd.Series(_floats(known[codes]), index=grades.index, name="verdict")


def _means(atoms: Groups, credits_: Floats) -> tuple[Floats, Places]:
    """The mean credit of each atom, NaN where no pass graded it, and how many did."""
    graded = ~np.isnan(credits_)
    counts = atoms.counts(graded)
    sums = atoms.sums(np.where(graded, credits_, 0.0))
    return _share(sums, counts), counts


def _weighted(grades: pd.DataFrame, by: list[str], groups: Groups, credits_: Floats, weights: Floats) -> pd.DataFrame:
    """One line a group of lines with these credits and weights: their weighted mean, and what was left out. `by` names
    the columns of `grades` that tell the groups apart."""
    graded = ~np.isnan(credits_)
    weight, known = groups.sums(weights), groups.sums(np.where(graded, weights, 0.0))
    carried = groups.sums(np.where(graded, credits_, 0.0) * weights)
    squares = groups.sums(np.where(graded, weights, 0.0) ** 2)
    lines = grades.iloc[groups.first][by].reset_index(drop=True)
    return lines.assign(
        atoms=_counts(groups.counts()), missing=_counts(groups.counts(~graded)), weight=_floats(weight),
        carried=_floats(carried), recall=_floats(_share(carried, known)), coverage=_floats(_share(known, weight)),
        effective_atoms=_floats(_share(known**2, squares)),
    )  # fmt: skip


def _share(part: Floats, whole: Floats | Places) -> Floats:
    """part / whole, NaN where whole is 0."""
    shares: Floats = np.divide(part, whole, out=np.full(len(part), np.nan), where=whole > 0)
    return shares


def _checked_weights(grades: pd.DataFrame) -> Floats:
    """The weight of each line. Raises BenchError on a bad one."""
    weights: Floats = grades["weight"].to_numpy(dtype="float64", na_value=np.nan)
    bad = ~np.isfinite(weights) | (weights < 0)
    if bad.any():
        atom = grades.iloc[int(bad.argmax())]
        raise BenchError(
            f"fixture '{atom['fixture']}': atom {atom['atom']} has weight {atom['weight']}; a weight is 0 or more"
        )
    return weights


def _numbers(column: pd.Series) -> Floats:
    return np.asarray(column.to_numpy(dtype="float64", na_value=np.nan))


def _floats(numbers: Floats) -> ExtensionArray:
    import pandas as pd

    gone = np.isnan(numbers)
    return pd.arrays.FloatingArray(np.where(gone, 1.0, numbers), gone)


def _counts(numbers: Places) -> ExtensionArray:
    import pandas as pd

    return pd.arrays.IntegerArray(numbers.astype("int64"), np.zeros(len(numbers), dtype=bool))
