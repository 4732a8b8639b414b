"""Whether two outputs differ, where there is one of each arm on one fixture: the atoms that only one of them carries.

It is about these two outputs. Another run of the same arms may turn it round: with a shift from run to run the test
finds one between equal arms 12 times in a hundred, so with more outputs it is not told at all.
"""

from __future__ import annotations

from collections.abc import Mapping

from bench.analysis.credited import Credited
from bench.analysis.recall import CARRIED
from bench.analysis.statistics.mcnemar import mcnemar
from bench.analysis.statistics.proportion import exact

FIGURES = ["only_first", "only_other", "outputs_share", "outputs_low", "outputs_high", "outputs_p"]
COUNTS = ["only_first", "only_other"]


def two_outputs(first: Mapping[str, Credited], other: Mapping[str, Credited]) -> dict[str, object]:
    """Atoms that only the first's output carries, and only the other's; outputs_share, the other's share of both (0..1)
    with its exact 95 % interval, and McNemar's exact p. Empty but where each arm has one run on the same one fixture.

    Without an atom of either kind there is no share and no p.
    """
    if len(first) != 1 or first.keys() != other.keys():
        return {}
    one, two = *first.values(), *other.values()
    if len(one.runs) != 1 or len(two.runs) != 1:
        return {}
    here = dict(zip(one.atoms, one.runs[0] > CARRIED, strict=True))
    both = [(here[a], bool(c)) for a, c in zip(two.atoms, two.runs[0] > CARRIED, strict=True) if a in here]
    b, c = sum(x and not y for x, y in both), sum(y and not x for x, y in both)
    told: dict[str, object] = {"only_first": b, "only_other": c}
    limits = exact(c, b + c)
    if limits is None:
        return told
    low, high = limits
    share = {"outputs_share": c / (b + c), "outputs_low": low, "outputs_high": high}
    return told | share | {"outputs_p": mcnemar(b, c)}
