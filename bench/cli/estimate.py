"""Say how large a session is for a context, by kind of record, and where a budget would cut it.

examples:
  bench estimate session.jsonl --budget 50000
  bench estimate session.jsonl --window 200000 --reserve 16384
  bench estimate session.jsonl --budget 50000 --leaf 8d1f0c2a --json | jq '.cuts'

tokens: what the records' own text takes, estimated as ceil(characters / 4). in context: what is left of it once
compactions, checkpoints and hidden ranges have had their say. The exact cut keeps the longest end that fits; the seed's
walks back and stops at the first record that would cross the budget. --window takes the budget at parity: the window
less the reserve and the request's overhead (system prompt and tools, where the file holds them).
"""

from __future__ import annotations

import argparse
from pathlib import Path

import msgspec

from bench.cli.output import emit_json
from bench.errors import BenchError
from bench.estimating import RESERVE, Cut, Estimate, estimate_file
from bench.texttable import table

KINDS = ("kind", "records", "tokens", "in context")
CUTS = ("cut", "from record", "id", "keeps", "drops", "tokens", "over budget")


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", type=Path, help="a session file of an agent")
    parser.add_argument("--budget", type=int, metavar="TOKENS", help="tokens that the branch may take")
    parser.add_argument("--window", type=int, metavar="TOKENS", help="a context window, instead of a budget")
    parser.add_argument(
        "--reserve", type=int, metavar="TOKENS", default=RESERVE, help=f"kept free of the window (default {RESERVE})"
    )
    parser.add_argument("--leaf", metavar="ID", help="take the branch to this record, not the one to the newest leaf")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(args: argparse.Namespace) -> int:
    if (args.budget is None) == (args.window is None):
        raise BenchError("give --budget TOKENS, or --window TOKENS, and not both")
    if min(v for v in (args.budget, args.window, args.reserve) if v is not None) < 0:
        raise BenchError("--budget, --window and --reserve are tokens, 0 or more")
    found = estimate_file(args.file, args.budget, window=args.window, reserve=args.reserve, leaf=args.leaf)
    if args.json:
        emit_json(found)
        return 0
    print(table([*_kinds(found), _all(found)], KINDS))
    print()
    print(table([_cut(cut, found) for cut in found.cuts], CUTS))
    if found.overhead:
        print(f"\nbeside it, {found.overhead:,} tokens of system prompt and tools")
    return 0


def _kinds(found: Estimate) -> list[dict[str, object]]:
    return [{**msgspec.to_builtins(kind), "in context": kind.projected} for kind in found.kinds]


def _all(found: Estimate) -> dict[str, object]:
    tokens = sum(kind.tokens for kind in found.kinds)
    return {"kind": "all", "records": found.records, "tokens": tokens, "in context": found.projection}


def _cut(cut: Cut, found: Estimate) -> dict[str, object]:
    return {
        "cut": f"{cut.rule}, {found.budget:,}",
        "from record": cut.at,
        "id": "all fits" if cut.at is None else cut.id,
        "keeps": cut.kept,
        "drops": found.records - cut.kept,
        "tokens": cut.tokens,
        "over budget": max(cut.tokens - found.budget, 0) or None,
    }
