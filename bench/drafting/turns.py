"""What a person typed, turn by turn: in whose words, what came of it, and whether it was said again in other words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from bench.drafting.words import content_words
from bench.transcripts.model import Message, ToolResult, Transcript

LONG_TURN, LEADING, TRAILING = 12, 6, 2
"""Lines; a longer turn is a paste with a word before and after it, of which so many are taken."""
REPHRASED = 0.5
"""Share of the words of the shorter of two turns that the other has, from which on one says the other again."""
LOOKED_AT = 400
"""Characters of a line by which terminal output is told."""
LOOKED_AHEAD = 2
"""Turns after a broken off one in which it may be said again."""

_REFUSED = re.compile(r"(?s)the user said:\s*\n(.+)")
_COMMAND_ARGUMENTS = re.compile(r"(?s)<command-args>(.*?)</command-args>")
_ENVELOPE = re.compile(r"^\s*<(?:command-|bash-|local-command)")
_PROMPT_LINE = re.compile(r"^\S*(?:\(\w+\) )?[\w.-]+@[\w.-]+:.*[$#] |^[$%>❯➜] *\S|^[~/]\S* \(\S+\)$")
_OUTPUT_LINE = re.compile(
    r"[✔✓✗━─│┃╭╰█]|\w\.\w+[:(]\d+[:,]\d+|^\s*at \S+ \(|^\s*\d+ ?[|│]|^\s*[{}<\]]|^\w*Error: |\bcross-env\b|^Tip: "
)
_BROKEN_OFF = frozenset(("aborted", "interrupted"))


@dataclass(frozen=True)
class Turn:
    """A typed turn and what followed until the next one."""

    at: int
    text: str
    report: int | None
    """The last message before the next turn in which the assistant speaks and calls no tool: what it answered."""
    broken_off: bool
    """Whether the person stopped the assistant before it answered."""
    said_again: bool = False
    """Whether one of the next turns says it in other words: that one stands."""


def typed_text(message: Message) -> str:
    """What a person typed in a user turn; of a slash command its arguments; a shell line is no prose."""
    if message.author != "person":
        return ""
    text = message.spoken
    if _ENVELOPE.match(text):
        return "\n".join(found.strip() for found in _COMMAND_ARGUMENTS.findall(text))
    return _without_pastes(text)


def refusals(message: Message) -> Iterator[str]:
    """What a person said when refusing a tool call: it arrives inside the call's result."""
    for block in message.blocks:
        if isinstance(block, ToolResult) and block.is_error and (found := _REFUSED.search(block.text)):
            yield found[1]


def turns_of(transcript: Transcript) -> tuple[Turn, ...]:
    """Every typed turn of the main line that holds words, in order."""
    messages = transcript.messages
    typed = [(i, text) for i, m in enumerate(messages) if (text := typed_text(m)).strip()]
    ends = [i for i, _ in typed[1:]] + [len(messages)] * bool(typed)
    turns = [_turn(messages, i, text, end) for (i, text), end in zip(typed, ends, strict=True)]
    return tuple(
        Turn(t.at, t.text, t.report, t.broken_off, said_again=_said_again(t, turns[n + 1 : n + 1 + LOOKED_AHEAD]))
        for n, t in enumerate(turns)
    )


def _turn(messages: tuple[Message, ...], at: int, text: str, end: int) -> Turn:
    own = range(at + 1, end)
    answers = (i for i in reversed(own) if messages[i].author == "assistant" and messages[i].spoken.strip())
    whole = (i for i in answers if not messages[i].tool_uses and messages[i].stop_reason not in _BROKEN_OFF)
    report = next(whole, None)
    broken = any(messages[i].origin == "interrupt" or messages[i].stop_reason in _BROKEN_OFF for i in own)
    return Turn(at, text, report, broken and report is None)


def _said_again(turn: Turn, later: list[Turn]) -> bool:
    """Whether a turn that got no answer has its words in one of the next turns."""
    own = _folded(turn.text)
    if turn.report is not None or not own:
        return False
    return any(len(own & other) >= REPHRASED * min(len(own), len(other)) for t in later if (other := _folded(t.text)))


def _folded(text: str) -> frozenset[str]:
    return frozenset(word.casefold() for word in content_words(text))


def _without_pastes(text: str) -> str:
    """The turn without terminal output and long quotations: a person's rules are in a person's words."""
    lines: list[str] = []
    pasted = False
    for line in text.splitlines():
        looked = line[:LOOKED_AT]
        pasted = bool(_PROMPT_LINE.search(looked)) or (pasted and bool(line.strip()))
        if not pasted and not _OUTPUT_LINE.search(looked):
            lines.append(line)
    filled = [line for line in lines if line.strip()]
    return "\n".join([*filled[:LEADING], *filled[-TRAILING:]] if len(filled) > LONG_TURN else lines)
