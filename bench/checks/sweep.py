"""Everything that `bench check` asks of one sweep file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from bench.arms import Arm, find_arm
from bench.chains.cuts import cuts_of
from bench.errors import Problem, collected
from bench.fixtures import find_fixture, fixture_folder, fixture_name
from bench.forks.pass_ask import pass_model
from bench.models.names import parse_name
from bench.prices import unpriced_carry
from bench.pricetable import load_prices
from bench.project import Project
from bench.schema import read_text, toml_line
from bench.sweepfile import MOST_STEPS, Sweep, SweepFault, read_sweep, sweep_faults


def check_sweep(path: Path, project: Project) -> list[Problem]:
    """Every finding of the sweep file: its values, and whether its fixtures, arms and models are there."""
    problems: list[Problem] = []
    sweep = collected(problems, read_sweep, path)
    if sweep is None:
        return problems
    source = read_text(path)
    faults = (
        *sweep_faults(sweep),
        *_fixtures(sweep, path, project),
        *_cuts(sweep, path, project),
        *_arms(sweep, path, project),
        *_models(sweep),
        *_carry(sweep, project),
    )
    return [Problem(f.message, str(path), toml_line(source, f.at)) for f in faults]


def _fixtures(sweep: Sweep, path: Path, project: Project) -> Iterator[SweepFault]:
    missing: list[Problem] = []
    folders = [collected(missing, fixture_folder, e, project, path.parent) for e in dict.fromkeys(sweep.fixtures)]
    names = [collected(missing, fixture_name, folder) for folder in folders if folder]
    yield from (SweepFault(str(p), ("fixtures",)) for p in missing)
    for name in _twice([n for n in names if n]):
        yield SweepFault(f"two fixtures are called '{name}'; rename the folder of one", ("fixtures",))


def _cuts(sweep: Sweep, path: Path, project: Project) -> Iterator[SweepFault]:
    """The fixtures that a chain cannot cut so often; one that cannot be read is told of elsewhere."""
    if not 1 < sweep.chain <= MOST_STEPS:
        return
    unread: list[Problem] = []
    for entry in dict.fromkeys(sweep.fixtures):
        fixture = collected(unread, find_fixture, entry, project, path.parent)
        wrong: list[Problem] = []
        if fixture is not None and collected(wrong, cuts_of, fixture.transcript, sweep.chain) is None:
            yield from (SweepFault(f"fixture '{fixture.name}': {p.message}", ("chain",)) for p in wrong)


def _arms(sweep: Sweep, path: Path, project: Project) -> Iterator[SweepFault]:
    missing: list[Problem] = []
    found = [collected(missing, find_arm, e, project, path.parent) for e in dict.fromkeys(sweep.arms)]
    arms: list[Arm] = [arm for arm in found if arm]
    yield from (SweepFault(told, ("arms",)) for told in dict.fromkeys(map(str, missing)))
    labels = [arm.label for arm in arms]
    for label in _twice(labels):
        yield SweepFault(f"two arms are called '{label}', regardless of case; rename one", ("arms",))
    asking = [arm.label for arm in arms if arm.asks_model or (arm.has_commitments and not pass_model(arm, sweep))]
    if asking and not sweep.models:
        told = f"the arm '{asking[0]}' asks a model, and the sweep names none; add models = [...]"
        yield SweepFault(told, ("arms",))
    for arm in arms:
        like = arm.settings.tail.like if arm.settings.tail else None
        if like is not None and like not in labels and not missing:
            told = f"the arm '{arm.label}' takes its size from '{like}', which the sweep does not name; add it"
            yield SweepFault(told, ("arms",))


def _models(sweep: Sweep) -> Iterator[SweepFault]:
    wrong: list[Problem] = []
    for model in dict.fromkeys(sweep.models):
        collected(wrong, parse_name, model)
    yield from (SweepFault(str(p), ("models",)) for p in wrong)
    if sweep.commitments is not None and sweep.commitments.model is not None:
        unknown: list[Problem] = []
        collected(unknown, parse_name, sweep.commitments.model)
        yield from (SweepFault(str(p), ("commitments", "model")) for p in unknown)
    wrong_judges: list[Problem] = []
    for judge in dict.fromkeys(g.model for g in sweep.graders if g.model is not None):
        collected(wrong_judges, parse_name, judge)
    yield from (SweepFault(str(p), ("graders", "model")) for p in wrong_judges)


def _carry(sweep: Sweep, project: Project) -> Iterator[SweepFault]:
    if sweep.carry is None:
        return
    wrong: list[Problem] = []
    table = collected(wrong, load_prices, project.root)
    yield from (SweepFault(str(p), ("carry", "model")) for p in wrong)
    if table is not None and (told := unpriced_carry(sweep.carry.model, table)):
        yield SweepFault(f"carry.model: {told}", ("carry", "model"))


def _twice(names: list[str]) -> list[str]:
    """The names that an earlier one equals, regardless of case."""
    lower = [n.lower() for n in names]
    return [n for i, n in enumerate(names) if n.lower() in lower[:i]]
