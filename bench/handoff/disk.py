"""A live folder to restore files from: the session's working directory as it is now.

A transcript names files by the paths of the machine it was recorded on. A path below the session's own directory is
looked up at the same place below the folder; no other is, and none that a link leads out of it.
"""

from __future__ import annotations

from pathlib import Path, PurePosixPath
from typing import Protocol

MOST_BYTES = 4_000_000
"""A larger file is not read."""


class Disk(Protocol):
    """Where files are read anew."""

    def gone(self, path: str) -> bool:
        """Whether the file is known to exist no more."""

    def lines(self, path: str) -> list[str] | None:
        """The file's lines; None where it cannot be had, or is no text."""


class Folder:
    """The files below `root`, which stands for the session's directory `cwd`."""

    def __init__(self, root: Path, cwd: str | None) -> None:
        self._root = root.resolve()
        self._cwd = PurePosixPath(cwd) if cwd else None

    def gone(self, path: str) -> bool:
        place = self._place(path)
        try:
            return place is not None and not place.exists()
        except OSError:  # a name that no disk takes
            return False

    def lines(self, path: str) -> list[str] | None:
        place = self._place(path)
        try:
            if place is None or not place.is_file() or place.stat().st_size > MOST_BYTES:
                return None
            text = place.read_bytes().decode("utf-8", "strict")
        except (OSError, UnicodeDecodeError):
            return None
        return None if "\0" in text else text.removesuffix("\n").split("\n")

    def _place(self, path: str) -> Path | None:
        """Where the file lies; None for one that lies elsewhere or leads out of the folder."""
        named = PurePosixPath(path)
        if named.is_absolute():
            if self._cwd is None or not named.is_relative_to(self._cwd):
                return None
            named = named.relative_to(self._cwd)
        try:
            place = (self._root / named).resolve()
        except (OSError, ValueError, RuntimeError):  # a null byte, a ring of links
            return None
        return place if place.is_relative_to(self._root) else None
