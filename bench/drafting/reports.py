"""Atoms from what the assistant reported: what it did, found, and explains, at the end of a turn or in a summary.

A session's own summaries (of compactions before) are reports too. Cues are English.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from bench.drafting.candidates import Candidate, carried
from bench.drafting.cues import TURNED_DOWN
from bench.drafting.patterns import ways
from bench.drafting.turns import Turn
from bench.drafting.words import FILE, NAME, Words, sentences
from bench.keys import Importance, Tag
from bench.transcripts.model import Transcript

MOST_FACTS = 24
"""Drafted, newest reports first."""
PER_REPORT, PER_SUMMARY = 5, 10
"""Of one report, those first that tell most; of a summary that a context begins with."""
FEWEST_WORDS = 4
"""Content words of a statement that stands by itself."""
MOST_CHARS = 220
LEAST = 1.5
"""Weight of a statement that is worth a question: two things to hold it to, or one and a finding or a deed."""
ASSIGNMENTS = ("subagent-prompt", "task")
"""Origins of messages that give an agent its work: all that it knows when it begins."""
SAME = 0.6
"""Share of the words of the shorter of two statements from which on the newer one stands for both."""

_ANNOUNCED = re.compile(
    r"^(?:(?:it|that|they|these|those)(?:'s)?\b|this (?:is|was|will|solves|means|confirms)|i can|you can|we can|now"
    r"|next|first|then|finally|also|here|great|good|perfect|excellent|done|ok(?:ay)?|got it|yes|you'?re|ah|wait|hmm"
    r"|before|interesting|if|but|and|so|on top|looks|still|currently|looking|checking|reading|let|try|i see"
    r"|would|i understand"
    r"|i'?m thinking|i think|i'?ll|i will|i'?m (?:going|about|now)|i need|i want|i can see|i found|we need|we should"
    r"|all (?:tests|checks)|tests? pass|to (?:verify|test|check)|should|could|do|does|is|are|what|which|how|why"
    r"|option \d|step \d|phase \d|feel free|please|note that you|happy to|run|in summary|the (?:summary|changes))\b",
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
    rf"{NAME.pattern}|{FILE.pattern}|\w+\(\)|[\w.-]+/[\w./-]+|--?[a-z][\w-]+|https?://\S+"
    rf"|{_QUANTITY.pattern}"
    r"|\b\d{2,}\b|[\"“'][^\"”']{3,40}[\"”']"
)
"""What a statement can be held to: names, calls, paths, flags, quantities, quotations."""
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
_PLANNED = re.compile(
    r"(?im)^\W*(?:\d+\.|[\w.-]+:)?\W*(?:add|create|remove|delete|replace|update|import|use|move|implement|refactor|write|rename|fix"
    r"|extract)\b.*$"
)
"""A line with a step of a plan: but in the last report it is done or overtaken by the end."""
_FOUND = re.compile(
    r"\b(?:root cause|turns? out|the (?:issue|problem|bug|cause|reason|culprit) (?:is|was)|means that"
    r"|(?:is|are|was) caused by|(?:does|do|did)(?:n't| not) \w+|(?:is|are) not \w+|must|because)\b",
    re.IGNORECASE,
)
"""What in the middle of the work is a finding, not a step."""


_ROW = re.compile(r"(?m)^\|([^|\n]*\w[^|\n]*(?:\|[^|\n]*){1,3})\|\s*$")
"""A row of a table with two to four cells."""
_MARKS = re.compile(r"^[^\w\"'(`~./-]+")
"""Ticks and pictures before a statement."""


def facts(turns: Sequence[Turn], words: Words, transcript: Transcript) -> Iterator[Candidate]:
    """The statements of reports and summaries, and findings between them; of two that say the same the newer one."""
    drafted: list[frozenset[str]] = []
    for at, sentence in _statements(turns, transcript, words):
        held = frozenset(w.casefold() for w in words.ranked(sentence, at))
        if any(len(held & other) >= SAME * min(len(held), len(other)) for other in drafted):
            continue
        if len(drafted) == MOST_FACTS:
            return
        tag = _tag(sentence)
        importance: Importance = "vital" if tag in ("pending", "reason", "decision", "constraint") else "okay"
        candidate = Candidate(tag, sentence, importance, "assistant", (at,))
        if found := carried(candidate, ways(words, sentence, at), transcript):
            drafted.append(held)
            yield found


def _statements(turns: Sequence[Turn], transcript: Transcript, words: Words) -> Iterator[tuple[int, str]]:
    messages = transcript.messages
    ended = {t.report for t in turns}
    refused = {t.report for t, after in pairwise(turns) if TURNED_DOWN.search(after.text)}
    spoken = (i for i in range(len(messages) - 1, -1, -1) if messages[i].author == "assistant" and messages[i].spoken)
    newest = max((at for at in ended if at is not None), default=len(messages) - 1)
    for at in (i for i in spoken if i not in refused):
        final = at in ended or at == len(messages) - 1
        text = messages[at].spoken if at >= newest else _PLANNED.sub("", messages[at].spoken)
        yield from ((at, s) for s in _best(text, at, words, PER_REPORT if final else 1, final=final))
    for at, message in enumerate(messages):
        if message.author == "compaction" or message.origin in ASSIGNMENTS:
            text = _PLANNED.sub("", message.spoken) if message.author == "compaction" else message.spoken
            yield from ((at, s) for s in _best(text, at, words, PER_SUMMARY, final=True))


def _best(text: str, at: int, words: Words, most: int, *, final: bool) -> Iterable[str]:
    """The statements of a message that tell most, in its order."""
    said = (_MARKS.sub("", s) for s in sentences(_ROW.sub(_told_row, text)))
    told = [s for s in said if is_fact(s) and (final or _FOUND.search(s))]
    told = [s for s in told if _weight(s) >= LEAST and len(words.ranked(s, at)) >= FEWEST_WORDS]
    best = set(sorted(told, key=lambda s: -_weight(s))[:most])
    return [s for s in told if s in best]


def _told_row(row: re.Match[str]) -> str:
    """A table's row as a statement: what its first cell names, and what the others say of it."""
    first, *others = [cell.strip() for cell in row[1].split("|")]
    return f"{first}: {', '.join(filter(None, others))}"


def is_fact(sentence: str) -> bool:
    """Whether a sentence states something that a later reader could hold it to."""
    sentence = sentence.replace("’", "'")
    if len(sentence) > MOST_CHARS or sentence.endswith((":", "?", "…")) or "?" in sentence:
        return False
    if _ANNOUNCED.match(sentence) and not _DONE.match(sentence):
        return False
    return bool(_ANCHOR.search(sentence))


def _weight(sentence: str) -> float:
    anchors = len(set(_ANCHOR.findall(sentence)))
    return min(anchors, 3) + 2.0 * bool(_FOUND.search(sentence)) + 1.0 * bool(_DONE.match(sentence))


def _tag(sentence: str) -> Tag:
    tags = (tag for tag, cue in _TAGS if re.search(rf"\b(?:{cue})\b", sentence, re.IGNORECASE))
    return next(tags, "number" if _QUANTITY.search(sentence) else "state")
