"""Disputes of a run: `disputes.jsonl` in its folder, a line a dispute, only ever added to.

A line is written whole, in one write to the end of the file: several people (processes) may dispute at once, and what
a dying process left unfinished is closed by the next. A later dispute of the same atom in the same output replaces the
earlier one, which stays in the file.
"""

from __future__ import annotations

from pathlib import Path

import msgspec
from msgspec import Struct

from bench.errors import BenchError
from bench.forks.store import append_line
from bench.rows import Verdict

FILE = "disputes.jsonl"
Of = tuple[str, str, str, int, int, int, str, str]
"""Output, scope and atom."""


class Dispute(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a person says of one atom in one output. `at`: ISO 8601, UTC; hashes: of what the person had read."""

    at: str
    fixture: str
    arm: str
    model: str
    replicate: int
    chain_step: int = 1
    stale_by: int = 0
    scope: str = "handoff"
    atom: str
    verdict: Verdict
    note: str
    quote: str | None = None
    """The words of the output that carry the atom, where the person named them."""
    output_sha256: str
    key_sha256: str

    @property
    def of(self) -> Of:
        """What it is about: output, scope and atom."""
        return (
            self.fixture, self.arm, self.model, self.replicate, self.chain_step, self.stale_by, self.scope, self.atom,
        )  # fmt: skip


def record(root: Path, dispute: Dispute) -> None:
    """Add the dispute to the run in `root`."""
    append_line(root / FILE, dispute)


def read_disputes(root: Path) -> list[Dispute]:
    """The disputes of the run in `root`, in the order in which they were first made, the last word on each.

    A last line without an end, which a dying process left, is no dispute. Raises BenchError for any other line that
    cannot be read.
    """
    path = root / FILE
    if not path.is_file():
        return []
    latest: dict[Of, Dispute] = {}
    *lines, last = path.read_bytes().split(b"\n")
    for number, line in enumerate([*lines, last] if last and _whole(last) else lines, 1):
        if not line.strip():
            continue
        try:
            dispute = msgspec.json.decode(line, type=Dispute)
        except msgspec.MsgspecError as e:
            raise BenchError(f"is no dispute: {e}; mend or delete the line", path=path, line=number) from None
        latest[dispute.of] = dispute
    return list(latest.values())


def _whole(line: bytes) -> bool:
    try:
        msgspec.json.decode(line, type=Dispute)
    except msgspec.MsgspecError:
        return False
    return True
