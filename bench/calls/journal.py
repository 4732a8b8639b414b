"""journal.jsonl: what was asked and what came of it, one event a line, append-only.

Every line reaches the operating system before the call it announces is made, so a killed process loses none; `sync`
puts the lines on the disk. Several processes may append: each reads the others' lines under the file's lock first.
A line that a dying process left unfinished is closed by the next writer and skipped by readers.
"""

from __future__ import annotations

import errno
import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec
from msgspec import Struct

from bench.models.protocol import Count, Reply
from bench.rows import CallRow


class Started(Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="event", tag="started"):
    """A call is about to be made; its worst case is reserved until it ends."""

    call_id: str
    reply_sha256: str
    cells: tuple[str, ...]
    """Keys of the cells that wait for it."""
    group: str
    """fixture/model: whose lock is held while it is in flight."""
    worst_usd: float | None
    grading_worst_usd: float | None = None
    """What grading its outputs may cost, reserved beside it …"""
    grading_usd: float | None = None
    """… and what that is expected to cost, which is kept once it is answered. None where nobody is paid for it."""
    at: str
    pid: int
    host: str


class Handing(Struct, frozen=True, kw_only=True, tag_field="event", tag="handing"):
    """Started calls are about to be handed in as a Message Batch; a batch that no `Batched` names may hold them."""

    mark: str
    """Ends the custom ids of this batch's requests: no other batch of any run has the same."""
    calls: tuple[str, ...]
    at: str

    def custom_id(self, call_id: str) -> str:
        """What the batch calls the request of a call."""
        return f"{call_id}-{self.mark}"


class Batched(Struct, frozen=True, kw_only=True, tag_field="event", tag="batched"):
    """Started calls were handed in as a Message Batch: whoever starts next waits for it and does not ask again."""

    batch_id: str
    calls: tuple[str, ...]
    at: str


class Attempted(Struct, frozen=True, kw_only=True, tag_field="event", tag="attempt"):
    """A call ended without a final answer; its row stands in attempts.jsonl."""

    call_id: str
    outcome: str
    usd: float | None
    possibly_usd: float | None
    """Its worst case where it may have been billed."""
    at: str


class Finished(Struct, frozen=True, kw_only=True, tag_field="event", tag="finished"):
    """A call was answered. `reply` is what came back without its text, which stands in replies/<reply_sha256>.md."""

    call: CallRow
    reply: Reply
    count: Count
    """Of its prompt, which the charge is held against."""
    reply_sha256: str
    context_sha256: str
    reply_bytes: int | None = None
    """Of the reply's file: a shorter one was cut, by a power cut or by hand. None in journals that do not tell."""
    at: str


class Graded(Struct, frozen=True, kw_only=True, tag_field="event", tag="graded"):
    """A grader's call was answered; its row stands in grades/<grader>/calls.jsonl."""

    call_id: str
    usd: float | None
    at: str


Event = Started | Handing | Batched | Attempted | Finished | Graded
_DECODER = msgspec.json.Decoder(Event)


class Journal:
    """The journal of a run, open for reading and appending."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self.path = path
        self.torn = 0
        """Lines met that no event could be read from."""
        self._file = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o644)
        self._read_to = 0
        self._encoder = msgspec.json.Encoder()

    @contextmanager
    def locked(self) -> Iterator[list[Event]]:
        """Hold the file's lock; gives the events that others have appended since the last look."""
        fcntl.flock(self._file, fcntl.LOCK_EX)
        try:
            yield self._news()
        finally:
            fcntl.flock(self._file, fcntl.LOCK_UN)

    def append(self, event: Event) -> None:
        """Add one line; only while `locked`."""
        line = self._encoder.encode(event) + b"\n"
        written = os.write(self._file, line)
        if written != len(line):
            raise OSError(errno.ENOSPC, f"only {written} of {len(line)} bytes were written", str(self.path))
        self._read_to += len(line)

    def sync(self) -> None:
        """Put the lines on the disk. Safe from any thread."""
        os.fsync(self._file)

    def close(self) -> None:
        os.close(self._file)

    def _news(self) -> list[Event]:
        size = os.fstat(self._file).st_size
        if size == self._read_to:
            return []
        data = os.pread(self._file, size - self._read_to, self._read_to)
        self._read_to = size
        if not data.endswith(b"\n"):
            # whoever wrote this is dead: a writer holds the lock until its line is whole
            os.write(self._file, b"\n")
            self._read_to += 1
        events, torn = decode(data)
        self.torn += torn
        return events


def decode(data: bytes) -> tuple[list[Event], int]:
    """The events in the lines of a journal, and how many lines hold none: a dying process left them unfinished."""
    events: list[Event] = []
    torn = 0
    for line in data.split(b"\n"):
        if line:
            try:
                events.append(_DECODER.decode(line))
            except msgspec.MsgspecError:
                torn += 1
    return events, torn


def read_journal(path: Path) -> list[Event]:
    """The events in a journal, none where there is no file; for readers that append nothing."""
    return decode(path.read_bytes())[0] if path.exists() else []
