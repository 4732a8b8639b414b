"""What is left to do in one fixture/model group, and what a process that takes it over must settle first."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from msgspec.structs import replace

from bench.calls.call_rows import failed_call
from bench.calls.ledger import Ledger
from bench.calls.pricing import Pricing
from bench.errors import BenchError
from bench.forks.cells import NO_MODEL
from bench.forks.fork import PASSES, Fork
from bench.forks.grid import Build, Decided
from bench.forks.plan import Plan, Sized
from bench.forks.store import Store, append_line
from bench.models.protocol import Attempt


@dataclass
class GroupWork:
    """All that is left to do in a group, and how many of its jobs are open: its lock is held until there are none."""

    name: str
    model: str
    asked: list[Sized] = field(default_factory=list)
    answered: list[Fork] = field(default_factory=list)
    decided: list[Decided] = field(default_factory=list)
    open_jobs: int = 0
    """Forks not yet ended, and files not yet written."""

    @property
    def cells(self) -> int:
        """Outputs to be written; of a group of passes, how many there are."""
        forks = [*(s.fork for s in self.asked), *self.answered]
        return len(self.decided) + sum(1 if f.is_pass else len(f.cells) for f in forks)

    @property
    def purpose(self) -> Literal["fork", "commitments"]:
        return "commitments" if self.name.endswith(PASSES) else "fork"


def work_of(plan: Plan) -> list[GroupWork]:
    """The groups of a plan that ask a model, in its order."""
    groups: dict[str, GroupWork] = {}

    def group(name: str, model: str) -> GroupWork:
        return groups.setdefault(name, GroupWork(name, model))

    for sized in plan.asked:
        group(sized.fork.group, sized.fork.model).asked.append(sized)
    for fork in plan.answered:
        group(fork.group, fork.model).answered.append(fork)
    for decided in plan.decided:
        cell = decided.cell
        if cell.model == NO_MODEL:
            continue
        group(f"{cell.fixture}/{cell.model}", cell.model).decided.append(decided)
    return list(groups.values())


def wanted(passes: Iterable[Fork], forks: Iterable[Fork], builds: Iterable[Build]) -> list[Fork]:
    """The passes that outputs of these forks and builds are made with, each with just those cells."""
    cells = {c.key for f in forks for c in f.cells} | {b.cell().key for b in builds}
    return [replace(f, cells=left) for f in passes if (left := tuple(c for c in f.cells if c.key in cells))]


def without_gone(forks: Iterable[Fork], gone: Collection[str]) -> list[Fork]:
    """The forks without those cells; none that has no other."""
    return [replace(f, cells=left) for f in forks if (left := tuple(c for c in f.cells if c.key not in gone))]


def has_reply(store: Store, ledger: Ledger, fork: Fork) -> bool:
    """Whether the fork's reply is on disk and its call in the journal: then no call is needed."""
    answered = ledger.answered.get(fork.reply_sha256)
    return answered is not None and store.holds_reply(answered)


def without_done(fork: Fork, done: Mapping[str, str]) -> Fork | None:
    """The fork with the cells that have no row yet; None where all have one.

    `done`: as `Store.done` gives it. Raises BenchError where the row in a cell's place is of another request.
    """
    left = []
    for cell in fork.cells:
        key = done.get(str(cell))
        if key is None:
            left.append(cell)
        elif key != cell.key:
            why = "context mode or model settings differ"
            if cell.chain_step > 1:
                why = f"the handoff of step {cell.chain_step - 1} is not the one it went on from, or {why}"
            raise BenchError(f"{cell} was made from another request ({why}); use --run NEW")
    if len(left) == len(fork.cells):
        return fork
    return replace(fork, cells=tuple(left)) if left else None


def drop_done(work: GroupWork, store: Store, ledger: Ledger) -> None:
    """Leave out what another process has done since the plan was made. Only for who holds the group's lock."""
    done = store.done(work.name)
    work.decided = [d for d in work.decided if str(d.cell) not in done]
    work.answered = [f for fork in work.answered if (f := without_done(fork, done))]
    asked = [dataclasses.replace(s, fork=f) for s in work.asked if (f := without_done(s.fork, done))]
    work.answered += [s.fork for s in asked if has_reply(store, ledger, s.fork)]
    work.asked = [s for s in asked if not has_reply(store, ledger, s.fork)]


def settle_abandoned(work: GroupWork, store: Store, ledger: Ledger, pricing: Pricing) -> int:
    """How many calls a dead process left in flight in the group; each becomes an attempt that may have been billed.

    Calls that stand in a batch, or may, and are still wanted are left: their answers can be fetched. Only for who holds
    the group's lock.
    """
    wanted = {s.fork.reply_sha256 for s in work.asked}
    abandoned = [
        s for s in ledger.abandoned(work.name) if s.call_id not in ledger.handing_of or s.reply_sha256 not in wanted
    ]
    known = {call.call_id for call in store.failed_calls()} if abandoned else set()
    for started in abandoned:
        attempt = Attempt(outcome="aborted", detail="the process that asked is gone", started_at=started.at, seconds=0)
        call = failed_call(started.call_id, work.model, _first(started.cells), attempt, started.worst_usd, pricing)
        call.seconds, call.purpose = None, work.purpose
        if started.call_id not in known:
            append_line(store.attempts, call)
        ledger.attempt(call)
    return len(abandoned)


def _first(keys: Iterable[str]) -> str:
    return next(iter(keys), "")
