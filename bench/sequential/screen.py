"""A large set of arms halved by rounds: most runs go to the best. A ranking, not a finding."""

from __future__ import annotations

from collections.abc import Callable
from itertools import accumulate
from pathlib import Path

from msgspec.structs import replace

from bench.analysis.statistics.halving import rounds
from bench.calls.exits import gravest
from bench.calls.outside import Outside
from bench.errors import BenchError
from bench.forks.progress import Progress
from bench.forks.resolve import Resolved, overrides_of, resolve
from bench.forks.run import run_sweep
from bench.forks.store import Store
from bench.sequential.rule import ArmRank, Look, Looks, Rule, begun, write_looks
from bench.sequential.until import Stopped, versions_of
from bench.sequential.words import look_lines
from bench.sweepfile import MOST_REPLICATES


def screen(
    path: Path | str,
    *,
    progress: Progress | None = None,
    outside: Outside | None = None,
    tell: Callable[[str], None] = print,
    **overrides: object,
) -> Stopped:
    """Runs the sweep's arms by successive halving, with as many forks as its full grid would ask.

    Each round gives the arms that are left their share of new replicates and lets the better half go on, by mean recall
    over the fixtures and the run's first grader. After the first round each arm has its difference from the first as
    well, and whether it is a candidate by Benjamini & Hochberg. Arms without a model run once and take no part. Raises
    BenchError where there is nothing to choose from, RunInterrupted after an interrupt; started again it goes on where
    it was.
    """
    resolved = resolve(Path(path), overrides_of(**overrides))
    rule = screen_rule(resolved)
    store = Store(resolved.root)
    looks = begun(store.root, rule, has_outputs=bool(store.done()))
    stamp = (outside or Outside()).stamp
    entries = {a.arm.label: entry for entry, a in zip(resolved.sweep.arms, resolved.arms, strict=True)}
    left = [*entries]
    summaries = []
    for at, replicates in enumerate(rule.looks):
        changed = overrides | {"replicates": replicates, "arms": tuple(entries[a] for a in left)}
        summaries.append(run_sweep(path, progress=progress, outside=outside, grade=True, **changed))
        if summaries[-1].by_budget:
            break
        if at == len(looks.looks):
            stays = (*rule.takes_part, 1)[at + 1]
            taking_part = [a for a in left if a in rule.arms]
            ranks = rank(store, taking_part, stays)
            if not at:
                ranks = beside_first(store, rule.arms[0], ranks)
            look = Look(replicates=replicates, at=stamp(), ranks=tuple(ranks))
            looks = Looks(rule=rule, looks=(*looks.looks, look))
            write_looks(store.root, looks)
            for line in look_lines(looks, at):
                tell(line)
        left = [r.arm for r in looks.looks[at].ranks if r.goes_on]
    return Stopped(summaries[-1], looks, gravest([s.exit_status for s in summaries]))


def screen_rule(resolved: Resolved) -> Rule:
    """The rule for a sweep. Raises BenchError where nothing can be screened."""
    arms = tuple(a.arm.label for a in resolved.arms if a.arm.asks_model)
    sweep = resolved.sweep
    if len(sweep.models) != 1 or sweep.chain != 1 or len(resolved.stale_by) > 1:
        raise BenchError("--screen ranks arms on one model, one step and one staleness; name the model with --models")
    if len(arms) < 3:
        raise BenchError(f"--screen has {len(arms)} arms that ask a model to choose from; with two, compare them")
    try:
        found = rounds(len(arms), len(arms) * sweep.replicates)
    except ValueError as e:
        raise BenchError(f"{e}; raise replicates") from None
    looks = tuple(accumulate(r.new_replicates for r in found))
    if looks[-1] > MOST_REPLICATES:
        raise BenchError(
            f"the last round would be at {looks[-1]} replicates, {MOST_REPLICATES} is the most; lower replicates"
        )
    return Rule(
        kind="screen",
        arms=arms,
        models=sweep.models,
        versions=versions_of(resolved, arms),
        looks=looks,
        takes_part=tuple(r.arms for r in found),
    )


def rank(store: Store, arms: list[str], stays: int) -> list[ArmRank]:
    """The arms by mean recall, the best first; one without a graded handoff comes last."""
    from bench.analysis.recall import arm_recall, run_recall
    from bench.frames import records
    from bench.runs.index import build_index, open_run
    from bench.runs.view import ranked_of

    build_index(store)
    newest = {label: marks[-1].label for label, marks in store.run_json().arms.items()}
    runs = run_recall(ranked_of(open_run(store.root)))
    by_arm = {str(line["arm"]): line for line in records(arm_recall(runs))}
    found = [(arm, by_arm.get(newest[arm], {})) for arm in arms]
    found.sort(key=lambda one: -_recall(one[1]))
    return [
        ArmRank(
            place=place,
            arm=arm,
            recall=None if (value := _recall(line)) < 0 else value,
            runs=n if isinstance(n := line.get("n"), int) else 0,
            goes_on=place <= stays,
        )
        for place, (arm, line) in enumerate(found, 1)
    ]


def beside_first(store: Store, first: str, ranks: list[ArmRank]) -> list[ArmRank]:
    """The ranks, each with its difference from `first`, interval and adjusted p where the runs there are tell one.

    Of the first round: all arms have the same number of runs and none has been chosen. Source: Benjamini & Hochberg
    1995 (`statistics/false_discovery.py`).
    """
    from bench.analysis.comparing.compare import compare
    from bench.analysis.statistics.false_discovery import false_discovery
    from bench.analysis.units import SERIES
    from bench.frames import number, records
    from bench.runs.index import open_run
    from bench.runs.view import ranked_of

    newest = {label: marks[-1].label for label, marks in store.run_json().arms.items()}
    grades = ranked_of(open_run(store.root))
    grades = grades[grades["arm"].isin([newest[r.arm] for r in ranks])]
    series = grades.loc[grades["arm"] == newest[first], SERIES].drop_duplicates()
    if series.empty:
        return ranks
    lines = {line["arm"]: line for line in records(compare(grades, tuple(series.iloc[0])))[1:]}
    of = [lines.get(newest[r.arm], {}) for r in ranks]
    adjusted = false_discovery([number(line.get("p")) for line in of])
    ends = [{c: number(line.get(c)) for c in ("difference", "low", "high")} for line in of]
    return [replace(r, **end, p_screened=p) for r, end, p in zip(ranks, ends, adjusted, strict=True)]


def _recall(line: dict[str, object]) -> float:
    value = line.get("recall")
    return value if isinstance(value, float) else -1.0
