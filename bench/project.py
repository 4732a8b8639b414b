"""A project folder: where prompts, fixtures, sweeps, notebooks and results lie. Marked by `bench.toml`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from bench.errors import BenchError

MARKER = "bench.toml"
LABEL = re.compile(r"[A-Za-z0-9._-]+\Z")
"""What a label (of an arm, a fixture, a run) may be: a plain file name."""


@dataclass(frozen=True)
class Project:
    """The folders of one project."""

    root: Path

    @property
    def prompts(self) -> Path:
        return self.root / "prompts"

    @property
    def fixtures(self) -> Path:
        return self.root / "fixtures"

    @property
    def sweeps(self) -> Path:
        return self.root / "sweeps"

    @property
    def notebooks(self) -> Path:
        return self.root / "notebooks"

    @property
    def results(self) -> Path:
        return self.root / "results"


def find_project(start: Path | None = None) -> Project:
    """The project that holds `start` (a file or folder; default the working directory), searching upwards.

    Raises BenchError where no folder above carries `bench.toml`.
    """
    here = (start or Path.cwd()).resolve()
    for folder in (here, *here.parents):
        if (folder / MARKER).is_file():
            return Project(folder)
    raise BenchError(f"no {MARKER} here or above; run 'bench init DIR' or change into a project folder", path=here)


def checked_label(label: str, what: str) -> str:
    """`label` if it is a plain name; raises BenchError for one that could leave its folder or hide in it."""
    if not LABEL.match(label) or label.startswith((".", "-")):
        raise BenchError(f"{what} '{label}' is no plain name; use letters, digits, dot, dash and underscore")
    return label


def named_sweep(name_or_path: str) -> Path | None:
    """The file of the sweep that is given by its name in the project's `sweeps/`; None where a path is given.

    Raises BenchError, which says what was probably meant, where there is none of that name and one much like it.
    """
    from difflib import get_close_matches

    if name_or_path.endswith(".toml") or "/" in name_or_path:
        return None
    folder = find_project().sweeps
    found = folder / f"{checked_label(name_or_path, 'sweep')}.toml"
    known = sorted(f.stem for f in folder.glob("*.toml"))
    if name_or_path not in known and (near := get_close_matches(name_or_path, known, n=1, cutoff=0.5)):
        raise BenchError(f"no such file; did you mean '{near[0]}'?", path=found)
    return found
