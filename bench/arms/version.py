"""An arm's version: a hash over everything in its file that its cells depend on. An edited arm gets new cells."""

from __future__ import annotations

import hashlib
from pathlib import Path

import msgspec

from bench import plugins
from bench.arms.build import replay_path
from bench.arms.model import Arm, ArmFile
from bench.fixtures import Fixture

SHOWN_DIGITS = 4
"""Digits of the hash behind an edited arm's label: `inventory@3f9c`."""


def version_sha256(arm: Arm, instruction: str) -> str:
    """sha256 (hex) over the settings that differ from their defaults, the instruction's bytes, and a command's files.

    A setting that a later bench adds leaves the hash alone while it keeps its default. Of a command, the files that
    `run` names in the arm's folder count with their content; what those load in turn is not seen. Of a kind that a
    package offers, the package's version counts. Whose text a prompt takes does not: its bytes do.
    """
    defaults = msgspec.to_builtins(ArmFile())
    settings = {k: v for k, v in msgspec.to_builtins(arm.settings).items() if v != defaults[k] and k != "text"}
    content: dict[str, object] = {"settings": settings, "instruction": instruction, "files": _command_files(arm)}
    if arm.settings.offered is not None:
        content["offered"] = plugins.version_of(plugins.ARMS, arm.settings.offered.name)
    return hashlib.sha256(msgspec.json.encode(content, order="sorted")).hexdigest()


def replay_sha256(arm: Arm, fixture: Fixture) -> str | None:
    """sha256 (hex) of the text that a replay arm hands up on this fixture; None for others, or where it is missing."""
    if arm.settings.replay is None:
        return None
    path = replay_path(fixture, arm.settings.replay.label)
    return _sha256(path) if path.is_file() else None


def versioned(label: str, sha256: str) -> str:
    """The label of an edited arm, in folders and tables: `inventory@3f9c`."""
    return f"{label}@{sha256[:SHOWN_DIGITS]}"


def _command_files(arm: Arm) -> dict[str, str]:
    if arm.settings.command is None or arm.path is None:
        return {}
    named = {word: arm.path.parent / word for word in arm.settings.command.run}
    return {word: _sha256(path) for word, path in named.items() if not Path(word).is_absolute() and path.is_file()}


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
