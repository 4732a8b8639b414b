"""Say what a session file holds: format, messages, tool calls, tokens, compaction points, lines it could not read.

examples:
  bench transcript ~/.claude/projects/-home-me-app/1f7c.jsonl
  bench transcript --json session.jsonl | jq '.compactions'
  bench transcript *.jsonl

Tokens are estimated: ceil(characters / 4) of the main line. Compaction numbers are what 'bench import --at' takes.
"""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path

from bench.cli.output import emit_json, say, table
from bench.errors import BenchError
from bench.text import printable
from bench.transcripts import holding, read_all
from bench.transcripts.model import Compaction, Transcript

SHOWN_UNREAD = 20
"""Unread lines that the text form prints; --json has all."""


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("files", nargs="+", metavar="FILE", type=Path, help="a session file of an agent")
    parser.add_argument("--json", action="store_true", help="print JSON: an object, or a list for several sessions")


def run(args: argparse.Namespace) -> int:
    """Print every session of every file; a file that cannot be read is named and the others still stand."""
    status = 0
    found: list[tuple[Path, Transcript]] = []
    for path in args.files:
        try:
            found += [(path, transcript) for transcript in read_all(path)]
        except BenchError as error:
            say(str(error))
            status = error.exit_status
    if found and args.json:
        facts = [described(path, transcript) for path, transcript in found]
        emit_json(facts[0] if len(facts) == 1 and len(args.files) == 1 else facts)
    elif found:
        print("\n\n".join(_text(path, transcript) for path, transcript in found))
    return status


def described(path: Path, transcript: Transcript) -> dict[str, object]:
    """The facts of one session as plain data: what `--json` prints."""
    counts = transcript.counts
    return {
        "file": str(path),
        "format": transcript.format,
        "harness_version": transcript.harness_version,
        "session_id": transcript.session_id,
        "messages": len(transcript.messages),
        "user_messages": counts.user,
        "assistant_messages": counts.assistant,
        "tool_calls": transcript.tool_calls,
        "tool_calls_all": counts.tool_calls,
        "tokens": transcript.tokens,
        "compactions": _compactions(transcript),
        "sides": [{"kind": s.kind, "id": s.id, "messages": len(s.messages)} for s in transcript.sides],
        "records": transcript.records,
        "unread": [{"line": u.line, "reason": u.reason} for u in transcript.unread],
    }


def _compactions(transcript: Transcript) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = []
    number = 0
    for compaction in transcript.compactions:
        number += compaction.kind == "full"
        rows.append(_compaction(compaction, number if compaction.kind == "full" else None))
    return rows


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
        ("messages", f"{len(transcript.messages):,} in the main line"),
        ("whole file", f"{counts.user:,} user, {counts.assistant:,} assistant, {counts.tool_calls:,} tool calls"),
        ("tool calls", f"{transcript.tool_calls:,} in the main line"),
        ("tokens", f"{transcript.tokens:,} in the main line, estimated"),
        ("beside it", _sides(transcript)),
        ("records", holding(transcript)),
        ("compactions", f"{len(transcript.compactions)}"),
    ]
    lines = [f"{path}" + (f"  session {transcript.session_id}" if transcript.session_id else "")]
    lines += [f"  {name:<12} {value}" for name, value in facts if value]
    if transcript.compactions:
        columns = (
            "number",
            "kind",
            "at",
            "trigger",
            "tokens_before",
            "tokens_after",
            "summary",
            "preserved",
            "cleared",
        )
        lines += [f"    {line}" for line in table(_compactions(transcript), columns).splitlines()]
    lines.append(f"  {'unread lines':<12} {len(transcript.unread)}")
    lines += [f"    line {u.line}: {u.reason}" for u in transcript.unread[:SHOWN_UNREAD]]
    if len(transcript.unread) > SHOWN_UNREAD:
        lines.append(f"    and {len(transcript.unread) - SHOWN_UNREAD} more; --json lists all")
    return printable("\n".join(lines))


def _sides(transcript: Transcript) -> str:
    kinds = Counter(side.kind for side in transcript.sides)
    messages = sum(len(side.messages) for side in transcript.sides)
    named = {"sidechain": "subagent conversation(s)", "branch": "rewound branch(es)"}
    told = ", ".join(f"{n} {named[kind]}" for kind, n in kinds.items())
    return f"{told}, {messages:,} messages" if told else ""
