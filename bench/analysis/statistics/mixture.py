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
        both = sigma**2 + n * tau**2
        ratio = math.sqrt(sigma**2 / both) * math.exp(tau**2 * total**2 / (2 * sigma**2 * both))
        p = min(p, 1 / ratio)
        found.append(Looked(ratio, p))
    return found


def half_width(n: int, sigma: float, tau: float, *, alpha: float = 0.05) -> float:
    """How far the mean of n values may lie from the truth, at every n at once, with chance 1 - alpha."""
    rho = sigma**2 / tau**2
    return sigma / n * math.sqrt((n + rho) * math.log((n + rho) / (rho * alpha**2)))
