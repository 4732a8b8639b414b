"""A new project folder: the shipped prompts, one fixture, one sweep and the notebooks, ready to run and to edit."""

from __future__ import annotations

import shutil
from pathlib import Path

from bench.errors import BenchError
from bench.project import MARKER, Project

SHIPPED = ("bench.toml", "prompts", "notebooks", "sweeps/quickstart.toml", "fixtures/quickstart", "results/README.md")
"""What a new project starts from, as paths in the shipped project."""


def shipped_project() -> Project:
    """The project that comes with the bench: the checkout's root, or the copy inside an installed wheel."""
    package = Path(__file__).parent
    for root in (package / "shipped", package.parent):
        if (root / MARKER).is_file() and (root / "prompts").is_dir():
            return Project(root)
    raise BenchError("the shipped prompts and notebooks are missing; install handoff-bench again", path=package)


def init_project(folder: Path) -> list[Path]:
    """The files made in `folder`, which must be new or empty. Raises BenchError where something stands in it."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise BenchError("exists and is not empty; name a new folder", path=folder)
    source = shipped_project().root
    ignore = shutil.ignore_patterns(".ipynb_checkpoints", "__pycache__", ".*")
    for name in SHIPPED:
        origin, target = source / name, folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if origin.is_dir():
            shutil.copytree(origin, target, ignore=ignore)
        else:
            shutil.copyfile(origin, target)
    (folder / ".gitignore").write_text("results/*\n!results/README.md\n", encoding="utf-8")
    return sorted(p for p in folder.rglob("*") if p.is_file())
