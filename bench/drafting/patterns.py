"""Patterns made of a sentence's words: how a handoff is asked whether it still says that."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from bench.drafting.words import Words, is_name
from bench.grading.negation import holds_negation
from bench.keys import Patterns

DENIAL = r"\b(?:not|no|never|cannot|without|nothing|nobody)\b|n't"
"""How a denial is written; a pattern that holds one lets the others match under it."""
UNDONE = r"\b(?:reject|revert|remov|delet|drop|discard|avoid|skip|ruled? out|against|instead|rather)"
"""What a summary may write in place of a denial."""
NEAR_WORDS = 5
"""Words between a denial and what it denies, where a sentence has too few words to ask for another one."""
FURTHER_WORDS = 3
"""Words of which a handoff must have one beside those that it must have."""
SHORTEST_STEM, SHORTEST_BARE = 4, 5
"""Letters that a stem keeps at least, and where only one was taken off: 'testing' and 'tested' meet, while 'redis' is
not found in 'redirect'."""

_TICKET = re.compile(r"(?:(?<![\w/])#|/(?:issues|pull|merge_requests)/)(\d+)\b")
"""The number of an issue or a change: a statement about it is about that one."""
_SPECIAL = re.compile(r"[.^$*+?()\[\]{}|\\]")
_SUFFIX = re.compile(r"(?:ations?|ings?|edly|ed|ies|es|s|ly|y|e)$")


def quoted(text: str) -> str:
    """`text` as a pattern that matches it: RE2's signs escaped, casefolded, white space collapsed."""
    return _SPECIAL.sub(r"\\\g<0>", " ".join(text.casefold().split()))


def bounded(text: str) -> str:
    """A pattern for `text` that does not match inside a longer word. RE2 knows word bounds of ASCII only."""
    pattern = quoted(text)
    return rf"\b{pattern}" if text[:1].isascii() and (text[:1].isalnum() or text[:1] == "_") else pattern


def stem_pattern(word: str) -> str:
    """A pattern for the word in its forms: the stem at the beginning of a word; identifiers whole."""
    if is_name(word) or not word.isascii():
        return bounded(word)
    word = word.removesuffix("'s")
    if len(word) < SHORTEST_STEM:
        return rf"{bounded(word)}s?\b"  # 'age' is not found in 'agent'
    stem = _SUFFIX.sub("", word)
    least = SHORTEST_BARE if len(word) - len(stem) == 1 else SHORTEST_STEM
    return bounded(stem if len(stem) >= least else word)


def ways(words: Words, sentence: str, at: int, *, also: Iterable[str] = (), firm: bool = False) -> Iterator[Patterns]:
    """Patterns that ask a handoff for a sentence of message `at`, from telling to plain.

    A head word and one of the next; where the head stands all over the session, a second word must be there too. `also`
    must match whatever else does. Where the sentence denies its head there are ways that ask for the denial: they come
    first where it is the point (`firm`), else last. A head alone beside a denial must stand close to it.
    """
    ranked, also = words.ranked(sentence, at), (*also, *map(_ticket, _TICKET.findall(sentence)[:1]))
    names = [w for w in ranked if is_name(w)]
    orders = ([*names, *(w for w in ranked if w not in names)], ranked[1:], sorted(ranked, key=len, reverse=True))
    found = [patterns for order in orders for patterns in _patterns(words, sentence, order, also)]
    return iter(sorted(found, key=lambda p: _asks_for_denial(p) != firm))


def _ticket(number: str) -> str:
    return rf"\b{number}\b"


def _patterns(words: Words, sentence: str, order: list[str], also: tuple[str, ...]) -> Iterator[Patterns]:
    by_stem = {stem_pattern(w): w for w in reversed(order)}
    stems = [s for s in dict.fromkeys(map(stem_pattern, order)) if s not in also and not holds_negation(s)]
    stems = [s for s in stems if not any(other != s and s.startswith(other) for other in stems)]
    if not stems:
        return
    heads = 0 if also else 2 if len(stems) > FURTHER_WORDS and words.is_common(by_stem[stems[0]]) else 1
    rest = stems[heads : heads + FURTHER_WORDS]
    if rest:
        yield Patterns(all=(*also, *stems[:heads]), any=tuple(rest))
    elif len(stems) == 1 and not holds_negation(sentence.casefold()):
        yield Patterns(all=(*also, *stems))
    if holds_negation(sentence.casefold()):
        yield _denied(stems, also)


def _denied(stems: list[str], also: tuple[str, ...]) -> Patterns:
    """Asks for the head under a denial: beside one of the next words, or close to it where there are none."""
    head, *rest = stems
    if len(rest) > 1:
        return Patterns(all=(*also, head, "|".join(rest[:FURTHER_WORDS])), any=(DENIAL, UNDONE))
    gap = rf"(?:\W+\w+){{0,{NEAR_WORDS}}}?\W+"
    return Patterns(all=also, any=tuple(p for d in (DENIAL, UNDONE) for p in _close(f"(?:{d})", head, gap)))


def _close(denial: str, head: str, gap: str) -> tuple[str, str]:
    return rf"{denial}\w*{gap}{head}", rf"{head}[\w.-]*{gap}{denial}"


def _asks_for_denial(patterns: Patterns) -> bool:
    return any(DENIAL in p for p in patterns.any)
