"""Say how full the context window was on each turn of a session, and what its compactions left in it.

examples:
  bench window session.jsonl
  bench window session.jsonl --window 200000
  bench window session.jsonl --carry 10
  bench window session.jsonl --json | jq '.weights'

tokens: what the window held at the end of the turn, by the model's own count. first prompt: what the turn's first
answer was sent. The floor is that of the first turn before any compaction; a compaction weighs its first prompt less
the floor, and every answer until the next one carries that weight.
"""

from __future__ import annotations

import argparse
from datetime import date
from pathlib import Path

import msgspec

from bench.cli.output import emit_json, say
from bench.field.carrying import carried
from bench.handoff.window import Reading, Weight, readings, weights
from bench.models.known import known
from bench.texttable import table
from bench.transcripts import read
from bench.transcripts.model import Transcript

TURNS = (
    "turn", "phase", "compaction", "at", "tokens", "percent", "first prompt", "answers", "messages", "handoff tokens",
    "handoff percent",
)  # fmt: skip
CARRIED = ("compaction", "turn", "answers", "weight", "tokens", "tokens_so_far", "usd_so_far", "share")
WEIGHTS = ("compaction", "phase", "first prompt", "floor", "weight", "handoff tokens", "answers", "carried", "usd")


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", type=Path, help="a session file of an agent")
    parser.add_argument(
        "--window", type=int, metavar="TOKENS", help="the context window (default: the model's, if known)"
    )
    parser.add_argument(
        "--carry", type=int, metavar="N", help="what carrying each handoff cost over the N turns after it, turn by turn"
    )
    parser.add_argument("--json", action="store_true", help="print the tables as one JSON object")


def run(args: argparse.Namespace) -> int:
    transcript = read(args.file)
    model = model_of(transcript)
    window = args.window if args.window is not None else _window(model)
    found = readings(transcript, window)
    weighed = weights(found)
    costs = [carried_usd(weight, model, _day(found)) for weight in weighed]
    turns = carried(found, args.carry, model, _day(found)) if args.carry else ()
    if args.json:
        told = [{**msgspec.to_builtins(w), "carried_usd": usd} for w, usd in zip(weighed, costs, strict=True)]
        shown = {"model": model, "window": window, "readings": found, "weights": told}
        emit_json({**shown, "carried": turns} if args.carry else shown)
        return 0
    print(table([_turn(r) for r in found], TURNS))
    if weighed:
        print()
        print(table([_weight(w, usd) for w, usd in zip(weighed, costs, strict=True)], WEIGHTS))
    if turns:
        print()
        print(table([msgspec.to_builtins(t) for t in turns], CARRIED))
    if window is None:
        say("the context window is not known, so there are no percentages; --window TOKENS gives it")
    if found and all(r.tokens is None for r in found):
        say("the file keeps no usage of its answers, so the tokens are not known")
    return 0


def model_of(transcript: Transcript) -> str | None:
    """The model that gave most of the answers; None where none is named."""
    named = [m.model for m in transcript.messages if m.role == "assistant" and m.model and m.usage is not None]
    return max(dict.fromkeys(named), key=named.count, default=None)


def carried_usd(weight: Weight, model: str | None, when: date) -> float | None:
    """List price of carrying the weight through its answers, read from the cache; None where it is not known."""
    from bench.prices import carry_cost

    if model is None or weight.tokens is None or weight.tokens < 0:
        return None
    return carry_cost(weight.tokens, weight.answers, model, when).usd_api


def _window(model: str | None) -> int | None:
    facts = known(model) if model else None
    return facts.window if facts else None


def _day(found: tuple[Reading, ...]) -> date:
    """The day of the last reading, whose prices apply; today where the file says none."""
    for reading in reversed(found):
        try:
            return date.fromisoformat((reading.time or "")[:10])
        except ValueError:
            continue
    return date.today()


def _turn(reading: Reading) -> dict[str, object]:
    return {
        **msgspec.to_builtins(reading),
        "first prompt": reading.first_prompt,
        "handoff tokens": reading.handoff_tokens,
        "handoff percent": reading.handoff_percent,
    }


def _weight(weight: Weight, usd: float | None) -> dict[str, object]:
    return {
        **msgspec.to_builtins(weight),
        "first prompt": weight.first_prompt,
        "weight": weight.tokens,
        "handoff tokens": weight.handoff_tokens,
        "carried": None if weight.tokens is None else weight.tokens * weight.answers,
        "usd": usd,
    }
