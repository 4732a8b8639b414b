"""Holm's adjustment: p values of several comparisons, such that one in twenty families holds a false positive.

p~(j) = max over k <= j of min(1, (m - k + 1) * p(k)), p(1) <= ... <= p(m). The family is every comparison that was
looked at; one without a p stays without and does not count. Source: Holm 1979.
"""

from __future__ import annotations

from collections.abc import Sequence


def holm(ps: Sequence[float | None]) -> list[float | None]:
    """The adjusted p values, in the order given."""
    known = sorted((p, i) for i, p in enumerate(ps) if p is not None)
    adjusted: list[float | None] = [None] * len(ps)
    so_far = 0.0
    for k, (p, i) in enumerate(known):
        so_far = max(so_far, min(1.0, (len(known) - k) * p))
        adjusted[i] = so_far
    return adjusted
