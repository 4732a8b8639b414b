"""Whether passes differ in strictness as a whole, or atom by atom.

If atoms flipped independently, the variance of pass recalls would be sum(w^2 v_i) / (sum w)^2, v_i the variance of an
atom's credit over passes. Observed far above that: whole passes are stricter or laxer, and the instructions to the
grader need work; about equal: single atoms are borderline, and more passes or clearer atoms help. Source: Brennan 2001.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from typing import NamedTuple


class PassFlips(NamedTuple):
    """Variances of the recall of a pass (0..1 squared), and observed / predicted, None where nothing flips."""

    predicted: float
    observed: float
    ratio: float | None


def pass_flips(passes: Sequence[Sequence[float]], weights: Sequence[float] | None = None) -> PassFlips | None:
    """From credits of each pass over the same atoms; None for fewer than two passes, or where nothing weighs."""
    atoms = list(zip(*passes, strict=True))
    w = [1.0] * len(atoms) if weights is None else list(weights)
    total = sum(w)
    if len(passes) < 2 or total <= 0:
        return None
    predicted = sum(wi**2 * statistics.variance(credits_) for wi, credits_ in zip(w, atoms, strict=True)) / total**2
    recalls = [sum(wi * y for wi, y in zip(w, one, strict=True)) / total for one in passes]
    observed = statistics.variance(recalls)
    return PassFlips(predicted, observed, observed / predicted if predicted else None)
