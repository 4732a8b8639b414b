"""The block in which a reply names the files that the next window should have open. The request for it is
`prompts/_restore.md`.

    <restore-files>
    /home/dev/app/server.py | 40-120 | the handler being changed
    /home/dev/app/test_server.py | all | its test
    </restore-files>
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct

OPEN, CLOSE = "<restore-files>", "</restore-files>"
ALL = "all"
_RANGE = re.compile(r"([0-9]{1,9})\s*[-–]\s*([0-9]{1,9})")
_BULLET = re.compile(r"^[-*] +")


class Request(Struct, frozen=True, kw_only=True):
    """A file to bring back: its path, the lines (None: all of it), and why."""

    path: str
    first: int | None = None
    last: int | None = None
    reason: str = ""


class Asked(Struct, frozen=True):
    """A reply without its block, and what the block asks for."""

    text: str
    requests: tuple[Request, ...] = ()


def asked_in(reply: str) -> Asked:
    """What the last block of the reply asks for. A reply without one, or with one left open, asks for nothing."""
    start = reply.rfind(OPEN)
    end = reply.find(CLOSE, start) if start >= 0 else -1
    if end < 0:
        return Asked(reply)
    body = reply[start + len(OPEN) : end]
    text = (reply[:start] + reply[end + len(CLOSE) :]).strip()
    return Asked(text, tuple(_requests(body)))


def _requests(body: str) -> Iterator[Request]:
    for line in body.split("\n"):
        path, bar, rest = _BULLET.sub("", line.strip(), count=1).partition("|")
        path = path.strip().strip("`").strip()
        if not bar or not path or "`" in path or path.startswith("#"):
            continue
        lines, _, reason = rest.partition("|")
        first, last = _span(lines.strip())
        yield Request(path=path, first=first, last=last, reason=reason.strip())


def _span(lines: str) -> tuple[int | None, int | None]:
    """First and last line; None twice for 'all', and for what is no range."""
    found = _RANGE.fullmatch(lines)
    if found is None:
        return None, None
    first, last = int(found[1]), int(found[2])
    return (first, last) if 1 <= first <= last else (None, None)
