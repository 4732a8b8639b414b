"""List the project's fixtures: what each is about, how long its transcript is and what its key asks.

The columns stale and wrong count the atoms that name older values or contradictions; never counts the things that were
never said.

examples:
  bench fixtures
  bench fixtures --json
  bench fixtures synth --scenario web-shop --turns 40 --atoms 30 --seed 1        a session made up, with its exact key
  bench fixtures locomo locomo10.json --only conv-26                  a conversation and question set of LoCoMo
  bench fixtures longmemeval longmemeval_s.json --first 5             records of LongMemEval, a fixture each
  bench fixtures synth --scenario build-tool --turns 200 --atoms 60 --seed 2 --tokens 1000000
"""

from __future__ import annotations

import argparse
from pathlib import Path

from bench.cli.output import emit, say
from bench.errors import BenchError, shown
from bench.fixtures import Fixture, list_fixtures
from bench.project import checked_label, find_project
from bench.text import count, printable

COLUMNS = (
    "name", "title", "language", "split", "messages", "tokens", "atoms", "vital", "stale", "wrong", "never",
)  # fmt: skip
OVER = 1.2
"""A made-up session of more times the tokens that were asked for says so: the last file may go a little beyond."""


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print the table as JSON")
    actions = parser.add_subparsers(dest="action", metavar="ACTION")
    synth = actions.add_parser(
        "synth",
        help="make a session up, with planted facts and their exact key",
        description="Make a fixture up: facts that were set, changed, ruled out and never said, and the key that asks "
        "for them. factors.csv beside the key tells each atom's distance from the end, repetitions and near misses.",
    )
    synth.add_argument("--scenario", required=True, help="web-shop, data-pipeline, mobile-sync or build-tool")
    synth.add_argument("--turns", metavar="N", type=int, required=True, help="messages that the user types")
    synth.add_argument("--atoms", metavar="K", type=int, required=True, help="atoms of the key")
    synth.add_argument("--seed", metavar="S", type=int, required=True, help="the same seed gives the same bytes")
    synth.add_argument("--tokens", metavar="T", type=int, help="estimated tokens to fill up to (default: short files)")
    synth.add_argument("--name", help="name of the fixture (default: scenario and seed)")
    synth.add_argument("--to", metavar="DIR", type=Path, help="folder to make it in (default: the project's fixtures)")
    case = actions.add_parser("compactbench", help="make a fixture of a template of CompactBench (YAML)")
    case.add_argument("file", metavar="FILE", type=Path, help="the template")
    case.add_argument("--difficulty", default="medium", help="easy, medium, hard or elite (default: medium)")
    case.add_argument("--seed", metavar="S", type=int, required=True, help="draws the words of the case")
    case.add_argument("--name", help="name of the fixture (default: the template's key and the seed)")
    case.add_argument("--to", metavar="DIR", type=Path, help="folder to make it in (default: the project's fixtures)")
    for bench_, what, help_ in (
        ("locomo", "sample", "make fixtures of LoCoMo's conversations and question sets (its JSON file)"),
        ("longmemeval", "question", "make fixtures of LongMemEval's records (its JSON file)"),
    ):
        posed = actions.add_parser(bench_, help=help_)
        posed.add_argument("file", metavar="FILE", type=Path, help="the bench's own file")
        posed.add_argument("--only", metavar="ID", action="append", default=[], help=f"this {what} (again for more)")
        posed.add_argument("--first", metavar="N", type=int, help="the first so many")
        posed.add_argument(
            "--to", metavar="DIR", type=Path, help="folder to make them in (default: the project's fixtures)"
        )


def run(args: argparse.Namespace) -> int:
    if args.action == "synth":
        return _synth(args)
    if args.action == "compactbench":
        return _compactbench(args)
    if args.action in ("locomo", "longmemeval"):
        return _posed(args)
    project = find_project()
    fixtures = list_fixtures(project)
    if not fixtures and not args.json:
        say(f"no fixtures in {project.fixtures}; 'bench import' makes one of a session")
        return 0
    emit([row(f) for f in fixtures], COLUMNS, as_json=args.json)
    return 0


def _synth(args: argparse.Namespace) -> int:
    from bench.synth import Request, write_synthetic

    if args.tokens is not None and args.tokens < 1:
        raise BenchError("--tokens takes a number of 1 or more")
    request = Request(args.scenario, args.turns, args.atoms, args.seed, args.tokens)
    label = checked_label(args.name or f"{args.scenario}-{args.seed}", "fixture")
    folder = (args.to.expanduser() if args.to else find_project().fixtures) / label
    made = write_synthetic(request, folder)
    print(f"made {shown(folder)}/: {made.messages:,} messages, {made.tokens:,} tokens, "
          f"{count(len(made.key.atoms), 'atom')}")  # fmt: skip
    if args.tokens is not None and made.tokens > args.tokens * OVER:
        say(f"--tokens fills a session up; these turns alone take {made.tokens:,}")
    print(f"next: bench check {shown(folder)}")
    return 0


def _compactbench(args: argparse.Namespace) -> int:
    from bench.synth.compactbench import case_of
    from bench.synth.write import write_case

    case = case_of(args.file, difficulty=args.difficulty, seed=args.seed)
    label = checked_label(args.name or f"{case.name}-{args.seed}", "fixture")
    folder = (args.to.expanduser() if args.to else find_project().fixtures) / label
    write_case(case, folder, args.file.name)
    print(f"made {shown(folder)}/: {len(case.transcript.messages):,} messages, {count(len(case.atoms), 'atom')}")
    for text in case.left_out:
        say(f"left out, since no turn states it: {text}")
    return 0


def _posed(args: argparse.Namespace) -> int:
    from bench.questions.making import make_fixtures

    if args.first is not None and args.first < 1:
        raise BenchError("--first takes a number of 1 or more")
    to = args.to.expanduser() if args.to else find_project().fixtures
    any_made = False
    for made in make_fixtures(args.action, args.file, to, only=tuple(args.only), first=args.first):
        any_made = True
        for why in made.left_out:
            say(printable(why))
        if made.folder is None:
            say(f"no fixture of {made.name}: none of its questions can be asked of a handoff by patterns")
        else:
            print(f"made {shown(made.folder)}/: {count(made.messages, 'message')}, {count(made.atoms, 'atom')}")
    if not any_made:
        raise BenchError("holds no conversation", path=args.file)
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
