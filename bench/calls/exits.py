"""How commands that ask for something end, and how many of what is missing they name."""

from __future__ import annotations

from collections.abc import Iterable

EXIT_DONE, EXIT_FAILED, EXIT_BUDGET, EXIT_INTERRUPTED = 0, 1, 3, 130
MOST_NAMED = 5
"""Missing cells and failures named one by one; the rest are counted."""


def gravest(statuses: Iterable[int]) -> int:
    """Of several exit statuses the one that counts: interrupted, then stopped by the cap, then failed."""
    ended = set(statuses)
    return next((s for s in (EXIT_INTERRUPTED, EXIT_BUDGET, EXIT_FAILED) if s in ended), EXIT_DONE)
