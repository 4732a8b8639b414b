"""Long paths told short: the folder that most of them lie in is named once, and `…/` stands for it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

ABOVE = "…/"
LEAST_FILES = 2
"""Fewer in one folder are shorter as they are."""
LEAST_CHARS = 12
"""A shorter folder is not worth a name."""


def common_folder(paths: Iterable[str]) -> str | None:
    """The folder (a slash at its end) that takes most characters at the head of paths; None where none is worth it."""
    below: Counter[str] = Counter()
    for path in paths:
        if path.startswith(("/", "~/")):
            below.update(_folders(path))
    worth = {folder: (n - 1) * len(folder) for folder, n in below.items() if n >= LEAST_FILES}
    best = max(worth, key=lambda folder: (worth[folder], len(folder)), default="")
    return best if len(best) >= LEAST_CHARS else None


def shortened(path: str, folder: str | None) -> str:
    """The path with `…/` for the folder where it lies in it."""
    return ABOVE + path[len(folder) :] if folder and path.startswith(folder) else path


def _folders(path: str) -> Iterable[str]:
    return (path[: i + 1] for i, c in enumerate(path) if c == "/" and i > 0)
