"""Denominators: each planned cell has exactly one state, and whatever is no handoff is shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bench.analysis.units import OUTPUT, SERIES

if TYPE_CHECKING:
    import pandas as pd

NOT_RUN = "not run"
"""State of a planned cell without an output: never started, or every attempt at it failed."""
HANDOFF = "handoff"


def cell_states(planned: pd.DataFrame, outputs: pd.DataFrame) -> pd.DataFrame:
    """One line a cell: kind and state, which is its output's outcome or `not run`.

    `planned` has the columns of `OUTPUT` and kind. Outputs that are no longer planned (of an edited prompt's earlier
    version, say) are cells too.
    """
    known = outputs[[*OUTPUT, "kind", "outcome"]].rename(columns={"outcome": "state"})
    cells = planned[[*OUTPUT, "kind"]].merge(known, on=OUTPUT, how="outer", suffixes=("_planned", ""))
    return cells.assign(kind=cells["kind"].fillna(cells["kind_planned"]), state=cells["state"].fillna(NOT_RUN)).drop(
        columns="kind_planned"
    )


def not_handoff(cells: pd.DataFrame) -> pd.DataFrame:
    """One line a series: kind, cells, and not_handoff, a text such as `1 refused, 2 not run` (NA where all are)."""
    lines = cells.groupby(SERIES, observed=True, sort=False).agg(
        kind=("kind", "first"), cells=("state", "size"), not_handoff=("state", _told)
    )
    return lines.astype({"not_handoff": "string"}).reset_index()


def _told(states: pd.Series) -> str | None:
    counts = states[states != HANDOFF].value_counts()
    return ", ".join(f"{n} {state}" for state, n in sorted(counts.items())) or None
