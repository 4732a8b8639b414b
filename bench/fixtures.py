"""A fixture: a folder with a transcript, its answer key and where it comes from. Format: docs/formats.md."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from msgspec import Struct

from bench.keys import Key
from bench.schema import Lines
from bench.transcripts.model import Transcript


class FixtureFile(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """fixture.yaml as written. `tokens` (estimated) and `sha256` are of transcript.jsonl as checked."""

    version: Literal[1]
    title: str
    harness: str
    source: str
    licence: str
    language: str
    split: Literal["dev", "holdout"]
    tokens: int
    sha256: str
    system: str | None = None
    """The system prompt, or the name of a file in the folder that holds it."""
    tools: str | None = None
    """Name of a JSON file in the folder with tool definitions."""


class Fixture(Struct, frozen=True, kw_only=True):
    """A fixture as loaded: everything a fork or a grader needs of it."""

    name: str
    folder: Path
    about: FixtureFile
    transcript: Transcript
    key: Key
    key_lines: Lines
    transcript_sha256: str
    key_sha256: str
