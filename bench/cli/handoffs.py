"""Look back into stored handoffs: of a run, or of the compactions of a session file.

examples:
  bench handoffs list quickstart
  bench handoffs show session.jsonl 1 --section transcript --from 401
  bench handoffs search session.jsonl 'redis|memcached'
  bench handoffs feedback session.jsonl 'MAX_BURST is 40' --handoff 1 --draft

A number is that of 'list'; without one, the last handoff is taken. 'show' and 'search' say what the look-back costs in
tokens. 'feedback' notes that something was missing (or --wrong) beside the run, or in results/feedback of the project;
--draft prints the note as an atom for a key. Without a note it lists those that were made.
"""

from __future__ import annotations

import argparse
from datetime import UTC, datetime
from typing import get_args

import msgspec

from bench.cli.output import emit, emit_json, say
from bench.errors import BenchError
from bench.errors import shown as shown_path
from bench.field.feedback import (
    Feedback,
    atom_yaml,
    drafted_atom,
    feedback_path,
    noted,
    read_feedback,
    write_feedback,
)
from bench.field.searching import search
from bench.field.stored import LINES, MATCHES, NOT_STORED, SECTIONS, Shelf, Stored, look_up, open_shelf, page
from bench.keys import Tag
from bench.project import Project, find_project
from bench.text import printable

LISTED = ("number", "name", "at", "chars", "tokens", "sections")
NOTES = ("time", "handoff", "name", "what", "note")


def arguments(parser: argparse.ArgumentParser) -> None:
    verbs = parser.add_subparsers(dest="verb", metavar="list | show | search | feedback", required=True)
    listing = verbs.add_parser("list", help="list the handoffs")
    show = verbs.add_parser("show", help="print a section of one, page by page")
    finding = verbs.add_parser("search", help="find lines in all of them and in the transcripts behind them")
    feedback = verbs.add_parser("feedback", help="note that one lacked something, or was wrong")
    for verb in (listing, show, finding, feedback):
        verb.add_argument("where", metavar="RUN|FILE", help="a run's folder or name, or a session file")
        verb.add_argument("--json", action="store_true", help="print JSON")
    show.add_argument("number", nargs="?", type=int, metavar="N", help="which handoff (default: the last)")
    show.add_argument("--section", choices=SECTIONS, default="full", help="default: full")
    show.add_argument("--from", dest="first", type=int, default=1, metavar="LINE", help="first line (default: 1)")
    show.add_argument("--limit", type=int, default=LINES, metavar="LINES", help="lines (default: %(default)s)")
    finding.add_argument("pattern", help="a pattern in RE2's syntax")
    finding.add_argument("--limit", type=int, default=MATCHES, metavar="N", help="matches (default: %(default)s)")
    finding.add_argument("-i", "--ignore-case", action="store_true", help="capital or not is the same")
    feedback.add_argument("note", nargs="?", help="what was missing or wrong; without it, the notes are listed")
    feedback.add_argument("--handoff", type=int, metavar="N", help="which handoff (default: the last)")
    feedback.add_argument("--wrong", action="store_true", help="it was wrong, not missing")
    feedback.add_argument(
        "--message", type=int, action="append", default=[], metavar="I", help="a message that establishes it"
    )
    feedback.add_argument("--tag", choices=get_args(Tag), help="the kind of fact that it is")
    feedback.add_argument("--draft", action="store_true", help="print it as an atom in YAML as well")


def run(args: argparse.Namespace) -> int:
    shelf = open_shelf(args.where)
    match args.verb:
        case "list":
            return _list(shelf, as_json=args.json)
        case "show":
            return _show(shelf, args)
        case "search":
            return _search(shelf, args)
        case _:
            return _feedback(shelf, args)


def _list(shelf: Shelf, *, as_json: bool) -> int:
    stored = shelf.stored()
    if as_json:
        emit_json(stored)
    elif stored:
        lines = [{**msgspec.to_builtins(s), "sections": _sections(s)} for s in stored]
        emit(lines, LISTED, as_json=False)
    else:
        say(f"{shelf.name} holds no handoff")
    return 0


def _sections(stored: Stored) -> str:
    there = ", ".join(stored.sections)
    return f"{NOT_STORED}; {there}" if stored.chars is None else there


def _show(shelf: Shelf, args: argparse.Namespace) -> int:
    stored, text = look_up(shelf, args.number, args.section)
    shown = page(text, args.first, args.limit)
    if args.json:
        emit_json(
            {"handoff": stored.number, "name": stored.name, "section": args.section, **msgspec.to_builtins(shown)}
        )
        return 0
    print(printable(shown.text))
    onward = f"; --from {shown.following} goes on" if shown.following else ""
    say(f"{stored.name}, {args.section}: lines {shown.first} to {shown.last} of {shown.lines}, "
        f"about {shown.tokens:,} tokens{onward}")  # fmt: skip
    return 0


def _search(shelf: Shelf, args: argparse.Namespace) -> int:
    found = search(shelf, args.pattern, args.limit, ignore_case=args.ignore_case)
    if args.json:
        emit_json(found)
        return 0
    for hit in found.hits:
        print(printable(f"{hit.handoff} {hit.section}:{hit.line}: {hit.text}"))
    more = f" of {found.total:,}" if found.total > len(found.hits) else ""
    say(f"{len(found.hits)}{more} lines, about {found.tokens:,} tokens")
    return 0


def _feedback(shelf: Shelf, args: argparse.Namespace) -> int:
    path = feedback_path(shelf, _project())
    if args.note is None:
        emit([msgspec.to_builtins(note) for note in read_feedback(path)], NOTES, as_json=args.json)
        return 0
    stored, _ = look_up(shelf, args.handoff, "transcript")
    note = noted(
        shelf, stored, args.note, datetime.now(UTC), what="wrong" if args.wrong else "missing",
        messages=tuple(args.message), tag=args.tag,
    )  # fmt: skip
    write_feedback(path, note)
    say(f"noted on {stored.name} in {shown_path(path)}")
    if args.draft:
        print(printable(_drafted(shelf, note)), end="")
    elif args.json:
        emit_json(note)
    return 0


def _drafted(shelf: Shelf, note: Feedback) -> str:
    return atom_yaml(drafted_atom(note, shelf.transcript(note.handoff)))


def _project() -> Project | None:
    try:
        return find_project()
    except BenchError:  # a session file may lie outside any project
        return None
