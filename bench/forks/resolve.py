"""A sweep as it will run: overrides taken in, fixtures and arms loaded, each arm with its instruction and version."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeVar

import msgspec
from msgspec import Struct

from bench.arms import check_distinct, find_arm
from bench.arms.instruction import instruction, instruction_sha256
from bench.arms.model import Arm
from bench.arms.version import version_sha256
from bench.chains.cuts import cuts_of
from bench.chains.staleness import replay
from bench.errors import BenchError, Problems, shown
from bench.fixtures import Fixture, find_fixture
from bench.forks.cells import digest
from bench.forks.pass_ask import PassAsk, pass_ask
from bench.models.body import MOST_COMPACTION_CHARS
from bench.models.names import parse_name
from bench.pricetable import PriceTable, load_prices
from bench.project import Project, checked_label, find_project, named_sweep
from bench.schema import read_text, toml_line
from bench.sweepfile import Sweep, read_sweep, sweep_faults
from bench.transcripts.view import seen_at

T = TypeVar("T")

RESTORE_PIECE = "_restore.md"
LISTS = ("fixtures", "arms", "models")


class Overrides(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a start of a sweep changes of its file; None leaves the file's value. Paths are relative to the caller."""

    fixtures: tuple[str, ...] | None = None
    arms: tuple[str, ...] | None = None
    models: tuple[str, ...] | None = None
    replicates: int | None = None
    chain: int | None = None
    stale_by: tuple[int, ...] | Literal["policy"] | None = None
    budget_usd: float | None = None
    no_budget: bool = False
    """Run paid models without a cap."""
    concurrency: int | None = None
    batch: bool = False
    """Ask through Message Batches, at half price and within a day."""
    run: str | None = None
    results_dir: str | None = None


def overrides_of(**changes: object) -> Overrides:
    """The changes by name, lists and paths in any form. Raises BenchError for an unknown name or a wrong type."""
    plain = {k: str(v) if isinstance(v, Path) else v for k, v in changes.items() if v is not None}
    try:
        return msgspec.convert(plain, Overrides, strict=True)
    except msgspec.ValidationError as e:
        raise BenchError(f"cannot override the sweep so: {e}") from None


@dataclass(frozen=True)
class ResolvedArm:
    """An arm as this sweep runs it."""

    arm: Arm
    instruction: str
    """What the model is asked; empty for arms without one."""
    max_tokens: int | None
    """The arm's own under the sweep's cap; None for arms without a model."""
    version: str
    """sha256 of all that makes its outputs: settings, instructions, the sweep's cap."""
    commitments: PassAsk | None = None
    """None where it has no such part."""

    @property
    def instruction_sha256(self) -> str | None:
        return instruction_sha256(self.instruction) if self.arm.asks_model else None

    @property
    def asks_every_model(self) -> bool:
        """Whether each model of the sweep is asked for its commitments pass."""
        return self.commitments is not None and self.commitments.model is None

    @property
    def like(self) -> str | None:
        """The arm whose mean handoff size this one takes; None for all others."""
        return self.arm.settings.tail.like if self.arm.settings.tail else None


@dataclass(frozen=True)
class Resolved:
    """Everything a run is made from."""

    sweep: Sweep
    path: Path
    project: Project
    run: str
    root: Path
    """The run's folder."""
    fixtures: tuple[Fixture, ...]
    arms: tuple[ResolvedArm, ...]
    prices: PriceTable
    no_budget: bool
    batch: bool = False

    @property
    def models(self) -> tuple[str, ...]:
        """Every model that is asked for a handoff or a part of one; none where no arm needs any."""
        asked = self.sweep.models if any(a.arm.asks_model or a.asks_every_model for a in self.arms) else ()
        passes = (a.commitments.model for a in self.arms if a.commitments and a.commitments.model)
        return tuple(dict.fromkeys((*asked, *passes)))

    @property
    def by_policy(self) -> bool:
        """Whether the rule that refreshes handoffs says how stale they are."""
        return self.sweep.stale_by == "policy"

    def stale_of(self, fixture: Fixture) -> tuple[int, ...]:
        """How many messages the handoffs of a fixture are behind; by policy, what a compaction at its end would find.

        All of its messages where the rule has written none by then.
        """
        if not isinstance(self.sweep.stale_by, str):
            return self.sweep.stale_by
        behind = behind_at_end(fixture)
        return (len(seen_at(fixture.transcript).messages) if behind is None else behind,)

    @property
    def stale_by(self) -> tuple[int, ...]:
        """Every staleness of the sweep's cells."""
        return tuple(dict.fromkeys(k for fixture in self.fixtures for k in self.stale_of(fixture)))


