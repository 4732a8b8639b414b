"""The messages of a planned session, one after the other: nothing of it is held but the turn at hand."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

import msgspec

from bench.synth.facts import Slot
from bench.synth.plan import Plan, Saying, Turn
from bench.synth.scenarios import Scenario
from bench.text import CHARS_PER_TOKEN
from bench.transcripts.model import Block, Message, Text, ToolResult, ToolUse

SHORT_FILE = 500
"""Characters of a file that is read, where no size is asked for."""
EDIT_CHARS = 120
"""Characters of a file that is written."""
FIXED_TOKENS = 180
"""Tokens of a turn besides the file that it reads, roughly."""


@dataclass(frozen=True)
class Spoken:
    """A message, and the facts that it establishes."""

    message: Message
    facts: tuple[int, ...] = ()


def messages(plan: Plan) -> Iterator[Spoken]:
    """Every message of the session in order; a turn is eight of them, the last one only the user's."""
    rng = random.Random(f"lines {plan.request.scenario} {plan.request.seed}")
    total, tokens = 0, plan.request.tokens
    for number, turn in enumerate(plan.turns):
        asked = _from_user(turn)
        yield asked
        if number == len(plan.turns) - 1:
            return
        total += asked.message.tokens
        due = None if tokens is None else tokens * (number + 1) // (len(plan.turns) - 1) - total - FIXED_TOKENS
        for spoken in _work(number, turn, plan.scenario, SHORT_FILE if due is None else due * CHARS_PER_TOKEN, rng):
            total += spoken.message.tokens
            yield spoken


def _work(number: int, turn: Turn, scenario: Scenario, chars: int, rng: random.Random) -> Iterator[Spoken]:
    folder = f"{scenario.folder}/{turn.part.replace(' ', '_')}"
    path = f"{folder}/part_{number}.{scenario.suffix}"
    opening, facts = _said(turn, "opening", f"I look at the {turn.part} first.")
    yield Spoken(_assistant(Text(opening), _use(f"r{number}", "Read", file_path=path)), facts)
    yield Spoken(_results([(f"r{number}", "\n".join(_code(scenario, chars, rng)))]))
    writes = [*(s for s in turn.sayings if s.slot == "write"), Saying("write", path)]
    files = [("Write", {"file_path": s.text, "content": "\n".join(_code(scenario, EDIT_CHARS, rng))}) for s in writes]
    yield from _calls(f"w{number}", files, writes, "The file has been written.")
    runs = [*(s for s in turn.sayings if s.slot == "command"), Saying("command", f"git diff --stat {folder}")]
    output, facts = _said(turn, "output", f"all checks passed in the {turn.part}")
    yield from _calls(f"b{number}", [("Bash", {"command": s.text}) for s in runs], runs, output, facts)
    closing, facts = _said(turn, "closing", f"The change to the {turn.part} is in place.")
    yield Spoken(_assistant(Text(closing)), facts)


def _calls(
    id_: str, calls: list[tuple[str, dict[str, str]]], sayings: list[Saying], output: str, facts: tuple[int, ...] = ()
) -> Iterator[Spoken]:
    """The calls in one message, and their results in the next: the last call prints `output`, which says `facts`."""
    uses = (_use(f"{id_}_{i}", name, **arguments) for i, (name, arguments) in enumerate(calls))
    yield Spoken(_assistant(*uses), _facts(sayings))
    yield Spoken(_results([(f"{id_}_{i}", output if i == len(calls) - 1 else "ok") for i in range(len(calls))]), facts)


def _from_user(turn: Turn) -> Spoken:
    text, facts = _said(turn, "user", turn.task)
    return Spoken(Message(role="user", author="person", blocks=(Text(text),)), facts)


def _said(turn: Turn, slot: Slot, first: str) -> tuple[str, tuple[int, ...]]:
    """What is said in this slot, a line each, and the facts that it establishes."""
    here = [s for s in turn.sayings if s.slot == slot]
    return "\n".join([first, *(s.text for s in here)]), _facts(here)


def _facts(sayings: list[Saying]) -> tuple[int, ...]:
    return tuple(s.fact for s in sayings if s.fact is not None)


def _code(scenario: Scenario, chars: int, rng: random.Random) -> list[str]:
    """Lines of code, at least one, of `chars` characters or a little more."""
    out: list[str] = []
    while not out or chars > 0:
        verb, noun, n = rng.choice(scenario.verbs), rng.choice(scenario.nouns), rng.randrange(2, 10)
        names = {"verb": verb, "noun": noun, "n": n, "Noun": noun.title(), "VERB": verb.upper()}
        lines = [line.format_map(names) for line in scenario.code]
        out += lines
        chars -= sum(map(len, lines)) + len(lines)
    return out


def _use(id_: str, name: str, **arguments: str) -> ToolUse:
    return ToolUse(id_, name, msgspec.json.encode(arguments).decode())


def _assistant(*blocks: Block) -> Message:
    return Message(role="assistant", author="assistant", blocks=blocks)


def _results(results: list[tuple[str, str]]) -> Message:
    return Message(role="user", author="tool", blocks=tuple(ToolResult(i, (Text(text),)) for i, text in results))
