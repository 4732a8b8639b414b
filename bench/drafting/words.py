"""Words of a transcript: what in a sentence would a summary of it still hold?"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache, cached_property
from itertools import chain

from bench.drafting.vocabulary import STOP, WEAK
from bench.scrubbing.placeholders import ANY
from bench.transcripts.model import Transcript

ECHO_WEIGHT = 2.0
"""A word that the answer takes up counts as that much rarer (in nats): it is what the sentence is about."""
HAPAX = 0.35
"""Share of its rarity that a word keeps which stands in no other message: most are turns of phrase and slips."""
WEAK_WEIGHT = 0.2
"""Share of its weight that a word keeps which sentences about anything have."""
REPLIES = 4
"""Messages after a turn in which an echo is looked for."""
LONGEST_LINE = 4_000
"""Characters; longer ones are data."""
LONGEST_SENTENCE = 300
"""Characters; longer ones are pasted matter, not statements."""
SHORTEST_SLIP = 4
"""Letters of a word that is taken for a misspelt one."""
COMMON = 0.05
"""Share of the messages from which on a word does not tell one statement from another by itself."""
FEW = 4
"""Messages that a common word stands in at least: a twentieth of a short session is one."""

NAME = re.compile(
    r"\b(?:[A-Za-z][a-z0-9]+(?:[A-Z][A-Za-z0-9]*)+|[A-Z]{2,}[a-z0-9]{2,}[A-Za-z0-9]*|[A-Za-z0-9]+(?:_[A-Za-z0-9]+)+)\b"
)
"""An identifier by its looks: camelCase, CamelCase, snake_case."""
FILE = re.compile(
    r"\b[\w-]+(?:\.[\w-]+)*\.(?:pyi?|[mc]?[jt]sx?|go|rs|mdx?|json[lc]?|toml|ya?ml|sh|sql|cc?|cpp|hh?|java|rb|kt|swift|php|css|html|lock|txt)\b"
)
"""A file's name."""
_URL = re.compile(r"\bhttps?://\S+")
_FOLDERS = re.compile(r"(?<![\w.])(?:[~.@]?/)?(?:[\w.@~-]+/){2,}(?=[\w.-])|(?:[\w.@~-]*/)+(?=[\w-]+\.\w{1,5}\b)")
_WORD = re.compile(
    rf"(?P<name>{FILE.pattern}|{NAME.pattern})|(?<!\w)(?P<word>[^\W\d_](?:[\w'-]*[^\W_])?)|(?P<number>\d[\d.,]*\d|\d)"
)
_FLAG = re.compile(r"(?<![\w-])--[a-z][\w-]+")
_FENCE = re.compile(r"(?ms)^[ \t]*```.*?(?:^[ \t]*```[ \t]*$|\Z)")
_RUN = re.compile(r"\S{1000,}")
"""Data without a blank in it: looking for names in it takes time that grows with its square."""
_MARKUP = re.compile(r"^[\s>#*+•-]+(?=[\s*\w`\"'(])|^\s*\d{1,3}[.)]\s+|\*\*|__(?=\W|$)|`")
_LINK = re.compile(r"\[([^\]]+)\]\([^)\s]+\)")
_SENTENCE = re.compile(r"(?<=[.!?。？！])\s+(?=[^\s])")
_CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029]")
_LETTERS = "abcdefghijklmnopqrstuvwxyz"


def plain(text: str) -> str:
    """The text on one line, without control characters."""
    return " ".join(_CONTROL.sub(" ", text).split())


def unfenced(text: str) -> str:
    """The text without its fenced code."""
    return _FENCE.sub("\n", text)


def sentences(text: str) -> Iterator[str]:
    """The statements of a prose text: sentences of its lines, without markup, code, tables and pasted matter."""
    for line in unfenced(text).splitlines():
        if len(line) > LONGEST_LINE or line.lstrip().startswith(("|", "$", "{", "<", "//")):
            continue
        line = _LINK.sub(r"\1", _MARKUP.sub("", _MARKUP.sub("", line, count=1))).strip()
        for sentence in _SENTENCE.split(line):
            if 0 < len(sentence) <= LONGEST_SENTENCE:
                yield plain(sentence)


