"""Comparisons of a chain: step by step, since from the second step on every arm goes on from its own handoffs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

CONTEXTS_DIFFER = (
    "a chain: from step 2 on each arm and run goes on from its own handoffs, so that contexts differ by construction;"
    " compare at one step only"
)


def step_by_step(
    ranked: pd.DataFrame, arms: Sequence[str], compared: Callable[[pd.DataFrame, Sequence[str]], pd.DataFrame]
) -> pd.DataFrame:
    """`compared` of each step of a chain alone, one under the other; of all of `ranked` where there is one step.

    `ranked` has name, arm and chain_step. An arm that is named with its step (`inventory · step 2`) is compared with
    the others as asked, across steps. A step at which the first of `arms` has nothing is left out.
    """
    import pandas as pd

    steps = sorted(ranked["chain_step"].unique())
    plain = set(ranked["arm"])
    if len(steps) < 2 or any(arm not in plain for arm in arms):
        return compared(ranked, arms)
    parts = []
    for step in steps:
        part = ranked[ranked["chain_step"] == step]
        there = [arm for arm in arms if (part["arm"] == arm).any()]
        if len(part) and there[:1] == list(arms[:1]):
            parts.append(compared(part, there))
    return pd.concat(parts, ignore_index=True) if parts else compared(ranked, arms)
