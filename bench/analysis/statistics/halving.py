"""Successive halving: many arms screened with the runs of one even grid, most of them spent on the best.

Rounds are ceil(log_eta(arms)); each has an equal share of the runs; the best 1/eta (rounded up) go on. It
ranks, it does not test. Source: Karnin, Koren & Somekh 2013; Jamieson & Talwalkar 2016.
"""

from __future__ import annotations

from dataclasses import dataclass

ETA = 2


@dataclass(frozen=True)
class Round:
    """How many arms take part, and how many new replicates each of them gets."""

    arms: int
    new_replicates: int


def rounds(arms: int, runs: int, *, eta: int = ETA) -> tuple[Round, ...]:
    """The rounds of a screening of so many arms with so many runs in all. None where there is nothing to choose from.

    Raises ValueError where a round would have no run for each of its arms.
    """
    sizes = []
    left = arms
    while left > 1:
        sizes.append(left)
        left = -(-left // eta)
    found = tuple(Round(size, runs // len(sizes) // size) for size in sizes)
    if any(r.new_replicates < 1 for r in found):
        raise ValueError(f"{runs} runs are too few to screen {arms} arms in {len(sizes)} rounds")
    return found
