"""List the project's fixtures: what each is about, how long its transcript is and what its key asks.

The columns stale and wrong count the atoms that name older values or contradictions; never counts the things that were
never said.

examples:
  bench fixtures
  bench fixtures --json
"""

from __future__ import annotations

import argparse

from bench.cli.output import emit, say
from bench.fixtures import Fixture, list_fixtures
from bench.project import find_project

COLUMNS = (
    "name", "title", "language", "split", "messages", "tokens", "atoms", "vital", "stale", "wrong", "never",
)  # fmt: skip


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print the table as JSON")


def run(args: argparse.Namespace) -> int:
    project = find_project()
    fixtures = list_fixtures(project)
    if not fixtures and not args.json:
        say(f"no fixtures in {project.fixtures}; 'bench import' makes one of a session")
        return 0
    emit([row(f) for f in fixtures], COLUMNS, as_json=args.json)
    return 0


def row(fixture: Fixture) -> dict[str, object]:
    """The fixture as a line of the table. `tokens` is estimated: ceil(characters / 4) of each message."""
    atoms = fixture.key.atoms
    return {
        "name": fixture.name,
        "title": fixture.about.title,
        "language": fixture.about.language,
        "split": fixture.about.split,
        "messages": len(fixture.transcript.messages),
        "tokens": fixture.transcript.tokens,
        "atoms": len(atoms),
        "vital": sum(a.importance == "vital" for a in atoms),
        "stale": sum(bool(a.stale) for a in atoms),
        "wrong": sum(bool(a.wrong) for a in atoms),
        "never": len(fixture.key.never),
    }
