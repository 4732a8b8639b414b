"""Make a project folder: the shipped prompts, one fixture, one sweep and the notebooks, ready to run and to edit.

examples:
  bench init my-bench
  cd my-bench && bench run quickstart --dry-run
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path

from bench.errors import shown
from bench.scaffold import init_project


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("folder", type=Path, metavar="DIR", help="the folder to make; new or empty")


def run(args: Namespace) -> int:
    files = init_project(args.folder)
    place = shown(args.folder)
    print(f"made {place} with {len(files)} files; next: cd {place} && bench run quickstart --dry-run")
    return 0
