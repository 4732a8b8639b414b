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
from collections.abc import Iterator, Sequence
from pathlib import Path

from bench.cli.output import emit_json, say
from bench.field.after import TOLD, After, Evidence, after
from bench.text import printable
from bench.texttable import table
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
            print(printable("\n".join(map(_told, _grouped(one.evidence)))))
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


def _told(evidence: Sequence[Evidence]) -> str:
    """One line for what was done again, in however many goes."""
    first = evidence[0]
    where = f"message {first.at}" + ("" if first.before is None else f", as {first.before}")
    tokens = sum(e.tokens or 0 for e in evidence)
    size = "" if first.tokens is None else f", {tokens:,} tokens"
    goes = f" in {len(evidence)} goes" if len(evidence) > 1 else ""
    later = "" if first.soon else ", later"
    return f"  {TOLD[first.measure]}{goes}: {where}{size}{later}: {' '.join(first.text.split())}"


def _grouped(evidence: Sequence[Evidence]) -> list[list[Evidence]]:
    """Readings of one file together; all else by itself."""
    groups: dict[object, list[Evidence]] = {}
    for one in evidence:
        groups.setdefault((one.measure, one.text) if one.measure == "files" else id(one), []).append(one)
    return list(groups.values())
