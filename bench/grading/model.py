"""What a grader says of one output."""

from __future__ import annotations

from msgspec import Struct

from bench.rows import Verdict


class Finding(Struct, frozen=True, kw_only=True):
    """The verdict on one atom. `evidence` is a verbatim span of the output; null where nothing was found."""

    atom: str
    verdict: Verdict | None
    """None where the grade is missing; never turned into a zero."""
    evidence: str | None = None
    evidence_found: bool | None = None
    """Whether the evidence stands in the output word for word; null where none was given."""
    call_id: str | None = None
    """The model call that decided it."""


class Invention(Struct, frozen=True, kw_only=True):
    """One thing never said that the output states: id and text of the key's `never` entry."""

    never: str
    text: str
    evidence: str | None = None
