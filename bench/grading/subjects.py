"""The fixtures that a run was made from, found again for grading and for showing."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from msgspec.structs import replace

from bench.errors import BenchError
from bench.fixtures import Fixture, load_fixture
from bench.forks.runfile import FixtureMark, RunFile
from bench.project import find_project


def fixtures_of(run: RunFile, root: Path, only: Iterable[str] | None = None) -> dict[str, Fixture]:
    """The run's fixtures by name (or `only` some); `root` is the run's folder.

    A folder in run.json is relative to the project that holds the run, else to the one around the working directory.
    Raises BenchError where a fixture is gone, or its transcript is not the one that was forked.
    """
    names = list(run.fixtures) if only is None else list(only)
    return {name: _fixture(name, run.fixtures[name], root) for name in names}


def _fixture(name: str, mark: FixtureMark, root: Path) -> Fixture:
    folder = _folder(mark.folder, root)
    if folder is None:
        raise BenchError(f"the run's fixture '{name}' is gone; put its folder back", path=mark.folder)
    fixture = load_fixture(folder)
    if fixture.transcript_sha256 != mark.transcript_sha256:
        raise BenchError(
            f"the transcript of fixture '{name}' is not the one that the run forked; put it back, or run again",
            path=folder,
        )
    return replace(fixture, cuts=mark.cuts)


def _folder(written: str, root: Path) -> Path | None:
    """The folder as written, tried from each place that it may be relative to."""
    if Path(written).is_absolute():
        return Path(written) if Path(written).is_dir() else None
    for start in (root, Path.cwd()):
        try:
            folder = find_project(start).root / written
        except BenchError:  # this place is in no project
            continue
        if folder.is_dir():
            return folder
    return None
