"""How far graders, and the passes of one grader, say the same. Pure: verdicts in, shares and coefficients out.

A missing verdict (None) is no rating: it drops out with its unit, or leaves its unit to the others. What cannot be
computed, because nothing was rated twice or only one verdict ever occurs, is None and never 0 or 1.

Sources: Cohen 1960 and 1968 (kappa, weighted kappa); Krippendorff 2011, Computing Krippendorff's Alpha-Reliability.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Literal

from bench.analysis.statistics.rating_counts import Rating, rating_counts

Weights = Literal["nominal", "linear", "quadratic"]
Level = Literal["nominal", "ordinal"]


def agreement(a: Sequence[Rating | None], b: Sequence[Rating | None]) -> float | None:
    """Share of the units that both rated on which they say the same; None where there are none."""
    both = _rated(a, b)
    return sum(x == y for x, y in both) / len(both) if both else None


def cohen_kappa(
    a: Sequence[Rating | None],
    b: Sequence[Rating | None],
    *,
    weights: Weights = "nominal",
    order: Sequence[Rating] | None = None,
) -> float | None:
    """Agreement beyond chance of two raters, 1 - observed / expected disagreement; None where chance leaves none.

    `order`: all ratings from least to most, which weights other than nominal need. Two ratings k steps apart disagree
    by 1 (nominal), k (linear) or k squared (quadratic).
    """
    if weights != "nominal" and order is None:
        raise ValueError(f"cohen_kappa: {weights} weights need the order of the ratings")
    both = _rated(a, b)
    if not both:
        return None
    apart = _apart(weights, order)
    observed = sum(n * apart(x, y) for (x, y), n in Counter(both).items()) / len(both)
    firsts, seconds = Counter(x for x, _ in both), Counter(y for _, y in both)
    expected = sum(apart(x, y) * n * m for x, n in firsts.items() for y, m in seconds.items()) / len(both) ** 2
    return 1 - observed / expected if expected else None


def krippendorff_alpha(
    raters: Sequence[Sequence[Rating | None]], *, level: Level = "nominal", order: Sequence[Rating] | None = None
) -> float | None:
    """Agreement beyond chance of any number of raters with gaps, each rating the same units in the same order.

    alpha = 1 - observed / expected disagreement over pairs of ratings inside units. Units rated once drop out. None
    where nothing is rated twice, or only one rating occurs. An ordinal level needs `order`, as for `cohen_kappa`.
    """
    counts, ratings = rating_counts(raters)
    rated = counts.sum(axis=1)
    paired, m = counts[rated > 1], rated[rated > 1]
    totals = {r: int(n) for r, n in zip(ratings, paired.sum(axis=0), strict=True) if n}
    n = sum(totals.values())
    if len(totals) < 2:
        return None
    apart = _ordinal(totals, order) if level == "ordinal" else _apart("nominal", None)
    together = (paired / (m - 1)[:, None]).T @ paired
    place = {rating: i for i, rating in enumerate(ratings)}
    observed = sum(apart(x, y) * float(together[place[x], place[y]]) for x, y in itertools.permutations(totals, 2))
    expected = sum(apart(x, y) * totals[x] * totals[y] for x, y in itertools.permutations(totals, 2))
    return 1 - (n - 1) * observed / expected


def pairwise_disagreement(passes: Sequence[Sequence[Rating | None]]) -> float | None:
    """Share of all pairs of passes over an atom that differ: the flip rate. Atoms rated once drop out."""
    counts, _ = rating_counts(passes)
    rated = counts.sum(axis=1)
    pairs = float((rated * (rated - 1)).sum())
    return (pairs - float((counts * (counts - 1)).sum())) / pairs if pairs else None


def flip_rate(ratings: Sequence[Rating | None]) -> float | None:
    """Share of the pairs of ratings of one atom that differ; None where it was rated less than twice."""
    pairs = _pairs(ratings)
    return sum(x != y for x, y in pairs) / len(pairs) if pairs else None


def unanimous(passes: Sequence[Sequence[Rating | None]]) -> float | None:
    """Share of the atoms rated at least twice on which all passes say the same."""
    counts, _ = rating_counts(passes)
    rated = counts.sum(axis=1)
    twice = rated > 1
    return float((counts[twice].max(axis=1) == rated[twice]).mean()) if twice.any() else None


def _pairs(ratings: Sequence[Rating | None]) -> list[tuple[Rating, Rating]]:
    return list(itertools.combinations((r for r in ratings if r is not None), 2))


def _rated(a: Sequence[Rating | None], b: Sequence[Rating | None]) -> list[tuple[Rating, Rating]]:
    return [(x, y) for x, y in zip(a, b, strict=True) if x is not None and y is not None]


def _apart(weights: Weights, order: Sequence[Rating] | None) -> Callable[[Rating, Rating], float]:
    """How far two ratings are apart."""
    if weights == "nominal" or order is None:
        return lambda x, y: float(x != y)
    place = {rating: i for i, rating in enumerate(order)}
    power = 1 if weights == "linear" else 2
    return lambda x, y: float(abs(place[x] - place[y]) ** power)


def _ordinal(totals: Mapping[Rating, int], order: Sequence[Rating] | None) -> Callable[[Rating, Rating], float]:
    """Squared number of ratings between two, half of the two themselves counted."""
    if order is None:
        raise ValueError("krippendorff_alpha: an ordinal level needs the order of the ratings")
    place = {rating: i for i, rating in enumerate(order)}

    def apart(x: Rating, y: Rating) -> float:
        low, high = sorted((place[x], place[y]))
        between = sum(totals.get(order[i], 0) for i in range(low, high + 1))
        return (between - (totals[x] + totals[y]) / 2) ** 2

    return apart
