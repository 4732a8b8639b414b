"""What a comparison comes to, in one sentence an arm: how much, how sure, about what, or what it would take to tell."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from bench.analysis.compare import ALPHA
from bench.analysis.level import LIKE_THESE, SAME_KEY
from bench.analysis.over_runs import SURE
from bench.analysis.spread import POINTS
from bench.frames import records
from bench.words import signed

if TYPE_CHECKING:
    import pandas as pd

Line = dict[str, object]

CANNOT_TELL = "cannot tell"
"""Begins every sentence that finds nothing."""


def conclusions(table: pd.DataFrame) -> pd.Series:
    """A sentence a line of `bench.run_view.compare`; NA for the first, which the others are held against."""
    import pandas as pd

    first, *others = records(table)
    return pd.Series([None, *(conclusion(line, first, len(others)) for line in others)], dtype="string")


def conclusion(line: Line, first: Line, comparisons: int = 1) -> str:
    """The sentence of one arm against the first; `comparisons` is how many were looked at."""
    return "; ".join([*_what(line, first, comparisons), *_cost(line, first), *_grader(line)])


def _what(line: Line, first: Line, comparisons: int) -> list[str]:
    name, base, difference = line["name"], first["name"], _number(line["difference"])
    if difference is None:
        return [f"{CANNOT_TELL} {name} from {base}: {line['why_no_interval']}"]
    if line["why_no_interval"] == SURE:
        return [f"{name} carries {_more(difference)} {base} on {SAME_KEY}, each time: neither varies ({_design(line)})"]
    low, high = _number(line["low"]), _number(line["high"])
    if low is None or high is None:
        return [
            f"{CANNOT_TELL} {name} from {base}: {signed(difference)} points without an interval",
            str(line["why_no_interval"]),
        ]
    if line["found"]:
        ends = (low, high) if difference > 0 else (-high, -low)
        told = f"{name} carries {_more(difference)} {base} ({_interval(*ends)}, {_design(line)}) on {line['target']}"
        return [told] if line["target"] == LIKE_THESE else [told, "nothing is said of other transcripts"]
    told = f"{CANNOT_TELL} {name} from {base} on {line['target']}: {signed(difference)} points"
    return [f"{told} ({_interval(low, high)}, {_design(line)})", *_doubt(line, comparisons), *_takes(line)]


def _doubt(line: Line, comparisons: int) -> list[str]:
    """Why an interval without 0 is not enough, and what holds of these fixtures though not of others."""
    told = []
    p, adjusted, exact = (_number(line[c]) for c in ("p", "p_holm", "p_exact"))
    if p is not None and adjusted is not None and p <= ALPHA < adjusted:
        told.append(f"with {comparisons} comparisons its p of {p:.2g} counts as {adjusted:.2g} (Holm)")
    elif p is not None and p <= ALPHA and exact is not None:
        told.append(f"the {line['exact_test']} does not bear it out (p {exact:.2g})")
    low, high = _number(line["these_low"]), _number(line["these_high"])
    if line["target"] == LIKE_THESE and low is not None and high is not None and (low > 0 or high < 0):
        told.append(f"on {SAME_KEY}, from run to run, it is {signed(low)} to {signed(high)}")
    return told


def _takes(line: Line) -> list[str]:
    """What the design sees, and what it would take to see what is worth seeing."""
    sees, worth = _number(line["sees"]), _number(line["worth_seeing"])
    if sees is None or worth is None:
        return []
    least = f"{sees:.1f} points or more" if sees < POINTS else "no difference, however large"
    told = [f"this design sees {least}"]
    if sees <= worth:
        return told
    more = [
        _further(line["runs_for_it"], line["fewest_runs"], "replicate"),
        _further(line["fixtures_for_it"], line["common_fixtures"], "fixture"),
    ]
    known = [m for m in more if m]
    if known:
        told.append(f"{' or '.join(known)} would see {worth:g}")
    return told


def _further(needed: object, there: object, what: str) -> str:
    """`14 more replicates`; empty where no number of them would do."""
    needed = _number(needed)
    if needed is None or not isinstance(there, int):
        return ""
    more = max(1, math.ceil(needed) - there)
    return f"{more:,} more {what}{'s' * (more > 1)}"


def _cost(line: Line, first: Line) -> list[str]:
    mine, theirs = _number(line["usd_write"]), _number(first["usd_write"])
    if not mine or not theirs:  # unknown, or nothing to take a share of
        return []
    share = round(100 * (mine / theirs - 1))
    return [f"it costs {abs(share)} % {'more' if share > 0 else 'less'} to write" if share else "it costs the same"]


def _grader(line: Line) -> list[str]:
    moves = _number(line["grader_moves"])
    return [f"the grader alone moves a run by ±{moves:.1f}"] if moves else []


def _more(difference: float) -> str:
    if not round(difference, 1):
        return "as much as"
    points = f"{abs(difference):.1f}"
    return f"{points} point{'s' * (points != '1.0')} {'more' if difference > 0 else 'fewer'} than"


def _interval(low: float, high: float) -> str:
    return f"95 % interval {signed(low).removeprefix('+')} to {signed(high).removeprefix('+')}"


def _design(line: Line) -> str:
    """`4 fixtures × 6 replicates`."""
    fixtures, fewest, most = line["common_fixtures"], line["fewest_runs"], line["most_runs"]
    told = f"{fixtures} fixture{'' if fixtures == 1 else 's'}"
    if fewest is None:
        return told
    runs = f"{fewest}" if fewest == most else f"{fewest} to {most}"
    return f"{told} × {runs} replicate{'' if most == 1 else 's'}"


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) else None
