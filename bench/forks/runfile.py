"""run.json: what a run was made from, so that it can be read, graded and gone on with later."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct
from msgspec.structs import replace

import bench
from bench.errors import BenchError
from bench.sweepfile import Sweep


class FixtureMark(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A fixture as a run met it. `folder` is relative to the project where it lies inside."""

    folder: str
    transcript_sha256: str
    key_sha256: str
    contexts: dict[str, str] = {}
    """Mode and staleness (`native-k0`) -> sha256 of the context, in a chain of its first step."""
    cuts: tuple[int, ...] = ()
    """Where a chain cuts it: the first message of each stretch but the first."""
    stale_by: tuple[int, ...] = ()
    """How far behind its handoffs are, where the refresh rule says it; else the sweep does."""


class ArmMark(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One version of an arm. `label` is what rows and folders call it."""

    label: str
    kind: str
    version_sha256: str
    instruction_sha256: str | None = None
    prompt_sha256: str | None = None
    """Of the arm's file as it stood on disk."""
    every_model: bool = False
    """It writes its summary without a model, and each of the run's is asked for its commitments …"""
    commitments_model: str | None = None
    """… or just this one. Of an arm whose forks ask a model, who is asked for its commitments beside it."""


class RunFile(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """run.json. `sweep` is as resolved: overrides taken in; fixtures, arms and models of every start of the run."""

    version: Literal[1] = 1
    run: str
    sweep_file: str
    sweep: Sweep
    seed: int
    fixtures: dict[str, FixtureMark] = {}
    arms: dict[str, tuple[ArmMark, ...]] = {}
    """Label in the sweep -> its versions in the order they came."""
    models: dict[str, str] = {}
    """Model as named in the sweep -> its folder."""
    commitments_models: dict[str, str] = {}
    """Models that are asked for commitments only -> their folders."""
    replicates: dict[str, dict[str, int]] = {}
    """Arm -> model -> how many replicates the last start that held both asked for; else the sweep's count."""
    prices_sha256: str | None = None
    versions: dict[str, str] = {}
    git_commit: str | None = None
    started_at: str
    resumed_at: str


def read_run_file(path: Path) -> RunFile:
    """The run.json at `path`. Raises BenchError where there is none, or it is not one."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=RunFile)
    except (FileNotFoundError, NotADirectoryError):
        raise BenchError("is no results folder: it holds no run.json", path=path.parent) from None
    except msgspec.MsgspecError as e:
        raise BenchError(f"is not a run's run.json: {e}", path=path) from None


def encode_run_file(run: RunFile) -> bytes:
    """The bytes of run.json, indented for people."""
    return msgspec.json.format(msgspec.json.encode(run), indent=2) + b"\n"


def merged(old: RunFile | None, new: RunFile) -> RunFile:
    """`new` as a further start of the run `old`: nothing that came before is forgotten.

    Key and prices may have changed (a run is graded again at no cost). Raises BenchError, naming the fixture, where a
    transcript or a context differs: its outputs would not be comparable.
    """
    if old is None:
        return new
    if old.sweep.chain != new.sweep.chain:
        told = f"this run began with chain = {old.sweep.chain}, which cuts its fixtures elsewhere"
        raise BenchError(f"{told}; use --run NEW for chain = {new.sweep.chain}")
    fixtures = dict(old.fixtures)
    for name, mark in new.fixtures.items():
        fixtures[name] = _same_fixture(name, fixtures[name], mark) if name in fixtures else mark
    sweep = replace(
        new.sweep,
        fixtures=_joined(old.sweep.fixtures, new.sweep.fixtures),
        arms=_joined(old.sweep.arms, new.sweep.arms),
        models=_joined(old.sweep.models, new.sweep.models),
    )
    return replace(
        new,
        sweep=sweep,
        fixtures=fixtures,
        arms=old.arms | new.arms,
        models=old.models | new.models,
        commitments_models=old.commitments_models | new.commitments_models,
        replicates=old.replicates | {arm: old.replicates.get(arm, {}) | n for arm, n in new.replicates.items()},
        started_at=old.started_at,
    )


def _same_fixture(name: str, old: FixtureMark, new: FixtureMark) -> FixtureMark:
    if old.transcript_sha256 != new.transcript_sha256:
        raise BenchError(f"the transcript of fixture '{name}' has changed since this run began; use --run NEW")
    if old.cuts != new.cuts:
        raise BenchError(f"fixture '{name}' is not cut where this run began to cut it; use --run NEW")
    for kind, sha256 in new.contexts.items():
        if old.contexts.get(kind, sha256) != sha256:
            raise BenchError(
                f"the {kind} context of fixture '{name}' is not the one this run began with; use --run NEW"
            )
    return replace(new, contexts=old.contexts | new.contexts)


def replicates_of(run: RunFile, arm: str, model: str) -> int:
    """How many replicates of the arm (as the sweep names it) the run was last asked for with that model."""
    return run.replicates.get(arm, {}).get(model, run.sweep.replicates)


def _joined(old: Sequence[str], new: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*old, *new)))


def program_versions() -> dict[str, str]:
    """Versions of what a run's numbers may depend on: bench, anthropic, python."""
    return {"bench": bench.__version__, "anthropic": _installed("anthropic"), "python": sys.version.split()[0]}


def git_commit(folder: Path) -> str | None:
    """The commit checked out around `folder`, None outside a repository or without git."""
    try:
        out = subprocess.run(
            ["git", "rev-parse", "HEAD"], cwd=folder, capture_output=True, text=True, timeout=10, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return out.stdout.strip() or None if out.returncode == 0 else None


def sha256_of(path: Path) -> str | None:
    """sha256 (hex) of a file's bytes, None where there is none."""
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except FileNotFoundError:
        return None


def _installed(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"
