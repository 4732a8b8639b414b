"""Recall by who established the fact: the user, the assistant, or a tool's result."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bench.analysis.recall import arm_recall, run_recall

if TYPE_CHECKING:
    import pandas as pd


def by_speaker(grades: pd.DataFrame) -> pd.DataFrame:
    """One line a series and speaker (`by`: user, assistant or tool): recall (0..1), n, fixtures, atoms, missing.

    A fixture without atoms of a speaker does not enter that speaker's mean; `fixtures` says how many did.
    """
    return arm_recall(run_recall(grades, within=("by",)), within=("by",))
