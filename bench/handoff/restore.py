"""Restored files: those that the next window should have open, chosen by the writer of the handoff, checked by code.

The reply asks (`restore_request`), the code only refuses: a file that the conversation did not touch, a memory file
(the harness brings those back itself), one named twice, one over the cap, one that is gone. Where nothing usable is
left, the files touched last come back instead, and `source` says so. Every file, whatever became of it, is a row.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import islice
from typing import Literal

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from bench.handoff.disk import Disk
from bench.handoff.known_text import KnownText
from bench.handoff.restore_request import ALL, Request
from bench.handoff.touched import Mention, Touched
from bench.text import tokens_of_chars
from bench.transcripts.model import Message, Text, ToolResult, ToolUse

MOST_FILES = 5
FILE_CHARS = 20_000
"""Most of one file."""
TOTAL_CHARS = 100_000
"""Most of all of them."""
READ_TOOL = "Read"
BY_RECENCY = "among the files touched last; the handoff named none that can be had"

Source = Literal["model", "recency", "none"]
Refusal = Literal["not touched", "memory file", "named twice", "over the cap", "gone"]
Came = Literal["disk", "transcript", "not known", "no room"]
"""Where a file's text is from, or why it has none."""
_MEMORY = re.compile(r"(^|/)(CLAUDE(\.local)?|AGENTS)\.md$")


class Wanted(Struct, frozen=True, kw_only=True):
    """A file that is to come back. `known` is what the transcript holds of it."""

    path: str
    first: int | None = None
    last: int | None = None
    reason: str = ""
    known: KnownText | None = None


class Refused(Struct, frozen=True):
    """A file that was asked for and does not come back, and why."""

    path: str
    why: Refusal


class Chosen(Struct, frozen=True):
    """What comes back and what does not. `source` says who chose."""

    files: tuple[Wanted, ...]
    source: Source
    refused: tuple[Refused, ...] = ()


class Restored(Struct, frozen=True, kw_only=True):
    """A wanted file and what became of it; `text` is None where it could not be had or found no room."""

    path: str
    first: int | None = None
    last: int | None = None
    reason: str = ""
    came: Came
    text: str | None = None
    clipped_chars: int = 0
    detail: str = ""


class RestoreRow(Struct, frozen=True, kw_only=True):
    """One file of the restore as it stands beside the handoff. `tokens` is estimated."""

    path: str
    lines: str
    reason: str
    came: Came
    chars: int
    tokens: int
    clipped_chars: int
    detail: str


def choose(
    requests: Sequence[Request],
    touched: Sequence[Touched],
    mentions: Sequence[Mention] = (),
    *,
    most: int = MOST_FILES,
    exists: Callable[[str], bool] = lambda _: True,
    fallback: Sequence[Touched] | None = None,
) -> Chosen:
    """Which files come back: those asked for that may, else the ones touched last that still exist.

    `touched` and `mentions` have the latest first. A relative path stands for the file whose path ends in it. Shell
    words never fall back: the last one may be any log. `fallback`: the touched files that can come back unasked.
    """
    files: list[Wanted] = []
    refused: list[Refused] = []
    for request in requests:
        found = _touched(request.path, touched) or _mentioned(request.path, mentions)
        why = _refusal(found, files, most, exists)
        if found is None or why is not None:
            refused.append(Refused(request.path, why or "not touched"))
            continue
        files.append(
            Wanted(path=found.path, first=request.first, last=request.last, reason=request.reason, known=found.known)
        )
    if files:
        return Chosen(tuple(files), "model", tuple(refused))
    recent_first = touched if fallback is None else fallback
    usable = (t for t in recent_first if not _MEMORY.search(t.path) and not t.removed and exists(t.path))
    recent = [Wanted(path=t.path, reason=BY_RECENCY, known=t.known) for t in islice(usable, most)]
    return Chosen(tuple(recent), "recency" if recent else "none", tuple(refused))


