"""How many atoms a difference of two arms takes, and what those there are can see: for planning a key.

From the components of `noise_split`: the true difference of two arms on an atom varies by twice `atom x arm`, a sample
of a credit by `atom x replicate` and `rest`. Atoms of one fixture share what arms do on it (`fixture x arm`), so fewer
count than there are. A test has runs or fixtures as its units, never atoms. Source: `statistics/questions.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from bench.analysis.arms.spread import POINTS
from bench.analysis.noise import REST
from bench.analysis.statistics.questions import design_effect, question_variance, questions_needed, questions_see

REPLICATES = (1, 2, 3, 5, 10)
"""Runs an arm that a key's size is worked out for."""


class KeySize(NamedTuple):
    """For so many runs an arm: atoms needed, as independent ones, to see the difference; points that the atoms there
    are see; how many independent ones these count as (None where one fixture does not tell)."""

    replicates: int
    needed: float
    sees: float
    counts_as: float | None


def key_sizes(variances: Mapping[str, float | None], atoms: int, fixtures: int, worth_seeing: float) -> list[KeySize]:
    """A line a number of `REPLICATES`; `variances` by source, of a credit, `atoms` in all, `worth_seeing` in points.

    Empty where the run does not tell what arms do to single atoms: one arm, or one run of each.
    """
    alone, rest = variances.get("atom x arm"), variances.get(REST)
    if alone is None or rest is None:
        return []
    omega2 = 2 * max(0.0, alone)
    sample = max(0.0, variances.get("atom x replicate") or 0.0) + max(0.0, rest)
    across = variances.get("fixture x arm")
    lines = []
    for k in REPLICATES:
        variance = question_variance(omega2, (sample, k), (sample, k))
        if variance <= 0:
            continue
        counts_as = None
        if across is not None:
            shared = 2 * max(0.0, across)
            counts_as = atoms / design_effect(-(-atoms // fixtures), shared / (shared + variance))
        seen = POINTS * questions_see(variance, atoms if counts_as is None else counts_as)
        lines.append(KeySize(k, questions_needed(variance, worth_seeing / POINTS), seen, counts_as))
    return lines
