"""From a resolved sweep to its plan: models opened, the grid laid out, what is done left out, prompts counted."""

from __future__ import annotations

import asyncio
import dataclasses
import os
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path

from bench.arms.command import missing_program
from bench.calls.journal import Finished, read_journal
from bench.calls.outside import Outside
from bench.calls.pricing import Pricing
from bench.contexts.repaired import repairs_in_words
from bench.errors import BenchError
from bench.forks.arm_versions import Versions, label_of, registered
from bench.forks.chain import Conversations, Openers
from bench.forks.fork import Fork, request_of
from bench.forks.grid import Grid, can_ask
from bench.forks.later import Later
from bench.forks.laying import lay_out
from bench.forks.pass_layout import Limits
from bench.forks.plan import Plan, size
from bench.forks.refreshes import early_notes
from bench.forks.resolve import Resolved, sweep_name
from bench.forks.runfile import ArmMark, FixtureMark, RunFile, git_commit, merged, program_versions, sha256_of
from bench.forks.store import Store
from bench.forks.work import wanted, without_done, without_gone
from bench.models import family, slug
from bench.models.batches import takes_batches
from bench.models.estimate import estimated
from bench.models.protocol import BatchModel, Count, CredentialsMissing, Model, ModelMissing
from bench.prices import unpriced_carry

COUNTS_AT_ONCE = 4
"""Requests to count_tokens in flight: each carries a whole context, and they have a rate limit of their own."""

UNCOUNTED = "nothing was counted, sizes are estimates"


@dataclass(frozen=True)
class Laid:
    """A sweep laid out against a run's folder: nothing is asked or written yet."""

    resolved: Resolved
    store: Store
    labels: Mapping[str, str]
    """Arm -> what rows call its version."""
    grid: Grid
    models: Mapping[str, Model]
    """Those that are here, not entered yet."""
    skipped: Mapping[str, str]
    run_file: RunFile
    pricing: Pricing
    """Of what is asked directly."""
    fork_pricing: Pricing
    """Of the forks, which may be asked in batches."""
    conversations: Conversations
    entered: set[str] = field(default_factory=set)
    """Models that were entered by a plan."""

    @property
    def batches(self) -> dict[str, BatchModel]:
        """The models that this start asks in batches; local ones are asked directly."""
        if not self.resolved.batch:
            return {}
        return {name: m for name, m in self.models.items() if takes_batches(name) and isinstance(m, BatchModel)}


def lay(resolved: Resolved, outside: Outside) -> Laid:
    """The sweep against its run's folder. Raises BenchError where a fixture or context is not the run's, and where a
    paid model cannot be asked as the sweep wants it.
    """
    store = Store(resolved.root)
    old = store.run_json() if store.run_file.exists() else None
    models, skipped = _open(resolved, outside)
    if resolved.batch:
        _check_batches(models)
    versions: Versions = old.arms if old else {}
    labels = {a.arm.label: label_of(versions, a.arm.label, a.version) for a in resolved.arms}
    conversations = Conversations()
    grid = lay_out(resolved, labels, _limits(models), conversations, Openers(store))
    run_file = merged(old, _run_file(resolved, grid, labels, versions, outside.stamp()))
    pricing = Pricing(resolved.prices, outside.now().date())
    batched = dataclasses.replace(pricing, billing="batch", _costs={}, _worst={}) if resolved.batch else pricing
    return Laid(resolved, store, labels, grid, models, skipped, run_file, pricing, batched, conversations)


def laid_anew(laid: Laid) -> Laid:
    """The sweep against its run's folder as it is now: a chain's next steps stand on what came meanwhile."""
    limits = _limits(laid.models)
    grid = lay_out(laid.resolved, laid.labels, limits, laid.conversations, Openers(laid.store))
    return dataclasses.replace(laid, grid=grid)


def _limits(models: Mapping[str, Model]) -> dict[str, Limits]:
    return {name: Limits(m.window, m.max_output) for name, m in models.items()}


def _check_batches(models: Iterable[str]) -> None:
    """Nothing where all that is paid for can be asked in batches."""
    for name in models:
        if not takes_batches(name) and family(name) != "local":
            raise BenchError(f"model '{name}' takes no batches; leave out --batch")


