"""What a comparison comes to, in one sentence an arm: how much, how sure, about what, or what it would take to tell."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

from bench.analysis.arms.level import LIKE_THESE, SAME_KEY
from bench.analysis.arms.spread import POINTS
from bench.analysis.comparing.compare import ALPHA
from bench.analysis.statistics.over_runs import SURE
from bench.analysis.units import SERIES
from bench.frames import number, records
from bench.runs.cost_clauses import atom_clause, cost_clauses
from bench.runs.words import signed
from bench.text import count

if TYPE_CHECKING:
    import pandas as pd

Line = dict[str, object]

CANNOT_TELL = "cannot tell"
"""Begins every sentence that finds nothing."""
MOST_FURTHER = 100
"""Replicates or fixtures that anybody would add; a larger number says no more than that it takes too many."""


def conclusions(table: pd.DataFrame, measures: pd.DataFrame) -> pd.Series:
    """A sentence a line of `comparing.compare.compare` with its `name` and `grader_moves`; NA for the first, which
    the others are held against. `measures` is from `measure_table`, against the same first."""
    import pandas as pd

    costs: dict[tuple[object, ...], dict[object, Line]] = {}
    for one in records(measures):
        costs.setdefault(tuple(one[c] for c in SERIES), {})[one["measure"]] = one
    first, *others = records(table)
    told = [conclusion(line, first, costs.get(tuple(line[c] for c in SERIES), {}), len(others)) for line in others]
    return pd.Series([None, *told], dtype="string")


def conclusion(line: Line, first: Line, costs: Mapping[object, Line], comparisons: int = 1) -> str:
    """The sentence of one arm against the first; `costs` are its measures, `comparisons` how many were looked at."""
    parts = [
        *_what(line, first, comparisons),
        *_two_outputs(line, first),
        *_no_worse(line),
        *_gaps(line),
        *_worst(line, first),
        *cost_clauses(costs),
        *atom_clause(line),
        *_grader(line),
    ]
    return "; ".join(parts)


def _what(line: Line, first: Line, comparisons: int) -> list[str]:
    name, base, difference = line["name"], first["name"], number(line["difference"])
    if difference is None:
        return [f"{CANNOT_TELL} {name} from {base}: {line['why_no_interval']}"]
    if line["why_no_interval"] == SURE:
        return [
            f"{name} carries {_more(difference)} {base} on {SAME_KEY}, each time: both are fixed texts"
            f" ({_design(line)})"
        ]
    low, high = number(line["low"]), number(line["high"])
    if low is None or high is None:
        return [
            f"{CANNOT_TELL} {name} from {base}: {signed(difference)} points without an interval",
            str(line["why_no_interval"]),
        ]
    if line["found"]:
        ends = (low, high) if difference > 0 else (-high, -low)
        told = f"{name} carries {_more(difference)} {base} ({_interval(*ends)}, {_design(line)}) on {line['target']}"
        return [told] if line["target"] == LIKE_THESE else [told, *_other_facts(line)]
    told = f"{CANNOT_TELL} {name} from {base} on {line['target']}: {signed(difference)} points"
    return [f"{told} ({_interval(low, high)}, {_design(line)})", *_doubt(line, comparisons), *_takes(line)]


def _two_outputs(line: Line, first: Line) -> list[str]:
    """Where there is one output of each arm and no more: on which atoms these two differ."""
    only, low, high, p = (number(line[c]) for c in ("only_other", "outputs_low", "outputs_high", "outputs_p"))
    if only is None:
        return []
    sure = line["why_no_interval"] == SURE
    about = f"that is about these two outputs, {'the same each time' if sure else 'not about the arms'}"
    if low is None or high is None or p is None:
        return [f"the two outputs carry the same of {line['common_atoms']} atoms; {about}"]
    either = (
        f"{line['only_first']} are carried by {first['name']} alone and {line['only_other']} by {line['name']} alone"
    )
    share = f"{line['name']} has {POINTS * (number(line['outputs_share']) or 0.0):.0f} %"
    ends = f"95 % interval {POINTS * low:.0f} to {POINTS * high:.0f} %, exact p {p:.2g}"
    return [f"of {line['common_atoms']} atoms {either}: {share} of these ({ends}); {about}"]


def _doubt(line: Line, comparisons: int) -> list[str]:
    """Why an interval without 0 is not enough, and what holds of these fixtures though not of others."""
    told = []
    p, adjusted, exact = (number(line[c]) for c in ("p", "p_holm", "p_exact"))
    if p is not None and adjusted is not None and p <= ALPHA < adjusted:
        told.append(f"with {comparisons} comparisons its p of {p:.2g} counts as {adjusted:.2g} (Holm)")
    elif p is not None and p <= ALPHA and exact is not None:
        told.append(f"the {line['exact_test']} does not bear it out (p {exact:.2g})")
    low, high = number(line["these_low"]), number(line["these_high"])
    if line["target"] == LIKE_THESE and low is not None and high is not None and (low > 0 or high < 0):
        told.append(f"on {SAME_KEY}, from run to run, it is {signed(low)} to {signed(high)}")
    return told


def _takes(line: Line) -> list[str]:
    """What the design sees, and what it would take to see what is worth seeing."""
    sees, worth = number(line["sees"]), number(line["worth_seeing"])
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
    needed = number(needed)
    if needed is None or not isinstance(there, int):
        return ""
    more = max(1, math.ceil(needed) - there)
    return f"over {MOST_FURTHER} more {what}s" if more > MOST_FURTHER else count(more, f"more {what}")


def _other_facts(line: Line) -> list[str]:
    """What one fixture says beyond its own facts."""
    low, high = number(line["atoms_low"]), number(line["atoms_high"])
    facts = (
        []
        if low is None or high is None
        else [f"on other facts of its transcript it is {signed(low)} to {signed(high)}"]
    )
    return [*facts, "nothing is said of other transcripts"]


def _no_worse(line: Line) -> list[str]:
    """What holds against a margin that was fixed beforehand; that no difference was found says nothing of it."""
    margin, worse, good = (number(line[c]) for c in ("margin", "p_no_worse", "p_as_good"))
    if margin is None or worse is None or good is None:
        return []
    if good <= ALPHA:
        return [f"it is as good, to within {margin:g} points (p {good:.2g})"]
    if worse <= ALPHA:
        return [f"it is not worse by {margin:g} points or more (p {worse:.2g})"]
    return [f"that it is not worse by {margin:g} points or more cannot be told (p {worse:.2g})"]


def _gaps(line: Line) -> list[str]:
    """What is missing of the grid, and how far it could move the difference."""
    least, most = number(line["least"]), number(line["most"])
    if least is None or most is None:
        return []
    told = f"{line['gaps']} of {line['cells']} cells lack a handoff or a verdict: had those carried nothing, or all, it"
    turned = ", so which is better stays open" if least <= 0 <= most else ""
    return [f"{told} would be {signed(least)} to {signed(most)}{turned}"]


def _worst(line: Line, first: Line) -> list[str]:
    """The worst of as many runs of both, and how far they lie apart: a compaction gets one attempt."""
    mine, theirs = (number(one["worst_at"]) for one in (line, first))
    spans = [number(one["spread"]) for one in (line, first)]
    if line["fixtures"] != first["fixtures"] or mine is None or theirs is None or spans[0] is None or spans[1] is None:
        return []
    worst = f"the worst of {line['spread_of']} runs carries {POINTS * mine:.1f} points against {POINTS * theirs:.1f}"
    return [f"{worst}, and they lie {spans[0]:.1f} apart against {spans[1]:.1f}"]


def _grader(line: Line) -> list[str]:
    moves = number(line["grader_moves"])
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
