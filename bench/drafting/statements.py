"""Which sentences of a text state something that a later reader could hold an agent to, and how much. Cues are English.

A statement comes without what leads up to it ("I see the issue:", a tick), and an item of a list with the line that the
list stands under.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from bench.drafting.words import FILE, NAME, Words, sentences, unfenced
from bench.keys import Tag

FEWEST_WORDS = 4
"""Content words of a statement that stands by itself."""
UNSURE = 1.5
"""Weight that a guess loses."""
ECHOED = 4.0
"""Weight of a statement all of whose words are said again later."""
MOST_CHARS = 220
LEAST = 1.5
"""Weight of a statement that is worth a question: two things to hold it to, or one and a finding or a deed."""
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
_ANNOUNCED = re.compile(
    r"^(?:(?:it|that|they|these|those|he|she)(?:'s)?\b|this (?:is|was|will|would|can|could|\w+s)\b|i can|you can"
    r"|we can|now|next|first|then|finally|also|here|great|good|perfect|excellent|done|ok(?:ay)?|got it|yes|you'?re|ah"
    r"|wait|hmm|before|interesting|if|but|and|so|on top|looks|still|currently|let|try|i see"
    r"|(?:look|check|read|apply|reply|verify|runn?|start|continu|mov|add|updat|creat|fix|writ|investigat|test|search|work"
    r"|push|commit|trac|examin|inspect|review|implement|mak|launch|wait)ing"
    r"|would|i understand|you(?:'ll| should| could| may)"
    r"|i think|i'?ll|i will|i'?m (?:going|about|now|\w+ing)|i need|i want|i can see|i found|we need|we should"
    r"|all (?:tests|checks)|tests? pass|to (?:verify|test|check)|should|could|do|does|is|are|what|which|how|why"
    r"|option \d|step \d|phase \d|feel free|please|note that you|happy to|run|in summary|the (?:summary|changes)"
    r"|for example|e\.g|see|same|there (?:is|are) (?:a few|several|some|many))\b",
    re.IGNORECASE,
)
"""How what comes next, a courtesy, or a question begins: no fact."""
_DONE = re.compile(
    r"^\W*(?:\w+ ?\(\w*\)\W+)?(?:add|updat|chang|modif|creat|remov|replac|renam|mov|switch|increas|reduc|rais|lower"
    r"|revers|fix|set|us|kept|made|refactor|extend|convert|introduc|stor|pass|return|fall|handl|show|push|open|clarif"
    r"|disabl|enabl|exclud|includ|wrote|implement|search|skip)\w*\b",
    re.IGNORECASE,
)
_UNITS = "ms|s|kb|mb|gb|chars?|characters|tokens|minutes|min|days|px"
_QUANTITY = re.compile(rf"\b\d[\d.,]*\s?(?:%|(?:{_UNITS})\b)")
_ANCHOR = re.compile(
    rf"{NAME.pattern}|{FILE.pattern}|\w+\(\)|[\w.-]+/[\w./-]+|(?<![\w-])--?[a-z][\w-]+|https?://\S+"
    rf"|{_QUANTITY.pattern}"
    r"|\b\d{2,}\b|[\"“'][^\"”']{3,40}[\"”']"
)
"""What a statement can be held to: names, calls, paths, flags, quantities, quotations."""
_PROPER = re.compile(r"(?<=[a-z,] )[A-Z][A-Za-z]{2,}\b|\b[A-Z]{2,}\b")
"""A name with a capital inside a sentence."""
_DATA = re.compile(r"""["'][\w-]+["']\s*:|[{}]["']|\(\s*["'][^)]*["']\s*,\s*["']""")
"""Data, not prose."""
_TAGS: tuple[tuple[Tag, str], ...] = (
    ("pending", r"not yet|still (?:need|to|miss)|remain(?:s|ing)|todo|next step|left to|pending"),
    ("reason", r"because|since|so that|root cause|the reason|due to|which is why|that'?s why"),
    ("error", r"\w*error|crash\w*|broken|fail(?:s|ed|ing)|the (?:issue|problem) (?:is|was)"),
    (
        "constraint",
        r"(?:the )?user (?:prefers|wants|requires|insists)|must(?: not)?|never|always|only works?"
        r"|(?:is|are) required|not (?:required|allowed)",
    ),
    ("decision", r"instead of|rather than|no longer|decid\w+|chos\w+|will (?:use|be)"),
)
_FOUND = re.compile(
    r"\b(?:root cause|turns? out|the (?:\w+ )?(?:issue|problem|bug|cause|reason|culprit) (?:is|was)|means that"
    r"|(?:is|are|was) caused by|(?:does|do|did)(?:n't| not) \w+|(?:is|are) not \w+|must|because)\b",
    re.IGNORECASE,
)
"""What in the middle of the work is a finding, not a step."""
_CAUSE = re.compile(
    r"(?i)\b(?:root cause|the (?:\w+ )?(?:issue|problem|bug|cause|culprit) (?:is|was)|caused by|because)\b"
)
"""A cause is worth a question even where it names nothing."""
_UNSURE = re.compile(
    r"(?i)\b(?:probably|might|maybe|perhaps|likely|presumably"
    r"|(?:we|you|i)(?: could| would|'d)|another option|alternatively"
    r"|should (?:now |then )?(?:be|pass|work|fix|solve|see|have))\b"
)
_SUBJECTLESS = re.compile(
    r"(?i)^(?:contains|tracks|stored|uses|has|returns|includes|handles|calls|checks|takes|needs|provides|supports"
    r"|shows|requires|defines|keeps|holds|works|runs|allows|ensures|means|makes|gets|is|are|was|were|does|reads|writes"
    r"|creates|(?:fixed|solved|resolved|done|caused|added|removed) (?:by|with|to|from|in)|used (?:by|for|in|to)|which"
    r"|where|when|so|then|explains|describes|assumes|lists|exists|same|both)\b"
)
"""How a sentence begins whose subject stands in the line above it."""
_BOX = re.compile(r"^(\s*(?:[-*+]|\d+[.)])\s+)\[[ xX~]\]\s+")
_VERB = re.compile(
    r"(?i)\b(?:is|are|was|were|be|has|have|had|does|do|did|can|cannot|could|must|will|would|should|may|\w+n't|\w{3,}ed"
    r"|(?:use|contain|return|call|show|say|work|fail|exist|need|want|get|take|make|read|write|store|expect|point|come"
    r"|happen|lack|break|mean|run|set|hold|keep|track|handle|prevent|block|load|send|create|require|support|include"
    r"|cause|lead|start|trigger|overwrite|live|belong|depend|refer|appear|look|treat|rely|define|provide)s?"
    r"|goes|passes|matches|misses|does)\b"
)
"""A sign that a sentence has a verb."""
_TABLE = re.compile(r"(?m)(?:^[ \t]*\|.*\|[ \t]*\n?)+")
_RULER = re.compile(r"^[\s|:-]+$")
_MOST_CELLS = 4
_CELL = "\x1f"
"""Between a row told without and with the heads of its columns."""
_MARKS = re.compile(r"^[^\w\"'(`~./-]+")
"""Ticks and pictures before a statement."""
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
    heads: str = ""
    """The same with the heads of a table's columns, where it is a row of one."""

    @property
    def told(self) -> str:
        """The sentence as it is told by itself: a short item of a list with the line above it."""
        text = self.heads or self.text
        told = self.under and (len(text) <= LONGEST_ITEM or _SUBJECTLESS.match(text))
        return f"{self.under}: {text}" if told else text


def statements(text: str) -> Iterator[Statement]:
    """The sentences of a prose text, each without what leads up to it; tables row by row."""
    outline = _Outline()
    for line in unfenced(_TABLE.sub(_told_table, text)).splitlines():
        if not line.strip() or outline.is_head(line):
            continue
        under = outline.above(line)
        if _CELL in line:
            bare, heads = ("".join(sentences(part)) for part in line.split(_CELL))
            yield Statement(bare, under, heads=heads)
            continue
        for sentence in sentences(_BOX.sub(r"\1", line)):
            said = _MARKS.sub("", sentence)
            bare = _LEAD.sub("", said, count=1)
            yield Statement(said if bare == said else _capital(bare), under, found=bool(_SEEN.match(said)))


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


def best(
    text: str, at: int, words: Words, most: int, *, least: float = LEAST, echo: float | None = None, loose: bool = False
) -> list[Statement]:
    """The statements of a text of message `at` that tell most, at most so many, in its order.

    `echo`: the share of their words that what is said later must take up; those come first that it takes up most.
    None: that is no matter.
    `loose`: a proper name is enough to be held to.
    """
    told = [s for s in statements(text) if is_fact(s.text, loose=loose) and stands_alone(s)]
    told = [s for s in told if weight(s) >= least and not _DATA.search(s.text)]
    told = [s for s in told if echo is None or words.echo(s.text, at) >= echo]
    told = [s for s in told if len(words.ranked(s.text, at)) >= FEWEST_WORDS]
    tells = [weight(s) + (0.0 if echo is None else ECHOED * words.echo(s.text, at)) for s in told]
    chosen = sorted(range(len(told)), key=lambda i: -tells[i])[:most]
    return [told[i] for i in sorted(chosen)]


def stands_alone(statement: Statement) -> bool:
    """Whether a statement has what it speaks of: a verb where it was found, a subject or a line above it."""
    if statement.found and not _VERB.search(statement.text):
        return False
    return bool(statement.under) or not _SUBJECTLESS.match(statement.text)


def is_fact(sentence: str, *, loose: bool = False) -> bool:
    """Whether a sentence states something that a later reader could hold it to; `loose`: a proper name is enough."""
    sentence = sentence.replace("’", "'")
    if len(sentence) > MOST_CHARS or sentence.endswith((":", "…", ",", "...")) or "?" in sentence:
        return False
    if _ANNOUNCED.match(sentence) and not _DONE.match(sentence):
        return False
    return bool(_ANCHOR.search(sentence) or _CAUSE.search(sentence) or (loose and _PROPER.search(sentence)))


def weight(statement: Statement) -> float:
    """How much a statement tells: what it can be held to, and whether it is a finding or a deed."""
    anchors = len(set(_ANCHOR.findall(statement.text)))
    found = 2.0 if _FOUND.search(statement.text) else 1.0 if statement.found else 0.0
    unsure = UNSURE if _UNSURE.search(f"{statement.under} {statement.text}") else 0.0
    return min(anchors, 3) + found + 1.0 * bool(_DONE.match(statement.text)) - unsure


def has_anchor(text: str) -> bool:
    """Whether a text names something that it can be held to."""
    return bool(_ANCHOR.search(text))


def tag_of(sentence: str, otherwise: Tag = "state") -> Tag:
    """What kind of statement it is, by its words."""
    tags = (tag for tag, cue in _TAGS if re.search(rf"\b(?:{cue})\b", sentence, re.IGNORECASE))
    return next(tags, "number" if otherwise == "state" and _QUANTITY.search(sentence) else otherwise)


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
