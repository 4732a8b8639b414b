"""The statements of a prose text: its sentences without what leads up to them, under the line that they stand under.

"I see the issue: X" is X; an item of a list is told with the heading above it; a table row by row. Cues are English.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from bench.drafting.words import LONGEST_LINE, sentences, unfenced

WRAPPED = 60
"""Characters of a line from which on the next may be the rest of its sentence."""
LONGEST_HEAD, LONGEST_ITEM = 60, 110
"""Characters of the line above a list that is told with its items, and of an item that needs it."""

_LEAD_WORDS = (
    r"perfect|great|good(?: (?:catch|point|question))?|excellent|ok(?:ay)?|ah+|oh|interesting(?:ly)?|yes|yep|right|now"
    r"|so|and|also|hmm+|actually|done|wait|indeed|confirmed|aha|got it|sorry|exactly|success|much better|in summary"
    r"|you(?:'|’)?re (?:absolutely |completely )?(?:right|correct)|as (?:expected|suspected)|important(?:ly)?|note"
    r"|(?:critical|key|major|important|very important|another) (?:finding|discovery|insight|point|issue)"
)
_SEEING = (
    r"i(?: can)?(?: now| also)? (?:see|found|notice[ds]?|understand|spotted|discovered|confirmed|realized?)(?: now)?"
    r"|found|it (?:turns out|looks like|seems|appears)|looks like|this (?:means|shows|confirms|explains)|turns out"
)
_LEAD = re.compile(
    rf"^(?:(?:{_LEAD_WORDS})\b[\s,.!:—–-]+)*"
    rf"(?:(?:{_SEEING})(?: that| why| (?:the|an?|what(?:'s| is)) (?:\w+ )?(?:issues?|problems?|bugs?|cause|happening))?"
    r"(?:\s*[:—–-]+|[.!,])?\s+)?",
    re.IGNORECASE,
)
"""What comes before what was seen."""
_SEEN = re.compile(rf"^(?:(?:{_LEAD_WORDS})\b[\s,.!:—–-]+)*(?:{_SEEING})\b", re.IGNORECASE)
DONE = re.compile(
    r"^\W*(?:\w+ ?\(\w*\)\W+)?(?:add|updat|chang|modif|creat|remov|replac|renam|mov|switch|increas|reduc|rais|lower"
    r"|revers|fix|set|us|kept|made|refactor|extend|convert|introduc|stor|pass|return|fall|handl|show|push|open|clarif"
    r"|disabl|enabl|exclud|includ|wrote|implement|search|skip)\w*\b",
    re.IGNORECASE,
)
"""How a sentence begins that tells a deed."""
SUBJECTLESS = re.compile(
    r"(?i)^(?:contains|tracks|stored|uses|has|returns|includes|handles|calls|checks|takes|needs|provides|supports"
    r"|shows|requires|defines|keeps|holds|works|runs|allows|ensures|means|makes|gets|is|are|was|were|does|reads|writes"
    r"|creates|(?:fixed|solved|resolved|done|caused|added|removed) (?:by|with|to|from|in)|used (?:by|for|in|to)|which"
    r"|where|when|so|then|explains|describes|assumes|lists|exists|same|both)\b"
)
"""How a sentence begins whose subject stands in the line above it."""
_BOX = re.compile(r"^(\s*(?:[-*+]|\d+[.)])\s+)\[([ xX])\]\s+")
_THOUGHT = re.compile(r"(?s)<(thinking|think|scratchpad|analysis)>.*?(?:</\1>|\Z)")
"""What a model thought aloud, which is not what it said."""
_TABLE = re.compile(r"(?m)(?:^[ \t]*\|.*\|[ \t]*\n?)+")
_RULER = re.compile(r"^[\s|:-]+$")
_MOST_CELLS = 4
_CELL = "\x1f"
"""Between a row told without and with the heads of its columns."""
_MARKS = re.compile(r"^[^\w\"'(`~./-]+")
"""Ticks and pictures before a statement."""
_LEADS_ON = re.compile(r"(?<=\w\w\w)\W*(?: (?:that|which|to|by|with|in))?:$")
"""How a deed ends whose parts are listed under it."""
_ENDED = re.compile(r"[.:;!?|]\W*$|^\s*#")
_GOES_ON = re.compile(r"^\s*[^\W\d_(`\"'][^|]*$|^\s*[(`\"'\d][^|]*$")
_ITEM = re.compile(r"^\s*(?:[-*•+–]|\d{1,3}[.)])\s")
_HEAD = re.compile(r"^\s*(?:#{1,6}\s+\S.*|\*\*[^*]+\*\*:?|[^|]*\S:)\s*$")
_NUMBERING = re.compile(r"^\d+(?:\.\d+)*[.)]?\s+")
_PLAIN_HEAD = re.compile(
    r"(?i)^(?:\W*(?:step|phase|option|part)?\s*\d*\W*)?(?:the |key |main |final |all |my |here(?:'s| is| are)\b|what\b"
    r"|summary|overview|changes?|findings?|results?|done|completed?|notes?|details?|next|status|update[sd]?|fix(?:es|ed)?"
    r"|analysis|example|files?\b|errors?\b|code\b|problems?|current\b|pending\b|primary\b|technical\b|conclusion"
    r"|recommendations?|implementation|description|let me|i(?:'ll| will| need|'ve)|now)\b"
)
"""Headings that say nothing of what stands under them."""


@dataclass(frozen=True)
class Statement:
    """A sentence that states something, the line that it stands under, and whether the writer says he found it."""

    text: str
    under: str = ""
    found: bool = False
    shown: str = ""
    """The same with the heads of a table's columns, or with whether its box is ticked, where it has them."""

    @property
    def told(self) -> str:
        """The sentence as it is told by itself: a short item of a list with the line above it."""
        text = self.shown or self.text
        told = self.under and (len(text) <= LONGEST_ITEM or SUBJECTLESS.match(text))
        return f"{self.under}: {text}" if told else text


