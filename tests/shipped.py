"""The shipped fixtures, loaded once, and how the lexical grader reads a sentence for one of their atoms."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import msgspec

from bench.fixtures import Fixture, load_fixture
from bench.grading.lexical import grade

SHIPPED = Path(__file__).parent.parent / "fixtures"


@cache
def shipped(name: str) -> Fixture:
    return load_fixture(SHIPPED / name)


def verdict(fixture: str, atom: str, text: str) -> str | None:
    """How the lexical grader reads `text` for that one atom."""
    key = shipped(fixture).key
    alone = msgspec.structs.replace(key, atoms=tuple(a for a in key.atoms if a.id == atom), never=())
    ((finding,), _) = grade(text, alone)
    return finding.verdict
