"""Whether passes differ in strictness as a whole, or atom by atom.

If atoms flipped independently, the variance of pass recalls would be sum(w^2 v_i) / (sum w)^2, v_i the variance of an
atom's credit over passes. Observed far above that: whole passes are stricter or laxer, and the instructions to the
grader need work; about equal: single atoms are borderline, and more passes or clearer atoms help. Source: Brennan 2001.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


class PassFlips(NamedTuple):
    """Variances of the recall of a pass (0..1 squared), and observed / predicted, None where nothing flips."""

    predicted: float
    observed: float
    ratio: float | None


def pass_flips(
    passes: Sequence[Sequence[float]] | Floats, weights: Sequence[float] | Floats | None = None
) -> PassFlips | None:
    """From credits of each pass over the same atoms; None for fewer than two passes, or where nothing weighs."""
    import numpy as np

    credits_ = np.asarray(passes, dtype="float64")
    w = np.ones(credits_.shape[-1]) if weights is None else np.asarray(weights, dtype="float64")
    total = float(w.sum())
    if len(credits_) < 2 or total <= 0:
        return None
    predicted = float((w**2 * credits_.var(axis=0, ddof=1)).sum()) / total**2
    observed = float((credits_ @ w / total).var(ddof=1))
    return PassFlips(predicted, observed, observed / predicted if predicted else None)
