"""Words of a transcript and the patterns made of them: what in a sentence would a summary of it still hold?"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cached_property

from bench.grading.negation import holds_negation
from bench.keys import Patterns
from bench.transcripts.model import Transcript

DENIAL = r"\b(?:not|no|never|cannot|without|nothing|nobody)\b|n't"
"""How a denial is written; a pattern that holds one lets the others match under it."""
UNDONE = r"\b(?:reject|revert|remov|delet|drop|discard|avoid|skip|ruled? out|against|instead|rather)"
"""What a summary may write in place of a denial."""
ECHO_WEIGHT = 2.0
"""A word that the answer takes up counts as that much rarer (in nats): it is what the sentence is about."""
HAPAX = 0.5
"""Share of its rarity that a word keeps which stands in no other message: most are turns of phrase and slips."""
REPLIES = 4
"""Messages after a turn in which an echo is looked for."""
SHORTEST_STEM, SHORTEST_BARE = 4, 5
"""Letters that a stem keeps at least, and where only one was taken off: 'testing' and 'tested' meet, while 'redis' is
not found in 'redirect'."""
LONGEST_SENTENCE = 300
"""Characters; longer ones are pasted matter, not statements."""

NAME = re.compile(
    r"\b(?:[A-Za-z][a-z0-9]+(?:[A-Z][A-Za-z0-9]*)+|[A-Z]{2,}[a-z0-9]{2,}[A-Za-z0-9]*|[A-Za-z0-9]+(?:_[A-Za-z0-9]+)+)\b"
)
"""An identifier by its looks: camelCase, CamelCase, snake_case."""
_WORD = re.compile(rf"(?P<name>{NAME.pattern})|(?<!\w)(?P<word>[^\W\d_](?:[\w'-]*[^\W_])?)|(?P<number>\d[\d.,]*\d|\d)")
_FENCE = re.compile(r"(?ms)^\s*```.*?(?:^\s*```\s*$|\Z)")
_MARKUP = re.compile(r"^[\s>#*+•-]+|^\s*\d{1,3}[.)]\s+|\*\*|__|`")
_SENTENCE = re.compile(r"(?<=[.!?。？！])\s+(?=[^\s])")
_CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029]")
_SPECIAL = re.compile(r"[.^$*+?()\[\]{}|\\]")
_SUFFIX = re.compile(r"(?:ations?|ings?|edly|ed|ies|es|s|ly|y|e)$")
_STOP_WORDS = """
    a about after again all also always an and another any anything are as ask asked at back be because been before
    being both but by came can cannot come could did do does doing done down each either else even every everything few
    first for from get gets getting give go goes going gonna good got had has have having he help her here him his how i
    if in instead into is it its just keep kind know last less let like little look looking looks lot made make makes
    making many may maybe me mean might more most much must my need needs never new next no not nothing now of off ok
    okay on once one only or other our out over own please put rather really right run said same say see seem seems
    should show since so some something sorry still stuff such sure take tell than thank thanks that the their them then
    there these they thing things think this those though thought through to too try trying two under until up upon us
    use used using very wait want wants was way we well were what whats when where whether which while who why will with
    within without would yeah yep yes yet you your yours can't couldn't didn't doesn't don't hasn't haven't i'd i'll i'm
    i've isn't it's let's shouldn't that's there's they're wasn't we'd we'll we're we've what's won't wouldn't you're
    you've actually currently basically exactly great nice cool question check checking work working works help issue
    somehow already seems feedback ahead time start finally guess"""
_STOP = frozenset(_STOP_WORDS.split())


def plain(text: str) -> str:
    """The text on one line, without control characters."""
    return " ".join(_CONTROL.sub(" ", text).split())


def sentences(text: str) -> Iterator[str]:
    """The statements of a prose text: sentences of its lines, without markup, code, tables and pasted matter."""
    for line in _FENCE.sub("\n", text).splitlines():
        if line.lstrip().startswith(("|", "$", "{", "<", "//")):
            continue
        line = _MARKUP.sub("", line).strip()
        for sentence in _SENTENCE.split(line):
            if 0 < len(sentence) <= LONGEST_SENTENCE:
                yield plain(sentence)


def quoted(text: str) -> str:
    """`text` as a pattern that matches it: RE2's signs escaped, casefolded, white space collapsed."""
    return _SPECIAL.sub(r"\\\g<0>", " ".join(text.casefold().split()))


def bounded(text: str) -> str:
    """A pattern for `text` that does not match inside a longer word. RE2 knows word bounds of ASCII only."""
    pattern = quoted(text)
    return rf"\b{pattern}" if text[:1].isascii() and (text[:1].isalnum() or text[:1] == "_") else pattern


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

    def ranked(self, sentence: str, at: int) -> list[str]:
        """The content words of a sentence of message `at`, those first that it is about: rare and taken up after."""
        words = list(dict.fromkeys(content_words(sentence)))
        replies = frozenset[str]().union(*self._held[at + 1 : at + 1 + REPLIES])
        return sorted(words, key=lambda w: -self._weight(w, replies))

    def _weight(self, word: str, replies: frozenset[str]) -> float:
        folded = word.casefold()
        holders = self._holders[folded]
        rarity = math.log((1 + len(self._messages)) / (1 + holders)) * (1.0 if holders > 1 else HAPAX)
        name = 1.0 if NAME.fullmatch(word) else 0.0
        return rarity + name + (ECHO_WEIGHT if folded in replies else 0.0)


def content_words(text: str) -> Iterator[str]:
    """The words that carry a sentence, as written; identifiers whole, no numbers."""
    for found in _WORD.finditer(text):
        if found["name"]:
            yield found["name"]
        elif (word := found["word"]) and word.casefold() not in _STOP and (len(word) > 2 or not word.isascii()):
            yield word


def stem_pattern(word: str) -> str:
    """A pattern for the word in its forms: the stem at the beginning of a word; identifiers whole."""
    if NAME.fullmatch(word) or not word.isascii():
        return bounded(word)
    word = word.removesuffix("'s")
    stem = _SUFFIX.sub("", word)
    least = SHORTEST_BARE if len(word) - len(stem) == 1 else SHORTEST_STEM
    return bounded(stem if len(stem) >= least else word)


def ways(sentence: str, ranked: list[str], *, also: Iterable[str] = (), firm: bool = False) -> Iterator[Patterns]:
    """Patterns that ask a handoff for the sentence, from telling to plain: a head word and one of the next.

    `ranked` are the sentence's words, most telling first; `also` must match whatever else does. Where the sentence
    denies something there are ways that ask for a denial: they come first where it is the point (`firm`), else last.
    """
    names = [w for w in ranked if NAME.fullmatch(w)]
    orders = ([*names, *(w for w in ranked if w not in names)], ranked[1:], sorted(ranked, key=len, reverse=True))
    found = [patterns for order in orders for patterns in _patterns(sentence, order, tuple(also))]
    return iter(sorted(found, key=lambda p: (DENIAL not in p.any) == firm))


def _patterns(sentence: str, words: list[str], also: tuple[str, ...]) -> Iterator[Patterns]:
    stems = [s for s in dict.fromkeys(stem_pattern(w) for w in words) if s not in also and not holds_negation(s)]
    head, rest = ((), stems) if also else (tuple(stems[:1]), stems[1:])
    if rest:
        yield Patterns(all=(*also, *head), any=tuple(rest[:3]))
    if stems and holds_negation(sentence.casefold()):
        yield Patterns(all=(*also, stems[0]), any=(DENIAL, UNDONE))
