"""An atom and the messages that establish it, as text for a person. Transcripts are hostile: all of it is printable."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from bench.keys import Atom, Patterns
from bench.reviewing.beside import mentioned
from bench.text import clip, printable
from bench.transcripts.model import Message, Transcript

WIDTH = 100
SOURCE_CHARS = 900
"""Characters shown of each message that an atom names: those around what carries it; asked for more, it is shown
whole, with its neighbours."""
BEFORE = 0.4
"""Share of them that stand before what carries the atom."""
BETWEEN = " ; "
"""What stands between patterns on a line."""


def described(atom: Atom, transcript: Transcript, place: str) -> Iterator[str]:
    """The atom and the messages that establish it, as lines of a terminal."""
    yield from heading(atom, place)
    for i in atom.at:
        if 0 <= i < len(transcript.messages):
            message = transcript.messages[i]
            yield from _lines(i, message, _evidence(message.text, atom))


def around(atom: Atom, transcript: Transcript) -> Iterator[str]:
    """The messages of an atom whole, each with the one before and after it."""
    wanted = sorted({j for i in atom.at for j in (i - 1, i, i + 1) if 0 <= j < len(transcript.messages)})
    for i in wanted:
        message = transcript.messages[i]
        yield from _lines(i, message, message.text if i in atom.at else clip(message.text, SOURCE_CHARS))


def heading(atom: Atom, place: str) -> Iterator[str]:
    """The atom alone: what it says and what is looked for."""
    yield ""
    yield f"{place}  {atom.id}  {atom.tag}, {atom.importance}, by {atom.by}, {atom.status}"
    yield _filled(atom.text, "  ")
    yield f"  all: {printable(joined(atom.accept.all))}"
    if atom.accept.any:
        yield f"  any: {printable(joined(atom.accept.any))}"
    yield from (f"  stale until message {s.until}: {printable(s.match)}" for s in atom.stale)


def joined(patterns: tuple[str, ...]) -> str:
    """Patterns as a person types them, on one line."""
    return BETWEEN.join(patterns)


def parted(typed: str, before: tuple[str, ...] = ()) -> tuple[str, ...]:
    """The patterns of a typed line; `before` where the line is empty, none for a dash alone."""
    if typed.strip() == "-":
        return ()
    parts = tuple(p.strip() for p in typed.split(BETWEEN.rstrip() + " ") if p.strip())
    return parts or before


def accepting(every: str, some: str, before: Patterns) -> Patterns:
    """The accept patterns of two typed lines."""
    return Patterns(parted(every, before.all), parted(some, before.any))


def _evidence(text: str, atom: Atom) -> str:
    """The part of a message around what carries the atom, from its beginning where nothing does; line breaks of a
    call's JSON are shown as such."""
    if len(text) > SOURCE_CHARS:
        mark = mentioned(text, atom)
        first = max(0, min(mark[0] - int(SOURCE_CHARS * BEFORE) if mark else 0, len(text) - SOURCE_CHARS))
        first = text.find(" ", first) + 1 if first else 0  # at a whole word
        text = ("… " if first else "") + clip(text[first:], SOURCE_CHARS)
    return text.replace("\\n", "\n")


def _lines(i: int, message: Message, shown: str) -> Iterator[str]:
    yield f"  | message {i}, {message.author}:"
    yield from (_filled(line, "  | ") for line in shown.splitlines() if line.strip())


def _filled(text: str, indent: str) -> str:
    return textwrap.fill(printable(text), WIDTH, initial_indent=indent, subsequent_indent=indent)
