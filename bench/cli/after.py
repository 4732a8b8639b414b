"""Say what the handoffs of a real session failed to carry: what was done again once it went on after a compaction.

examples:
  bench after session.jsonl
  bench after session.jsonl --json | jq '.[].row'

Counted are files read again unchanged, commands run again with nothing written in between, looks that showed the same
again, questions asked again, and turns in which the person corrected. 'after' is the whole window after the
compaction, 'soon' its first messages, 'base' as many messages from the middle of the window before, where nothing was
cut: the excess is soon less base. Below stand the messages that were counted ('bench transcript' numbers them alike).
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

from bench.cli.output import emit_json, say, table
from bench.field.after import TOLD, After, Evidence, after
from bench.text import printable
from bench.transcripts import read

COLUMNS = ("compaction", "at", "measure", "after", "soon", "base", "excess")


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", type=Path, help="a session file of an agent")
    parser.add_argument("--json", action="store_true", help="print rows and evidence as a JSON list, one a compaction")


def run(args: argparse.Namespace) -> int:
    found = after(read(args.file))
    if args.json:
        emit_json(found)
        return 0
    if not found:
        say(f"{args.file}: the session has no compaction that wrote a summary")
        return 0
    print(table([line for one in found for line in _lines(one)], COLUMNS))
    for one in found:
        if one.evidence:
            print(f"\ncompaction {one.row.compaction}, {one.row.messages} messages after it:")
            print(printable("\n".join(map(_told, one.evidence))))
    for one in found:
        if one.row.why:
            say(f"compaction {one.row.compaction} has no base: {one.row.why}")
    return 0


def _lines(one: After) -> Iterator[dict[str, object]]:
    row = one.row
    for name, told in [*TOLD.items(), ("again_tokens", "tokens printed again")]:
        yield {
            "compaction": row.compaction,
            "at": row.at,
            "measure": told,
            "after": getattr(row, name),
            **{column: getattr(row, f"{name}_{column}") for column in ("soon", "base", "excess")},
        }
    yield {
        "compaction": row.compaction,
        "at": row.at,
        "measure": "tokens until new work",
        "after": row.new_work_tokens,
        "base": row.new_work_tokens_base,
        "excess": row.new_work_tokens_excess,
    }


def _told(evidence: Evidence) -> str:
    where = f"message {evidence.at}" + ("" if evidence.before is None else f", as {evidence.before}")
    size = "" if evidence.tokens is None else f", {evidence.tokens:,} tokens"
    later = "" if evidence.soon else ", later"
    text = " ".join(evidence.text.split())
    return f"  {TOLD[evidence.measure]}: {where}{size}{later}: {text}"
