"""How often planned looks find something where nothing is: equal arms, looked at as `bench run --until 0.05` does.

`python -m benchmarks.looks [SIMULATIONS]` prints a line a number of arms, looks and shape of the boundary.
"""

from __future__ import annotations

import sys

import numpy as np
from scipy.special import stdtr

from bench.analysis.statistics.looks import Shape
from bench.sequential.decide import Line, decide
from bench.sequential.rule import Rule

RUN_SD = 3.0
"""Points, of every arm."""
ALPHA = 0.05


def found_by_chance(arms: int, looks: tuple[int, ...], shape: Shape, simulations: int, seed: int = 1) -> float:
    """Share of runs of `arms` equal arms and a first one in which any is found to differ at any look."""
    rng = np.random.default_rng(seed)
    names = tuple(f"arm-{i}" for i in range(arms))
    rule = Rule(
        kind="until", first="first", arms=names, models=("m",), versions={}, looks=looks, alpha=ALPHA, shape=shape,
        worth_seeing=5.0,
    )  # fmt: skip
    return sum(_finds(rng.normal(0, RUN_SD, (arms + 1, looks[-1])), rule) for _ in range(simulations)) / simulations


def _finds(recalls: np.ndarray, rule: Rule) -> bool:
    """Whether a run with those recalls (points; the first arm's in row 0) finds anything."""
    left = list(range(len(rule.arms)))
    for at, n in enumerate(rule.looks):
        lines = [_line(rule.arms[i], recalls[0, :n], recalls[i + 1, :n]) for i in left]
        told = decide(lines, rule, at, (), len(rule.arms))
        if any(one.state == "differs" for one in told):
            return True
        left = [i for i, one in zip(left, told, strict=True) if one.state == "undecided"]
        if not left:
            return False
    return False


def _line(arm: str, first: np.ndarray, other: np.ndarray) -> Line:
    """What a comparison tells of two arms on one fixture, by Welch."""
    n = len(first)
    terms = np.array([first.var(ddof=1), other.var(ddof=1)]) / n
    se, df = float(terms.sum() ** 0.5), float(terms.sum() ** 2 / (terms**2 / (n - 1)).sum())
    difference = float(other.mean() - first.mean())
    p = 2 * float(stdtr(df, -abs(difference) / se))
    numbers = {"difference": difference, "se": se, "df": df, "p": p, "runs_for_it": 2.0 * n, "fixtures_for_it": None}
    return {"arm": arm, "model": "m", "why_no_interval": None, **numbers}


def main(simulations: int) -> None:
    """The table."""
    print("| arms | looks at | Pocock | O'Brien-Fleming |\n| --- | --- | --- | --- |")
    for arms in (1, 3, 5):
        for looks in ((2, 4, 8), (3, 6, 12), (4, 8, 16)):
            both = [100 * found_by_chance(arms, looks, s, simulations) for s in ("pocock", "obrien-fleming")]
            print(f"| {arms} | {', '.join(map(str, looks))} | {both[0]:.1f} | {both[1]:.1f} |", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 2_500)
