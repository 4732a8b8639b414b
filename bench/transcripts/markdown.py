"""Markdown exports of a conversation: the reader.

What is accepted, and no more:

* A turn begins with a heading of its own line, of one to four `#`, whose words are a speaker's name: User, Human, You,
  Me, Prompt (a person); Assistant, Claude, ChatGPT, Codex, Gemini, Copilot, Cline, Model, AI, Agent, Response (the
  model); Tool, Tool result, Tool output (a tool); System (the system prompt). The name may stand in bold or italics,
  with an emoji or a number before it, and with a colon or something in brackets behind it (`## 🧑 User (10:31)`).
* Turns of one speaker's level only: the first such heading sets it, and headings of other levels are text.
* Headings inside a fenced code block are text. Everything up to the next heading is the turn's text, trimmed.
* What stands before the first heading (a title, facts) is no turn; it is counted as `preamble`.

There are no calls and no results in such a file, only their words. A file counts as one only where both a person and
the model speak.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from bench.errors import BenchError
from bench.transcripts.head import Head
from bench.transcripts.lines import BOM
from bench.transcripts.model import Author, Message, Role, Text, Transcript, Unread
from bench.transcripts.origin import authored

NAME = "markdown"
MAX_BYTES = 256 * 2**20
"""A larger file is no export that a person made."""
MAX_HEADING = 200
"""Characters; no speaker's name is longer."""
REPLACEMENT = "\N{REPLACEMENT CHARACTER}"

_SPEAKERS: dict[str, tuple[str, ...]] = {
    "user": ("user", "human", "you", "me", "prompt"),
    "assistant": (
        "assistant", "claude", "chatgpt", "codex", "gemini", "copilot", "cline", "model", "ai", "agent", "response",
    ),
    "tool": ("tool", "tool result", "tool results", "tool output"),
    "system": ("system",),
}  # fmt: skip
_NAMES = {name: speaker for speaker, names in _SPEAKERS.items() for name in names}
_HEADING = re.compile(r" {0,3}(#{1,4})[ \t]+(.+?)[ \t]*#*[ \t]*")
_BEHIND = re.compile(r"[ \t]*[:：]?[ \t]*([(\[].*[)\]])?[ \t]*[:：]?$")
_BEFORE = re.compile(r"^[^\w]*(\d+[.):]?[ \t]+)?[^\w]*")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")


class Section(NamedTuple):
    """A turn as the file has it."""

    speaker: str
    line: int
    text: str


class Markdown:
    """The reader of Markdown exports."""

    name = NAME
    told = "Markdown export (## User / ## Assistant)"

    def detect(self, head: Head) -> bool:
        """Whether the text has headings of a person and of the model."""
        return head.text is not None and {"user", "assistant"} <= {s.speaker for s in sections(head.text)}

    def read(self, path: Path) -> list[Transcript]:
        """The one session of the file. Raises BenchError for a file beyond any export's size."""
        with path.open("rb") as stream:
            data = stream.read(MAX_BYTES + 1)
        if len(data) > MAX_BYTES:
            raise BenchError(f"is longer than {MAX_BYTES // 2**20} MB, too long for a Markdown export", path=path)
        return [transcript_of(data)]


def transcript_of(data: bytes) -> Transcript:
    """The session that the Markdown text holds."""
    unread: list[Unread] = []
    text = data.removeprefix(BOM).decode("utf-8", "replace")
    if REPLACEMENT in text and REPLACEMENT.encode() not in data:
        line = text[: text.index(REPLACEMENT)].count("\n") + 1
        unread.append(Unread(line, "bytes that are not UTF-8; they stand as U+FFFD in what was read"))
    found = list(sections(text))
    records = Counter(s.speaker for s in found)
    if found and text[: _offset(text, found[0].line)].strip():
        records["preamble"] = 1
    system = "\n\n".join(s.text for s in found if s.speaker == "system" and s.text)
    messages = tuple(_message(s) for s in found if s.speaker != "system")
    return Transcript(
        format=NAME, messages=messages, unread=tuple(unread), records=dict(records), system=system or None
    )


def sections(text: str) -> Iterator[Section]:
    """The turns of the text, in order."""
    level = fence = speaker = ""
    begun, held = 0, list[str]()
    for number, line in enumerate(text.split("\n"), start=1):
        line = line.removesuffix("\r")
        begins = None
        if fence:
            fence = "" if _closes(line.strip(), fence) else fence
        elif opened := _FENCE.match(line):
            fence = opened[1]
        else:
            begins = _speaker(line, level)
        if begins is None:
            held.append(line)
            continue
        if speaker:
            yield Section(speaker, begun, "\n".join(held).strip())
        (level, speaker), begun, held = begins, number, []
    if speaker:
        yield Section(speaker, begun, "\n".join(held).strip())


def _closes(line: str, fence: str) -> bool:
    return line.startswith(fence) and not line.strip(fence[0])


def _speaker(line: str, level: str) -> tuple[str, str] | None:
    """The level and the speaker of a heading that begins a turn; None of any other line."""
    heading = _HEADING.fullmatch(line) if len(line) <= MAX_HEADING else None
    if heading is None or (level and heading[1] != level):
        return None
    plain = _BEHIND.sub("", heading[2].replace("*", "").replace("_", " "), count=1)
    name = _NAMES.get(_BEFORE.sub("", plain, count=1).strip().casefold())
    return (heading[1], name) if name else None


def _message(section: Section) -> Message:
    blocks = (Text(section.text),) if section.text else ()
    role: Role = "assistant" if section.speaker == "assistant" else "user"
    author: Author = "assistant" if section.speaker == "assistant" else "tool"
    origin = None
    if section.speaker == "user":
        author, origin = authored(blocks)
    return Message(role=role, author=author, origin=origin, blocks=blocks, line=section.line)


def _offset(text: str, line: int) -> int:
    """Where the line begins in the text."""
    at = 0
    for _ in range(line - 1):
        at = text.index("\n", at) + 1
    return at
