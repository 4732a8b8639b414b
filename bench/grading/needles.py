"""Words that a text must hold for a pattern to match it: a search for them costs a fraction of the pattern's own.

Most patterns match nowhere in most texts. RE2's own ways to ask many patterns at once (`Set`, `Filter`) build an
automaton whose states are the sets of patterns matched so far; on real keys (400 patterns) and texts it had not seen
they took 23 to 210 ms for 8 KB, asking each pattern by itself 13 ms, these words first 1 to 2 ms.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

SHORTEST = 2
"""Characters of a word worth looking for; single letters stand in every text."""
MOST = 16
"""Words of one pattern; with more of them the pattern itself is as cheap."""

TOKEN = re.compile(
    r"""(?:(?P<close>\)) | (?P<bar>\|)
    | (?P<unknown>\\[QxC0-9] | \(\?(?!:|P?<))
    | (?P<open>\((?:\?:|\?P?<\w+>)?)
    | (?P<wild>\[\^?\]?(?:\[:\^?\w+:\]|\\.|[^\]\\])*\] | \\[pP](?:\{[^}]*\}|.) | \\[a-zA-Z] | [.^$])
    | (?P<letter>\\.|.))
    (?P<repeat>[*+?]\??|\{\d+(?:,\d*)?\}\??)?""",
    re.VERBOSE | re.DOTALL,
)
"""The parts of an RE2 pattern, each with how often it may repeat."""
OPTIONAL = ("?", "*", "{0")
"""Beginnings of a repetition that allows none."""

Words = tuple[str, ...]
"""Of these one must occur; none of them means that nothing is known."""


def needles(pattern: str) -> tuple[bytes, ...]:
    """Words, of which every folded text that the (valid) pattern matches holds one; empty where none can be told."""
    try:
        words, _ = _alternatives(TOKEN.finditer(pattern))
    except _Unknown:
        return ()
    return tuple(word.encode() for word in words)


class _Unknown(Exception):
    """The pattern uses syntax (flags, quoting, codes) that is not read here."""


def _alternatives(tokens: Iterator[re.Match[str]]) -> tuple[Words, str]:
    """The words of branches divided by '|', up to the closing bracket, and how often the bracket repeats."""
    branches: list[Words] = []
    while True:
        words, end = _branch(tokens)
        branches.append(words)
        if end is None or end["close"]:
            every = tuple(dict.fromkeys(word for words in branches for word in words))
            return every if all(branches) and len(every) <= MOST else (), (end and end["repeat"]) or ""


def _branch(tokens: Iterator[re.Match[str]]) -> tuple[Words, re.Match[str] | None]:
    """The best words of one branch, and the '|' or ')' that ends it; None at the pattern's end."""
    found: list[Words] = []
    run = ""
    for token in tokens:
        if token["unknown"]:
            raise _Unknown
        letter, repeat = (token["letter"] or "")[-1:].lower(), token["repeat"] or ""
        if letter.isascii() and not repeat.startswith(OPTIONAL):
            run += letter
        if letter and letter.isascii() and not repeat:
            continue
        found.append((run,))
        run = ""
        if token["open"]:
            inner, repeat = _alternatives(tokens)
            if not repeat.startswith(OPTIONAL):
                found.append(inner)
        elif token["close"] or token["bar"]:
            return _best(found), token
    return _best([*found, (run,)]), None


def _best(found: list[Words]) -> Words:
    """Of several things that must all occur, the one whose shortest word is longest."""
    long = [words for words in found if words and min(map(len, words)) >= SHORTEST]
    return max(long, key=lambda words: min(map(len, words)), default=())
