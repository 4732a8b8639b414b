"""First losses in a chain, an arm a curve: each atom of each run followed from the handoff of its own stretch on.

Partial still counts as there: credit (the mean over passes) of 0.5 or more. An atom is followed until its first step
without a verdict. Atoms of a run share its fate, so Greenwood's error is of these runs alone, and too small for arms.
Sources: `kaplan_meier.py`, `chain_sequences.py`.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from bench.analysis.atoms.survival import stretches
from bench.analysis.recall import credit
from bench.analysis.statistics.chain_sequences import sequences
from bench.analysis.statistics.kaplan_meier import kaplan_meier
from bench.analysis.units import GRADING, OUTPUT, SERIES

if TYPE_CHECKING:
    import pandas as pd

_SERIES = [*GRADING, *(c for c in SERIES if c != "chain_step")]
COLUMNS = [*_SERIES, "compactions", "at_risk", "losses", "survival", "se", "stay", "came_back", "reappeared"]
STILL_THERE = 0.5


def first_losses(grades: pd.DataFrame, established: pd.DataFrame | None = None) -> pd.DataFrame:
    """One line a series without its step, and number of compactions: at_risk and losses (atoms of runs), survival
    (0..1, Kaplan-Meier) with Greenwood's se; stay and came_back: the chances (0..1) that an atom that was there, or was
    not, is there one compaction later (NA at the first); reappeared: how many of the series came back at all.

    `established` has fixture, atom, stretch, as for `survival`. Empty where no chain ran.
    """
    import pandas as pd

    lines: list[dict[str, object]] = []
    if grades["chain_step"].nunique() > 1:
        placed = grades.assign(credit=credit(grades)).merge(
            stretches(grades) if established is None else established, on=["fixture", "atom"], how="inner"
        )
        for key, one in placed.groupby(_SERIES, observed=True, sort=True):
            lines += [dict(zip(_SERIES, key, strict=True)) | line for line in _curve(_followed(one))]
    return pd.DataFrame(lines, columns=COLUMNS).convert_dtypes()


def _followed(grades: pd.DataFrame) -> list[list[bool]]:
    """Of each atom of each run, whether it was there after its first compaction, its second, …"""
    atom = [*(c for c in OUTPUT if c not in SERIES), "atom"]
    known = grades.dropna(subset=["credit"])
    means = known.groupby([*atom, "stretch", "chain_step"], observed=True)["credit"].mean().reset_index()
    found = []
    for _, one in means.groupby(atom, observed=True):
        start = int(one["stretch"].iloc[0])
        there = {int(s) - start: c >= STILL_THERE for s, c in zip(one["chain_step"], one["credit"], strict=True)}
        length = next(i for i in range(len(there) + 1) if i not in there)
        found.append([bool(there[i]) for i in range(length)])
    return [one for one in found if one]


def _curve(carried: list[list[bool]]) -> list[dict[str, object]]:
    of = sequences(carried)
    if of is None:
        return []
    lost = [first is not None for first in of.first_loss]
    last = [first or len(one) for first, one in zip(of.first_loss, carried, strict=True)]
    curve = kaplan_meier(last, lost)
    at = {step: i for i, step in enumerate(curve.steps)}
    lines: list[dict[str, object]] = []
    left, variance = 1.0, 0.0
    for step in range(1, max(last) + 1):
        losses = 0
        if step in at:
            i = at[step]
            losses, left, variance = curve.losses[i], curve.survival[i], curve.variance[i]
        stay, back = (None, None) if step == 1 else (of.stay[step - 2], of.came_back[step - 2])
        at_risk = sum(seen >= step for seen in last)
        told = (step, at_risk, losses, left, math.sqrt(variance), stay, back, of.reappeared)
        lines.append(dict(zip(COLUMNS[len(_SERIES) :], told, strict=True)))
    return lines
