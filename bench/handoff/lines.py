"""Lists in a handoff: code that stays code, counts with their noun, and as many of the newest lines as fit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from bench.text import clip

JOINT = "\n\n"


def code(text: str) -> str:
    """`text` as code, between more back-ticks than it holds in a row."""
    ticks = "`"
    while ticks in text:
        ticks += "`"
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{ticks}{pad}{text}{pad}{ticks}"


def command_code(target: str, chars: int) -> str:
    """What a call was aimed at as code on one line, lines that a backslash continued joined; empty where it is."""
    line = clip(" ".join(target.replace("\\ ;", " ").split()), chars)
    return code(line) if line else ""


def times(n: int, more: str = "") -> str:
    """What stands behind a line that holds for n, and `more`; nothing for one."""
    return f" ({n:,} times{more})" if n > 1 else ""


def merged(lines: Iterable[str]) -> list[str]:
    """Equal lines once, where the last of them stood, with their number."""
    given = list(lines)
    number = Counter(given)
    last = {line: i for i, line in enumerate(given)}
    return [line + times(number[line]) for i, line in enumerate(given) if last[line] == i]


def listed(title: str, lines: Sequence[str]) -> str:
    """A title and its lines; empty without lines."""
    return "\n".join([title, *lines]) if lines else ""


def newest(title: str, lines: Sequence[str], older: str, room: int, most: int | None = None) -> str:
    """The list with as many of its last lines as fit `room` characters; how many are left out is said by `older`."""
    kept = _fitting(title, lines[::-1][:most], len(lines), older, room)[::-1]
    note = [_note(older, len(lines) - len(kept))] if len(kept) < len(lines) else []
    return listed(title, [*note, *kept] if kept else [])


def oldest(title: str, lines: Sequence[str], further: str, room: int) -> str:
    """The list with as many of its first lines as fit `room` characters; how many are left out is said by `further`."""
    kept = _fitting(title, lines, len(lines), further, room)
    note = [_note(further, len(lines) - len(kept))] if len(kept) < len(lines) else []
    return listed(title, [*kept, *note] if kept else [])


def _fitting(title: str, lines: Sequence[str], of: int, others: str, room: int) -> list[str]:
    left = room - len(title) - 1 - len(_note(others, of)) - 1
    kept: list[str] = []
    for line in lines:
        if len(line) + 1 > left:
            break
        kept.append(line)
        left -= len(line) + 1
    return kept


def _note(others: str, number: int) -> str:
    return f"- (left out: {others.format(number)})"


def joined(sections: Iterable[str]) -> str:
    """The sections that are not empty, a blank line apart."""
    return JOINT.join(s for s in sections if s)
