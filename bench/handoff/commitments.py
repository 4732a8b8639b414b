"""The commitments pass: what the assistant promised, took back or asked without an answer, as one model call judges it.

The model gets what the assistant said, newest kept where room is short (the last turns had the least time to be acted
on), an index of the tools that ran without their results, and what the user typed, a line each, so that an answered
question can be told from an open one. All of it stands between fences of the caller's choice: it is data. The
instruction is `prompts/_commitments.md`; the reply is rows, `KIND | T12 | "quote" | note`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Literal, get_args

from msgspec import Struct

from bench.handoff.calls import calls_of
from bench.handoff.pins import is_pinnable
from bench.text import CHARS_PER_TOKEN, clip
from bench.transcripts.model import Message

TURN_CHARS = 6000
"""Longest turn of the assistant that is shown whole."""
INPUT_CHARS = 400_000
"""Of all that the pass is given; the oldest turns and lines go first."""
INDEX_SHARE = 5
"""The list of calls and that of typed messages take at most 1/5 of it each; what they leave is the assistant's."""
TARGET_CHARS = 300
TYPED_CHARS = 300
RENDERED_CHARS = 6000
NEAR_CAP = 0.9
"""A reply of this share of its cap counts as cut: what was to come cannot be told from nothing."""

SECTIONS = ("what the assistant said", "what was run", "what the user typed")

Kind = Literal["unkept", "corrected", "unanswered"]
Hit = Literal["stop reason", "length", "row cut off"]
_NARROWER: tuple[Kind, ...] = ("corrected", "unanswered", "unkept")
"""Which kind stands where one sentence is filed under two: a question without an answer is, loosely, also owed."""
_TITLES: dict[Kind, str] = {
    "unkept": "Promised, and nothing shows that it was done",
    "corrected": "Said, and later taken back or corrected",
    "unanswered": "Asked of the user, and not answered",
}
_KIND = re.compile(rf"(?i)\s*({'|'.join(get_args(Kind))})\s*$")
_TURN = re.compile(r"\s*[Tt]([0-9]{1,9})\s*$")
_QUOTED = re.compile(r'\s*"(?P<quote>.*?)"\s*\|')
_NOTHING = "none"

HEADING = "## Promises and open questions"
PREFACE = (
    "One model call judged these from what the assistant said and from the list of what it ran. That something was not "
    "done cannot be seen in a conversation that broke off: look before you act on a line, and do not do work twice."
)


class Finding(Struct, frozen=True):
    """One row of the reply: what was said, in which message, and what the model notes about it."""

    kind: Kind
    turn: int
    quote: str
    note: str = ""


class Judged(Struct, frozen=True):
    """The findings of a reply, and how it shows that it stopped at its cap; None where it does not."""

    findings: tuple[Finding, ...]
    hit_cap: Hit | None = None
    rows: int = 0
    """Lines that are rows, the one that says that nothing was found among them."""