def read(file: Wanted, disk: Disk | None = None) -> Restored:
    """The file's text: as it lies on the disk where it can be had there, else as the transcript knows it."""
    lines = disk.lines(file.path) if disk is not None else None
    known = file.known if lines is None else KnownText(dict(enumerate(lines, 1)), at=0)
    text = known.span(file.first, file.last) if known is not None else None
    detail = ""
    if known is None:
        detail = "the transcript holds no text of it"
    elif text is None:
        detail = "only other lines of it are known" if lines is None else "it has no such lines"
    elif known.old:
        detail = f"as of message {known.at}; it was changed later in a way that cannot be followed"
    came: Came = "not known" if text is None else "transcript" if lines is None else "disk"
    return Restored(
        path=file.path, first=file.first, last=file.last, reason=file.reason, came=came, text=text, detail=detail
    )


def clipped(file: Restored, most_chars: int = FILE_CHARS) -> Restored:
    """The file with at most `most_chars` characters of text, cut behind a line, a note of the rest included."""
    text = file.text
    if text is None or len(text) <= most_chars:
        return file
    note = "[the rest is left out: {:,} characters; read the file again for them]"
    room = most_chars - len(note.format(len(text))) - 1
    if room < 0:
        return replace(file, text="", clipped_chars=len(text))
    end = text.rfind("\n", 0, room + 1)
    kept = text[: end if end > 0 else room]
    gone = len(text) - len(kept)
    return replace(file, text=f"{kept}\n{note.format(gone)}", clipped_chars=gone)


def fitted(
    files: Sequence[Restored], total_chars: int, size: Callable[[Restored], int] = lambda file: len(file.text or "")
) -> tuple[Restored, ...]:
    """The files in their order, those without their text that found no room: together at most `total_chars`.

    `size`: what a file with text takes of the room, characters.
    """
    left = total_chars
    out: list[Restored] = []
    for file in files:
        if file.text is None:
            out.append(file)
        elif (needs := size(file)) > left:
            detail = f"needs {needs:,} characters, {left:,} of {total_chars:,} are left"
            out.append(replace(file, text=None, came="no room", detail=detail))
        else:
            left -= needs
            out.append(file)
    return tuple(out)


def restore_pair(file: Restored, id_: str) -> tuple[Message, Message]:
    """The file as the next window sees it: a read that the model made, and what it printed."""
    arguments: dict[str, object] = {"file_path": file.path}
    if file.first is not None and file.last is not None:
        arguments |= {"offset": file.first, "limit": file.last - file.first + 1}
    use = ToolUse(id_, READ_TOOL, msgspec.json.encode(arguments).decode())
    result = ToolResult(id_, (Text(file.text or ""),))
    return (
        Message(role="assistant", author="assistant", blocks=(use,)),
        Message(role="user", author="tool", blocks=(result,)),
    )


def restore_row(file: Restored) -> RestoreRow:
    """The file's numbers, whatever became of it."""
    chars = len(file.text or "")
    return RestoreRow(
        path=file.path,
        lines=ALL if file.first is None else f"{file.first}-{file.last}",
        reason=file.reason,
        came=file.came,
        chars=chars,
        tokens=tokens_of_chars(chars),
        clipped_chars=file.clipped_chars,
        detail=file.detail,
    )


def _refusal(
    found: Touched | None, chosen: Sequence[Wanted], most: int, exists: Callable[[str], bool]
) -> Refusal | None:
    if found is None:
        return "not touched"
    if _MEMORY.search(found.path):
        return "memory file"
    if any(file.path == found.path for file in chosen):
        return "named twice"
    if len(chosen) >= most:
        return "over the cap"
    return "gone" if found.removed or not exists(found.path) else None


def _touched(path: str, touched: Sequence[Touched]) -> Touched | None:
    tail = "/" + path.removeprefix("./")
    whole = (t for t in touched if t.path == path)
    return next(whole, next((t for t in touched if t.path.endswith(tail)), None))


def _mentioned(path: str, mentions: Sequence[Mention]) -> Touched | None:
    """The file that a shell command named, where a word of it ends the path asked for, or is ended by it."""
    wanted = path.removeprefix("./")
    for mention in mentions:
        word = mention.word
        if word.startswith("/") and (word == wanted or word.endswith(f"/{wanted}")):
            return Touched(word, mention.at, mention.known)
        if wanted.startswith("/") and wanted.endswith(f"/{word}"):
            return Touched(wanted, mention.at, mention.known)
    return None
