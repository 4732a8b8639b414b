"""Variance components of any design, nested or crossed, with cells of any size: Henderson's first method.

For each factor u, T_u = sum over its levels of (sum of values)^2 / n. With all factors random,
E[T_u] = N mu^2 + sum over factors v of var_v * sum over pairs of levels n_jk^2 / n_j, n_jk the values in level j of u
and level k of v; one linear equation a factor, and one for the grand total. Balanced data give the analysis of
variance's estimates. A factor whose levels are no others than those of a coarser one cannot be told from it and has
no component; it is part of the coarser one's. Source: Henderson 1953; Searle, Casella & McCulloch 1992, chapter 5.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Codes = NDArray[np.int64]

RESIDUAL = "residual"
"""What is left between values that share every level of every factor, or would if there were several."""


@dataclass(frozen=True)
class Design:
    """Which value has which level of which factor, and the equations that follow from it; for any values."""

    names: tuple[str, ...]
    kept: tuple[str, ...]
    codes: tuple[Codes, ...]
    equations: Floats

    def components(self, values: Sequence[float] | Floats) -> dict[str, float | None]:
        """Factor -> its variance as estimated, negative values included; and `RESIDUAL`."""
        import numpy as np

        found: dict[str, float | None] = dict.fromkeys((*self.names, RESIDUAL))
        y = np.asarray(values, dtype="float64")
        if not len(self.equations):
            return found
        y = y - y.mean()  # the mean adds to every equation alike, and large ones cost digits
        t = np.array([(np.bincount(c, y) ** 2 / np.bincount(c)).sum() for c in self.codes])
        solved = np.linalg.solve(self.equations, t - y.sum() ** 2 / len(y))
        return found | dict(zip((*self.kept, RESIDUAL), map(float, solved), strict=True))


def components(
    values: Sequence[float] | Floats, factors: Mapping[str, Sequence[int] | Codes]
) -> dict[str, float | None]:
    """Factor -> its variance as estimated, negative values included, coarse factors first; and `RESIDUAL`.

    `factors` gives each value's level, nested factors named through (a replicate's level is that of its fixture, arm
    and number). None where a factor has one level, or the levels of a factor before it, or one value a level (it is
    then in the residual); all None where fewer than two values, or where the design cannot tell the factors apart.
    """
    return design(factors, len(values)).components(values)


def design(factors: Mapping[str, Sequence[int] | Codes], n: int) -> Design:
    """The equations of `n` values with those levels; none where the design cannot be solved."""
    import numpy as np

    kept = _told_apart(factors, n)
    codes = (*kept.values(), np.arange(n))
    whole = np.zeros(n, dtype="int64")
    rows = [[_overlap(a, b) for b in codes] for a in (whole, *codes)]
    equations = np.array(rows[1:]) - np.array(rows[0]) if n > 1 else np.zeros((0, 0))
    if np.linalg.matrix_rank(equations) < len(equations):  # such as two factors that only ever change together
        equations = np.zeros((0, 0))
    return Design(tuple(factors), tuple(kept), codes, equations)


def _told_apart(factors: Mapping[str, Sequence[int] | Codes], n: int) -> dict[str, Codes]:
    """Factors, numbered from 0, that have a component of their own: several levels, several values in one of them, and
    no coarser factor with the same levels."""
    import numpy as np

    kept: dict[str, Codes] = {}
    for name, levels in factors.items():
        codes = _numbered(np.asarray(levels, dtype="int64"))
        count = int(codes.max(initial=-1)) + 1
        if 1 < count < n and not any(_same(codes, count, other) for other in kept.values()):
            kept[name] = codes
    return kept


def _same(codes: Codes, count: int, other: Codes) -> bool:
    return count == int(other.max()) + 1 and _pairs(codes, other)[0].size == count


def _numbered(levels: Codes) -> Codes:
    """The levels from 0 on without a gap."""
    import numpy as np

    if len(levels) and levels.min() == 0 and int(levels.max()) < len(levels) and np.bincount(levels).all():
        return levels
    return np.unique(levels, return_inverse=True)[1].astype("int64")


def _overlap(first: Codes, second: Codes) -> float:
    """Sum over pairs of levels of n_jk^2 / n_j."""
    import numpy as np

    of_first, together = _pairs(first, second)
    return float((together.astype("float64") ** 2 / np.bincount(first)[of_first]).sum())


def _pairs(first: Codes, second: Codes) -> tuple[Codes, Codes]:
    """Of each pair of levels that occurs, the level of the first factor, and how often it does."""
    import numpy as np

    for fine, coarse in ((first, second), (second, first)):
        holds = np.zeros(int(fine.max()) + 1, dtype="int64")
        holds[fine] = coarse
        if (holds[fine] == coarse).all():  # nested: each level of one lies in a single level of the other
            return np.arange(len(holds)) if fine is first else holds, np.bincount(fine)
    pairs, together = np.unique(first * (int(second.max()) + 1) + second, return_counts=True)
    return pairs // (int(second.max()) + 1), together
