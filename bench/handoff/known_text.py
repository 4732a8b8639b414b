"""What a conversation knows of a file's text: the lines that were read or written, kept up to date through edits.

A line is known by its number. A partial read adds its lines, an edit replaces text inside a run of known lines and
moves the lines behind it. Where a change cannot be followed (a shell command wrote the file, an edit hit lines that
were never read) what was known is kept as *old*: it may no longer be what the file says.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from msgspec import Struct
from msgspec.structs import replace

LINE_WIDTH = 6
"""Columns of a line number, as the reading tools of agents print it."""
_NUMBERED = re.compile(r"^ *(\d{1,9})(?:→|\t)(.*)$")
_REMINDER, _REMINDER_END = "<system-reminder>", "</system-reminder>"
"""Around what a harness hangs onto a result; it is no line of the file."""
_UNCHANGED = re.compile(r"(?i)^(file unchanged since|wasted call)")


class KnownText(Struct, frozen=True):
    """Lines of a file by their number (from 1), of the message `at` which they were last learnt. `old`: see above."""

    lines: Mapping[int, str]
    at: int
    old: bool = False

    def span(self, first: int | None = None, last: int | None = None) -> str | None:
        """The known lines from `first` to `last`, numbered as a reading tool prints them; None where none is known.

        Lines that are not known in between are marked with an ellipsis.
        """
        numbers = [n for n in sorted(self.lines) if (first is None or n >= first) and (last is None or n <= last)]
        if not numbers:
            return None
        out = []
        for before, n in zip([numbers[0] - 1, *numbers], numbers, strict=False):
            if n != before + 1:
                out.append(f"{'…':>{LINE_WIDTH}}")
            out.append(f"{n:>{LINE_WIDTH}}\t{self.lines[n]}")
        return "\n".join(out)


def after_read(known: KnownText | None, output: str, at: int, offset: int | None = None) -> KnownText | None:
    """What is known once a read printed `output`, whose first line is line `offset` where it has no numbers."""
    body = _without_reminders(output)
    if not body.strip() or _UNCHANGED.match(body):
        return known
    lines = _lines_of(body, offset or 1)
    kept = known.lines if known is not None and not known.old else {}
    return KnownText({**kept, **lines}, at)


def after_write(content: str, at: int) -> KnownText:
    """What is known of a file that was written whole."""
    return KnownText(dict(enumerate(content.removesuffix("\n").split("\n"), 1)), at)


def after_edit(known: KnownText | None, old: str, new: str, at: int, *, everywhere: bool = False) -> KnownText | None:
    """What is known once `old` was replaced by `new`: at its one place, or everywhere."""
    if known is None or known.old:
        return known
    if old == "":
        return after_write(new, at) if not known.lines else after_change(known)
    runs = [(first, "\n".join(lines)) for first, lines in _runs(known.lines)]
    found = sum(text.count(old) for _, text in runs)
    if not found or (found > 1 and not everywhere):
        return after_change(known)
    lines: dict[int, str] = {}
    moved = 0
    for first, text in runs:
        edited = text.replace(old, new)
        lines.update(enumerate(edited.split("\n"), first + moved))
        moved += edited.count("\n") - text.count("\n")
    # an edit everywhere may have hit lines above or between, which are not known, and moved the others
    gaps = len(runs) > 1 or runs[0][0] != 1
    return KnownText(lines, at, old=everywhere and gaps and old.count("\n") != new.count("\n"))


def after_change(known: KnownText | None) -> KnownText | None:
    """What is known once the file was changed in a way that cannot be followed."""
    return None if known is None else replace(known, old=True)


def _without_reminders(output: str) -> str:
    body = output.rstrip()
    while body.endswith(_REMINDER_END) and (start := body.rfind(_REMINDER)) >= 0:
        body = body[:start].rstrip()
    return body if len(body) < len(output.rstrip()) else output


def _lines_of(body: str, first: int) -> dict[int, str]:
    numbered = [_NUMBERED.match(line) for line in body.split("\n")]
    if numbered[0] is None:
        return dict(enumerate(body.removesuffix("\n").split("\n"), first))
    return {int(line[1]): line[2] for line in numbered if line is not None}


def _runs(lines: Mapping[int, str]) -> list[tuple[int, list[str]]]:
    """Runs of lines without a gap: the first one's number, and the lines."""
    runs: list[tuple[int, list[str]]] = []
    last = None
    for n in sorted(lines):
        if last is None or n != last + 1:
            runs.append((n, []))
        runs[-1][1].append(lines[n])
        last = n
    return runs
