"""Which program a command runs, once what only runs the rest is taken away, and which of its words are files."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from msgspec import Struct

from bench.handoff.shell_words import Command, Word

_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*\+?=")
_KEYWORDS = frozenset(("if", "then", "elif", "else", "while", "until", "do", "!", "{", "time"))
"""Words of the shell's own that stand before a command."""


def run_by(command: Command) -> Command:
    """The command without what only runs the rest: keywords, assignments, `sudo`, `env`, `timeout 5`, `xargs`."""
    words, at = command.words, 0
    while at < len(words):
        first = words[at].text
        if first in _KEYWORDS or _ASSIGNMENT.match(first):
            at += 1
        elif first in _PREFIXES:
            at = _behind(words, at + 1, _PREFIXES[first])
        else:
            break
    return Command(words[at:], command.redirects)


class _Prefix(Struct, frozen=True):
    """A program that runs its arguments: its options that take a value, and its own arguments before the command."""

    valued: tuple[str, ...] = ()
    own: int = 0


_PREFIXES: Mapping[str, _Prefix] = {
    "sudo": _Prefix(("-u", "-g", "-C", "-p")),
    "env": _Prefix(("-u", "-C", "-S")),
    "timeout": _Prefix(("-s", "-k"), own=1),
    "xargs": _Prefix(("-I", "-n", "-P", "-L", "-d", "-a", "-s")),
    "nice": _Prefix(("-n",)),
    **dict.fromkeys(("nohup", "command", "exec", "builtin", "stdbuf", "unbuffer"), _Prefix()),
}


def _behind(words: Sequence[Word], at: int, prefix: _Prefix) -> int:
    """Where the command begins that a prefix runs, its own words beginning at `at`."""
    own = prefix.own
    while at < len(words):
        first = words[at].text
        if first in prefix.valued:
            at += 2
        elif first.startswith("-") or _ASSIGNMENT.match(first):
            at += 1
        elif own:
            own -= 1
            at += 1
        else:
            break
    return at


def plain(arguments: Sequence[Word], valued: Sequence[str] = ()) -> list[Word]:
    """The arguments that are no options, nor the values of options that take one."""
    out, skip = [], False
    for word in arguments:
        if skip:
            skip = False
        elif word.text in valued:
            skip = True
        elif not word.text.startswith("-") or word.text == "-":
            out.append(word)
    return out


def after(arguments: Sequence[Word], options: Sequence[str]) -> list[Word]:
    """The values of these options: `-o x`, `--output=x`."""
    out = [arguments[i + 1] for i, w in enumerate(arguments[:-1]) if w.text in options]
    for word in arguments:
        name, equals, value = word.text.partition("=")
        if equals and name in options:
            out.append(Word(value, word.literal))
    return out
