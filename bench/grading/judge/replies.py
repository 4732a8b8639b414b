"""What the calls of a judge, or of drafting, brought, on disk: every answer once, so that none is paid for twice.

`replies/<request>.json` holds an answer with the row of its call, and is written first; `calls.jsonl` has the rows of
all calls, failed ones too. What a dead process left between the two is found again by the next one.
"""

from __future__ import annotations

from pathlib import Path

import msgspec
from msgspec import Struct

from bench.atomic import write_bytes
from bench.calls.call_rows import failed_call
from bench.calls.ledger import Ledger
from bench.calls.pricing import Pricing
from bench.errors import BenchError
from bench.forks.store import append_line
from bench.models.protocol import Attempt
from bench.rows import CallRow, Purpose


class Heard(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An answer and the row of the call that brought it; `call.outcome` says whether there is anything to read."""

    call: CallRow
    text: str


class Replies:
    """The answers to one kind of question; `folder` is a grader's, or where a fixture's drafts are kept."""

    def __init__(self, folder: Path, purpose: Purpose = "judge") -> None:
        self._purpose: Purpose = purpose
        self._folder = folder / "replies"
        self._calls = folder / "calls.jsonl"

    def get(self, request: str) -> Heard | None:
        """The answer to a request, None where there is none. Raises BenchError where it cannot be read."""
        path = self._folder / f"{request}.json"
        return _read(path) if path.is_file() else None

    def put(self, request: str, heard: Heard) -> None:
        """Keep an answer, and note its call."""
        write_bytes(self._folder / f"{request}.json", msgspec.json.encode(heard) + b"\n")
        append_line(self._calls, heard.call)

    def note(self, call: CallRow) -> None:
        """Note a call that brought nothing."""
        append_line(self._calls, call)

    def calls(self) -> list[CallRow]:
        """The rows of all calls; a line that a dying process left unfinished is skipped, the journal knows of it."""
        rows = []
        for line in self._calls.read_bytes().splitlines() if self._calls.is_file() else ():
            try:
                rows.append(msgspec.json.decode(line, type=CallRow))
            except msgspec.MsgspecError:
                continue
        return rows

    def settle_abandoned(
        self, group: str, model: str, ledger: Ledger, pricing: Pricing, *, batches: bool = True
    ) -> None:
        """Settle what a dead process left in flight: answers that are on disk at their price, all else at its worst.

        `batches` False: what stands in a batch, or may, is left, as its answer can be fetched. Only for who holds the
        grader's lock.
        """
        abandoned = ledger.abandoned(group)
        if not abandoned:
            return
        noted = {call.call_id: call for call in self.calls()}
        kept = {heard.call.call_id: heard.call for heard in map(_read, self._folder.glob("*.json"))}
        for started in abandoned:
            call = noted.get(started.call_id) or kept.get(started.call_id)
            if call is None and not batches and started.call_id in ledger.handing_of:
                continue
            if call is None:
                gone = Attempt(
                    outcome="aborted", detail="the process that asked is gone", started_at=started.at, seconds=0
                )
                call = failed_call(started.call_id, model, started.cells[0], gone, started.worst_usd, pricing)
                call.purpose, call.seconds = self._purpose, None
            if started.call_id not in noted:
                self.note(call)
            if started.call_id in kept:
                ledger.graded(call)
            else:
                ledger.attempt(call)


def _read(path: Path) -> Heard:
    try:
        return msgspec.json.decode(path.read_bytes(), type=Heard)
    except msgspec.MsgspecError as e:
        raise BenchError(f"is no answer of a model: {e}; delete it and ask again", path=path) from None
