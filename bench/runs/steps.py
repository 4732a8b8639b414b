"""What a run says of a chain of compactions: recall step by step, first losses, and both as one table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bench.runs.atoms import atom_stretches
from bench.runs.index import Run
from bench.runs.view import gradings, ranked_grades

if TYPE_CHECKING:
    import pandas as pd

RECALL, FIRST_LOSSES = "recall", "first losses"
"""What a line of `step_table` is of."""


def survival_table(run: Run, *, with_truncated: bool = False) -> pd.DataFrame:
    """One line an arm, step of a chain and earlier stretch: see `survival`; empty where no chain ran."""
    from bench.analysis.atoms.survival import survival

    gradings(run)
    ranked = ranked_grades(run, with_truncated)
    table = survival(ranked, _stretches(run, ranked))
    return table.assign(name=table["arm"].astype("string"))


def first_losses(run: Run, *, with_truncated: bool = False) -> pd.DataFrame:
    """One line an arm and number of compactions of a chain: see `bench.analysis.atoms.first_losses`."""
    from bench.analysis.atoms.first_losses import first_losses as of

    gradings(run)
    ranked = ranked_grades(run, with_truncated)
    return of(ranked, _stretches(run, ranked))


def _stretches(run: Run, ranked: pd.DataFrame) -> pd.DataFrame:
    """fixture, atom, stretch by the chain's own cuts; where the key has changed since, the first step graded on it."""
    import pandas as pd

    from bench.analysis.atoms.survival import stretches

    found = pd.concat([atom_stretches(run), stretches(ranked)])
    return found.drop_duplicates(["fixture", "atom"], ignore_index=True)


def step_table(run: Run, *, with_truncated: bool = False) -> pd.DataFrame:
    """The lines of `survival_table`, then those of `first_losses`; `what` says which, NA where a column is the other's.

    Empty where no chain ran.
    """
    import pandas as pd

    tables = [survival_table(run, with_truncated=with_truncated), first_losses(run, with_truncated=with_truncated)]
    known = [t.assign(what=what) for t, what in zip(tables, (RECALL, FIRST_LOSSES), strict=True) if len(t)]
    table = pd.concat(known, ignore_index=True) if known else tables[0].assign(what=RECALL)
    return table[["what", *(c for c in table.columns if c != "what")]].astype({"what": "string"})