async def make_plan(laid: Laid, stack: AsyncExitStack, *, dry: bool = False) -> Plan:
    """What is left to do, counted and priced. Models that must be asked are entered on `stack`.

    A model that turns out not to be on this machine is skipped, and the plan says why. Raises CredentialsMissing where
    there are none, but for a `dry` plan, which nobody will ask: its prompts are estimated then, and it says so.
    """
    store, grid = laid.store, laid.grid
    forks = [f for f in grid.forks if not f.is_pass]
    cells = [*(c for fork in forks for c in fork.cells), *(d.cell for d in grid.decided)]
    cells += [b.cell() for b in grid.builds]
    cells += [*(f.cells[0] for f in grid.later), *(b.cell() for b in grid.later_builds)]
    done = store.done()
    left = [f for fork in forks if (f := without_done(fork, done))]
    builds = tuple(b for b in grid.builds if b.arm.like or done.get(str(c := b.cell())) != c.key)
    passes = wanted([f for f in grid.forks if f.is_pass], left, builds)
    answered = answered_replies(store)
    unanswered = [f for f in (*passes, *left) if f.reply_sha256 not in answered]
    missing, closed = await _enter(laid, unanswered, stack, dry=dry)
    skipped = dict(laid.skipped) | missing
    gone = {c.key for f in unanswered if f.model in skipped for c in f.cells}
    gone |= {f.cells[0].key for f in grid.later if f.model in skipped}
    left, builds = without_gone(left, gone), tuple(b for b in builds if b.cell().key not in gone)
    asked = [f for f in left if f.reply_sha256 not in answered]
    windows = {name: model.window for name, model in laid.models.items()}
    sized, misfits = size(asked, await _counts(asked, laid, closed), windows, laid.fork_pricing)
    passes = wanted(passes, [*(s.fork for s in sized), *(f for f in left if f.reply_sha256 in answered)], builds)
    asked = [f for f in passes if f.reply_sha256 not in answered]
    sized_passes, unfit = size(asked, await _counts(asked, laid, closed), windows, laid.fork_pricing)
    whys = {d.cell.commitments_sha256: d.detail for d in unfit}
    later = Later(laid.resolved, laid.labels, laid.fork_pricing)
    return Plan(
        run=laid.resolved.run,
        asked=(*sized_passes, *sized),
        answered=tuple(f for f in (*passes, *left) if f.reply_sha256 in answered),
        lost=tuple((f, whys[f.reply_sha256]) for f in passes if f.reply_sha256 in whys),
        decided=(*(d for d in grid.decided if done.get(str(d.cell)) != d.cell.key), *misfits),
        builds=builds,
        later=later.of(grid, {n: limits for n, limits in _limits(laid.models).items() if n not in skipped}),
        later_builds=grid.later_builds,
        skipped=skipped,
        batched=frozenset(laid.batches),
        cells=tuple(c for c in cells if c.key not in gone),
        done=sum(str(c) in done for c in cells),
        notes=(
            *_notes(grid),
            *_without(laid),
            *_missing_programs(laid.resolved),
            *early_notes(laid.resolved, laid.pricing.today),
            *_carry(laid.resolved),
            *(f"{name}: nothing was counted, sizes are estimates: {closed[name]}" for name in closed),
        ),
    )


def _notes(grid: Grid) -> Iterator[str]:
    """What was done to each fixture's conversation to make its contexts of it."""
    for fixture, used in grid.used.items():
        for which, sha256 in used.items():
            if told := repairs_in_words(grid.contexts[sha256].repairs):
                yield f"{fixture} {which}, to be a context: {told}"


def _carry(resolved: Resolved) -> Iterator[str]:
    """Why the cost of carrying a handoff will not be known."""
    carry = resolved.sweep.carry
    if carry is not None and (told := unpriced_carry(carry.model, resolved.prices)):
        yield f"carry.model: {told}"


def _without(laid: Laid) -> Iterator[str]:
    """The arms that have no cells with a model."""
    for arm in laid.resolved.arms:
        for name in laid.models:
            if arm.arm.asks_model and not can_ask(arm.arm, name):
                yield f"{arm.arm.label}: {name} does not compact a conversation itself; no cells"


def _missing_programs(resolved: Resolved) -> Iterator[str]:
    """The arms whose program is not here."""
    for arm in (a.arm for a in resolved.arms):
        if arm.settings.command is not None and arm.path is not None:
            why = missing_program(arm.settings.command, arm.path.parent, os.environ)
            if why is not None:
                yield f"{arm.label}: {why}; its cells will have no outcome"


