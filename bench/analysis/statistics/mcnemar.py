"""Whether two outputs differ: the exact test on the atoms that only one of them carries.

It says nothing of the arms that wrote them: with a shift from run to run it finds one between equal arms 12 times in a
hundred. Source: McNemar 1947.
"""

from __future__ import annotations


def mcnemar(only_first: int, only_second: int) -> float:
    """Two-sided p of the binomial test on the discordant atoms; 1 where there are none."""
    from scipy.stats import binomtest

    n = only_first + only_second
    return float(binomtest(only_first, n).pvalue) if n else 1.0
