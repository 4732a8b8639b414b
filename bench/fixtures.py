"""A fixture: a folder with a transcript, its answer key and where it comes from. Format: docs/formats.md."""

from __future__ import annotations

import hashlib
import re
from difflib import get_close_matches
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct

from bench.errors import BenchError
from bench.keys import Key, established, read_key
from bench.project import Project, checked_label
from bench.schema import Lines, load_yaml, read_text
from bench.transcripts.model import Transcript

ABOUT, TRANSCRIPT, KEY = "fixture.yaml", "transcript.jsonl", "key.yaml"
"""The files that make a folder a fixture."""
FACTORS = "factors.csv"
"""Beside the key of a made-up fixture: how each of its facts was planted."""
_FILE_NAME = re.compile(r"\S+\.(?:md|txt)")
"""How `system` names a file; anything else is the prompt itself."""


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
    """The system prompt, or the name of a .md or .txt file in the folder that holds it."""
    tools: str | None = None
    """Name of a JSON file in the folder with tool definitions."""


class _Tool(Struct, frozen=True):
    """What a tool definition must hold for the Messages API."""

    name: str
    input_schema: dict[str, object]


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
    system: str = ""
    """The system prompt's text; empty where the fixture has none."""
    tools: tuple[dict[str, object], ...] = ()
    """Tool definitions as the Messages API takes them."""
    cuts: tuple[int, ...] = ()
    """Where a chain of compactions cuts the main line: the first message of each stretch but the first."""
    step: int | None = None
    """The step of a chain that the transcript is the window of; None where it is whole."""

    def key_at(self, step: int) -> Key:
        """What a handoff of that step of a chain (from 1) can be asked for: all of the key at the last one."""
        return established(self.key, self.cuts[step - 1]) if step <= len(self.cuts) else self.key


def load_fixture(folder: Path) -> Fixture:
    """The fixture in `folder`. Raises BenchError with file and line for whatever cannot be read."""
    from bench.transcripts import read

    about, lines = read_about(folder)
    key, key_lines = read_key(folder / KEY)
    return Fixture(
        name=fixture_name(folder),
        folder=folder,
        about=about,
        transcript=read(folder / TRANSCRIPT),
        key=key,
        key_lines=key_lines,
        transcript_sha256=sha256_of(folder / TRANSCRIPT),
        key_sha256=sha256_of(folder / KEY),
        system=read_system(folder, about, lines),
        tools=read_tools(folder, about, lines),
    )


def find_fixture(name_or_path: str, project: Project, base: Path) -> Fixture:
    """The fixture of that name in `fixtures/`, or the one at a path. Raises BenchError where there is none."""
    return load_fixture(fixture_folder(name_or_path, project, base))


def fixture_folder(name_or_path: str, project: Project, base: Path) -> Path:
    """Where the fixture lies: an entry with '/' is a path relative to `base` (`~` is home), else a plain name.

    Raises BenchError where there is no such folder, naming what is near.
    """
    if "/" in name_or_path:
        try:
            folder = base / Path(name_or_path).expanduser()
        except RuntimeError:  # `~name` of nobody
            raise BenchError(f"no home folder for '{name_or_path}'") from None
        if not folder.is_dir():
            raise BenchError("no such fixture folder", path=folder)
        return folder
    folder = project.fixtures / checked_label(name_or_path, "fixture")
    if not folder.is_dir():
        near = get_close_matches(name_or_path, [p.name for p in fixture_folders(project)], n=1, cutoff=0.5)
        hint = f"did you mean '{near[0]}'?" if near else "'bench fixtures' lists them"
        raise BenchError(f"no fixture '{name_or_path}'; {hint}", path=project.fixtures)
    return folder


def list_fixtures(project: Project) -> list[Fixture]:
    """Every fixture of the project, by name. Raises BenchError at the first that cannot be read."""
    return [load_fixture(folder) for folder in fixture_folders(project)]


def fixture_folders(project: Project) -> list[Path]:
    """The folders in `fixtures/`, by name, hidden ones aside."""
    if not project.fixtures.is_dir():
        return []
    return sorted(p for p in project.fixtures.iterdir() if p.is_dir() and not p.name.startswith("."))


def fixture_name(folder: Path) -> str:
    """The fixture's name: its folder's. Raises BenchError for one that is no plain name."""
    try:
        return checked_label(folder.resolve().name, "fixture")
    except BenchError as e:
        raise BenchError(e.problem.message, path=folder) from None


def read_about(folder: Path) -> tuple[FixtureFile, Lines]:
    """fixture.yaml and the lines of its parts. Raises BenchError where folder or file is missing or wrong."""
    if not folder.is_dir():
        raise BenchError("no such fixture folder", path=folder)
    if not (folder / ABOUT).is_file():
        raise BenchError(f"is no fixture: it has no {ABOUT}", path=folder)
    return load_yaml(folder / ABOUT, FixtureFile)


def sha256_of(path: Path) -> str:
    """The sha256 of the file's bytes, as hex."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def read_system(folder: Path, about: FixtureFile, lines: Lines) -> str:
    """The system prompt's text; empty where there is none. Raises BenchError where its file cannot be had."""
    if about.system is None:
        return ""
    if not _FILE_NAME.fullmatch(about.system):
        return about.system
    return read_text(_inside(folder, about.system, lines.get(("system",))))


def read_tools(folder: Path, about: FixtureFile, lines: Lines) -> tuple[dict[str, object], ...]:
    """The tool definitions; none where no file is named. Raises BenchError where they cannot be had."""
    if about.tools is None:
        return ()
    path = _inside(folder, about.tools, lines.get(("tools",)))
    try:
        tools = msgspec.json.decode(read_text(path), type=tuple[dict[str, object], ...])
        msgspec.convert(tools, tuple[_Tool, ...])
    except (msgspec.ValidationError, msgspec.DecodeError) as e:
        raise BenchError(f"is no JSON list of tool definitions: {e}", path=path) from None
    return tools


def _inside(folder: Path, name: str, line: int | None) -> Path:
    """The file `name` in the folder. Raises BenchError where it leads out of it or is missing."""
    path = folder / name
    if not path.resolve().is_relative_to(folder.resolve()):
        raise BenchError(f"'{name}' leads out of the fixture's folder", path=folder / ABOUT, line=line)
    if not path.is_file():
        raise BenchError(f"no file '{name}' in the fixture's folder", path=folder / ABOUT, line=line)
    return path