class Words:
    """How rare the words of one transcript are: in how many of its messages each stands."""

    def __init__(self, transcript: Transcript) -> None:
        self._messages = transcript.messages

    @cached_property
    def _held(self) -> list[frozenset[str]]:
        return [frozenset(w.casefold() for w in content_words(m.text)) for m in self._messages]

    @cached_property
    def _holders(self) -> Counter[str]:
        return Counter(word for held in self._held for word in held)

    def holders(self, word: str) -> int:
        """In how many messages the word stands."""
        return self._holders[word.casefold()]

    def is_common(self, word: str) -> bool:
        """Whether the word stands in so many messages, or so many contexts, that it tells nothing by itself."""
        enough = max(FEW, COMMON * len(self._messages))
        return word.casefold() in WEAK or (self.holders(word) > enough and not is_name(word))

    def ranked(self, sentence: str, at: int) -> list[str]:
        """The content words of a sentence of message `at`, those first that it is about: rare and taken up after.

        Misspelt words are left out, since no handoff repeats them, and so are the placeholders of scrubbing.
        """
        words = [w for w in dict.fromkeys(content_words(sentence)) if not (self.is_slip(w) or ANY.fullmatch(w))]
        replies = frozenset[str]().union(*self._held[at + 1 : at + 1 + REPLIES])
        return sorted(words, key=lambda w: -self._weight(w, replies))

    def echo(self, sentence: str, at: int) -> float:
        """Which share of the words of a sentence of message `at` the two who talk say after it, 0..1.

        None where it is about names and flags that are not said again.
        """
        after = self._said_after(at)
        names = {*filter(is_name, content_words(sentence)), *_FLAG.findall(sentence)}
        if names and not any(name.casefold() in after for name in names):
            return 0.0
        held = {w.casefold() for w in content_words(sentence)} - WEAK
        return len(held & after) / len(held) if held else 0.0

    def is_said_after(self, number: str, at: int) -> bool:
        """Whether the two who talk name the number after message `at`."""
        found = re.compile(rf"(?<![\w.]){re.escape(number)}(?![\w.]*\d)")
        later = (m.spoken for m in self._messages[at + 1 :] if m.author in ("person", "assistant"))
        return any(found.search(text) for text in later)

    @cache  # noqa: B019 - lives as long as the draft of one transcript
    def _said_after(self, at: int) -> frozenset[str]:
        later = (m.spoken for m in self._messages[at + 1 :] if m.author in ("person", "assistant"))
        return frozenset(w.casefold() for text in later for w in (*content_words(text), *_FLAG.findall(text)))

    def is_slip(self, word: str) -> bool:
        """Whether the word, which no other message has, is one letter away from a word that the session knows."""
        folded = word.casefold()
        if self._holders[folded] > 1 or len(folded) < SHORTEST_SLIP or not (folded.isascii() and folded.isalpha()):
            return False
        return any(near in STOP or self._holders[near] > 1 for near in _one_letter_away(folded))

    def _weight(self, word: str, replies: frozenset[str]) -> float:
        folded = word.casefold()
        holders = self._holders[folded]
        rarity = math.log((1 + len(self._messages)) / (1 + holders)) * (1.0 if holders > 1 else HAPAX)
        name = 1.0 if is_name(word) else 0.0
        weight = rarity + name + (ECHO_WEIGHT if folded in replies else 0.0)
        return weight * (WEAK_WEIGHT if folded in WEAK else 1.0)


def is_name(word: str) -> bool:
    """Whether a word is an identifier or a file's name by its looks."""
    return bool(NAME.fullmatch(word) or FILE.fullmatch(word))


def content_words(text: str) -> Iterator[str]:
    """The words that carry a sentence, as written; identifiers and files' names whole, no numbers, folders or links."""
    for found in _WORD.finditer(_FOLDERS.sub(" ", _URL.sub(" ", _RUN.sub(" ", text)))):
        if found["name"]:
            yield found["name"]
        elif (word := found["word"]) and word.casefold() not in STOP and len(word) > (2 if word.isascii() else 1):
            yield word


def _one_letter_away(word: str) -> Iterator[str]:
    """The words that one slip of the fingers away from `word`; its ending stays, since other forms are no slips."""
    cuts = [(word[:i], word[i:]) for i in range(len(word) - 1)]
    swapped = (a + b[1] + b[0] + b[2:] for a, b in cuts if len(b) > 1 and b[0] != b[1])
    dropped = (a + b[1:] for a, b in cuts[1:])
    doubled = (a + c + b for a, b in cuts[1:] for c in _LETTERS)
    return chain(swapped, dropped, doubled)
