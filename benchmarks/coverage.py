"""How often the 95 % intervals of a comparison cover the true difference, on made runs with known components.

`python -m benchmarks.coverage [REPEATS]` prints the table: where there was an interval, and how many had none. Two
arms that differ by 5 points. The SD of fixtures is 10 points, of their differences 4, of the runs of one arm 3 and of
the other 5. Recalls are rounded to what 40 atoms can show and cut at 0 and 1, as real ones are.
"""

from __future__ import annotations

import statistics
import sys
from typing import TYPE_CHECKING, NamedTuple

from bench.analysis.statistics.components import RESIDUAL, design
from bench.analysis.statistics.over_atoms import over_atoms
from bench.analysis.statistics.over_fixtures import over_fixtures
from bench.analysis.statistics.over_runs import Pair, Runs, over_runs
from bench.text import Figure
from bench.texttable import table
from benchmarks.line import Line

if TYPE_CHECKING:
    import numpy as np

FIXTURES = (1, 2, 3, 4, 6)
REPLICATES = (2, 3, 5, 10)
REPEATS = 2_000
"""Comparisons a design: a share near 0.95 is then known to a point (twice its standard error)."""
SEED = 20_260_401
DIFFERENCE, BASE = 0.05, 0.70
SD_FIXTURE, SD_FIXTURE_ARM, SD_RUN = 0.10, 0.04, (0.03, 0.05)
ATOMS = 40
SD_SHIFT = 0.2
"""Of a whole run, on the logit scale: it is stricter or laxer on every atom."""
SDS = {"fixture": 0.10, "arm": 0.05, "fixture x arm": 0.04, "replicate": 0.03, "residual": 0.02}
"""Of the sources whose split is checked; the residual are passes."""
LEAST, MOST = 0.93, 0.97
FROM = 3
"""Fixtures, or replicates, from which on the promise is made: with two the intervals are wider than they need be."""


class Covered(NamedTuple):
    """One design and how often its interval held the truth; None where there was no interval at all."""

    fixtures: int
    replicates: int
    like_these: float | None
    these: float | None
    without: float
    """Share of the comparisons that had no interval on these facts, or none on transcripts like these: dropped."""
    own: float | None
    """The level of one arm, over fixtures."""
    atoms: float | None
    """Atoms like these, on one fixture, of two arms that are alike on average."""


def run(size: float = 1.0) -> list[Line]:
    """A line a target: the design whose coverage is furthest from 95 %; and the split of the variance."""
    repeats = max(50, round(REPEATS * size))
    found = coverage(repeats)
    lines = [split(repeats)]
    for what, shares in (
        ("transcripts like these", [c.like_these for c in found if c.fixtures >= FROM]),
        ("these facts", [c.these for c in found if c.replicates >= FROM]),
        ("the level of an arm", [c.own for c in found if c.fixtures >= FROM]),
    ):
        worst = max((s for s in shares if s is not None), key=lambda share: abs(share - 0.95))
        lines.append(
            Line(
                what=f"coverage of 95 % intervals on {what}, the worst design from {FROM} on",
                target=f"{100 * LEAST:.0f} to {100 * MOST:.0f} %",
                value=100 * worst, unit="%", met=LEAST <= worst <= MOST,
            )
        )  # fmt: skip
    return lines


def coverage(repeats: int) -> list[Covered]:
    """Every design, measured on so many comparisons."""
    import numpy as np

    rng = np.random.default_rng(SEED)
    return [covered(f, r, repeats, rng) for f in FIXTURES for r in REPLICATES]


