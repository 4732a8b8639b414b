"""A sweep that adds replicates to undecided arms only, by looks planned before its first fork."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from bench.analysis.comparing.compare import WORTH_SEEING
from bench.analysis.statistics.looks import Shape, doubling
from bench.analysis.units import NO_CHOICE, NO_MODEL, SERIES
from bench.calls.exits import EXIT_DONE, gravest
from bench.calls.outside import Outside
from bench.errors import BenchError
from bench.forks.progress import Progress
from bench.forks.resolve import Resolved, overrides_of, resolve
from bench.forks.run import run_sweep
from bench.forks.store import Store
from bench.forks.summary import RunSummary
from bench.sequential.decide import Key, Line, decide
from bench.sequential.rule import ArmLook, Look, Looks, Rule, begun, write_looks
from bench.sequential.words import look_lines, stopped_line
from bench.sweepfile import MOST_REPLICATES

NOTHING: Line = dict.fromkeys(("difference", "se", "df", "p", "runs_for_it", "fixtures_for_it", "why_no_interval"))
"""What is known of an arm without a graded handoff."""
TIMES = 4
"""The last look has so many times the replicates of the first, unless a call says otherwise."""


@dataclass(frozen=True)
class Until:
    """When a run is to stop. All looks and arms together find something where nothing is with a chance of `alpha`."""

    alpha: float = 0.05
    most: int | None = None
    """Replicates at the last look; without it four times those of the first, 50 at most."""
    worth_seeing: float = WORTH_SEEING
    """Points: an arm that is surely closer than this is settled."""
    shape: Shape = "pocock"
    run_sd: float | None = None
    """Points: the SD of an arm's runs on a fixture, known from earlier data ('bench noise' tells it). With it a mixture
    test decides, about these facts, after every replicate; a wrong one makes the error another."""


@dataclass(frozen=True)
class Stopped:
    """What a run by planned looks came to: the summary of its last start, and every look."""

    summary: RunSummary
    looks: Looks
    exit_status: int

    def as_json(self) -> dict[str, object]:
        """The summary's values, with `rule` and `looks` as in looks.json."""
        return {**self.summary.as_json(), **msgspec.to_builtins(self.looks), "exit_status": self.exit_status}

    def lines(self) -> list[str]:
        """The summary, then why it stopped, a line each."""
        return [*self.summary.lines(), stopped_line(self.looks, by_budget=self.summary.by_budget)]


def run_until(
    path: Path | str,
    until: Until | None = None,
    *,
    progress: Progress | None = None,
    outside: Outside | None = None,
    tell: Callable[[str], None] = print,
    **overrides: object,
) -> Stopped:
    """Runs the sweep at its own replicates, looks, and asks further replicates of the arms that are not decided yet.

    Looks are at the sweep's replicates, twice as many, and so on; with a known SD of runs, after every replicate. An
    arm is decided where its difference from the sweep's first arm is not chance, where it is surely smaller than what
    is worth seeing, or where no number of replicates would tell. `tell` gets each line of what a look found.
    `overrides` as `run_sweep`.
    Raises BenchError for a rule that cannot be kept and for a run that began by another one, RunInterrupted after an
    interrupt; started again it goes on at the look where it was.
    """
    resolved = resolve(Path(path), overrides_of(**overrides))
    rule = until_rule(resolved, until or Until())
    store = Store(resolved.root)
    looks = begun(store.root, rule, has_outputs=bool(store.done()))
    stamp = (outside or Outside()).stamp
    summaries: list[RunSummary] = []

    def ask(replicates: int, models: Sequence[str], arms: Sequence[str]) -> RunSummary:
        changed = overrides | {"replicates": replicates, "models": tuple(models), "arms": tuple(arms)}
        summaries.append(run_sweep(path, progress=progress, outside=outside, grade=True, **changed))
        return summaries[-1]

    for at, replicates in enumerate(rule.looks):
        wanted = _wanted(resolved, looks, at)
        if at and not wanted:
            break
        for models, arms in wanted:
            if ask(replicates, models, arms).by_budget:
                return Stopped(summaries[-1], looks, gravest([s.exit_status for s in summaries]))
        if at < len(looks.looks):
            continue
        found = decide_at(store, rule, looks, at)
        looks = Looks(rule=rule, looks=(*looks.looks, Look(replicates=replicates, at=stamp(), arms=tuple(found))))
        write_looks(store.root, looks)
        for line in look_lines(looks, at):
            tell(line)
    return Stopped(summaries[-1], looks, gravest([EXIT_DONE, *(s.exit_status for s in summaries)]))


