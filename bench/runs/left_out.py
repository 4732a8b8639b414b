"""Arms that a comparison of a whole run leaves out, and what that does to the one that the others are held against."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

    from bench.runs.index import Run


def arms_left_out(run: Run, compared: pd.DataFrame) -> list[str]:
    """A sentence an arm without a line in `compared`: what became of it, and who stands first in its place."""
    there = set(compared["arm"])
    newest = [marks[-1].label for marks in run.store.run_json().arms.values()]
    told = [f"{arm} is not compared, it has no graded handoff{_why(run, arm)}." for arm in newest if arm not in there]
    if told and newest[0] not in there:
        told.append(f"The sweep's first arm is one of these: the others are held against {compared['name'].iloc[0]}.")
    return told


def _why(run: Run, arm: str) -> str:
    """Its outcomes with one detail each, in brackets; empty where nothing was tried."""
    rows = run.outputs[run.outputs["arm"] == arm].drop_duplicates("outcome")
    kinds = [
        f"{outcome}: {detail}" if isinstance(detail, str) and detail else str(outcome)
        for outcome, detail in rows[["outcome", "detail"]].itertuples(index=False)
    ]
    return f" ({'; '.join(kinds)})" if kinds else ""
