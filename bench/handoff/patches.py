"""Patches in the form of `apply_patch`: the files they name, and what they do to the text of each."""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct

_TARGET = re.compile(r"^\*\*\* (?:(?:Add|Update) File|Move to): (\S.*?)[ \t\r]*$", re.MULTILINE)
_FILE = re.compile(r"^\*\*\* (?P<deed>Add|Update) File: (?P<path>\S.*?)[ \t\r]*$", re.MULTILINE)
_END = re.compile(r"^\*\*\* (?!End of File)", re.MULTILINE)
_HUNK = re.compile(r"^(?:@@[^\n]*|\*\*\* End of File[^\n]*)$", re.MULTILINE)
_MOVED = "*** Move to:"


class Patched(Struct, frozen=True):
    """What a patch does to one file: its whole `content` where it adds the file, else old and new lines of each hunk.

    `edits` is None where the hunks cannot be followed, and where the file is moved.
    """

    path: str
    content: str | None = None
    edits: tuple[tuple[str, str], ...] | None = None


def patched_paths(patch: str) -> tuple[str, ...]:
    """Files that the patch writes, in its order, each once; none for a text that is no such patch."""
    return tuple(dict.fromkeys(_TARGET.findall(patch)))


def patched_files(patch: str) -> Iterator[Patched]:
    """What the patch does to each file that it adds or updates; none for a text that is no such patch."""
    for file in _FILE.finditer(patch):
        end = _END.search(patch, file.end())
        body = patch[file.end() + 1 : len(patch) if end is None else end.start()]
        if file["deed"] == "Add":
            yield Patched(file["path"], content="\n".join(line[1:] for line in body.splitlines() if line[:1] == "+"))
        else:
            moved = end is not None and patch.startswith(_MOVED, end.start())
            yield Patched(file["path"], edits=None if moved else _edits(body))


def _edits(body: str) -> tuple[tuple[str, str], ...] | None:
    edits = []
    for hunk in _HUNK.split(body):
        lines = hunk.strip("\n").split("\n") if hunk.strip("\n") else []
        if any(line[:1] not in (" ", "-", "+", "") for line in lines):
            return None
        old = "\n".join(line[1:] for line in lines if line[:1] != "+")
        new = "\n".join(line[1:] for line in lines if line[:1] != "-")
        if old != new:
            edits.append((old, new))
    # lines that stand at no other line's side may be put anywhere
    return None if any(not old for old, _ in edits) else tuple(edits)
