"""What a window of a chain holds: a stretch of the conversation, opened by the handoff of the window before."""

from __future__ import annotations

from msgspec.structs import replace

from bench.chains.cuts import spans
from bench.fixtures import Fixture
from bench.handoff.lineage import Lineage
from bench.transcripts.model import Message, Text, Transcript
from bench.transcripts.view import seen_at, stretch


def window_of(fixture: Fixture, step: int, opener: str | None = None) -> Transcript:
    """The conversation as the model has it at the `step`-th compaction (from 1), all of it where nothing is cut.

    `opener`: the handoff that the window begins with; from the second step on there always is one.
    """
    if not fixture.cuts:
        return seen_at(fixture.transcript)
    start, end = spans(fixture.cuts, len(fixture.transcript.messages))[step - 1]
    messages = stretch(fixture.transcript, start, end)
    if opener is not None:
        messages = (opening(opener), *messages)
    return replace(fixture.transcript, messages=messages, sides=(), compactions=(), counted=None)


def at_step(fixture: Fixture, step: int, window: Transcript | None = None) -> Fixture:
    """The fixture as an arm without a model meets it at that step: its transcript is the window. Uncut, as it is."""
    if not fixture.cuts:
        return fixture
    return replace(fixture, step=step, transcript=window or fixture.transcript)


def opening(handoff: str) -> Message:
    """The message that a window begins with: the handoff, word for word, in the user's role; nobody typed it."""
    return Message(role="user", author="compaction", blocks=(Text(handoff),))


def lineage_at(fixture: Fixture, step: int) -> Lineage | None:
    """The lineage of the handoff of that step; None outside a chain."""
    if not fixture.cuts:
        return None
    return Lineage(session=fixture.transcript.session_id or fixture.name, n=step, prev=step - 1 or None)
