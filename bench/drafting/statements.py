"""Which statements a later reader could hold an agent to, and how much each of them tells. Cues are English."""

from __future__ import annotations

import re

from bench.drafting.prose import DONE, SUBJECTLESS, Statement, statements
from bench.drafting.words import FILE, NAME, Words
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

_ANNOUNCED = re.compile(
    r"^(?:(?:it|that|they|these|those|he|she)(?:'s)?\b|this (?:is|was|will|would|can|could|\w+s)\b|i can|you can"
    r"|we can|now|next|first|then|finally|also|here|great|good|perfect|excellent|done|ok(?:ay)?|got it|yes|you'?re|ah"
    r"|wait|hmm|before|interesting|but|and|so"
    r"|if (?:you|i|we|it|this|that)\b|if(?!.*(?:→|->|, \w))|on top|looks|still|currently|let|try|i see"
    r"|(?:look|check|read|apply|reply|verify|runn?|start|continu|mov|add|updat|creat|fix|writ|investigat|test|search|work"
    r"|push|commit|trac|examin|inspect|review|implement|mak|launch|wait)ing"
    r"|would|i understand|you(?:'ll| should| could| may)"
    r"|i think|i'?ll|i will|i'?m (?:going|about|now|\w+ing)|i need|i want|i can see|i found|we need|we should"
    r"|all (?:tests|checks)|tests? pass|to (?:verify|test|check)|should|could|do|does|is|are|what|which|how|why"
    r"|needs? to|option (?:\d|[a-e])|step \d|phase \d|feel free|please|note that you|happy to|run"
    r"|in summary|the (?:summary|changes)"
    r"|for example|e\.g|see|same|there (?:is|are) (?:a few|several|some|many))\b",
    re.IGNORECASE,
)
"""How what comes next, a courtesy, or a question begins: no fact."""
_OFFERED = re.compile(r"(?i)^[a-e]\)\s")
"""One of several ways that are offered."""
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
    (
        "error",
        r"[a-z]+error|crash(?:es|ed)|broken|(?:is|are|was|still) failing|failed|the (?:issue|problem) (?:is|was)",
    ),
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
    r"(?i)\b(?:probably|might|maybe|perhaps|likely|presumably|currently"
    r"|(?:we|you|i)(?: could| would|'d)|another option|alternatively"
    r"|should (?:now |then )?(?:be|pass|work|fix|solve|see|have))\b"
)
_VERB = re.compile(
    r"(?i)\b(?:is|are|was|were|be|has|have|had|does|do|did|can|cannot|could|must|will|would|should|may|\w+n't|\w{3,}ed"
    r"|(?:use|contain|return|call|show|say|work|fail|exist|need|want|get|take|make|read|write|store|expect|point|come"
    r"|happen|lack|break|mean|run|set|hold|keep|track|handle|prevent|block|load|send|create|require|support|include"
    r"|cause|lead|start|trigger|overwrite|live|belong|depend|refer|appear|look|treat|rely|define|provide)s?"
    r"|goes|passes|matches|misses|does)\b"
)
"""A sign that a sentence has a verb."""


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
    return bool(statement.under) or not SUBJECTLESS.match(statement.text)


def is_fact(sentence: str, *, loose: bool = False) -> bool:
    """Whether a sentence states something that a later reader could hold it to; `loose`: a proper name is enough."""
    sentence = sentence.replace("’", "'")
    if len(sentence) > MOST_CHARS or sentence.endswith((":", "…", ",", "...")) or "?" in sentence:
        return False
    if _OFFERED.match(sentence) or (_ANNOUNCED.match(sentence) and not DONE.match(sentence)):
        return False
    return bool(_ANCHOR.search(sentence) or _CAUSE.search(sentence) or (loose and _PROPER.search(sentence)))


def weight(statement: Statement) -> float:
    """How much a statement tells: what it can be held to, and whether it is a finding or a deed."""
    anchors = len(set(_ANCHOR.findall(statement.text)))
    found = 2.0 if _FOUND.search(statement.text) else 1.0 if statement.found else 0.0
    unsure = UNSURE if _UNSURE.search(f"{statement.under} {statement.text}") else 0.0
    return min(anchors, 3) + found + 1.0 * bool(DONE.match(statement.text)) - unsure


def has_anchor(text: str) -> bool:
    """Whether a text names something that it can be held to."""
    return bool(_ANCHOR.search(text))


def tag_of(sentence: str, otherwise: Tag = "state") -> Tag:
    """What kind of statement it is, by its words."""
    tags = (tag for tag, cue in _TAGS if re.search(rf"\b(?:{cue})\b", sentence, re.IGNORECASE))
    return next(tags, "number" if otherwise == "state" and _QUANTITY.search(sentence) else otherwise)
