"""Whole files or none.

The bytes go into a temporary file in the same folder, are flushed and fsynced, and it is renamed over the target: a
reader sees the old file or the new one, never a part, also after SIGKILL or a power cut. `write_all` does so for many
files at once, which costs the disk little more than one.
Not guaranteed: that the *name* survives a power cut on file systems that need an fsync of the folder.
"""

from __future__ import annotations

import contextlib
import itertools
import os
from collections.abc import Iterable
from pathlib import Path

_SERIAL = itertools.count()
"""Makes temporary names of one process differ; its id makes those of several."""


def write_all(files: Iterable[tuple[Path | str, bytes]]) -> None:
    """Write each file whole, parents made. None appears before all are on the disk, and they appear in this order.

    Raises OSError where the disk refuses; then the files that have appeared stay, and no temporary one is left.
    """
    waiting: list[tuple[str, str]] = []
    handles: list[int] = []
    try:
        for path, data in files:
            target = os.fspath(path)
            folder, _, name = target.rpartition("/")
            temporary = f"{folder or '.'}/.{name[:80]}.{os.getpid()}-{next(_SERIAL)}.tmp"
            handles.append(_create(temporary))
            waiting.append((temporary, target))
            _write(handles[-1], data)
        for handle in handles:
            os.fsync(handle)
        while handles:
            os.close(handles.pop())
        while waiting:
            os.rename(*waiting[0])  # noqa: PTH104
            del waiting[0]
    finally:
        for handle in handles:
            os.close(handle)
        for temporary, _ in waiting:
            with contextlib.suppress(FileNotFoundError):
                Path(temporary).unlink()


def write_bytes(path: Path, data: bytes) -> None:
    """Write `data` to `path` whole; parents are made. Raises OSError where the disk refuses."""
    write_all([(path, data)])


def write_text(path: Path, text: str) -> None:
    """Write `text` to `path` whole, as UTF-8; a lone surrogate is written as '?'."""
    write_bytes(path, text.encode("utf-8", "replace"))


def _create(name: str) -> int:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
    try:
        return os.open(name, flags, 0o644)
    except FileNotFoundError:
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        return os.open(name, flags, 0o644)


def _write(handle: int, data: bytes) -> None:
    left = memoryview(data)
    while left:
        left = left[os.write(handle, left) :]
