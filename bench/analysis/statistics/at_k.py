"""How reliable one atom is: carried in c of n runs, the share of draws of k runs that carry it once, or every time.

1 - C(n - c, k) / C(n, k) and C(c, k) / C(n, k); (c / n)^k would be biased. Source: Chen et al. 2021, arXiv 2107.03374.
"""

from __future__ import annotations

from math import comb


def any_of(k: int, runs: int, carried: int) -> float | None:
    """Share of the draws of k runs in which one at least carries it; None where there are fewer than k runs."""
    return 1 - comb(runs - carried, k) / comb(runs, k) if 0 < k <= runs else None


def all_of(k: int, runs: int, carried: int) -> float | None:
    """Share of the draws of k runs that all carry it; None where there are fewer than k runs."""
    return comb(carried, k) / comb(runs, k) if 0 < k <= runs else None
