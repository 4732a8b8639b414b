"""Make a fixture of a session file: cut at one of its compactions, with a first answer key drafted from it.

examples:
  bench import session.jsonl                          what the model saw at the session's last compaction
  bench import session.jsonl --at 2 --name my-case    at its second compaction, as fixtures/my-case/
  bench import session.jsonl --whole --to ~/fixtures  the whole past instead of what the model still saw
  bench import session.jsonl --leaf 8d1f0c2a          the session, and the branch, that hold this record

Before anything is written, keys, tokens and passwords, users and home folders, hosts, e-mail addresses, git remotes and
IP addresses are replaced, the same by the same placeholder; scrubbed.csv says where and how often.

'bench transcript FILE' lists the compactions. The folder gets transcript.jsonl, key.yaml (every atom 'drafted': review
it), fixture.yaml, and replays/stock.md where the session has the harness's own summary at that point.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from bench.cli.output import say
from bench.errors import shown
from bench.text import count, printable

if TYPE_CHECKING:
    from bench.importing import Imported
    from bench.scrubbing import Replaced
OTHERS = "--leaf takes one by the id of its last record, as 'bench transcript --json' lists it"


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", type=Path, help="a session file of an agent")
    parser.add_argument(
        "--at", metavar="K", type=int, help="cut at the K-th compaction (default: the last, or the end)"
    )
    parser.add_argument("--leaf", metavar="ID", help="take the session and the branch that hold this record")
    parser.add_argument("--name", help="name of the fixture (default: from the file's name)")
    parser.add_argument("--to", metavar="DIR", type=Path, help="folder to make it in (default: the project's fixtures)")
    parser.add_argument("--whole", action="store_true", help="keep the whole past, not only what the model still saw")
    parser.add_argument("--no-scrub", action="store_true", help="write secrets, names and addresses as they stand")


def run(args: argparse.Namespace) -> int:
    from bench.importing import import_session

    to = args.to.expanduser() if args.to else None
    scrubbed = not args.no_scrub
    made = import_session(
        args.file, at=args.at, leaf=args.leaf, name=args.name, to=to, whole=args.whole, scrubbed=scrubbed
    )
    print(printable(_told(made)))
    say(_warning(made))
    return 0


def _warning(made: Imported) -> str:
    if made.replaced is None:
        return "nothing was scrubbed: the session may hold secrets, names and addresses; do not share it"
    return "a detector knows shapes, not meanings, and reads no images: look through the transcript before you share it"


def _told(made: Imported) -> str:
    folder = shown(made.folder)
    point = "its end" if made.at is None else f"compaction {made.at} of {made.compactions}"
    seen = made.transcript
    vital = sum(atom.importance == "vital" for atom in made.key.atoms)
    lines = [
        f"made {folder}/",
        f"  transcript.jsonl  {len(seen.messages):,} messages, {seen.tokens:,} tokens, up to {point}",
        f"                    {_of(made)}",
        f"  key.yaml          {count(len(made.key.atoms), 'drafted atom')}, {vital} of them vital"
        + ("" if made.key.atoms else ": nothing in this session could be drafted from its structure"),
        f"  replays/stock.md  {'the' if made.stock else 'not made: the file holds no'} summary of the harness there",
        *([] if made.replaced is None else [f"  scrubbed.csv      {_replaced(made.replaced)}"]),
        *(
            [f"  {count(made.other_sessions, 'more session')} of the file left aside; {OTHERS}"]
            if made.other_sessions
            else []
        ),
        f"next: bench check {folder}" if made.key.atoms else f"next: write atoms into {folder}/key.yaml",
    ]
    return "\n".join(lines)


def _of(made: Imported) -> str:
    """What the transcript was cut out of, so that its size agrees with what 'bench transcript' says."""
    from bench.transcripts.view import told_compactions

    whole = made.before
    told = told_compactions(whole.compactions)
    had = "" if not whole.compactions else f"; compactions {told}"
    return f"of {len(whole.messages):,} messages, {whole.tokens:,} tokens in the session's main line{had}"


def _replaced(replaced: tuple[Replaced, ...]) -> str:
    from bench.scrubbing import totals

    counts = ", ".join(f"{n:,} {kind}" for kind, n in totals(replaced).items())
    return f"replaced: {counts}" if counts else "nothing was found to replace"
