"""A sweep file: which fixtures, arms and models, how often, graded how. Format: docs/formats.md."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Literal, NamedTuple

from msgspec import Struct

from bench.schema import load_toml

MOST_REPLICATES = 50
MOST_PASSES = 20

Kind = Literal["lexical", "judge", "human"]
Scope = Literal["handoff", "summary"]


class Carry(Struct, frozen=True, forbid_unknown_fields=True):
    """What carrying a handoff costs: its tokens, read from cache on each of `turns` turns of the next window."""

    turns: int
    model: str


class GraderSpec(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Who grades, and what: the whole handoff or the model's reply alone."""

    kind: Kind
    scope: Scope = "handoff"
    model: str | None = None
    passes: int = 1


class Sweep(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A sweep as written. Paths with a slash are relative to the sweep file."""

    fixtures: tuple[str, ...]
    arms: tuple[str, ...]
    models: tuple[str, ...] = ()
    replicates: int = 1
    context: Literal["native", "rendered"] = "native"
    chain: int = 1
    stale_by: tuple[int, ...] | Literal["policy"] = (0,)
    instructions: str = ""
    budget_usd: float | None = None
    concurrency: int = 8
    seed: int = 7
    timeout_s: float = 300.0
    """Wall-clock limit of one fork, in seconds."""
    max_tokens: int | None = None
    """Cap on every arm's own max_tokens: for small models and tight budgets."""
    rank_truncated: bool = False
    """Whether handoffs that were cut off stand in this run's tables and figures; they are flagged there."""
    carry: Carry | None = None
    graders: tuple[GraderSpec, ...] = (GraderSpec(kind="lexical"),)


def read_sweep(path: Path) -> Sweep:
    """The sweep at `path`. Raises BenchError with file and line."""
    return load_toml(path, Sweep)


class SweepFault(NamedTuple):
    """What is wrong with a value of a sweep, and the path of its key in the file."""

    message: str
    at: tuple[str, ...]


def sweep_faults(sweep: Sweep) -> Iterator[SweepFault]:
    """Every value that cannot run, or asks for what is not built yet; without a look at fixtures and arms."""
    for name in ("fixtures", "arms"):
        if not getattr(sweep, name):
            yield SweepFault(f"names no {name}", (name,))
    for name in ("fixtures", "arms", "models"):
        entries: tuple[str, ...] = getattr(sweep, name)
        for entry in dict.fromkeys(e for e in entries if entries.count(e) > 1):
            yield SweepFault(f"names '{entry}' twice in {name}", (name,))
    if not 1 <= sweep.replicates <= MOST_REPLICATES:
        yield SweepFault(f"replicates = {sweep.replicates}; 1 to {MOST_REPLICATES} are possible", ("replicates",))
    for name in ("concurrency", "timeout_s", "max_tokens"):
        value: float | None = getattr(sweep, name)
        if value is not None and not value > 0:
            yield SweepFault(f"{name} = {value}; it must be above 0", (name,))
    if sweep.budget_usd is not None and not sweep.budget_usd >= 0:
        yield SweepFault(f"budget_usd = {sweep.budget_usd}; it must not be below 0", ("budget_usd",))
    if sweep.chain != 1:
        yield SweepFault(f"chain = {sweep.chain} is not built yet; use chain = 1", ("chain",))
    if isinstance(sweep.stale_by, str):
        yield SweepFault('stale_by = "policy" is not built yet; use a list of numbers', ("stale_by",))
    elif not sweep.stale_by or min(sweep.stale_by) < 0 or len(set(sweep.stale_by)) < len(sweep.stale_by):
        yield SweepFault("stale_by must list different numbers from 0 on", ("stale_by",))
    if sweep.carry is not None and sweep.carry.turns < 1:
        yield SweepFault(f"carry.turns = {sweep.carry.turns}; it must be 1 or more", ("carry", "turns"))
    yield from grader_faults(sweep.graders)


def grader_faults(graders: tuple[GraderSpec, ...]) -> Iterator[SweepFault]:
    """Every grader that cannot grade, or not beside the others."""
    for i, grader in enumerate(graders):
        if any((g.kind, g.model, g.scope) == (grader.kind, grader.model, grader.scope) for g in graders[:i]):
            named = grader.kind if grader.model is None else f"{grader.kind} {grader.model}"
            yield SweepFault(f"names the grader {named} with scope {grader.scope} twice", ("graders",))
            continue
        if grader.kind == "judge" and grader.model is None:
            yield SweepFault('a judge is a model; name it with model = "…"', ("graders", "kind"))
        if grader.kind != "judge" and grader.model is not None:
            yield SweepFault(f"the {grader.kind} grader asks no model; take model out", ("graders", "model"))
        if grader.kind == "lexical" and grader.passes != 1:
            told = f"passes = {grader.passes}; the lexical grader is deterministic, so one pass says all"
            yield SweepFault(told, ("graders", "passes"))
        elif not 1 <= grader.passes <= MOST_PASSES:
            yield SweepFault(f"passes = {grader.passes}; 1 to {MOST_PASSES} are possible", ("graders", "passes"))
