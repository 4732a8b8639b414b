"""A test that may be looked at after every run: a mixture of likelihood ratios, for a known SD of the values.

L_n = sqrt(s^2 / (s^2 + n t^2)) * exp(n^2 t^2 mean^2 / (2 s^2 (s^2 + n t^2))), p_n = min(p_{n-1}, 1 / L_n); s must come
from earlier data (a pooled SD), t is the size of effect that matters. The matching confidence sequence has half-width
(s / n) sqrt((n + rho) ln((n + rho) / (rho alpha^2))), rho = s^2 / t^2: at n = 10 and rho = 1 half as wide again as an
interval for a fixed n. Source: Robbins 1970; Johari, Koomen, Pekelis & Walsh 2022.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

MOST = 700.0
"""Exponents above it overflow; at e^700 nothing is left to decide."""


class Looked(NamedTuple):
    """After each value: the likelihood ratio, and p, which holds however often one looks."""

    ratio: float
    p: float


def mixture_test(values: Sequence[float], sigma: float, tau: float) -> list[Looked]:
    """Of values whose mean would be 0 if nothing were there, such as differences of paired runs."""
    found: list[Looked] = []
    p, total = 1.0, 0.0
    for n, value in enumerate(values, 1):
        total += value
        ratio = ratio_at(n, total / n, sigma, tau)
        p = min(p, 1 / ratio)
        found.append(Looked(ratio, p))
    return found


def ratio_at(n: int, mean: float, sigma: float, tau: float) -> float:
    """The likelihood ratio L_n after n values of that mean; it may be very large, never more than a float holds."""
    both = sigma**2 + n * tau**2
    exponent = n**2 * tau**2 * mean**2 / (2 * sigma**2 * both)
    return math.sqrt(sigma**2 / both) * math.exp(min(exponent, MOST))


def half_width(n: int, sigma: float, tau: float, *, alpha: float = 0.05) -> float:
    """How far the mean of n values may lie from the truth, at every n at once, with chance 1 - alpha."""
    rho = sigma**2 / tau**2
    return sigma / n * math.sqrt((n + rho) * math.log((n + rho) / (rho * alpha**2)))
