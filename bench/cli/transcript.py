"""Say what a session file holds: format, messages, tool calls, tokens, compaction points, lines it could not read.

examples:
  bench transcript ~/.claude/projects/-home-me-app/1f7c.jsonl
  bench transcript --json session.jsonl | jq '.compactions'
  bench transcript --usage session.jsonl
  bench transcript --leaf 8d1f0c2a session.jsonl

Tokens are estimated: ceil(characters / 4). The main line is the whole history; 'seen' is what the model still saw of it
at a compaction (or at the end), and what 'bench import' writes. Full compactions have the numbers that 'bench import
--at' takes; micro ones only cleared tool results, which 'seen' leaves out as well. tokens_before and tokens_after are
the harness's own counts, first_prompt what the API counted in the first request behind the compaction.
The main line is the branch to the newest leaf; --leaf takes another one by a record's id, as 'beside it' lists them.
--usage sums what each model used on each day, every answer once, with the list prices of that day.
"""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path
from textwrap import fill

import msgspec

from bench.cli.output import emit_json, say
from bench.errors import BenchError
from bench.models.usage import prompt_tokens
from bench.text import printable
from bench.texttable import table
from bench.transcripts import holding, read, read_all
from bench.transcripts.model import Compaction, Transcript
from bench.transcripts.view import seen_at, told_compactions

SHOWN_UNREAD = 20
"""Unread lines that the text form prints; --json has all."""
WIDTH = 110
"""Characters of a line of what a file holds."""
INDENT = " " * 15
NO_BREAK = "\N{NO-BREAK SPACE}"
NOT_STORED = "not stored"
"""Of a compaction whose file does not hold its summary."""
SHOWN_SIDES = 8
"""Conversations beside the main line that the text form names; --json has all."""
COMPACTIONS = (
    "number", "kind", "at", "trigger", "tokens_before", "tokens_after", "first_prompt", "seen", "summary", "preserved",
    "cleared",
)  # fmt: skip
USAGE = (
    "day", "model", "answers", "input", "output", "cache_read", "cache_write_5m", "cache_write_1h", "usd_api",
    "usd_subscription", "reason",
)  # fmt: skip


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("files", nargs="+", metavar="FILE", type=Path, help="a session file of an agent")
    parser.add_argument("--json", action="store_true", help="print JSON: an object, or a list for several sessions")
    parser.add_argument("--usage", action="store_true", help="print usage and cost by model and day, of the whole file")
    parser.add_argument("--leaf", metavar="ID", help="take the branch to this record, not the one to the newest leaf")


def run(args: argparse.Namespace) -> int:
    """Print every session of every file; a file that cannot be read is named and the others still stand."""
    if args.leaf is not None and (args.usage or len(args.files) > 1):
        raise BenchError("--leaf goes with one file, and not with --usage, which counts every branch")
    status = 0
    found: list[tuple[Path, list[Transcript]]] = []
    for path in args.files:
        try:
            found.append((path, read_all(path) if args.leaf is None else [read(path, leaf=args.leaf)]))
        except BenchError as error:
            say(str(error))
            status = error.exit_status
    if args.usage:
        facts = [spent(path, sessions) for path, sessions in found]
    else:
        facts = [described(path, session) for path, sessions in found for session in sessions]
    if facts and args.json:
        emit_json(facts[0] if len(facts) == 1 and len(args.files) == 1 else facts)
    elif facts and args.usage:
        print("\n\n".join(_spent(row) for row in facts))
    elif facts:
        print("\n\n".join(_text(path, session) for path, sessions in found for session in sessions))
    return status


def described(path: Path, transcript: Transcript) -> dict[str, object]:
    """The facts of one session as plain data: what `--json` prints."""
    counts = transcript.counts
    return {
        "file": str(path),
        "format": transcript.format,
        "harness_version": transcript.harness_version,
        "session_id": transcript.session_id,
        "forked_from": transcript.forked_from,
        "leaf": next((m.record_ids[-1] for m in reversed(transcript.messages) if m.record_ids), None),
        "messages": len(transcript.messages),
        "user_messages": counts.user,
        "assistant_messages": counts.assistant,
        "tool_calls": transcript.tool_calls,
        "tool_calls_all": counts.tool_calls,
        "tokens": transcript.tokens,
        "tokens_seen": seen_at(transcript).tokens,
        "compactions": _compactions(transcript),
        "sides": [{"kind": s.kind, "id": s.id, "messages": len(s.messages)} for s in transcript.sides],
        "records": transcript.records,
        "unread": [{"line": u.line, "reason": u.reason} for u in transcript.unread],
    }


def spent(path: Path, sessions: list[Transcript]) -> dict[str, object]:
    """Usage and cost of a file's sessions as plain data: what `--usage --json` prints."""
    from bench.spending import spent_by, total

    rows = spent_by(sessions)
    return {
        "file": str(path),
        "forked_from": next((s.forked_from for s in sessions if s.forked_from), None),
        "rows": msgspec.to_builtins(rows),
        "total": msgspec.to_builtins(total(rows)),
    }