def statements(text: str) -> Iterator[Statement]:
    """The sentences of a prose text, each without what leads up to it; tables row by row."""
    outline = _Outline()
    kept = "\n".join(line for line in text.splitlines() if len(line) <= LONGEST_LINE)
    prose = unfenced(_TABLE.sub(_told_table, _THOUGHT.sub("\n", kept)))
    for line in _unwrapped(prose.splitlines()):
        if not line.strip() or outline.is_head(line):
            continue
        under = outline.above(line)
        if _CELL in line:
            bare, heads = ("".join(sentences(part)) for part in line.split(_CELL))
            yield Statement(bare, under, shown=heads)
            continue
        box = _BOX.match(line)
        for sentence in sentences(_BOX.sub(r"\1", line)):
            said = _MARKS.sub("", sentence)
            said = _LEADS_ON.sub("", said) if DONE.match(said) else said
            bare = _LEAD.sub("", said, count=1)
            if not bare:
                continue
            text = said if bare == said else _capital(bare)
            ticked = f"{text} ({'done' if box[2].strip() else 'to do'})" if box else ""
            yield Statement(text, under, found=bool(_SEEN.match(said)), shown=ticked)


def _unwrapped(lines: Iterable[str]) -> Iterator[str]:
    """The lines, those of one paragraph or item joined that were broken at the width of a page."""
    held = ""
    for line in lines:
        goes_on = len(held) >= WRAPPED and not _ENDED.search(held) and _GOES_ON.match(line) and not _ITEM.match(line)
        if held and not goes_on:
            yield held
        held = f"{held.rstrip()} {line.strip()}" if goes_on else line
        if not line.strip():
            held = ""
    if held:
        yield held


class _Outline:
    """Where in a text a line stands: the heading above it, and the items of a list that it is under."""

    def __init__(self) -> None:
        self._head = ""
        self._items: list[tuple[int, str]] = []

    def is_head(self, line: str) -> bool:
        """Whether the line is a heading, or announces a list; what follows stands under it."""
        if not _HEAD.match(line) or _ITEM.match(line):
            return False
        self._head, self._items = _head(line), []
        return True

    def above(self, line: str) -> str:
        """What the line stands under; empty for a paragraph, which ends a list."""
        if not _ITEM.match(line):
            self._head, self._items = "", []
            return ""
        indent = len(line) - len(line.lstrip())
        self._items = [item for item in self._items if item[0] < indent]
        under = next((label for _, label in reversed(self._items) if label), self._head)
        self._items.append((indent, _head(line)))
        return under


def _head(line: str) -> str:
    """The line above a list, without its marks; empty where it says nothing of what stands under it."""
    head = next(reversed(list(sentences(line))), "").strip(" :*#.")
    head = _NUMBERING.sub("", _MARKS.sub("", head))
    return "" if len(head) > LONGEST_HEAD or _PLAIN_HEAD.match(head) else head


def _capital(sentence: str) -> str:
    first = sentence.split(" ", 1)[0]
    return sentence[:1].upper() + sentence[1:] if first.isalpha() and first.islower() else sentence


def _told_table(found: re.Match[str]) -> str:
    """A table as a list of statements: what a row's first cell names, and what the others say of it by their heads."""
    rows = [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in found[0].splitlines()]
    if len(rows) < 2 or not all(_RULER.match(cell or "-") for cell in rows[1]):
        return found[0]
    heads, told = rows[0], [row for row in rows[2:] if 1 < len(row) <= _MOST_CELLS and any(row[1:])]
    return "\n" + "".join(f"- {_row(row, [])}{_CELL}- {_row(row, heads)}\n" for row in told)


def _row(row: Iterable[str], heads: list[str]) -> str:
    first, *others = row
    named = [(heads[i] if i < len(heads) else "", cell) for i, cell in enumerate(others, start=1) if cell]
    if len(named) < 2 or not heads:
        return f"{first}: {', '.join(cell for _, cell in named)}"
    return f"{first}: {', '.join(f'{head} {cell}' if head else cell for head, cell in named)}"