def behind_at_end(fixture: Fixture) -> int | None:
    """How far behind the refresh rule leaves a handoff at the fixture's end; None where it has written none by then."""
    return replay(fixture.transcript).at_end


def find_sweep(name_or_path: str) -> Path:
    """The sweep file: a path, or a name in the project's `sweeps/`. Raises BenchError where it is like another's."""
    return named_sweep(name_or_path) or Path(name_or_path).expanduser()


def resolve(path: Path, overrides: Overrides) -> Resolved:
    """The sweep at `path` with `overrides`. Raises BenchError, before anything runs, for whatever cannot run."""
    written = read_sweep(path)
    sweep = _overridden(written, overrides)
    _check(sweep, written, path)
    project = find_project(path.parent)
    run = checked_label(overrides.run or path.stem, "run")
    root = (project.results if overrides.results_dir is None else Path(overrides.results_dir)) / run
    return resolved(sweep, path, project, root, no_budget=overrides.no_budget, batch=overrides.batch)


def resolved(
    sweep: Sweep, path: Path, project: Project, root: Path, *, no_budget: bool = False, batch: bool = False
) -> Resolved:
    """The sweep, written in the file at `path`, as it runs into the folder `root`. Raises BenchError as `resolve`."""
    found = [_entry(path, name, find_fixture, project) for name in sweep.fixtures]
    fixtures = tuple(_cut(fixture, sweep.chain) for fixture in found)
    names = [f.name.lower() for f in fixtures]
    for fixture in fixtures:
        if names.count(fixture.name.lower()) > 1:
            raise BenchError(f"two fixtures are called '{fixture.name}'; rename the folder of one", path=path)
    arms = [_entry(path, name, find_arm, project) for name in sweep.arms]
    check_distinct(arms)
    return Resolved(
        sweep=sweep,
        path=path,
        project=project,
        run=root.name,
        root=root,
        fixtures=fixtures,
        arms=_resolved_arms(arms, sweep, project),
        prices=load_prices(project.root),
        no_budget=no_budget,
        batch=batch,
    )


def _entry(path: Path, entry: str, find: Callable[[str, Project, Path], T], project: Project) -> T:
    """What an entry of the sweep file at `path` names. Where there is none, the error names file and line."""
    try:
        return find(entry, project, path.parent)
    except BenchError as e:
        source = path.read_text(encoding="utf-8-sig") if path.is_file() else ""
        at = re.search(rf"""["']{re.escape(entry)}["']""", source)
        if isinstance(e, Problems) or e.problem.line is not None or at is None:
            raise
        raise BenchError(str(e), path=path, line=source.count("\n", 0, at.start()) + 1) from None


def _cut(fixture: Fixture, steps: int) -> Fixture:
    """The fixture with the cuts of a chain. Raises BenchError where it cannot be cut so often."""
    try:
        return msgspec.structs.replace(fixture, cuts=cuts_of(fixture.transcript, steps))
    except BenchError as e:
        raise BenchError(f"fixture '{fixture.name}': {e.problem.message}", path=fixture.folder) from None


def _overridden(sweep: Sweep, overrides: Overrides) -> Sweep:
    changed: dict[str, object] = {}
    for name in ("replicates", "chain", "stale_by", "budget_usd", "concurrency"):
        value = getattr(overrides, name)
        if value is not None:
            changed[name] = value
    for name in LISTS:
        entries: Sequence[str] | None = getattr(overrides, name)
        if entries is not None:
            changed[name] = tuple(entries if name == "models" else map(from_here, entries))
    if overrides.no_budget:
        changed["budget_usd"] = None
    return msgspec.structs.replace(sweep, **changed)