def split(repeats: int) -> Line:
    """The component whose mean estimate is furthest from what was put in, over so many made runs."""
    import numpy as np

    rng = np.random.default_rng(SEED)
    f, a, r, _ = np.indices((4, 4, 4, 3))
    levels = {"fixture x arm": f * 4 + a, "replicate": (f * 4 + a) * 4 + r}
    codes = {name: level.ravel() for name, level in {"fixture": f, "arm": a, **levels}.items()}
    made = design(codes, f.size)
    sums = dict.fromkeys([*codes, RESIDUAL], 0.0)
    for _ in range(repeats):
        values = rng.normal(0, SDS[RESIDUAL], f.size)
        for name, code in codes.items():
            values += rng.normal(0, SDS[name], code.max() + 1)[code]
        for name, variance in made.components(values).items():
            sums[name] += (variance or 0.0) / repeats
    off = {name: abs(total / SDS[name] ** 2 - 1) for name, total in sums.items()}
    worst = max(off, key=lambda name: off[name])
    what = f"variance split, mean of {repeats:,} runs: the component furthest off ({worst})"
    return Line(what=what, target="≤ 10 %", value=100 * off[worst], unit="%", met=off[worst] <= 0.10)


def covered(fixtures: int, replicates: int, repeats: int, rng: np.random.Generator) -> Covered:
    """One design, measured on so many comparisons."""
    like_these, these, own, atoms, without = [], [], [], [], 0
    for _ in range(repeats):
        pairs, true = _pairs(fixtures, replicates, rng)
        across, same = over_fixtures([p.difference for p in pairs]), over_runs(pairs)
        alone = over_fixtures([statistics.fmean(p.base.recalls) for p in pairs])
        without += same.low is None or (fixtures > 1 and across.low is None)
        if alone.low is not None and alone.high is not None:
            own.append(alone.low <= BASE - DIFFERENCE / 2 <= alone.high)
        if across.low is not None and across.high is not None:
            like_these.append(across.low <= DIFFERENCE <= across.high)
        if same.low is not None and same.high is not None:
            these.append(same.low <= true <= same.high)
    if fixtures == 1:
        atoms = [held for _ in range(repeats // 2) if (held := _atoms_covered(replicates, rng)) is not None]
    shares = _share(like_these), _share(these), without / repeats, _share(own), _share(atoms)
    return Covered(fixtures, replicates, *shares)


def _atoms_covered(replicates: int, rng: np.random.Generator) -> bool | None:
    """Whether the interval on atoms like these holds 0: two arms that differ atom by atom, and not on average."""
    import numpy as np

    ease = rng.normal(1.0, 1.5, ATOMS)
    sides = []
    for _ in range(2):
        odds = ease + rng.normal(0, 0.8, ATOMS) + rng.normal(0, SD_SHIFT, (replicates, 1))
        sides.append((rng.random((replicates, ATOMS)) < 1 / (1 + np.exp(-odds))).astype("float64"))
    found = over_atoms([(sides[0], sides[1])])
    return None if found.low is None or found.high is None else found.low <= 0 <= found.high


def _pairs(fixtures: int, replicates: int, rng: np.random.Generator) -> tuple[list[Pair], float]:
    """Two arms on made fixtures, and their true difference on those very fixtures."""
    import numpy as np

    ease = rng.normal(BASE, SD_FIXTURE, fixtures)
    gain = rng.normal(DIFFERENCE, SD_FIXTURE_ARM, fixtures)
    centres = (ease - gain / 2, ease + gain / 2)
    sides = [
        np.round(ATOMS * np.clip(rng.normal(centre[:, None], sd, (fixtures, replicates)), 0, 1)) / ATOMS
        for centre, sd in zip(centres, SD_RUN, strict=True)
    ]
    pairs = [
        Pair(str(f), float(b.mean() - a.mean()), Runs(tuple(a.tolist())), Runs(tuple(b.tolist())))
        for f, (a, b) in enumerate(zip(*sides, strict=True))
    ]
    return pairs, float(gain.mean())


def _share(covered: list[bool]) -> float | None:
    return sum(covered) / len(covered) if covered else None


def _told(share: float | None) -> Figure | None:
    return None if share is None else Figure(f"{100 * share:.1f}")


if __name__ == "__main__":
    designs = coverage(int(sys.argv[1]) if len(sys.argv) > 1 else REPEATS)
    headings = ("fixtures", "replicates", "transcripts like these", "these facts", "an arm", "atoms like these", "none")
    cells = [
        (c.fixtures, c.replicates, *map(_told, (c.like_these, c.these, c.own, c.atoms, c.without))) for c in designs
    ]
    print(table([dict(zip(headings, line, strict=True)) for line in cells], headings))
