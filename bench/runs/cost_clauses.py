"""What a comparison says of money, tokens and time: how much more, how sure, or that these runs cannot tell."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal

POINTS_OF_A_SHARE = 100
WORDS = {
    "usd_write": ("it costs", "more to write", "less to write", " USD"),
    "output_tokens": ("it writes", "more tokens", "fewer tokens", ""),
    "seconds": ("it takes", "longer", "less time", " s"),
}
"""Measure -> verb, more, less, unit."""
ALWAYS = ("usd_write",)
"""Said even where these runs cannot tell; the others only where they can."""


def cost_clauses(costs: Mapping[object, Mapping[str, object]]) -> list[str]:
    """A clause a measure of an arm (from `measure_table`, by its name), in the order of `WORDS`."""
    return [clause for measure in WORDS if measure in costs for clause in _clause(measure, costs[measure])]


def _clause(measure: str, line: Mapping[str, object]) -> list[str]:
    """Nothing where a figure is unknown, or there is nothing to take a share of."""
    more, low, high = (line[c] for c in ("more", "difference_low", "difference_high"))
    if not isinstance(more, float):
        return []
    verb, up, down, unit = WORDS[measure]
    share = round(POINTS_OF_A_SHARE * more)
    known = isinstance(low, float) and isinstance(high, float)
    sure = isinstance(low, float) and isinstance(high, float) and (low > 0 or high < 0)
    if measure not in ALWAYS and not sure:
        return []
    told = f"{verb} {abs(share)} % {up if share > 0 else down}" if share else f"{verb} the same"
    if not known:
        return [told if not share or more == -1 else f"{told} in these runs"]
    interval = f"95 % interval {_figure(measure, low)} to {_figure(measure, high)}{unit}"
    return [f"{told} ({interval})" if sure else f"{told} in these runs ({interval}: it may be chance)"]


def _figure(measure: str, value: object) -> str:
    """A signed amount: USD with three significant digits, tokens whole, seconds with one decimal."""
    number = float(value) if isinstance(value, float) else 0.0
    match measure:
        case "usd_write":
            return f"{Decimal(f'{number:.3g}'):+f}" if number else "0"
        case "output_tokens":
            return f"{number:+,.0f}"
        case _:
            return f"{number:+.1f}"
