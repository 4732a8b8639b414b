"""The Pareto frontier: arms that no other arm beats in recall without costing more."""

from __future__ import annotations

from collections.abc import Sequence


def dominates(a: tuple[float, float], b: tuple[float, float]) -> bool:
    """Whether (cost, recall) `a` costs no more and recalls no less than `b`, and is strictly better in one."""
    return a[0] <= b[0] and a[1] >= b[1] and a != b


def frontier(points: Sequence[tuple[float, float]]) -> list[bool]:
    """For each (cost, recall): whether no other point dominates it. Equal points all stay."""
    return [not any(dominates(other, point) for other in points) for point in points]
