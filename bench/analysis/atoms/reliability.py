"""How reliable single atoms are: carried in one run, in at least one of k, in all k runs of an arm.

k is the same for all arms, the smallest number of two or more runs that any has on a fixture, since "in all of n" falls
with n. Shares are means over all draws of k of the n runs (`statistics/at_k.py`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bench.analysis.means import fixture_mean
from bench.analysis.recall import CARRIED, atom_credit
from bench.analysis.statistics.at_k import all_of, any_of
from bench.analysis.units import GRADING, SERIES

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = ["k", "atoms", "one_run", "any_run", "every_run", "unsure"]


def reliability(grades: pd.DataFrame) -> pd.DataFrame:
    """One line a way of grading and series with two runs or more on a fixture: k, atoms, and the shares of the weight
    (0..1) that one_run, any_run (at least one of k) and every_run (all k) carry, means over fixtures; unsure counts the
    atoms that some runs carry and others do not. `grades` holds ranked outputs; arms that ask no model have one run.
    """
    import pandas as pd

    by = [*GRADING, *SERIES]
    runs = atom_credit(grades).dropna(subset=["credit"])
    runs = runs.assign(carried=(runs["credit"] > CARRIED).astype("int64"))
    atoms = runs.groupby([*by, "fixture", "atom"], observed=True, sort=False)
    table = atoms.agg(n=("carried", "size"), c=("carried", "sum"), weight=("weight", "first")).reset_index()
    most = table.groupby([*by, "fixture"], observed=True)["n"].transform("max")
    k = int(most[most > 1].min()) if (most > 1).any() else 0
    table = table[table["n"] >= k] if k else table.iloc[:0]
    counts = [(int(n), int(c)) for n, c in table[["n", "c"]].itertuples(index=False)]
    shares = {
        "one_run": [c / n for n, c in counts],
        "any_run": [any_of(k, n, c) for n, c in counts],
        "every_run": [all_of(k, n, c) for n, c in counts],
    }
    table = table.assign(**{name: pd.Series(v, index=table.index, dtype="Float64") for name, v in shares.items()})
    table = table.assign(unsure=((table["c"] > 0) & (table["c"] < table["n"])).astype("int64"))
    lines = table.groupby(by, observed=True, sort=False).agg(atoms=("atom", "size"), unsure=("unsure", "sum"))
    means = pd.DataFrame({name: _mean(table, by, name) for name in shares})
    return (
        lines.join(means)
        .reset_index()
        .assign(k=k)[[*by, *COLUMNS]]
        .astype(dict.fromkeys(("k", "atoms", "unsure"), "Int64"))
    )


def _mean(table: pd.DataFrame, by: list[str], name: str) -> pd.Series:
    """By weight inside fixtures, then the mean of fixtures."""
    sums = table.assign(part=table[name] * table["weight"]).groupby([*by, "fixture"], observed=True, sort=False)
    of = sums[["part", "weight"]].sum().reset_index()
    of[name] = of["part"] / of["weight"].where(of["weight"] > 0)
    return fixture_mean(of, by, name)
