"""The folder that a script works in, where its text says so: `cd /home/dev/app && sed -i … src/a.py`."""

from __future__ import annotations

import posixpath
import re

from msgspec.structs import replace

from bench.handoff.shell import Reading
from bench.handoff.shell_words import commands_in
from bench.handoff.written import is_absolute

_FIRST = re.compile(r"\s*cd\s+[^\n;&|()<>]+(?:&&|;|\n)")
"""Neither in a subshell nor in a pipe, which come back from it, nor before `||`, which goes on where it failed."""
_CD = re.compile(r"^cd +(?P<folder>\"[^\"$]*\"|'[^']*'|[^\s;&|$]+) *(?:&&|;) *")
_MOVES = ("cd", "pushd", "popd")
_BEGINS = ("/", "~/")


def folder_of(script: str, start: str | None = None) -> str | None:
    """The folder that the script works in; None where its text does not say.

    `start`: where its call begins it, for a script that changes nowhere; else the one that it goes to before all else
    and stays in.
    """
    commands = [c.words for c in commands_in(script) if c.words]
    moves = [words for words in commands if words[0].text in _MOVES]
    if not moves:
        return start if start and start.startswith(_BEGINS) else None
    target = moves[0][1] if len(moves) == 1 and len(moves[0]) == len(("cd", "where")) else None
    if target is None or not target.literal or not _FIRST.match(script):
        return None
    return target.text if target.text.startswith(_BEGINS) else None


def after_cd(script: str) -> tuple[str, str]:
    """The folder that a script changes to before all else, and the rest of it; ('', script) where it does not."""
    script = script.lstrip()
    found = _CD.match(script)
    return (found["folder"].strip("\"'"), script[found.end() :]) if found else ("", script)


def placed(reading: Reading, script: str, start: str | None = None) -> Reading:
    """The reading of `script`, its relative paths told from the folder that it works in, where that is known."""
    folder = folder_of(script, start) if reading.writes or reading.removes else None
    if folder is None:
        return reading
    return replace(
        reading,
        writes=tuple(dict.fromkeys(_within(folder, path) for path in reading.writes)),
        removes=tuple(dict.fromkeys(_within(folder, path) for path in reading.removes)),
    )


def _within(folder: str, path: str) -> str:
    return path if is_absolute(path) else posixpath.normpath(posixpath.join(folder, path))
