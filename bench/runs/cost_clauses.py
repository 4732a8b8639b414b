"""What a comparison says of money, tokens and time: how much more, how sure, or that these runs cannot tell."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from bench.runs.words import usd

PER_CENT = 100


class Say(NamedTuple):
    """How a measure is told: the verb, what stands after the share, and after an end of the interval."""

    verb: str
    more: str
    less: str
    ends: tuple[str, str] = ("more", "less")


WORDS = {
    "usd_write": Say("it costs", "more to write", "less to write"),
    "output_tokens": Say("it writes", "more tokens", "fewer tokens", ("more", "fewer")),
    "seconds": Say("it takes", "longer", "less time", ("longer", "less")),
}
ALWAYS = ("usd_write",)
"""Said even where these runs cannot tell; the others only where they can."""


def cost_clauses(costs: Mapping[object, Mapping[str, object]]) -> list[str]:
    """A clause a measure of an arm (from `measure_table`, by its name), in the order of `WORDS`."""
    return [clause for measure in WORDS if measure in costs for clause in _clause(measure, costs[measure])]


def _clause(measure: str, line: Mapping[str, object]) -> list[str]:
    """Nothing where a figure is unknown, or there is nothing to take a share of."""
    more, low, high = (line[c] for c in ("more", "more_low", "more_high"))
    if not isinstance(more, float):
        return []
    say, share = WORDS[measure], round(PER_CENT * more)
    told = f"{say.verb} {abs(share)} % {say.more if share > 0 else say.less}" if share else f"{say.verb} the same"
    if not isinstance(low, float) or not isinstance(high, float):
        if measure not in ALWAYS:
            return []
        return [f"{say.verb} nothing to write" if more == -1 else f"{told} in these runs" if share else told]
    interval = f"95 % interval {_ends(low, high, say.ends)}"
    if low > 0 or high < 0:
        return [f"{told} ({interval})"]
    chance = ": it may be chance" if share else ""
    return [f"{told} in these runs ({interval}{chance})"] if measure in ALWAYS else []


def atom_clause(line: Mapping[str, object]) -> list[str]:
    """What each further atom costs, or each that it lacks saves, where more costs more for sure; `line` is of
    `bench.compare`."""
    usd_more, low, high = (line.get(c) for c in ("usd_per_more", "usd_per_more_low", "usd_per_more_high"))
    difference = line["difference"]
    if not (line["found"] and isinstance(usd_more, float) and isinstance(low, float) and isinstance(high, float)):
        return []
    if low <= 0 or not isinstance(difference, float):
        return []
    what = "each further atom costs" if difference > 0 else "each atom that it lacks saves"
    return [f"{what} {usd(usd_more)} USD to write (95 % interval {usd(low)} to {usd(high)})"]


def _ends(low: float, high: float, ends: tuple[str, str]) -> str:
    """`20 to 51 % more`, `3 to 12 % fewer`, the nearer end first; `12 % less to 5 % more`."""
    more, less = ends
    if low > 0:
        return f"{_share(low)} to {_share(high)} % {more}"
    if high < 0:
        return f"{_share(high)} to {_share(low)} % {less}"
    return f"{_share(low)} % {less} to {_share(high)} % {more}"


def _share(limit: float) -> str:
    """Per cent without a sign; with a decimal below 10, lest an end above nothing be told as 0."""
    share = PER_CENT * abs(limit)
    return f"{share:.1f}" if share < 10 else f"{share:,.0f}"
