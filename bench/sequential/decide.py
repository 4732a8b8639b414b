"""What a look decides, from a comparison and the rule. Pure.

Arms are tested step down (Holm): the one with the least p is held against the boundary of alpha / (arms not found yet),
and where it is found the next has a wider one. With a boundary of planned looks at each level this keeps the error of
all arms and looks together. Source: Maurer & Bretz 2013. The interval of an arm is the repeated one at that boundary
(Jennison & Turnbull 1989), so it holds at every look; an arm whose interval lies within what is worth seeing is settled
as well. Giving up on an arm never makes the error larger.

Where the SD of runs is known from earlier data the mixture test decides instead, after every replicate, about these
facts: its p is the smallest so far, and holds however often one looks (`statistics/mixture.py`).
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence

from bench.analysis.statistics.looks import boundaries, nominal
from bench.analysis.statistics.mixture import half_width, ratio_at
from bench.analysis.statistics.over_runs import SURE
from bench.frames import number
from bench.sequential.rule import ArmLook, Rule, State

Line = Mapping[str, object]
Key = tuple[str, str]
"""An arm and its model."""


def decide(
    lines: Sequence[Line],
    rule: Rule,
    look: int,
    found_before: Collection[Key],
    family: int,
    ps_before: Mapping[Key, float] | None = None,
) -> list[ArmLook]:
    """Every line of a comparison (see `bench.compare`, without its first) as this look leaves it.

    `look` counts from 0; `family` is how many comparisons the rule is about, those `found_before` included;
    `ps_before` are the p of the look before, for a mixture test.
    """
    assert rule.alpha is not None
    if rule.run_sd is not None:
        lines = [_mixed(line, rule, (ps_before or {}).get(_key(line), 1.0)) for line in lines]
    # an arm without a p cannot be found, and is looked at last
    rest = sorted(lines, key=lambda line: (number(line["p"]) is None, number(line["p"]) or 0.0))
    told = []
    found = len(found_before)
    open_ = True
    for line in rest:
        share = rule.alpha / max(1, family - found)
        needed = share if rule.run_sd is not None else nominal(boundaries(_seen(rule), share, rule.shape)[look])
        one = _look(line, rule, needed, testing=open_)
        open_ = open_ and one.state == "differs"
        found += one.state == "differs" and one.p is not None
        told.append(one)
    order = {_key(line): i for i, line in enumerate(lines)}
    return sorted(told, key=lambda one: order[(one.arm, one.model)])


def _look(line: Line, rule: Rule, needed: float, *, testing: bool) -> ArmLook:
    arm, model = _key(line)
    difference, p = number(line["difference"]), number(line["p"])
    low, high = _interval(line, needed) if rule.run_sd is None else _sequence(line, rule, needed)
    return ArmLook(
        arm=arm,
        model=model,
        state=_state(line, rule, p is not None and p <= needed and testing, low, high),
        difference=difference,
        low=low,
        high=high,
        p=p,
        p_needed=needed,
        runs_for_it=number(line["runs_for_it"]),
        fixtures_for_it=number(line["fixtures_for_it"]),
    )


def _state(line: Line, rule: Rule, found: bool, low: float | None, high: float | None) -> State:
    if found or line["why_no_interval"] == SURE:  # neither varies: what is seen is all there is
        return "differs" if number(line["difference"]) else "close"
    worth = rule.worth_seeing
    if worth is not None and low is not None and high is not None and -worth <= low and high <= worth:
        return "close"
    if rule.run_sd is not None:  # of these facts more replicates always tell more
        return "undecided"
    # over fixtures more replicates shrink one part of the variance only
    over_fixtures = number(line["fixtures_for_it"]) is not None
    return "out of reach" if over_fixtures and number(line["runs_for_it"]) is None else "undecided"


def _interval(line: Line, needed: float) -> tuple[float | None, float | None]:
    """difference -+ t(df) * se at this look's level, in points, cut at what two recalls can differ by."""
    from scipy.special import stdtrit

    difference, se, df = (number(line[name]) for name in ("difference", "se", "df"))
    if difference is None or se is None or df is None:
        return None, None
    reach = float(stdtrit(df, 1 - needed / 2)) * se
    return max(-100.0, difference - reach), min(100.0, difference + reach)


def _mixed(line: Line, rule: Rule, before: float) -> Line:
    """The line with the p of the mixture test, and no word of what a t test would take."""
    of, difference = _sigma(line, rule), number(line["difference"])
    if of is None or difference is None:
        return {**line, "p": None}
    n, sigma, tau = of
    p = min(before, 1 / ratio_at(n, difference, sigma, tau))
    return {**line, "p": p, "runs_for_it": None, "fixtures_for_it": None}


def _sequence(line: Line, rule: Rule, needed: float) -> tuple[float | None, float | None]:
    """The confidence sequence at this level, in points, cut at what two recalls can differ by."""
    of, difference = _sigma(line, rule), number(line["difference"])
    if of is None or difference is None:
        return None, None
    reach = half_width(*of, alpha=needed)
    return max(-100.0, difference - reach), min(100.0, difference + reach)


def _sigma(line: Line, rule: Rule) -> tuple[int, float, float] | None:
    """Runs an arm, the SD of a difference of one run each over the common fixtures, and what is worth seeing: points.

    The arm with the fewest runs on a fixture counts for all, and one that does not vary as one that does: the error is
    smaller for it.
    """
    runs, fixtures = (number(line.get(c)) for c in ("fewest_runs", "common_fixtures"))
    if not runs or not fixtures or rule.run_sd is None or rule.worth_seeing is None:
        return None
    return int(runs), rule.run_sd * math.sqrt(2 / fixtures), rule.worth_seeing


def _seen(rule: Rule) -> tuple[float, ...]:
    return tuple(map(float, rule.looks))


def _key(line: Line) -> Key:
    return str(line["arm"]), str(line["model"])
