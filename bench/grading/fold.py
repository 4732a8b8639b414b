"""Text as the lexical grader reads it, with a way back to the words as they were written.

`fold` gives the text casefolded once, every run of white space as one space, and these characters left out:
back-ticks; quotes around one path or number; the asterisks of Markdown emphasis; zero-width characters. Typographic
quotes and hyphens become plain ones. Lines are remembered as spans, so that a passage can be one of them although a
pattern may also match across a soft line break.

Everything works on UTF-8 bytes: RE2 counts in bytes, and turning its offsets into characters on every hit would cost
more than the matching. `Folded.quote` turns a span of bytes into the verbatim words of the source.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field

_DROPPED = "\x00"
"""Stands for one left-out character while the length must not change. A real NUL is left out with it."""
_PLAIN = {
    **dict.fromkeys("‘’‚‛′", "'"),
    **dict.fromkeys("“”„‟″«»", '"'),
    **dict.fromkeys("\u2010\u2011\u2012\u2013\u2212", "-"),  # not the em dash: it ends a clause
    **dict.fromkeys("`\u200b\u200c\u200d\u2060\ufeff\u00ad", _DROPPED),
}
_ODD = re.compile(f"[{''.join(_PLAIN)}]")
_QUOTED = re.compile(r"""(["'])(?<![\w\\].)([^\s"']+)\1(?!\w)""")
_PATH_OR_NUMBER = re.compile(r"[/\\]|\w\.\w|^\x00*\.\w|^\x00*[-+$€£#]?\d")
_EMPHASIS = re.compile(r"""(\*(?<![\w*/].)\*{0,2})(?=[\w"'(\[$#\x00])([^*\n]+?)(?<=\S)\1(?![\w*/])""")
_GAP = re.compile(r"\x00[\s\x00]*|[^\S ][\s\x00]*| [\s\x00]+")
"""All that is not copied as it stands: left-out characters, and white space other than a single space."""
_BREAK = re.compile(r"[\n\r\u2028\u2029]")
_BLANK_LINE = re.compile(r"\n[^\S\n]*\n")
_BLOCK = re.compile(r"(?:[-*+•▪◦>]|\d{1,3}[.)]|#{1,6}|\[[ xX]\])\s|\|")
"""How a line begins that does not go on with the sentence of the line before: list item, quote, heading, table row."""
_CONTINUATION = bytes(range(0x80, 0xC0))
"""UTF-8 bytes that do not begin a character."""


@dataclass(frozen=True)
class Folded:
    """A folded text. All positions are byte offsets into `data`."""

    source: str
    data: bytes
    lines: tuple[tuple[int, int], ...]
    """Spans of the lines that hold anything."""
    blocks: frozenset[int]
    """Where a line begins that does not continue the sentence before it."""
    pieces: tuple[tuple[int, int, int], ...] = field(repr=False)
    """(offset in data, first and last of the source) of what was copied; between pieces stands at most one space."""

    def quote(self, start: int, end: int) -> str:
        """The words of the source behind data[start:end], verbatim; empty for an empty span."""
        return "" if start >= end else self.source[self.origin(start) : self.origin(end - 1) + 1]

    def origin(self, at: int) -> int:
        """Index into the source of the character that the byte at `at` comes from (of a space: its first)."""
        start, first, last = self.pieces[bisect_right(self.pieces, (at, len(self.source), 0)) - 1]
        nth = len(self.data[start : at + 1].translate(None, _CONTINUATION)) - 1
        chunk = self.source[first:last]
        if len(chunk.casefold()) == len(chunk):  # casefolding only ever lengthens: here it went one to one
            return first + nth
        for i, c in enumerate(chunk):
            nth -= len(c.casefold())
            if nth < 0:
                return first + i
        return last


def fold(text: str) -> Folded:
    """`text` folded; see the module. Never raises."""
    marked = _EMPHASIS.sub(_bare, _QUOTED.sub(_unquoted, _ODD.sub(_plain, text)))
    copied, last = _bounds(marked)
    data = bytearray()
    pieces: list[tuple[int, int, int]] = []
    lines: list[tuple[int, int]] = []
    blocks: set[int] = set()
    line, heading = 0, marked.startswith("#", copied)

    def copy(until: int) -> None:
        if copied < until:
            pieces.append((len(data), copied, until))
            data.extend(marked[copied:until].casefold().encode("utf-8", "replace"))

    for gap in _GAP.finditer(marked, copied, last):
        copy(gap.start())
        copied = gap.end()
        run = gap[0]
        if not run.strip(_DROPPED):
            continue
        data.extend(b" ")
        if _BREAK.search(run):
            lines.append((line, len(data) - 1))
            line = len(data)
            if heading or _BLANK_LINE.search(run) or _BLOCK.match(marked, copied):
                blocks.add(line)
            heading = marked.startswith("#", copied)
    copy(last)
    if line < len(data):
        lines.append((line, len(data)))
    return Folded(text, bytes(data), tuple(lines), frozenset(blocks), tuple(pieces))


def _bounds(marked: str) -> tuple[int, int]:
    """Where the first visible character stands and where the last one ends."""
    skip = re.match(r"[\s\x00]*", marked)
    first, last = skip.end() if skip else 0, len(marked)
    while last > first and (marked[last - 1].isspace() or marked[last - 1] == _DROPPED):
        last -= 1
    return first, last


def _plain(found: re.Match[str]) -> str:
    return _PLAIN[found[0]]


def _unquoted(found: re.Match[str]) -> str:
    return f"{_DROPPED}{found[2]}{_DROPPED}" if _PATH_OR_NUMBER.search(found[2]) else found[0]


def _bare(found: re.Match[str]) -> str:
    stars = _DROPPED * len(found[1])
    return f"{stars}{found[2]}{stars}"
