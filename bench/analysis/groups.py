"""Lines of a table in groups by several columns at once: told apart once, for all that is summed over them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Places = NDArray[np.intp]

MOST = 2**62
"""Combinations of the columns' values beyond which their number no longer fits into one integer."""


@dataclass(frozen=True)
class Groups:
    """`of` each line the number of its group, groups in the order in which they appear; `first` the line that begins
    each. A line without a value in one of the columns is in no group, -1."""

    of: Places
    first: Places

    def __len__(self) -> int:
        return len(self.first)

    def sums(self, values: Floats) -> Floats:
        """Of each group, the sum over its lines, compensated for rounding as pandas does it for nullable columns: two
        runs of equal recall stay equal, whichever atoms they carry."""
        import pandas as pd

        groups = pd.Series(pd.Categorical.from_codes(self.of, categories=pd.RangeIndex(len(self))))
        column = pd.Series(values, dtype="Float64")
        return np.asarray(column.groupby(groups, observed=False, sort=False).sum(), dtype="float64")

    def counts(self, chosen: NDArray[np.bool_] | None = None) -> Places:
        """Of each group, the number of its lines, or of the chosen ones among them."""
        there = self.of >= 0 if chosen is None else (self.of >= 0) & chosen
        return np.bincount(self.of[there], minlength=len(self))

    def lines(self) -> list[Places]:
        """Of each group, the places of its lines, in their order."""
        order = np.argsort(self.of, kind="stable")[np.count_nonzero(self.of < 0) :]
        return np.split(order, np.cumsum(self.counts())[:-1]) if len(self) else []

    def split(self, column: pd.Series) -> Groups:
        """Each group in parts by one more column."""
        codes, n = coded(column)
        return _numbered(_joined(self.of, codes, n))


def groups_of(table: pd.DataFrame, columns: Sequence[str]) -> Groups:
    """The table's lines by those columns, one or more."""
    of, combinations = coded(table[columns[0]])
    for column in columns[1:]:
        codes, n = coded(table[column])
        if combinations * n > MOST:
            of, combinations = _numbered(of).of, len(table)
        of, combinations = _joined(of, codes, n), combinations * n
    return _numbered(of)


def coded(column: pd.Series) -> tuple[Places, int]:
    """Of each line the number of its value, -1 for none; and how many values there are, at least 1."""
    import pandas as pd

    codes, values = pd.factorize(column)
    return codes.astype(np.intp, copy=False), max(len(values), 1)


def _joined(coarse: Places, fine: Places, n: int) -> Places:
    joined: Places = coarse * n + fine
    gone = (coarse < 0) | (fine < 0)
    if gone.any():
        joined[gone] = -1
    return joined


def _numbered(codes: Places) -> Groups:
    """Groups from any numbers, -1 for no group."""
    import pandas as pd

    there = np.flatnonzero(codes >= 0)
    of = np.full(len(codes), -1, dtype=np.intp)
    of[there] = pd.factorize(codes[there])[0]
    first = np.empty(int(of.max(initial=-1)) + 1, dtype=np.intp)
    first[of[there][::-1]] = there[::-1]  # of several lines the last one that is written stays: the first
    return Groups(of, first)
