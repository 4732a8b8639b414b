"""What a pattern of a key looks for, in words that a judge can read."""

from __future__ import annotations

import re
from collections.abc import Iterator

from bench.grading.needles import OPTIONAL, TOKEN

GAP = "…"
"""What stands for words that the pattern leaves open."""

_EDGES = re.compile(r"\\[bBAz]|[\^$]")
_ONE_OF = re.compile(r"\[(?P<first>[^\]^\\\[])[^\]\\-]*\]")
"""A class that lists its characters one by one, of which the first will do."""


def in_words(pattern: str) -> str | None:
    """A phrase that the (valid) pattern matches, e.g. 'redis is chosen' for 'redis (is|was) chosen'.

    The first of several alternatives is taken, what is optional is left out. None where nothing can be told.
    """
    tokens = TOKEN.finditer(pattern)
    parts: list[str] = []
    for end in iter(lambda: _branch(tokens, parts), None):  # a '|' outside brackets: the first branch will do
        if end["bar"]:
            break
    phrase = " ".join(re.sub(rf"(?:\s*{GAP})+\s*", f" {GAP} ", "".join(parts)).split())
    return phrase if any(c.isalnum() for c in phrase) else None


def _branch(tokens: Iterator[re.Match[str]], parts: list[str]) -> re.Match[str] | None:
    """Adds the words up to the next '|' or ')' and returns that; None at the pattern's end."""
    for token in tokens:
        if token["close"] or token["bar"]:
            return token
        optional = (token["repeat"] or "").startswith(OPTIONAL)
        if token["open"]:
            inner, optional = _group(tokens)
            parts.append("" if optional else inner)
        elif token["wild"]:
            parts.append(_wild(token["wild"], token["repeat"] or "", "".join(parts)))
        elif token["unknown"]:
            parts.append(GAP)
        elif not optional:
            parts.append(token["letter"][-1])
    return None


def _group(tokens: Iterator[re.Match[str]]) -> tuple[str, bool]:
    """The words of a group's first branch that has any, and whether the group may be left out."""
    branches: list[str] = []
    while True:
        parts: list[str] = []
        end = _branch(tokens, parts)
        branches.append("".join(parts))
        if end is None or end["close"]:
            repeat = (end["repeat"] if end else "") or ""
            return next((b for b in branches if b.strip()), ""), repeat.startswith(OPTIONAL)


def _wild(token: str, repeat: str, before: str) -> str:
    """What stands for a part that matches many characters; `before` are the words up to it."""
    if _EDGES.fullmatch(token):
        return ""
    if token == r"\s" or (token == "." and repeat in ("", "?")):
        return " "
    if token == r"\w" and before[-1:].isalnum():  # the rest of a word: what is there will be understood
        return ""
    listed = _ONE_OF.fullmatch(token)
    if listed:
        return "" if repeat.startswith(OPTIONAL) else listed["first"]
    return GAP
