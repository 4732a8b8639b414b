"""Draft, check and review a fixture's answer key.

examples:
  bench key draft mine             propose atoms from the transcript's structure, where key.yaml has none
  bench key draft mine --merge     add what a key that has atoms does not ask for yet
  bench key check mine             name atoms that are trivial, unanswerable or overlapping
  bench key review mine            go through the drafted atoms: accept, edit, retag, drop; every answer is kept

FIXTURE is a name in fixtures/ or a folder. No command asks a model.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from bench.atomic import write_text
from bench.cli.output import emit, say
from bench.errors import BenchError, shown
from bench.fixtures import KEY, TRANSCRIPT, fixture_folder
from bench.keys import Key, read_key
from bench.project import find_project
from bench.text import printable

COLUMNS = ("atom", "kind", "why")


def arguments(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    for name, help_ in (
        ("draft", "propose atoms from the transcript's structure"),
        ("check", "name atoms that are trivial, unanswerable or overlapping"),
        ("review", "go through the drafted atoms in the terminal"),
    ):
        action = actions.add_parser(name, help=help_)
        action.add_argument("fixture", metavar="FIXTURE", help="a fixture's name, or its folder")
        if name == "draft":
            action.add_argument("--merge", action="store_true", help="add to the atoms that are there; they stay")
        if name == "check":
            action.add_argument("--json", action="store_true", help="print the table as JSON")


def run(args: argparse.Namespace) -> int:
    folder = _folder(args.fixture)
    if args.action == "draft":
        return _draft(folder, args.merge)
    return _check(folder, args.json) if args.action == "check" else _review(folder)


def _folder(name: str) -> Path:
    path = Path(name).expanduser()
    return path if path.is_dir() else fixture_folder(name, find_project(), Path.cwd())


def _draft(folder: Path, merge: bool) -> int:
    from bench.drafting import draft
    from bench.drafting.merge import merged
    from bench.keywriting import to_yaml
    from bench.transcripts import read

    path = folder / KEY
    key = read_key(path)[0] if path.is_file() and path.read_bytes().strip() else Key(version=1, atoms=())
    if key.atoms and not merge:
        raise BenchError(f"has {len(key.atoms)} atoms; --merge adds to them and keeps what is there", path=path)
    after = merged(key, draft(read(folder / TRANSCRIPT)))
    write_text(path, to_yaml(after))
    print(f"{shown(path)}: {len(after.atoms) - len(key.atoms)} atoms drafted, {len(key.atoms)} kept")
    print(f"next: bench key review {shown(folder)}")
    return 0


def _check(folder: Path, as_json: bool) -> int:
    from bench.checks.worth import doubts

    found = doubts(folder)
    if not found and not as_json:
        print("no atom is trivial, unanswerable or overlapping")
        return 0
    emit([{"atom": d.atom, "kind": d.kind, "why": d.why} for d in found], COLUMNS, as_json=as_json)
    return BenchError.exit_status if any(d.kind == "unanswerable" for d in found) else 0


def _review(folder: Path) -> int:
    from bench.reviewing.terminal import review

    done = review(folder, lambda prompt: input(printable(prompt)), lambda text: print(printable(text)))
    print(f"{done.accepted} accepted, {done.dropped} dropped, {done.left} still drafted")
    if not done.left:
        say(f"next: bench key check {shown(folder)}")
    return 0
