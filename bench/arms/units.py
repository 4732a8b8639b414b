"""What an extract may choose from: sentences and lines of a transcript, each with who it comes from and its terms."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Literal

import msgspec
from msgspec import Struct

from bench.text import clip
from bench.transcripts.model import Message, Text, ToolResult, ToolUse

Source = Literal["user", "summary", "assistant", "ran", "error", "output", "note"]
"""A person's turn, an earlier summary, the model's own words, a tool call, a line of a result that tells of a failure,
another line of a result, a notice of the harness."""

LEAST_TERMS = 2
"""A "yes" or "done." says nothing away from its place."""
UNIT_CHARS = 280
"""Longest unit; longer sentences are split at a space."""
CALL_CHARS = 200
"""Longest argument of a tool call that is shown."""
RESULT_EDGE_LINES = (2, 3)
"""First and last lines of a tool result that may be chosen: what it is, and how it ended."""
ERROR_LINES = 8
"""Most failure lines of one result; a flood of them says no more."""
ARGUMENTS = ("command", "cmd", "file_path", "path", "pattern", "query", "url", "description")
"""Which argument of a tool call is shown: the first of these that it has."""

_SENTENCE_END = re.compile(r"(?<=[^\d\s][.!?])\s+|\n+")
"""A full stop after a digit numbers an item; it ends nothing."""
_TERM = re.compile(r"\w[\w./:@#%+-]*")
_FAILURE = re.compile(
    r"\b(error|errors|failed|failure|fatal|exception|traceback|panic|denied|refused|not found|no such|timed? ?out"
    r"|warning|unable|cannot|could not)\b",
    re.IGNORECASE,
)
_LISTING = re.compile(r"\d+(→|\t)")
"""A numbered line of a file that was read: code that handles errors tells of no failure."""
_TRAILING = ".:/-+"


class Unit(Struct, frozen=True):
    """One sentence or line. `message` is the index of its message; `terms` are its distinct terms in order."""

    message: int
    source: Source
    text: str
    terms: tuple[str, ...]

    @property
    def line(self) -> str:
        """The unit as the extract shows it."""
        return f"{self.source}: {self.text}"


def units_of(messages: Iterable[Message]) -> list[Unit]:
    """Every unit of the messages, in their order; a text that stood earlier in the same role comes once."""
    seen: set[tuple[Source, str]] = set()
    units = []
    for i, message in enumerate(messages):
        for source, text in _pieces(message):
            terms = terms_of(text)
            if len(terms) >= LEAST_TERMS and (source, text) not in seen:
                seen.add((source, text))
                units.append(Unit(i, source, text, terms))
    return units


def terms_of(text: str) -> tuple[str, ...]:
    """Distinct terms in order: words, paths, names and numbers, casefolded."""
    found = (m.group().rstrip(_TRAILING).casefold() for m in _TERM.finditer(text))
    return tuple(dict.fromkeys(t for t in found if t))


def _pieces(message: Message) -> Iterator[tuple[Source, str]]:
    spoken = _speaker(message)
    for block in message.blocks:
        match block:
            case Text(text):
                for sentence in _sentences(text):
                    yield spoken, sentence
            case ToolUse():
                yield "ran", f"{block.name} {_argument(block)}"
            case ToolResult():
                yield from _result_lines(block)
            case _:
                pass


def _speaker(message: Message) -> Source:
    match message.author:
        case "person":
            return "user"
        case "compaction":
            return "summary"
        case "assistant":
            return "assistant"
        case _:
            return "note"


def _sentences(text: str) -> Iterator[str]:
    for part in _SENTENCE_END.split(text):
        yield from _short(" ".join(part.split()))


def _short(text: str) -> Iterator[str]:
    start = 0
    while len(text) - start > UNIT_CHARS:
        space = text.rfind(" ", start + UNIT_CHARS // 2, start + UNIT_CHARS)
        end = start + UNIT_CHARS if space < 0 else space
        yield text[start:end]
        start = end if space < 0 else end + 1
    if start < len(text):
        yield text[start:]


def _argument(use: ToolUse) -> str:
    try:
        given = use.input
    except msgspec.DecodeError:  # some harnesses keep what the model wrote, sound JSON or not
        given = None
    if isinstance(given, dict):
        for name in ARGUMENTS:
            if isinstance(given.get(name), str) and given[name].strip():
                return clip(" ".join(given[name].split()), CALL_CHARS)
    return clip(" ".join(use.input_json.split()), CALL_CHARS)


def _result_lines(result: ToolResult) -> Iterator[tuple[Source, str]]:
    lines = [" ".join(line.split()) for line in result.text.splitlines() if line.strip()]
    first, last = RESULT_EDGE_LINES
    edges = {*range(min(first, len(lines))), *range(max(0, len(lines) - last), len(lines))}
    told = 0
    for i, line in enumerate(lines):
        if told < ERROR_LINES and _FAILURE.search(line) and not _LISTING.match(line):
            told += 1
            yield "error", clip(line, UNIT_CHARS)
        elif i in edges:
            yield "error" if result.is_error else "output", clip(line, UNIT_CHARS)