def until_rule(resolved: Resolved, until: Until) -> Rule:
    """The rule for a sweep. Raises BenchError where it could not be kept or decides nothing."""
    sweep, first = resolved.sweep, resolved.sweep.replicates
    last = min(TIMES * first, MOST_REPLICATES) if until.most is None else until.most
    if not 0 < until.alpha < 1:
        raise BenchError(f"--until {until.alpha:g}; it is the chance of a false finding, between 0 and 1, say 0.05")
    if until.run_sd is not None and not 0 < until.run_sd < math.inf:
        raise BenchError(f"--run-sd {until.run_sd:g}; it is an SD in points, above 0")
    if first < 2 and until.run_sd is None:
        raise BenchError("one replicate says nothing of chance; set replicates = 2 or more, or --replicates")
    if not first <= last <= MOST_REPLICATES:
        raise BenchError(f"the last look is at {last} replicates; {first} to {MOST_REPLICATES} are possible")
    if sweep.chain != 1 or len(resolved.stale_by) > 1:
        raise BenchError("planned looks decide about one step and one staleness; set chain = 1 and one stale_by")
    arms = [a.arm for a in resolved.arms if a.arm.kind not in NO_CHOICE]
    if len(arms) < 2 or not any(a.asks_model for a in arms):
        raise BenchError("planned looks need two arms to compare, one of which asks a model")
    return Rule(
        kind="until",
        first=arms[0].label,
        arms=tuple(a.label for a in arms[1:]),
        models=sweep.models,
        versions=versions_of(resolved, [a.label for a in arms]),
        looks=doubling(first, last) if until.run_sd is None else tuple(range(first, last + 1)),
        alpha=until.alpha,
        shape=until.shape,
        worth_seeing=until.worth_seeing,
        run_sd=until.run_sd,
    )


def versions_of(resolved: Resolved, labels: Iterable[str]) -> dict[str, str]:
    """Arm -> version, of those arms."""
    versions = {a.arm.label: a.version for a in resolved.arms}
    return {label: versions[label] for label in labels}


def decide_at(store: Store, rule: Rule, looks: Looks, at: int) -> list[ArmLook]:
    """What the run's grades, by its first grader, decide about the arms that are still open."""
    from bench.analysis.comparing.compare import compare
    from bench.frames import records
    from bench.runs.index import build_index, open_run
    from bench.runs.view import ranked_of

    build_index(store)
    run = open_run(store.root)
    newest = {label: marks[-1].label for label, marks in store.run_json().arms.items()}
    grades = ranked_of(run)
    decided = _decided(looks, at)
    lines: list[Line] = []
    for model in rule.models:
        asked = grades[grades["model"].isin([model, NO_MODEL])]
        series = asked.loc[asked["arm"] == newest[str(rule.first)], SERIES].drop_duplicates()
        if series.empty:
            raise BenchError(f"arm '{rule.first}' has no graded handoff to hold the others against", path=store.root)
        table = compare(asked, tuple(series.iloc[0]), worth_seeing=rule.worth_seeing or WORTH_SEEING)
        by_arm = {line["arm"]: line for line in records(table)[1:]}
        left = [arm for arm in rule.arms if (arm, model) not in decided]
        lines += [{**by_arm.get(newest[arm], NOTHING), "arm": arm, "model": model} for arm in left]
    found = {(a.arm, a.model) for look in looks.looks[:at] for a in look.arms if a.state == "differs" and a.p}
    before = {(a.arm, a.model): a.p for look in looks.looks[at - 1 : at] for a in look.arms if a.p is not None}
    return decide(lines, rule, at, found, len(rule.arms) * len(rule.models), before)


def _wanted(resolved: Resolved, looks: Looks, at: int) -> list[tuple[tuple[str, ...], list[str]]]:
    """What the look `at` needs: models with their arms. At first all of the sweep, then what is open, and its first."""
    rule = looks.rule
    if not at:
        return [(rule.models, list(resolved.sweep.arms))]
    entries = {a.arm.label: entry for entry, a in zip(resolved.sweep.arms, resolved.arms, strict=True)}
    decided = _decided(looks, at)
    wanted: list[tuple[tuple[str, ...], list[str]]] = []
    for model in rule.models:
        left = [a for a in rule.arms if (a, model) not in decided]
        if left:
            wanted.append(((model,), [entries[a] for a in (str(rule.first), *left)]))
    return wanted


def _decided(looks: Looks, at: int) -> set[Key]:
    """Arms that a look before `at` has settled."""
    return {(a.arm, a.model) for look in looks.looks[:at] for a in look.arms if a.state != "undecided"}
