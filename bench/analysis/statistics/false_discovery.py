"""Benjamini and Hochberg's adjustment, for screening: of what is kept at 0.05, one in twenty is expected to be false.

p~(j) = min over k >= j of min(1, m * p(k) / k). Call what is left candidates, and confirm them on fresh replicates;
comparisons use `holm.py`. One without a p stays without and does not count. Source: Benjamini & Hochberg 1995.
"""

from __future__ import annotations

from collections.abc import Sequence


def false_discovery(ps: Sequence[float | None]) -> list[float | None]:
    """The adjusted p values, in the order given."""
    known = sorted((p, i) for i, p in enumerate(ps) if p is not None)
    adjusted: list[float | None] = [None] * len(ps)
    so_far = 1.0
    for k in range(len(known), 0, -1):
        p, i = known[k - 1]
        so_far = min(so_far, len(known) * p / k)
        adjusted[i] = so_far
    return adjusted