def commitments_input(messages: Sequence[Message], *, fence: str, budget: int = INPUT_CHARS) -> str:
    """What the pass is given besides its instruction, at most `budget` characters where its frame fits into them.

    `fence` must not occur in the conversation.
    """
    framed = "\n\n".join(f"{fence} {title}\n{{}}\n{fence} end" for title in SECTIONS)
    room = max(0, budget - len(framed.format(*("" for _ in SECTIONS))))
    ran, typed = (newest_lines(index(messages), room // INDEX_SHARE) for index in (tool_index, typed_index))
    return framed.format(assistant_turns(messages, room - len(ran) - len(typed)), ran, typed)


def assistant_turns(messages: Sequence[Message], budget: int = INPUT_CHARS) -> str:
    """The assistant's own words, turn by turn with the message's index, at most `budget` characters.

    Turns are dropped from the front, which the text then says; the newest is clipped where it alone is too long.
    """
    turns = [
        f"[T{at}]\n{clip(message.spoken.strip(), TURN_CHARS)}"
        for at, message in enumerate(messages)
        if message.role == "assistant" and message.spoken.strip()
    ]
    text = "\n\n".join(turns)
    if len(text) <= budget:
        return text
    if len(turns) == 1:
        return clip(text, budget)[:budget]
    note = "[{} earlier turns are left out]".format
    room = budget - len(note(len(turns)))
    kept: list[str] = []
    for turn in reversed(turns):
        if len(turn) + 2 > room:
            break
        kept.append(turn)
        room -= len(turn) + 2
    if not kept and room > 2:
        kept = [clip(turns[-1], room - 2)]
    return "\n\n".join([note(len(turns) - len(kept)), *reversed(kept)])[:budget]


def newest_lines(text: str, budget: int) -> str:
    """`text` in at most `budget` characters: lines are dropped from the front, which a first line then says."""
    if len(text) <= budget:
        return text
    lines = text.split("\n")
    note = "[{} earlier lines are left out]".format
    room = budget - len(note(len(lines)))
    kept = len(lines)
    while kept and len(lines[kept - 1]) + 1 <= room:
        kept -= 1
        room -= len(lines[kept]) + 1
    return "\n".join([note(kept), *lines[kept:]])[:budget]


def tool_index(messages: Sequence[Message]) -> str:
    """What was run, a line a call: `T12 | Bash | npm test`. No results: that one is missing is the point."""
    return "\n".join(f"T{c.at} | {c.name} | {clip(c.target, TARGET_CHARS)}" for c in calls_of(messages))


def typed_index(messages: Sequence[Message]) -> str:
    """What the user typed, a line a message: `T13 | yes, go on`."""
    return "\n".join(
        f"T{at} | {clip(' '.join(message.spoken.split()), TYPED_CHARS)}"
        for at, message in enumerate(messages)
        if is_pinnable(message)
    )


def judged(reply: str, max_tokens: int, stop_reason: str | None = None) -> Judged:
    """The findings of a reply of at most `max_tokens` tokens, each sentence once, and whether it stopped at its cap."""
    lines = [line for line in reply.split("\n") if line.strip()]
    rows = [row for line in lines if (row := _row(line)) is not None]
    hit: Hit | None = None
    if stop_reason == "max_tokens":
        hit = "stop reason"
    elif len(reply) >= max_tokens * CHARS_PER_TOKEN * NEAR_CAP:
        hit = "length"
    elif lines and _begun(lines[-1]) and not _whole(lines[-1]):
        hit = "row cut off"
    return Judged(_once(row for row in rows if row.quote.casefold() != _NOTHING), hit, len(rows))


def render_commitments(findings: Sequence[Finding], *, budget: int = RENDERED_CHARS) -> str:
    """The findings as text by kind, at most `budget` characters; those of the oldest messages go first."""
    room = budget - len(HEADING) - len(PREFACE)
    kept: list[int] = []
    for i in sorted(range(len(findings)), key=lambda i: -findings[i].turn):
        room -= len(_line(findings[i])) + 1
        if room < 0:
            break
        kept.append(i)
    while kept:
        text = _rendered([findings[i] for i in sorted(kept)], len(findings))
        if len(text) <= budget:
            return text
        kept.pop()
    return ""


def _rendered(findings: Sequence[Finding], of: int) -> str:
    out = [HEADING, "", PREFACE]
    for kind, title in _TITLES.items():
        rows = [f for f in findings if f.kind == kind]
        if rows:
            out += ["", f"### {title} ({len(rows)})", *map(_line, rows)]
    if len(findings) < of:
        out += ["", f"({of - len(findings)} older ones are left out)"]
    return "\n".join(out)


def _line(finding: Finding) -> str:
    said = f'"{finding.quote}"' if finding.quote else ""
    return "- " + ": ".join(part for part in (said, finding.note) if part)


def _row(line: str) -> Finding | None:
    """The row that the line is; None for any other line. A quotation may hold bars, a note may too."""
    fields = _fields(line)
    kind, turn = (_KIND.match(fields[0]), _TURN.match(fields[1])) if len(fields) == 4 else (None, None)
    if kind is None or turn is None:
        return None
    quote = fields[2].strip().removeprefix('"').removesuffix('"').strip()
    named: dict[str, Kind] = {k: k for k in get_args(Kind)}
    return Finding(named[kind[1].lower()], int(turn[1]), quote, fields[3].strip())


def _fields(line: str) -> list[str]:
    head = line.split("|", 2)
    if len(head) < 3:
        return head
    quoted = _QUOTED.match(head[2])
    if quoted is not None:
        return [*head[:2], quoted["quote"], head[2][quoted.end() :]]
    return [*head[:2], *head[2].split("|", 1)]


def _begun(line: str) -> bool:
    return "|" in line and _KIND.match(line.split("|", 1)[0]) is not None


def _whole(line: str) -> bool:
    row = _row(line)
    return row is not None and bool(row.note)


def _once(rows: Iterable[Finding]) -> tuple[Finding, ...]:
    """One row a sentence, where it was first said, under its narrowest kind."""
    kept: dict[str, Finding] = {}
    for row in rows:
        key = " ".join(row.quote.casefold().split()).rstrip(" .,;:!?")
        before = kept.get(key)
        if before is None or _NARROWER.index(row.kind) < _NARROWER.index(before.kind):
            kept[key] = row
    return tuple(kept.values())