def from_here(entry: str) -> str:
    """An override's path is the caller's: absolute, so that it is not taken as relative to the sweep file."""
    path = Path(entry).expanduser()
    return str(path.resolve()) if "/" in entry and (path.exists() or path.is_absolute()) else entry


def _check(sweep: Sweep, written: Sweep, path: Path) -> None:
    """Nothing where the sweep makes sense and all it asks for is built. A line is named where the file is at fault."""
    for fault in sweep_faults(sweep):
        as_written = getattr(sweep, fault.at[0]) == getattr(written, fault.at[0])
        raise BenchError(fault.message, path=path, line=toml_line(read_text(path), fault.at) if as_written else None)
    for model in (*sweep.models, *(g.model for g in sweep.graders if g.model is not None)):
        parse_name(model)


def _resolved_arms(arms: Sequence[Arm], sweep: Sweep, project: Project) -> tuple[ResolvedArm, ...]:
    by_label = {arm.label: _resolved(arm, sweep, project) for arm in arms}
    for arm in by_label.values():
        other = by_label.get(arm.like or "")
        if other is not None and other.like is not None:
            raise BenchError(f"the arm '{arm.arm.label}' is like '{other.arm.label}', which is itself like another")
    return tuple(by_label.values())


def _resolved(arm: Arm, sweep: Sweep, project: Project) -> ResolvedArm:
    ask = pass_ask(arm, sweep, project)
    plain = _without_pass(arm, sweep, project, ask)
    if ask is None:
        return plain
    return dataclasses.replace(plain, commitments=ask, version=digest(plain.version, *msgspec.structs.astuple(ask)))


def _without_pass(arm: Arm, sweep: Sweep, project: Project, ask: PassAsk | None) -> ResolvedArm:
    if not arm.asks_model and (ask is None or ask.model):
        return ResolvedArm(arm, "", None, version_sha256(arm, ""))
    if not sweep.models:
        raise BenchError(f"the arm '{arm.label}' asks a model, and the sweep names none; add models = [...]")
    if not arm.asks_model:
        return ResolvedArm(arm, "", None, version_sha256(arm, ""))
    restore = read_text(project.prompts / RESTORE_PIECE) if arm.settings.restore else None
    if arm.kind == "server":
        asked = _compacting(arm, sweep, project, restore)
    else:
        asked = instruction(arm, sweep.instructions, restore)
    own = arm.settings.max_tokens
    capped = own if sweep.max_tokens is None else min(own, sweep.max_tokens)
    version = version_sha256(arm, asked)
    return ResolvedArm(arm, asked, capped, version if capped == own else digest(version, capped))


def _compacting(arm: Arm, sweep: Sweep, project: Project, restore: str | None) -> str:
    """The instructions of a server-side compaction: the named prompt's; empty for the server's own prompt."""
    name = arm.settings.server.instructions if arm.settings.server else None
    if name is None:
        return ""
    prompt = find_arm(name, project, arm.path.parent if arm.path else project.prompts)
    if prompt.kind != "prompt":
        raise BenchError(f"server.instructions names '{name}', which is no prompt arm", path=arm.path)
    asked = instruction(msgspec.structs.replace(arm, text=prompt.text), sweep.instructions, restore)
    if len(asked) > MOST_COMPACTION_CHARS:
        told = f"the instructions of a compaction have at most {MOST_COMPACTION_CHARS:,} characters"
        raise BenchError(f"{told}; '{name}' makes {len(asked):,}", path=arm.path)
    return asked


def sweep_name(resolved: Resolved) -> str:
    """The sweep file as a person would name it: relative to the project where it lies inside."""
    try:
        return str(resolved.path.resolve().relative_to(resolved.project.root))
    except ValueError:
        return shown(resolved.path)