def _compactions(transcript: Transcript) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = []
    number = 0
    for compaction in transcript.compactions:
        number += compaction.kind == "full"
        full = number if compaction.kind == "full" else None
        sizes = {"first_prompt": _first_prompt(transcript, compaction)}
        rows.append({**_compaction(compaction, full), **sizes, "seen": full and seen_at(transcript, full).tokens})
    return rows


def _first_prompt(transcript: Transcript, compaction: Compaction) -> int | None:
    """Tokens of the first request that was answered behind the compaction; None where the file tells none."""
    used = (m.usage for m in transcript.messages[compaction.at :] if m.role == "assistant" and m.usage is not None)
    return next((prompt for usage in used if (prompt := prompt_tokens(usage))), None)


def _shown(row: dict[str, object]) -> dict[str, object]:
    missing = NOT_STORED if row["kind"] == "full" else None
    return {**row, "summary": "yes" if row["summary"] else missing}


def _compaction(compaction: Compaction, number: int | None) -> dict[str, object]:
    return {
        "number": number,
        "kind": compaction.kind,
        "at": compaction.at,
        "trigger": compaction.trigger,
        "tokens_before": compaction.tokens_before,
        "tokens_after": compaction.tokens_after,
        "summary": compaction.summary is not None,
        "summary_chars": None if compaction.summary is None else len(compaction.summary),
        "preserved": len(compaction.preserved),
        "cleared": len(compaction.cleared),
        "time": compaction.time,
        "line": compaction.line,
    }


def _text(path: Path, transcript: Transcript) -> str:
    counts = transcript.counts
    version = f" {transcript.harness_version}" if transcript.harness_version else ""
    facts = [
        ("format", f"{transcript.format}{version}"),
        ("forked from", transcript.forked_from),
        ("messages", f"{len(transcript.messages):,} in the main line"),
        ("whole file", f"{counts.user:,} user, {counts.assistant:,} assistant, {counts.tool_calls:,} tool calls"),
        ("tool calls", f"{transcript.tool_calls:,} in the main line"),
        ("tokens", _tokens(transcript)),
        ("beside it", _sides(transcript)),
        ("records", _wrapped(holding(transcript))),
        ("compactions", told_compactions(transcript.compactions)),
    ]
    lines = [f"{path}" + (f"  session {transcript.session_id}" if transcript.session_id else "")]
    lines += [f"  {name:<12} {value}" for name, value in facts if value]
    if transcript.compactions:
        rows = [_shown(row) for row in _compactions(transcript)]
        lines += [f"    {line}" for line in table(rows, COMPACTIONS).splitlines()]
    lines.append(f"  {'unread lines':<12} {len(transcript.unread)}")
    lines += [f"    line {u.line}: {u.reason}" for u in transcript.unread[:SHOWN_UNREAD]]
    if len(transcript.unread) > SHOWN_UNREAD:
        lines.append(f"    and {len(transcript.unread) - SHOWN_UNREAD} more; --json lists all")
    return printable("\n".join(lines))


def _wrapped(told: str) -> str:
    """What is told, a part after each comma, on lines of at most WIDTH characters in the column of values."""
    whole = told.replace(" ", NO_BREAK).replace(f",{NO_BREAK}", ", ")
    lines = fill(whole, WIDTH, initial_indent=INDENT, subsequent_indent=INDENT, break_long_words=False)
    return lines.lstrip().replace(NO_BREAK, " ")


def _tokens(transcript: Transcript) -> str:
    seen = seen_at(transcript).tokens
    return f"{transcript.tokens:,} in the main line, {seen:,} of it seen by the model at the end, estimated"


def _sides(transcript: Transcript) -> str:
    kinds = Counter(side.kind for side in transcript.sides)
    messages = sum(len(side.messages) for side in transcript.sides)
    named = {"sidechain": "subagent conversation(s)", "branch": "rewound branch(es)"}
    told = ", ".join(f"{n} {named[kind]}" for kind, n in kinds.items())
    if not told:
        return ""
    ids = [f"{side.id} ({len(side.messages)})" for side in transcript.sides[:SHOWN_SIDES]]
    more = [f"and {len(transcript.sides) - SHOWN_SIDES} more"] if len(transcript.sides) > SHOWN_SIDES else []
    return f"{told}, {messages:,} messages: {', '.join(ids + more)}"


def _spent(facts: dict[str, object]) -> str:
    from bench.spending import Spend

    rows = msgspec.convert(facts["rows"], list[Spend])
    total = msgspec.convert(facts["total"], Spend)
    shown = [msgspec.to_builtins(row) for row in rows]
    if len(rows) > 1:
        shown.append({**msgspec.to_builtins(total), "day": "total"})
    lines = [f"{facts['file']}", *(f"  {line}" for line in table(shown, USAGE).splitlines())]
    if not rows:
        lines = [f"{facts['file']}", "  no answer of a model"]
    if total.untold:
        lines.append(f"  {total.untold} answer(s) without usage: what they used is in no figure")
    if total.placeholders:
        lines.append(
            f"  {total.placeholders} answer(s) whose output count is less than half of what they say: the file holds"
            " placeholders, and the true output is larger"
        )
    if total.beside:
        lines.append(f"  {total.beside} answer(s) are of subagents or rewound branches")
    if facts["forked_from"]:
        lines.append(f"  forked from {facts['forked_from']}: answers copied from it are counted here as well")
    return printable("\n".join(lines))
