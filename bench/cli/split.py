"""A live split: which arm a real compaction gets, and what was observed of the arms.

examples:
  bench split assign splits/week.toml 1f7c-session-id
  bench split assign splits/week.toml 1f7c-session-id --compactions 5
  bench split import ~/compactions.jsonl ~/window.jsonl
  bench split table

'assign' draws the arm of the session's next compaction: by design, seed, session and compaction, and by the chain of
handoffs that the imported rows tell. 'import' takes rows that a pipeline writes, one a compaction, and window readings,
into results/split of the project. 'table' compares the arms on them.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import msgspec

from bench.cli.output import emit, emit_json, say
from bench.field.feedback import Feedback, read_feedback
from bench.field.live_rows import Imported, import_rows, read_stored, sessions_of, store
from bench.field.observed import WARNING, arms_observed, observed, observed_frame
from bench.field.split import Assignment, Design, assign, chain_after, planned, read_design
from bench.frames import records
from bench.project import Project, find_project
from bench.texttable import table

ASSIGNED = ("session", "compaction", "arm", "why", "draw")
ARMS = (
    "design", "arm", "compactions", "sessions", "handoffs", "first_turn_tokens", "hours_to_next", "last", "usd",
    "notes",
)  # fmt: skip


def arguments(parser: argparse.ArgumentParser) -> None:
    verbs = parser.add_subparsers(dest="verb", metavar="assign | import | table", required=True)
    assigning = verbs.add_parser("assign", help="the arm of a session's next compaction")
    assigning.add_argument("design", metavar="DESIGN", type=Path, help="a design in TOML")
    assigning.add_argument("session", metavar="SESSION", help="the session's id")
    assigning.add_argument("--compactions", type=int, metavar="N", help="plan the first N, as if each were delivered")
    importing = verbs.add_parser("import", help="take rows of real compactions into the project")
    importing.add_argument("files", nargs="+", metavar="FILE", type=Path, help="JSON lines")
    comparing = verbs.add_parser("table", help="compare the arms on what was observed")
    comparing.add_argument("--design", metavar="NAME", help="only of this design")
    comparing.add_argument("--rows", action="store_true", help="a line a compaction")
    for verb in (assigning, importing, comparing):
        verb.add_argument("--json", action="store_true", help="print JSON")


def run(args: argparse.Namespace) -> int:
    match args.verb:
        case "assign":
            return _assign(args)
        case "import":
            return _import(args)
        case _:
            return _table(args)


def folder_of(project: Project) -> Path:
    """Where imported rows lie."""
    return project.results / "split"


def _assign(args: argparse.Namespace) -> int:
    design = read_design(args.design)
    if args.compactions is not None:
        found = planned(design, args.session, args.compactions)
    else:
        found = (_next(design, args.session, read_stored(folder_of(find_project(args.design)))),)
    emit([msgspec.to_builtins(one) for one in found], ASSIGNED, as_json=args.json)
    return 0


def _next(design: Design, session: str, imported: Imported) -> Assignment:
    own = dict(sessions_of(imported.rows)).get(session, [])
    return assign(design, session, chain_after(row.handoff for row in own))


def _import(args: argparse.Namespace) -> int:
    folder = folder_of(find_project())
    counts = []
    for path in args.files:
        imported = import_rows(path)
        rows, readings = store(folder, imported)
        counts.append({"file": str(path), "rows": rows, "readings": readings, "unread": len(imported.unread)})
        for line in imported.unread:
            say(f"{path}:{line.line}: {line.reason}")
    emit(counts, ("file", "rows", "readings", "unread"), as_json=args.json)
    return 0


def _table(args: argparse.Namespace) -> int:
    project = find_project()
    imported = read_stored(folder_of(project))
    seen = observed(imported.rows, imported.readings, _notes(project))
    seen = tuple(s for s in seen if args.design in (None, s.design))
    lines = [msgspec.to_builtins(s) for s in seen] if args.rows else records(arms_observed(observed_frame(seen)))
    if args.json:
        emit_json(lines)
    elif lines:
        print(table(lines, tuple(lines[0]) if args.rows else ARMS))
    else:
        say("no row of a split is imported; 'bench split import FILE' takes some")
    say(WARNING)
    return 0


def _notes(project: Project) -> list[Feedback]:
    return [note for path in sorted((project.results / "feedback").glob("*.jsonl")) for note in read_feedback(path)]
