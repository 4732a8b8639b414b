"""The stretch of a session after a compaction, and one before it that nothing cut: what a measure is taken over."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from posixpath import isabs, join, normpath

from msgspec import Struct
from msgspec.structs import replace

from bench.handoff.calls import Call, calls_of
from bench.handoff.openers import lineage_in
from bench.transcripts.model import Compaction, Message, Transcript
from bench.transcripts.view import full_compactions

SOON_MESSAGES = 60
"""What is done again later than so many messages after a compaction has other causes, too."""
LEAST_COMPARED = 10
"""Fewer messages are no base to count against."""


class Session(Struct, frozen=True, dict=True):
    """A transcript with its calls read once."""

    transcript: Transcript

    @property
    def messages(self) -> tuple[Message, ...]:
        return self.transcript.messages

    @cached_property
    def calls(self) -> tuple[Call, ...]:
        return calls_of(self.messages)

    def path(self, path: str) -> str:
        """The file under one name, whether the session wrote it relative to its folder or in full."""
        cwd = self.transcript.cwd
        return normpath(path if isabs(path) or cwd is None or path.startswith("~") else join(cwd, path))

    def shown(self, path: str) -> str:
        """The path as it is told: relative to the session's folder where it lies in it."""
        cwd = self.transcript.cwd
        return path.removeprefix(cwd.rstrip("/") + "/") if cwd else path


class Stretch(Struct, frozen=True, kw_only=True):
    """Messages `pivot` to `end` (exclusive), and those from `begin` that the model had before them in its context."""

    begin: int
    pivot: int
    end: int
    start: int
    """The first message after the pivot that counts: a summary that stands at the pivot does not."""
    kept: frozenset[int] = frozenset()
    """Messages before the pivot that stayed in the context word for word."""

    def behind(self, at: int) -> bool:
        """Whether the message stood in the context before the pivot and no longer does after it."""
        return self.begin <= at < self.pivot and at not in self.kept

    def ahead(self, at: int) -> bool:
        """Whether the message comes after the pivot."""
        return self.start <= at < self.end


class Cut(Struct, frozen=True, kw_only=True):
    """One full compaction: the whole window after it, its beginning, and a base of the same length.

    The base is the stretch that begins in the middle of the window before, as though it had been cut there: what is
    done again in it is done again with everything still in the context. None where the windows are too short.
    """

    number: int
    compaction: Compaction
    handoff: bool
    """Whether a handoff with a lineage opened the window, not the harness's own summary."""
    whole: Stretch
    soon: Stretch
    base: Stretch | None

    @property
    def compared(self) -> int:
        """Messages of `soon`, and of `base`."""
        return self.soon.end - self.soon.start


def cuts(session: Session) -> Iterator[Cut]:
    """Every full compaction of the session, in order."""
    fulls = full_compactions(session.transcript)
    begin = 0
    ends = [*(c.at for c in fulls[1:]), len(session.messages)] if fulls else []
    for number, (compaction, end) in enumerate(zip(fulls, ends, strict=True), 1):
        at = compaction.at
        start = at if compaction.summary_at is None else max(at, compaction.summary_at + 1)
        middle = (begin + at + 1) // 2
        length = min(SOON_MESSAGES, max(end - start, 0), at - middle)
        based = length >= LEAST_COMPARED
        whole = Stretch(begin=begin, pivot=at, start=start, end=max(end, start), kept=frozenset(compaction.preserved))
        opener = compaction.summary_at
        yield Cut(
            number=number,
            compaction=compaction,
            handoff=opener is not None and lineage_in(session.messages[opener]) is not None,
            whole=whole,
            soon=replace(whole, end=start + length if based else min(whole.end, start + SOON_MESSAGES)),
            base=Stretch(begin=begin, pivot=middle, start=middle, end=middle + length) if based else None,
        )
        begin = start
