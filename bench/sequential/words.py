"""What looks found, in words: a line an arm, and why the run stopped."""

from __future__ import annotations

import math
from collections.abc import Iterator

from bench.runs.words import signed
from bench.sequential.rule import ArmLook, ArmRank, Look, Looks, Rule

BIASED = "an arm that stopped early keeps a biased mean: low for losers, high for winners; confirm on fresh replicates"

CANDIDATE = 0.05
"""Of the arms of a screening that are candidates, so large a share is expected to differ by chance alone."""


def rule_line(rule: Rule) -> str:
    """The rule, before anything is asked."""
    if rule.kind == "screen":
        rounds = ", ".join(f"{n} arms at {r}" for n, r in zip(rule.takes_part, rule.looks, strict=True))
        return f"screening: {rounds} replicates; it ranks, it finds nothing"
    looks = ", ".join(map(str, rule.looks))
    if rule.run_sd is not None:
        return (
            f"a mixture test after every replicate from {rule.looks[0]} to {rule.looks[-1]}, runs having an SD of"
            f" {rule.run_sd:g} points; {rule.alpha:g} is the chance that any of {len(rule.arms) * len(rule.models)}"
            f" comparisons with {rule.first} is found on these facts where nothing is"
        )
    return (
        f"planned looks at {looks} replicates ({rule.shape}); {rule.alpha:g} is the chance that any of"
        f" {len(rule.arms) * len(rule.models)} comparisons with {rule.first} is found where nothing is"
    )


def look_lines(looks: Looks, at: int) -> list[str]:
    """What one look found, and what it would take where it found nothing."""
    look, rule = looks.looks[at], looks.rule
    head = f"look {at + 1} of {len(rule.looks)}, {look.replicates} replicates:"
    last = at == len(rule.looks) - 1
    return [head, *(f"  {told}" for told in (*_arms(look, rule, last), *_ranks(look, rule)))]


def stopped_line(looks: Looks, *, by_budget: bool = False) -> str:
    """Why the run stopped."""
    rule, done = looks.rule, len(looks.looks)
    if by_budget or not done:
        return f"stopped by the cap at look {done + 1} of {len(rule.looks)}; a larger budget goes on from there"
    if rule.kind == "screen":
        best = [r.arm for r in looks.looks[-1].ranks if r.place == 1]
        return f"screened: {best[0]} ranks first; this is a ranking, not a finding; {BIASED}"
    states = last_states(looks)
    open_ = [a for a in states if a.state == "undecided"]
    if open_:
        told = f"stopped at the last look; undecided: {', '.join(_name(a, rule) for a in open_)}"
    else:
        told = f"stopped after look {done} of {len(rule.looks)}: nothing is undecided that replicates could decide"
    return f"{told}; {BIASED}"


def last_states(looks: Looks) -> list[ArmLook]:
    """Each arm as its last look left it, in the rule's order."""
    by_key = {(a.arm, a.model): a for look in looks.looks for a in look.arms}
    return [by_key[a, m] for m in looks.rule.models for a in looks.rule.arms if (a, m) in by_key]


def told_of(looks: Looks) -> list[str]:
    """Notes for whoever compares the arms of a run that was stopped by a rule: fixed-n intervals do not hold for it."""
    rule = looks.rule
    if rule.kind == "screen":
        return [f"This run was screened ({rule_line(rule)}): {BIASED}."]
    lines = [f"This run has a stopping rule: {rule_line(rule)}. Intervals above take the number of runs as fixed."]
    lines += [f"By the rule: {_arm(a, rule, last=True)}." for a in last_states(looks)]
    return [*lines, f"{BIASED[0].upper()}{BIASED[1:]}."]


def _arms(look: Look, rule: Rule, last: bool) -> Iterator[str]:
    for arm in look.arms:
        yield _arm(arm, rule, last=last, replicates=look.replicates)


def _arm(arm: ArmLook, rule: Rule, *, last: bool, replicates: int | None = None) -> str:
    name, first = _name(arm, rule), rule.first
    if arm.difference is None:
        return f"{name}: undecided, it has no graded handoff that {first} has too"
    if arm.low is None or arm.high is None:
        known = f"{name}: {signed(arm.difference)} points against {first}"
        return f"{known}, each time the same" if arm.state != "undecided" else f"{known}, without an interval"
    within = f"{signed(arm.difference)} points ({signed(arm.low)} to {signed(arm.high)})"
    match arm.state:
        case "differs":
            return f"{name}: differs from {first}, {within}"
        case "close":
            return f"{name}: less than {rule.worth_seeing:g} points from {first}, {within}"
        case "out of reach":
            needed = f"{_fixtures(arm)} would see {rule.worth_seeing:g}"
            return f"{name}: no number of replicates would tell, {within}; {needed}"
    told = f"{name}: undecided, {within}"
    return told if last or replicates is None else f"{told}{_takes(arm, rule, replicates)}"


def _takes(arm: ArmLook, rule: Rule, replicates: int) -> str:
    if arm.runs_for_it is None:
        return ""
    more = math.ceil(arm.runs_for_it) - replicates
    return f"; {more} more replicates would see {rule.worth_seeing:g}" if more > 0 else ""


def _fixtures(arm: ArmLook) -> str:
    return "more fixtures" if arm.fixtures_for_it is None else f"{math.ceil(arm.fixtures_for_it)} fixtures"


def _name(arm: ArmLook, rule: Rule) -> str:
    return arm.arm if len(rule.models) == 1 else f"{arm.arm} · {arm.model}"


def _ranks(look: Look, rule: Rule) -> Iterator[str]:
    for r in look.ranks:
        recall = "no recall" if r.recall is None else f"recall {100 * r.recall:.1f}"
        told = f"{r.place}. {r.arm}: {recall} from {r.runs} runs, {'goes on' if r.goes_on else 'drops out'}"
        yield told + _candidate(r, rule)


def _candidate(rank: ArmRank, rule: Rule) -> str:
    """What the first round, in which all arms have as many runs, says of an arm beside the sweep's first."""
    if rank.difference is None or rank.low is None or rank.high is None or rank.p_screened is None:
        return ""
    within = f"{signed(rank.difference)} points against {rule.arms[0]} ({signed(rank.low)} to {signed(rank.high)})"
    kept = "a candidate" if rank.p_screened <= CANDIDATE else "no candidate"
    return f"; {within}, p {rank.p_screened:.2g} after Benjamini-Hochberg: {kept}"
