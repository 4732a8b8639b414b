"""A sweep file: which fixtures, arms and models, how often, graded how. Format: docs/formats.md."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import get_close_matches
from pathlib import Path
from typing import Literal, NamedTuple

from msgspec import Struct

from bench.plugins import grader_kinds
from bench.schema import load_toml

MOST_REPLICATES = 50
MOST_PASSES = 20
MOST_STEPS = 20
"""Compactions in a row: each step of a chain waits for the last."""
EFFORTS = ("low", "medium", "high", "xhigh", "max")
"""What the Messages API takes as effort."""

BUILT_IN = ("lexical", "judge", "human")
"""Kinds of grader that are the bench's own; all others are offered by packages."""
Scope = Literal["handoff", "summary"]
_OFFERED_KIND = re.compile(rf"(?!({'|'.join(BUILT_IN)})(?![A-Za-z0-9]))[A-Za-z0-9][A-Za-z0-9._-]*(?<!-summary)")
"""Kinds of packages are folders of grades, too: none may be taken for one of the bench's own, or for another scope."""


class Carry(Struct, frozen=True, forbid_unknown_fields=True):
    """What carrying a handoff costs: its tokens, read from cache on each of `turns` turns of the next window."""

    turns: int
    model: str


class CommitmentsSpec(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Who is asked for the part `commitments`; in an arm's file it outranks the sweep's, field by field."""

    model: str | None = None
    """None: the model of the fork; of an arm without a model, each of the sweep's."""
    max_tokens: int | None = None
    effort: str | None = None


class GraderSpec(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Who grades, and what: the whole handoff or the model's reply alone."""

    kind: str
    """One of `BUILT_IN`, or the entry point of a package's grader."""
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
    commitments: CommitmentsSpec | None = None
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
    if not 1 <= sweep.chain <= MOST_STEPS:
        yield SweepFault(f"chain = {sweep.chain}; 1 to {MOST_STEPS} compactions in a row are possible", ("chain",))
    if isinstance(sweep.stale_by, str):
        if sweep.chain > 1:
            yield SweepFault('stale_by = "policy" looks at a whole session; use numbers in a chain', ("stale_by",))
    elif not sweep.stale_by or min(sweep.stale_by) < 0 or len(set(sweep.stale_by)) < len(sweep.stale_by):
        yield SweepFault("stale_by must list different numbers from 0 on", ("stale_by",))
    if sweep.carry is not None and sweep.carry.turns < 1:
        yield SweepFault(f"carry.turns = {sweep.carry.turns}; it must be 1 or more", ("carry", "turns"))
    if sweep.commitments is not None:
        yield from (SweepFault(told, ("commitments", name)) for told, name in commitments_faults(sweep.commitments))
    yield from grader_faults(sweep.graders)


def commitments_faults(spec: CommitmentsSpec) -> Iterator[tuple[str, str]]:
    """Every fault of the pass's settings, and the name of the setting."""
    if spec.max_tokens is not None and spec.max_tokens < 1:
        yield "max_tokens is 1 or more", "max_tokens"
    if spec.effort is not None and spec.effort not in EFFORTS:
        yield f"effort is one of {', '.join(EFFORTS)}", "effort"
    if spec.model is not None and not spec.model.strip():
        yield "model names a model", "model"


def grader_faults(graders: tuple[GraderSpec, ...]) -> Iterator[SweepFault]:
    """Every grader that cannot grade, or not beside the others."""
    for i, grader in enumerate(graders):
        if any((g.kind, g.model, g.scope) == (grader.kind, grader.model, grader.scope) for g in graders[:i]):
            named = grader.kind if grader.model is None else f"{grader.kind} {grader.model}"
            yield SweepFault(f"names the grader {named} with scope {grader.scope} twice", ("graders",))
            continue
        if fault := kind_fault(grader.kind):
            yield SweepFault(fault, ("graders", "kind"))
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


def kind_fault(kind: str) -> str | None:
    """What is wrong with that kind of grader; None where it is the bench's own or a package offers it."""
    if kind in BUILT_IN:
        return None
    offered = grader_kinds()
    if kind not in offered:
        close = get_close_matches(kind, [*BUILT_IN, *offered], n=1)
        near = f"did you mean '{close[0]}'?" if close else "a package may offer others, see docs/add-a-grader.md"
        return f"no grader is called '{kind}'; there are {', '.join([*BUILT_IN, *offered])}; {near}"
    if not _OFFERED_KIND.fullmatch(kind):
        told = "its name is also a folder's: letters, digits, dot, dash and underscore"
        return f"the grader '{kind}' of a package cannot be used; {told}, and not like {BUILT_IN[1]}-…, or …-summary"
    return None
