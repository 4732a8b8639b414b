"""Say how far behind a handoff would be that is written between turns, and what keeping it fresh costs.

FILE is a session of an agent, or the name of a fixture. The rule: no handoff before 20 messages, another one after 20
new messages and 10 minutes, one that is not finished within 15 minutes is given up. Sessions that tell no times are
taken by messages alone.

examples:
  bench stale session.jsonl
  bench stale rate-limiter --arm inventory
  bench stale session.jsonl --writing-s 60 --handoff-tokens 4000 --model claude-sonnet-5-5
  bench stale session.jsonl --json | jq '.staleness.median'
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from bench.chains.refresh_cost import HANDOFF_TOKENS, RefreshCost, refresh_costs, total_usd
from bench.chains.staleness import WRITING_S, Replay, Rule, Staleness, replay, staleness
from bench.cli.output import emit_json, say
from bench.errors import BenchError
from bench.rows import MOST_STALE
from bench.text import count, estimate_tokens
from bench.texttable import table
from bench.transcripts.model import Transcript

COLUMNS = ("at", "time", "landed", "given up", "prompt tokens", "cache read", "usd")


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="a session file of an agent, or a fixture's name")
    parser.add_argument("--arm", metavar="ARM", help="whose prompt is asked; without one it counts no tokens")
    parser.add_argument("--model", metavar="MODEL", help="who writes, at today's prices; default the session's own")
    parser.add_argument(
        "--writing-s", type=float, default=WRITING_S, metavar="S", help="what writing one takes; default 120"
    )
    parser.add_argument(
        "--handoff-tokens", type=int, default=HANDOFF_TOKENS, metavar="N", help="how long one is; default 2000"
    )
    parser.add_argument("--json", action="store_true", help="print all of it as one JSON object")


def run(args: Namespace) -> int:
    from bench.pricetable import built_in, load_prices

    if not args.writing_s >= 0 or args.handoff_tokens < 0:
        raise BenchError("--writing-s and --handoff-tokens are 0 or more")
    project = _project()
    transcript = _transcript(args.file)
    found = replay(transcript, Rule(writing_s=args.writing_s))
    costs = refresh_costs(
        transcript,
        found,
        today=datetime.now(UTC).date(),
        model=args.model,
        instruction_tokens=_instruction_tokens(args.arm),
        handoff_tokens=args.handoff_tokens,
        table=load_prices(project) if project else built_in(),
    )
    told = staleness(found)
    if args.json:
        refreshes = [
            {**msgspec.to_builtins(r), **msgspec.to_builtins(c)} for r, c in zip(found.refreshes, costs, strict=True)
        ]
        emit_json(
            {
                "timed": found.timed,
                "staleness": told,
                "at_end": found.at_end,
                "refreshes": refreshes,
                "usd": total_usd(costs),
            }
        )
        return 0
    if costs:
        print(table([_line(r, c) for r, c in zip(found.refreshes, costs, strict=True)], COLUMNS))
        print()
    print("\n".join(lines(found, told, costs)))
    if not found.timed:
        say("the session tells no times, so the rule goes by messages alone")
    return 0


def lines(found: Replay, told: Staleness, costs: tuple[RefreshCost, ...]) -> list[str]:
    """What a person reads of it."""
    if not told.moments:
        return ["the session holds no message"]
    out = [
        f"a compaction at a random moment ({told.moments} messages) finds no handoff in {_percent(told.without)}, "
        f"one that is too stale (more than {MOST_STALE} messages behind) in {_percent(told.too_stale)}"
    ]
    if told.median is not None:
        out.append(f"behind by {told.median} messages (median), {told.p90} (9 of 10), {told.most} (most)")
    at_end = "finds no handoff" if found.at_end is None else f"finds one {found.at_end} messages behind"
    out.append(f"a compaction at the session's end {at_end}")
    usd = total_usd(costs)
    why = next((c.reason for c in costs if c.usd is None), None)
    spent = f"${usd:.4f} at list prices" if usd is not None else f"cost not known: {why}"
    out.append(
        f"refreshed {count(len(costs), 'time')}, {sum(r.given_up for r in found.refreshes)} of them given up; {spent}"
    )
    return out


def _percent(share: float | None) -> str:
    return "no case" if share is None else f"{100 * share:.0f} %"


def _line(refresh: object, cost: RefreshCost) -> dict[str, object]:
    known = msgspec.to_builtins(refresh)
    return {
        **known,
        "given up": known["given_up"],
        "prompt tokens": cost.prompt_tokens,
        "cache read": cost.cache_read_tokens,
        "usd": cost.usd,
    }


def _transcript(named: str) -> Transcript:
    from bench.fixtures import find_fixture
    from bench.project import find_project
    from bench.transcripts import read

    path = Path(named).expanduser()
    if path.is_file() or "/" in named or path.suffix:
        return read(path)
    return find_fixture(named, find_project(), Path()).transcript


def _project() -> Path | None:
    from bench.project import find_project

    try:
        return find_project().root
    except BenchError:  # a session can be looked at anywhere
        return None


def _instruction_tokens(label: str | None) -> int:
    from bench.arms import find_arm
    from bench.project import find_project

    return 0 if label is None else estimate_tokens(find_arm(label, find_project(), Path()).text)
