"""A reply without the scratchpad its writer thought in.

`<analysis>…</analysis>` is deliberation, not findings, so it goes; what stands outside any tag stays, wherever it is.
The tags around the summary go too. A scratchpad that was never closed goes only where a summary follows it: a reply
that broke off inside it has nothing else to hand up. Linear in the text's length.
"""

from __future__ import annotations

import re

from msgspec import Struct

OPEN, CLOSE = "<analysis>", "</analysis>"
SUMMARY_OPEN = "<summary>"
_SUMMARY_TAG = re.compile(r"</?summary>")
_BLANKS = " \t"


class Kept(Struct, frozen=True):
    """What is left of a reply. `unwrapped`: it stood in summary tags."""

    text: str
    analysis_chars: int
    unwrapped: bool


def without_scratchpad(text: str) -> Kept:
    """The reply without scratchpads and summary tags, and how many characters of scratchpad were dropped."""
    out, dropped = _without_closed(text)
    open_at, summary_at = out.find(OPEN), out.find(SUMMARY_OPEN)
    if 0 <= open_at < summary_at:
        dropped += summary_at - open_at
        out = out[:open_at] + out[summary_at:]
    unwrapped = _SUMMARY_TAG.search(out) is not None
    return Kept(_without_tags(out).strip(), dropped, unwrapped)


def _without_closed(text: str) -> tuple[str, int]:
    pieces: list[str] = []
    dropped = at = 0
    while (start := text.find(OPEN, at)) >= 0 and (end := text.find(CLOSE, start)) >= 0:
        pieces.append(text[at:start])
        dropped += end - start - len(OPEN)
        at = _line_end(text, end + len(CLOSE))
    return "".join(pieces) + text[at:], dropped


def _without_tags(text: str) -> str:
    pieces: list[str] = []
    at = 0
    for tag in _SUMMARY_TAG.finditer(text):
        pieces.append(text[at : tag.start()].rstrip(_BLANKS) if tag.start() > at else "")
        at = max(at, _line_end(text, tag.end()))
    return "".join(pieces) + text[at:]


def _line_end(text: str, at: int) -> int:
    """Where the text goes on behind the blanks at `at` and the line break after them."""
    while at < len(text) and text[at] in _BLANKS:
        at += 1
    return at + 1 if text.startswith("\n", at) else at
