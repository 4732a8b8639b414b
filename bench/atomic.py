"""Whole files or none.

`write_text`/`write_bytes` put the bytes into a temporary file in the same folder, flush and fsync it, and rename it
over the target: a reader sees the old file or the new one, never a part, also after SIGKILL or a power cut.
Not guaranteed: that the *name* survives a power cut on file systems that need an fsync of the folder.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path


def write_bytes(path: Path, data: bytes) -> None:
    """Write `data` to `path` whole; parents are made. Raises OSError where the disk refuses."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:80]}.", suffix=".tmp")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def write_text(path: Path, text: str) -> None:
    """Write `text` to `path` whole, as UTF-8; a lone surrogate is written as '?'."""
    write_bytes(path, text.encode("utf-8", "replace"))
