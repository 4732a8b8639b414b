"""What a budget buys: the best arm within it, and the best mixture of two arms used at random.

Hull: the upper concave hull of the frontier, which mixing two arms reaches. Incremental cost: what one more point of
recall costs from one arm of the frontier to the next. Below the cheapest arm nothing can be bought, and the answer is
None. Source: the cost-effectiveness frontier of health economics (Drummond et al. 2015); Andrew 1979 (hull).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from bench.analysis.arms.pareto import frontier
from bench.analysis.arms.spread import POINTS

Point = tuple[float, float]
"""(cost, recall 0..1)."""


class Step(NamedTuple):
    """From one point of the frontier to the next dearer one."""

    start: Point
    end: Point
    cost_per_point: float


class Bought(NamedTuple):
    """What a budget buys: the arm of the highest recall within it (the cheapest of equals), and the best mixture."""

    arm: str | None
    recall: float | None
    mixture: float | None


def front(points: Sequence[Point]) -> list[Point]:
    """The points that none dominates, each once, cheapest first."""
    on = frontier(points)
    return sorted({point for point, keep in zip(points, on, strict=True) if keep})


def hull(points: Sequence[Point]) -> list[Point]:
    """The corners of the upper concave hull of the frontier, cheapest first."""
    corners: list[Point] = []
    for point in front(points):
        while len(corners) > 1 and _slope(corners[-2], corners[-1]) <= _slope(corners[-1], point):
            corners.pop()
        corners.append(point)
    return corners


def steps(points: Sequence[Point]) -> list[Step]:
    """What each further point of recall (of 100) costs along the frontier."""
    return [Step(a, b, (b[0] - a[0]) / (POINTS * (b[1] - a[1]))) for a, b in pairwise(front(points))]


def at_budget(arms: Mapping[str, Point], budget: float) -> Bought:
    """The best arm that costs no more than `budget` on average, and what the best mixture of two would recall."""
    within = {name: point for name, point in arms.items() if point[0] <= budget}
    if not within:
        return Bought(None, None, None)
    best = min(within, key=lambda name: (-within[name][1], within[name][0], name))
    mixture = within[best][1]
    for a, b in pairwise(hull(list(arms.values()))):
        if a[0] <= budget < b[0]:
            mixture = a[1] + _slope(a, b) * (budget - a[0])
    return Bought(best, within[best][1], mixture)


def _slope(a: Point, b: Point) -> float:
    return (b[1] - a[1]) / (b[0] - a[0])
