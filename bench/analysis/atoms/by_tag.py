"""Recall by tag: which kind of fact an arm loses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bench.analysis.recall import arm_recall, run_recall

if TYPE_CHECKING:
    import pandas as pd


def by_tag(grades: pd.DataFrame) -> pd.DataFrame:
    """One line a series and tag: recall (0..1), n, fixtures, atoms, missing.

    A fixture without atoms of a tag does not enter that tag's mean; `fixtures` says how many did.
    """
    return arm_recall(run_recall(grades, within=("tag",)), within=("tag",))
