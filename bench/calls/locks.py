"""One process at a time on a group: a lock that dies with the process that holds it."""

from __future__ import annotations

import fcntl
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class Lock:
    """An flock on a file, with its owner's pid and host as text in it. Not inherited by programs that are started."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: int | None = None

    def take(self) -> bool:
        """Whether the lock is now ours; False at once where another process holds it."""
        if self._file is not None:
            return True
        self._path.parent.mkdir(parents=True, exist_ok=True)
        file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(file)
            return False
        os.ftruncate(file, 0)
        os.pwrite(file, f"process {os.getpid()} on {socket.gethostname()}".encode(), 0)
        self._file = file
        return True

    @property
    def owner(self) -> str:
        """Who took it last, as text for a person."""
        try:
            return self._path.read_text(encoding="utf-8", errors="replace") or "another process"
        except FileNotFoundError:
            return "another process"

    def release(self) -> None:
        """Let others have it; the file stays."""
        if self._file is not None:
            os.close(self._file)
            self._file = None


@contextmanager
def held(path: Path) -> Iterator[None]:
    """Wait for the lock at `path` and hold it: for short changes of a file that several processes write."""
    path.parent.mkdir(parents=True, exist_ok=True)
    file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
    finally:
        os.close(file)
