"""Print the handoff of a session file as the bench assembles it: the parts that are read off the transcript, and more.

examples:
  bench handoff session.jsonl
  bench handoff session.jsonl --parts ledger,state --at 1
  bench handoff session.jsonl --restore --from ~/src/app --json

Without a model the summary is the session's own: the one its harness wrote at the last compaction (with --at K, at the
K-th), else it is left out. Restored files are those touched last; their text is the transcript's, or that of --from.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import get_args

from msgspec.structs import replace

from bench.arms.model import Arm, ArmFile, Part
from bench.arms.rules import READ_PARTS
from bench.cli.output import emit_json, say
from bench.errors import BenchError
from bench.handoff.assemble import Handoff, assemble
from bench.handoff.disk import Folder
from bench.handoff.restores import Restores
from bench.text import printable
from bench.transcripts import holding, read_all
from bench.transcripts.model import Transcript
from bench.transcripts.view import full_compactions, whole_until


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", type=Path, help="a session file of an agent")
    parser.add_argument(
        "--parts", default=",".join(READ_PARTS), help="parts in their order, comma-separated (default: %(default)s)"
    )
    parser.add_argument("--pins", action="store_true", help="add what the user typed, word for word")
    parser.add_argument("--restore", action="store_true", help="add the files that were touched last")
    parser.add_argument("--from", dest="folder", type=Path, metavar="DIR", help="the session's directory, to read them")
    parser.add_argument("--at", type=int, metavar="K", help="as of the K-th compaction (default: the session's end)")
    parser.add_argument("--session", type=int, default=1, metavar="N", help="which session of the file (default: 1)")
    parser.add_argument("--window", type=int, metavar="TOKENS", help="the next context window, for the ceiling")
    parser.add_argument("--json", action="store_true", help="print text, sizes, ledger rows and restores as JSON")


def run(args: argparse.Namespace) -> int:
    parts = _parts(args.parts)
    if args.folder is not None and not args.folder.is_dir():
        raise BenchError("is no folder to read files from", path=args.folder)
    session = _session(args.file, args.session)
    if session is None:
        return 0
    transcript = whole_until(session, args.at)
    if len(transcript.messages) < len(session.messages):
        transcript = replace(transcript, branch=None)  # recorded at the end of the file
    summary = _summary(session, args.at)
    if summary is None and "summary" in parts:
        say("no compaction of this session wrote a summary by then; the part is left out")
    settings = ArmFile(kind="replay", parts=parts, pins=args.pins, restore=args.restore or args.folder is not None)
    disk = Folder(args.folder, session.cwd) if args.folder is not None else None
    arm = Arm(label="handoff", settings=settings)
    handoff = assemble(summary or "", arm, transcript, window=args.window, disk=disk)
    for failure in handoff.failures:
        say(f"the part '{failure.part}' failed: {failure.reason}")
    if handoff.restores is not None and not handoff.restores.count:
        say(_nothing_restored(handoff.restores, disk is not None))
    if args.json:
        emit_json(described(handoff))
    else:
        print(printable(handoff.text))
    return 0


def described(handoff: Handoff) -> dict[str, object]:
    """A handoff as plain data: what `--json` prints."""
    return {
        "text": handoff.text,
        "parts": [{"name": name, "chars": len(text)} for name, text in handoff.parts],
        **handoff.sizes(),
        "ceiling_chars": handoff.ceiling_chars,
        "rows": handoff.rows,
        "restores": handoff.restores,
        "failures": handoff.failures,
    }


def _nothing_restored(restores: Restores, on_disk: bool) -> str:
    """Why no file came back, and what would bring one."""
    if restores.files:
        return "no file was restored: " + "; ".join(f"{file.path}: {file.detail}" for file in restores.files)
    where = "the folder has" if on_disk else "the transcript holds the text of"
    return f"no file was restored: {where} none that a file tool touched{'' if on_disk else '; --from DIR reads them'}"


def _parts(named: str) -> tuple[Part, ...]:
    parts: list[Part] = []
    for name in filter(None, (word.strip() for word in named.split(","))):
        if name not in READ_PARTS:
            why = "needs a model" if name in get_args(Part) else "is unknown"
            raise BenchError(f"the part '{name}' {why}; --parts takes {', '.join(READ_PARTS)}")
        parts += [part for part in get_args(Part) if part == name and part not in parts]
    if not parts:
        raise BenchError(f"--parts names no part; it takes {', '.join(READ_PARTS)}")
    return tuple(parts)


def _session(path: Path, number: int) -> Transcript | None:
    """The session asked for among those that hold messages; None, with a word, where none does."""
    sessions = read_all(path)
    held = [session for session in sessions if session.messages]
    if not held:
        say(f"{path}: nothing to hand over: it holds no message, only {holding(sessions[0])}")
        return None
    if not 1 <= number <= len(held):
        raise BenchError(f"there is no session {number}; the file has {len(held)} with messages", path=path)
    if len(held) > 1:
        say(f"{path}: session {number} of {len(held)}; --session takes another")
    return held[number - 1]


def _summary(session: Transcript, at: int | None) -> str | None:
    """The summary that the harness wrote at the compaction, or at the last one."""
    fulls = full_compactions(session)
    if not fulls:
        return None
    return fulls[-1 if at is None else at - 1].summary
