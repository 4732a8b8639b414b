"""How a grader tells how far it is."""

from __future__ import annotations

from collections.abc import Callable

Tell = Callable[[int, int], None]
"""Called with how many grades are there, and how many there are to be."""
