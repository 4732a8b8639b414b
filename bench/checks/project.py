"""A check of a whole project, or of the fixtures, arms and sweeps at some paths."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from bench.arms import arm_files, load_arm
from bench.arms.command import missing_program
from bench.checks.fixture import check_fixture, stamp
from bench.checks.sweep import check_sweep
from bench.errors import Problem, collected
from bench.fixtures import ABOUT, KEY, TRANSCRIPT, fixture_folders
from bench.project import MARKER, Project, find_project
from bench.schema import read_text, toml_line


@dataclass
class Report:
    """How much was checked, and every finding."""

    fixtures: int = 0
    arms: int = 0
    sweeps: int = 0
    stamped: int = 0
    """Fixtures whose fixture.yaml was brought up to date."""
    problems: list[Problem] = field(default_factory=list)

    def __str__(self) -> str:
        counts = (_count(self.fixtures, "fixture"), _count(self.arms, "arm"), _count(self.sweeps, "sweep"))
        return f"{', '.join(counts)}: {_count(len(self.problems), 'finding') if self.problems else 'no findings'}"


def check_project(project: Project, *, with_stamp: bool = False) -> Report:
    """The findings of everything in the project; `with_stamp` brings tokens and sha256 of its fixtures up to date."""
    report = Report()
    _project(report, project, with_stamp)
    return report


def check_paths(paths: Iterable[Path], *, with_stamp: bool = False) -> Report:
    """The findings of what lies at the paths: fixtures (or files in one), folders of them, arms, sweeps, projects."""
    report = Report()
    for path in paths:
        if not path.exists():
            report.problems.append(Problem("no such file or folder", str(path)))
        elif (path / MARKER).is_file():
            _project(report, Project(path.resolve()), with_stamp)
        elif path.is_dir():
            for folder in _fixtures_in(path):
                _fixture(report, folder, with_stamp)
        elif path.name in (ABOUT, KEY, TRANSCRIPT):
            _fixture(report, path.parent, with_stamp)
        elif _is_sweep(path):
            _sweep(report, path, find_project(path))
        else:
            _arm(report, path)
    return report


def _project(report: Report, project: Project, with_stamp: bool) -> None:
    for folder in fixture_folders(project):
        _fixture(report, folder, with_stamp)
    for path in collected(report.problems, arm_files, project) or ():
        _arm(report, path)
    told = {str(problem) for problem in report.problems}
    for path in sorted(project.sweeps.glob("*.toml")):
        _sweep(report, path, project, told)


def _fixture(report: Report, folder: Path, with_stamp: bool) -> None:
    report.fixtures += 1
    if with_stamp:
        told_below: list[Problem] = []
        report.stamped += bool(collected(told_below, stamp, folder))
    report.problems += check_fixture(folder)


def _arm(report: Report, path: Path) -> None:
    report.arms += 1
    arm = collected(report.problems, load_arm, path)
    if arm is not None and arm.settings.command is not None:
        why = missing_program(arm.settings.command, path.parent, os.environ)
        if why is not None:
            line = toml_line(read_text(path), ("command", "run"))
            report.problems.append(Problem(why, str(path), line))


def _sweep(report: Report, path: Path, project: Project, told: Collection[str] = ()) -> None:
    """`told`: findings of the project itself, which its sweeps need not repeat."""
    report.sweeps += 1
    report.problems += [problem for problem in check_sweep(path, project) if problem.message not in told]


def _fixtures_in(folder: Path) -> list[Path]:
    """The fixtures below a folder that is none itself, else the folder."""
    inner = [p for p in sorted(folder.iterdir()) if (p / ABOUT).is_file() or (p / KEY).is_file()]
    return inner if inner and not (folder / ABOUT).exists() else [folder]


def _is_sweep(path: Path) -> bool:
    """Whether the file is a sweep rather than an arm: it lies in `sweeps/`, or it names fixtures or arms."""
    if path.suffix != ".toml":
        return False
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError):  # which of the two it is not valid as, its check tells
        data = {}
    return path.resolve().parent.name == "sweeps" or bool({"fixtures", "arms"} & data.keys())


def _count(n: int, what: str) -> str:
    return f"{n} {what}{'' if n == 1 else 's'}"
