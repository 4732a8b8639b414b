"""What the parts of a handoff are read from: a transcript's calls, and all that follows from them. Read once.

A run assembles hundreds of handoffs around one conversation, and reading its commands takes longer than all else.
"""

from __future__ import annotations

from functools import cached_property, lru_cache

from bench.handoff.calls import Call, calls_of
from bench.handoff.ledger import render_ledger
from bench.handoff.ledger_rows import Row, ledger_rows
from bench.handoff.state import render_state, state_of
from bench.handoff.touched import Mention, Touched, mentions_in, touched_files
from bench.transcripts.model import Transcript
from bench.transcripts.view import full_compactions

KEPT = 8
"""Transcripts whose sources are kept at a time."""


class Sources:
    """The sources of one transcript, each read when it is first asked for."""

    def __init__(self, transcript: Transcript) -> None:
        self.transcript = transcript

    @cached_property
    def calls(self) -> tuple[Call, ...]:
        """Every call of the main line."""
        return calls_of(self.transcript.messages)

    @cached_property
    def rows(self) -> tuple[Row, ...]:
        """The ledger's rows, of the calls since the last compaction: earlier ones stand in that one's own handoff."""
        fulls = full_compactions(self.transcript)
        if not fulls:
            return ledger_rows(self.calls)
        last = fulls[-1]
        return ledger_rows(call for call in self.calls if call.at >= last.at or call.at in last.preserved)

    @cached_property
    def ledger(self) -> str:
        return render_ledger(self.rows)

    @cached_property
    def state(self) -> str:
        return render_state(state_of(self.transcript, self.calls))

    @cached_property
    def touched(self) -> tuple[Touched, ...]:
        return touched_files(self.calls)

    @cached_property
    def mentions(self) -> tuple[Mention, ...]:
        return mentions_in(self.calls)


def sources_of(transcript: Transcript) -> Sources:
    """The sources of this very transcript; asked again for the same object, those that were read before."""
    return _sources(_Same(transcript))


class _Same:
    """Equal to another one around the same object: a transcript is large, and holds what cannot be hashed."""

    def __init__(self, transcript: Transcript) -> None:
        self.transcript = transcript

    def __hash__(self) -> int:
        return id(self.transcript)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and self.transcript is other.transcript


@lru_cache(maxsize=KEPT)
def _sources(same: _Same) -> Sources:
    return Sources(same.transcript)
