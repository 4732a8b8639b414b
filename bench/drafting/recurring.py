"""Atoms from identifiers and numbers that the conversation comes back to, each with a sentence that says what it is."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from bench.drafting.candidates import Candidate, carried
from bench.drafting.cues import PASTED
from bench.drafting.patterns import bounded, quoted, ways
from bench.drafting.prose import statements
from bench.drafting.statements import is_fact, stands_alone, tag_of
from bench.drafting.turns import typed_text
from bench.drafting.words import NAME, Words, sentences
from bench.keys import By, Patterns, Tag
from bench.transcripts.model import Message, Transcript

MOST_NAMES, MOST_NUMBERS = 12, 6
"""Looked at, those first that most messages speak of."""
FEWEST_MESSAGES = 2
"""Messages that must speak of a name or number: once is a mention."""
TRIES = 4
"""Sentences tried for each, until one's own source carries it."""
FEWEST_WORDS = 3
"""Content words of a sentence that says something about what it names."""

_NUMBER = re.compile(
    r"(?<![\w.,/-])(?:v?\d+(?:\.\d+){2,}|v\d+(?:\.\d+)*|\d[\d,]*(?:\.\d+)?\s?%|#\d+|\d+(?:\.\d+)?\s?(?:ms|s|KB|MB|GB|min)\b"
    r"|\d{1,3}(?:,\d{3})+|\d{3,9}|(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,40}|:\d{4,5})(?![\w-]|[.,]\d)"
)
_PRODUCTS = """github gitlab javascript typescript macos ios postgresql mysql openai vscode nodejs youtube linkedin
    webassembly graphql devops chatgpt iterm powershell"""
"""Names that look like identifiers and are none of the session's own."""
_PLACE = re.compile(r"(?i)\b(?:lines?|message|step|section|page|column|index)\W{0,3}\d")
_YEAR = re.compile(r"(?:19|20)\d\d\Z")


@dataclass(frozen=True)
class _Mention:
    at: int
    sentence: str
    by: By


def names(words: Words, transcript: Transcript, files: frozenset[str]) -> Iterator[Candidate]:
    """Identifiers spoken of in several messages, those first that most speak of; `files` are names of files."""
    spoken, products = _mentions(transcript, NAME), frozenset(_PRODUCTS.split())
    mentions = {n: m for n, m in spoken.items() if n.casefold() not in files and n.casefold() not in products}
    for name in _most_spoken(mentions, words)[:MOST_NAMES]:
        told = (
            _told("identifier", m, ways(words, m.sentence, m.at, also=[bounded(name)]), transcript)
            for m in _telling(mentions[name], words)
        )
        if found := next(filter(None, told), None):
            yield found


def numbers(words: Words, transcript: Transcript) -> Iterator[Candidate]:
    """Numbers (versions, sizes, shares, hashes) spoken of in several messages, each with words of its sentence."""
    mentions = {n: m for n, m in _mentions(transcript, _NUMBER).items() if not _YEAR.match(n)}
    for number in [n for n in _most_spoken(mentions, words) if not _is_place(mentions[n])][:MOST_NUMBERS]:
        pattern = _number(number)
        told = (
            _told("number", m, ways(words, m.sentence, m.at, also=[pattern]), transcript)
            for m in _telling(mentions[number], words)
        )
        if found := next(filter(None, told), None):
            yield found


def _told(tag: Tag, mention: _Mention, patterns: Iterable[Patterns], transcript: Transcript) -> Candidate | None:
    tag = tag_of(mention.sentence, tag)
    return carried(Candidate(tag, mention.sentence, "okay", mention.by, (mention.at,)), patterns, transcript)


def _mentions(transcript: Transcript, what: re.Pattern[str]) -> dict[str, list[_Mention]]:
    """Each match in what people typed and the model said -> the sentences that hold it."""
    found: dict[str, list[_Mention]] = defaultdict(list)
    for i, message in enumerate(transcript.messages):
        by: By = "user" if message.role == "user" else "assistant"
        prose = _prose(message)
        told = (s.text for s in statements(prose) if stands_alone(s)) if by == "assistant" else _typed(prose)
        for sentence in told:
            for text in dict.fromkeys(m[0].strip() for m in what.finditer(sentence)):
                found[text].append(_Mention(i, sentence, by))
    return found


def _typed(text: str) -> Iterator[str]:
    return (s for s in sentences(text) if not PASTED.search(s))


def _prose(message: Message) -> str:
    return typed_text(message) if message.role == "user" else message.spoken if message.author == "assistant" else ""


def _most_spoken(mentions: dict[str, list[_Mention]], words: Words) -> list[str]:
    """The names in order of how many messages speak of them, then of how many hold them at all."""
    spoken = {name: len({m.at for m in own}) for name, own in mentions.items()}
    often = [name for name, n in spoken.items() if n >= FEWEST_MESSAGES]
    return sorted(often, key=lambda name: (-spoken[name], -words.holders(name), name))


def _telling(mentions: Sequence[_Mention], words: Words) -> list[_Mention]:
    """The mentions that say something, newest first: what was said last is what stands."""
    telling = [m for m in mentions if is_fact(m.sentence) and len(words.ranked(m.sentence, m.at)) >= FEWEST_WORDS]
    return sorted(telling, key=lambda m: -m.at)[:TRIES]


def _is_place(mentions: Sequence[_Mention]) -> bool:
    """Whether a number is only where something stands: a line, a step, an item."""
    return all(_PLACE.search(m.sentence) for m in mentions)


def _number(number: str) -> str:
    """A pattern for the number, with or without its commas, not as part of a longer one."""
    pattern = ",?".join(quoted(part) for part in number.split(","))
    pattern = pattern.replace(" ", " ?")
    before, after = r"(?:^|[^\w.])", r"(?:$|[^\w])"
    return f"{before}{pattern}{after}" if number[0] in "#:" else rf"\b{pattern}(?:\b|$|[^\w])"
