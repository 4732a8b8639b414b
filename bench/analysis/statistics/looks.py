"""Planned looks: how far an estimate must lie from nothing at each of K looks so that the whole errs no more than one.

Testing at 5 % after each of five looks finds something where nothing is 14 times in 100. Looks planned beforehand at
the same z (Pocock 1977), or at a z that falls with the square root of what has been seen (O'Brien & Fleming 1979),
keep the error of all of them together. Exact for a known variance, by recursive integration (Armitage, McPherson &
Rowe 1969); with few runs take the t quantile at the same two-sided tail. Source: Jennison & Turnbull 2000, chapter 2.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Shape = Literal["pocock", "obrien-fleming"]

NODES = 240
"""Of the quadrature over the sum that has not crossed yet, at each look."""
WIDEST = 12.0
"""A z that no boundary reaches: the bracket's upper end."""


def crossing(seen: Sequence[float], bounds: Sequence[float]) -> float:
    """Chance that |z| passes its bound at any look where nothing is there; `seen` is how much each look has seen.

    `seen` rises (replicates, say) and only its ratios count. Raises ValueError where it does not, or lengths differ.
    """
    import numpy as np

    if len(seen) != len(bounds) or not seen or any(b <= a for a, b in zip((0.0, *seen), seen, strict=False)):
        raise ValueError("looks see more each time, and each has a bound")
    edge = bounds[0] * math.sqrt(seen[0])
    at, weights = _nodes(edge)
    density = _normal(at, math.sqrt(seen[0]))
    for before, now, bound in zip(seen, seen[1:], bounds[1:], strict=False):
        edge = bound * math.sqrt(now)
        next_at, next_weights = _nodes(edge)
        step = _normal(next_at[:, None] - at[None, :], math.sqrt(now - before))
        density = step @ (weights * density)
        at, weights = next_at, next_weights
    return float(1.0 - np.sum(weights * density))


@lru_cache(maxsize=256)
def boundaries(seen: tuple[float, ...], alpha: float, shape: Shape = "pocock") -> tuple[float, ...]:
    """z at each look, so that the chance of crossing any where nothing is there is `alpha`."""
    from scipy.optimize import brentq
    from scipy.special import ndtri

    def bounds(constant: float) -> tuple[float, ...]:
        if shape == "pocock":
            return (constant,) * len(seen)
        return tuple(constant * math.sqrt(seen[-1] / s) for s in seen)

    least = float(ndtri(1 - alpha / 2))
    if len(seen) == 1:
        return (least,)
    constant = brentq(lambda c: crossing(seen, bounds(c)) - alpha, least, WIDEST, xtol=1e-10)
    return bounds(float(constant))


def nominal(z: float) -> float:
    """The two-sided tail of z: what a p value at that look is held against."""
    return math.erfc(z / math.sqrt(2))


def doubling(first: int, most: int) -> tuple[int, ...]:
    """Looks at `first`, twice as many, and so on; the last at `most`."""
    looks = [first]
    while looks[-1] * 2 < most:
        looks.append(looks[-1] * 2)
    return (*looks, most) if looks[-1] < most else tuple(looks)


def _nodes(edge: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    at, weights = _gauss()
    return at * edge, weights * edge


@lru_cache(maxsize=1)
def _gauss() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    import numpy as np

    return np.polynomial.legendre.leggauss(NODES)


def _normal(x: NDArray[np.float64], sd: float) -> NDArray[np.float64]:
    import numpy as np

    return np.asarray(np.exp(-0.5 * (x / sd) ** 2) / (sd * math.sqrt(2 * math.pi)))
