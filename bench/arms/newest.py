"""Handoffs that are the transcript itself: all of it, or its newest end by the budget cut or by plain size."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from bench.arms.model import WindowSpec
from bench.arms.projection import first_kept, newest_compaction
from bench.arms.records import Entry, entries_of
from bench.arms.window import cut_exact, cut_seed
from bench.text import CHARS_PER_TOKEN
from bench.transcripts.model import Message, Transcript
from bench.transcripts.render import render

UNCUT = 2**62
"""Characters of a tool result that are shown where nothing is cut."""
TAIL_NOTE = "[… what came before is left out]\n"
LINE_SHARE = 4
"""A tail begins at a line's start where one lies in the first 1/4 of its room; a longer line is cut inside."""


def full_text(transcript: Transcript) -> str:
    """The main line rendered whole, tool results uncut: the ceiling of every comparison."""
    return render(transcript.messages, UNCUT)


def window_text(transcript: Transcript, spec: WindowSpec) -> str:
    """The newest messages that fit `spec.tokens`, rendered; each is priced as it is rendered, the newest one stays."""
    entries = entries_of(transcript, _priced(transcript))
    branch = [e.record for e in entries]
    cut = cut_exact if spec.rule == "exact" else cut_seed
    return render(_held(entries[cut(branch, spec.tokens) or 0 :]), UNCUT)


def tail_text(transcript: Transcript, tokens: int) -> str:
    """The last `tokens` of the rendered transcript: the control of equal size, so it may begin inside a message."""
    text = full_text(transcript)
    room = tokens * CHARS_PER_TOKEN
    if len(text) <= room:
        return text
    room -= len(TAIL_NOTE)
    if room <= 0:
        return text[len(text) - tokens * CHARS_PER_TOKEN :]
    kept = text[len(text) - room :]
    line_end = kept.find("\n", 0, room // LINE_SHARE)
    return TAIL_NOTE + kept[line_end + 1 :]


def _priced(transcript: Transcript) -> Callable[[Message], int]:
    """Characters that a message takes in a rendered text, whether the calls it answers stand before it or not."""
    uses = {use.id: use for m in transcript.messages for use in m.tool_uses}

    def chars(message: Message) -> int:
        asked = tuple(uses[r.tool_use_id] for r in message.tool_results if r.tool_use_id in uses)
        calls = Message(role="assistant", author="assistant", blocks=asked)
        after_calls = len(render((calls, message), UNCUT)) - len(render((calls,), UNCUT)) if asked else 0
        return max(after_calls, len(render((message,), UNCUT)) + 1)

    return chars


def _held(entries: Sequence[Entry]) -> tuple[Message, ...]:
    """The messages that a context holds of `entries`: the newest compaction's summary, what it kept, all after."""
    branch = [e.record for e in entries]
    newest, kept = newest_compaction(branch), first_kept(branch)
    if newest is None:
        return tuple(e.message for e in entries)
    return tuple(e.message for e in (entries[newest], *entries[kept:newest], *entries[newest + 1 :]))
