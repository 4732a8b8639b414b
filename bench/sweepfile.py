"""A sweep file: which fixtures, arms and models, how often, graded how. Format: docs/formats.md."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from msgspec import Struct

from bench.schema import load_toml


class Carry(Struct, frozen=True, forbid_unknown_fields=True):
    """What carrying a handoff costs: its tokens, read from cache on each of `turns` turns of the next window."""

    turns: int
    model: str


class GraderSpec(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    kind: Literal["lexical", "judge", "human"]
    scope: Literal["handoff", "summary"] = "handoff"
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
    carry: Carry | None = None
    graders: tuple[GraderSpec, ...] = (GraderSpec(kind="lexical"),)


def read_sweep(path: Path) -> Sweep:
    """The sweep at `path`. Raises BenchError with file and line."""
    return load_toml(path, Sweep)