def answered_replies(store: Store) -> set[str]:
    """The replies that are on disk and in the journal: their forks need no call."""
    events = read_journal(store.journal)
    known = {e.reply_sha256: e for e in events if isinstance(e, Finished)}  # of several, the newest
    return {sha256 for sha256, answered in known.items() if store.holds_reply(answered)}


def _open(resolved: Resolved, outside: Outside) -> tuple[dict[str, Model], dict[str, str]]:
    """The models that are asked and are on this machine, and why the others are not."""
    models: dict[str, Model] = {}
    skipped: dict[str, str] = {}
    for name in resolved.models:
        try:
            models[name] = outside.open_model(name)
        except ModelMissing as missing:
            skipped[name] = str(missing)
    return models, skipped


async def _enter(
    laid: Laid, forks: Iterable[Fork], stack: AsyncExitStack, *, dry: bool
) -> tuple[dict[str, str], dict[str, str]]:
    """Enter the models that the forks ask; why some are not here, and, where `dry`, why others have no credentials."""
    skipped: dict[str, str] = {}
    closed: dict[str, str] = {}
    for name in dict.fromkeys(f.model for f in forks if f.model not in laid.entered):
        try:
            await stack.enter_async_context(laid.models[name])
            laid.entered.add(name)
        except ModelMissing as missing:
            skipped[name] = str(missing)
        except CredentialsMissing as missing:
            if not dry:
                raise
            closed[name] = str(missing)
    return skipped, closed


async def _counts(forks: Iterable[Fork], laid: Laid, closed: Collection[str]) -> dict[tuple[str, str, str], Count]:
    """The prompt tokens of each different prompt: replicates and arms that send the same bytes share one count.

    Those of `closed` models are estimated.
    """
    at_once = asyncio.Semaphore(COUNTS_AT_ONCE)

    async def counted(fork: Fork) -> Count:
        request = request_of(fork, laid.grid.contexts[fork.context_sha256].context)
        if fork.model in closed:
            return estimated(request, fork.model)
        async with at_once:
            return await laid.models[fork.model].count(request)

    different = {(f.model, f.context_sha256, f.instruction): f for f in forks}
    counts = await asyncio.gather(*(counted(f) for f in different.values()))
    return dict(zip(different, counts, strict=True))


def _run_file(resolved: Resolved, grid: Grid, labels: Mapping[str, str], versions: Versions, stamp: str) -> RunFile:
    root = resolved.project.root
    fixtures = {
        f.name: FixtureMark(
            folder=_relative(f.folder, root),
            transcript_sha256=f.transcript_sha256,
            key_sha256=f.key_sha256,
            contexts=dict(grid.used.get(f.name, {})),
            cuts=f.cuts,
            stale_by=resolved.stale_of(f) if resolved.by_policy else (),
        )
        for f in resolved.fixtures
    }
    for a in resolved.arms:
        mark = ArmMark(
            label=labels[a.arm.label],
            kind=a.arm.kind_name,
            version_sha256=a.version,
            instruction_sha256=a.instruction_sha256,
            prompt_sha256=sha256_of(a.arm.path) if a.arm.path else None,
            every_model=a.asks_every_model and not a.arm.asks_model,
            commitments_model=a.commitments.model if a.commitments else None,
        )
        versions = registered(versions, a.arm.label, mark)
    return RunFile(
        run=resolved.run,
        sweep_file=sweep_name(resolved),
        sweep=resolved.sweep,
        seed=resolved.sweep.seed,
        fixtures=fixtures,
        arms={label: tuple(marks) for label, marks in versions.items()},
        models={name: slug(name) for name in resolved.sweep.models},
        commitments_models={name: slug(name) for name in resolved.models if name not in resolved.sweep.models},
        replicates={
            a.arm.label: dict.fromkeys(resolved.sweep.models, resolved.sweep.replicates) for a in resolved.arms
        },
        prices_sha256=resolved.prices.sha256,
        versions=program_versions(),
        git_commit=git_commit(root),
        started_at=stamp,
        resumed_at=stamp,
    )


def _relative(path: Path, root: Path) -> str:
    """Relative to the project where it lies inside, else absolute."""
    full = path.resolve()
    return str(full.relative_to(root)) if full.is_relative_to(root) else str(full)
