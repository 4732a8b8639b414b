"""How full the context window is on each turn of a session, and how much of it is the handoff.

A turn begins with what a person typed. Its reading is taken from the usage of its answers: what the first one was sent
(`first_prompt`), and what the window held at its end (the last one's prompt and answer). The first turn of a window
that no compaction opened is the *floor*: system prompt, tools, rules and the first message, paid before any work. The
first prompt after a compaction less the floor is what the handoff weighs, with all that comes back beside it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

from msgspec import Struct

from bench.handoff.openers import Opener, openers_in
from bench.handoff.pins import is_pinnable
from bench.text import tokens_of_chars
from bench.transcripts.model import Message, Transcript, Usage
from bench.transcripts.view import full_compactions

Phase = Literal["fresh", "post-compact", "stock-compact"]
_PHASES: Mapping[str, Phase] = {"handoff": "post-compact", "stock": "stock-compact"}


class Reading(Struct, frozen=True, kw_only=True):
    """The window at the end of one turn. Tokens are the model's own counts; the handoff's are estimated."""

    turn: int
    """From 1 in each window: the first turn after a compaction is 1 again."""
    first: bool
    phase: Phase
    compaction: int
    """Which compaction opened the window; 0 before any."""
    tokens: int | None
    """What the window held at the end of the turn; None where no answer says it."""
    window: int | None
    percent: float | None
    messages: int
    """Messages in the window at the end of the turn."""
    handoff_chars: int | None
    handoff_tokens: int | None
    handoff_percent: float | None
    first_prompt: int | None = None
    """Tokens that the turn's first answer was sent."""
    answers: int | None = None
    """Answers of the turn that report usage: each read the whole window again. None where the file keeps no usage."""
    at: int | None = None
    """Index of the message that began the turn."""
    time: str | None = None
    model: str | None = None
    arm: str | None = None
    design: str | None = None


class Weight(Struct, frozen=True, kw_only=True):
    """What one compaction left in the window: its first prompt against the floor. None where one is not known."""

    compaction: int
    phase: Phase
    first_prompt: int | None
    floor: int | None
    tokens: int | None
    """first_prompt - floor."""
    handoff_tokens: int | None
    """Estimated tokens of the opener alone."""
    answers: int
    """Answers until the next compaction, each of which carries `tokens`."""


def reading(
    *,
    turn: int,
    messages: int,
    opener: Opener | None,
    tokens: int | None = None,
    window: int | None = None,
    percent: float | None = None,
    first_prompt: int | None = None,
    answers: int | None = None,
    at: int | None = None,
    time: str | None = None,
    model: str | None = None,
    arm: str | None = None,
    design: str | None = None,
) -> Reading:
    """A reading with its shares. `percent` is a harness's own, taken where they cannot be computed."""
    handoff_tokens = None if opener is None or opener.chars is None else tokens_of_chars(opener.chars)
    return Reading(
        turn=turn,
        first=turn == 1,
        phase=phase_of(opener),
        compaction=0 if opener is None else opener.n,
        tokens=tokens,
        window=window,
        percent=percent if (share := _share(tokens, window)) is None else share,
        messages=messages,
        handoff_chars=None if opener is None else opener.chars,
        handoff_tokens=handoff_tokens,
        handoff_percent=_share(handoff_tokens, window),
        first_prompt=first_prompt,
        answers=answers,
        at=at,
        time=time,
        model=model,
        arm=arm,
        design=design,
    )


def phase_of(opener: Opener | None) -> Phase:
    """fresh: no compaction opened the window; post-compact: a handoff did; stock-compact: the harness's summary did."""
    return "fresh" if opener is None else _PHASES[opener.kind]


def readings(transcript: Transcript, window: int | None = None) -> tuple[Reading, ...]:
    """One reading for every turn that has an answer, in order. `window`: the context window, tokens."""
    return tuple(r for stretch in _stretches(transcript) for r in _readings(transcript, *stretch, window))


def weights(found: Sequence[Reading]) -> tuple[Weight, ...]:
    """What each compaction left in the window, measured at its first turn against the first fresh turn."""
    floor = next((r.first_prompt for r in found if r.first and r.phase == "fresh"), None)
    begins = [i for i, r in enumerate(found) if r.first]
    windows = [found[i:j] for i, j in zip(begins, [*begins, len(found)][1:], strict=True)]
    return tuple(_weight(window, floor) for window in windows if window[0].phase != "fresh")


def _weight(window: Sequence[Reading], floor: int | None) -> Weight:
    first = window[0]
    return Weight(
        compaction=first.compaction,
        phase=first.phase,
        first_prompt=first.first_prompt,
        floor=floor,
        tokens=None if floor is None or first.first_prompt is None else first.first_prompt - floor,
        handoff_tokens=first.handoff_tokens,
        answers=sum(r.answers or 0 for r in window),
    )


def _stretches(transcript: Transcript) -> Iterator[tuple[int, int, Opener | None, int]]:
    """First and last message (exclusive), opener, and messages kept from before, of each window."""
    openers = list(openers_in(transcript.messages))
    for k, compaction in enumerate(full_compactions(transcript), 1):
        if compaction.summary_at is None:
            # the summary stands beside the conversation, or not in the file at all
            chars = None if compaction.summary is None else len(compaction.summary)
            openers.append(Opener(kind="stock", index=compaction.at, n=k, chars=chars))
    openers.sort(key=lambda o: o.index)
    kept = {c.summary_at if c.summary_at is not None else c.at: len(c.preserved) for c in full_compactions(transcript)}
    starts = [0, *(o.index for o in openers)]
    ends = [*starts[1:], len(transcript.messages)]
    for start, end, opener in zip(starts, ends, [None, *openers], strict=True):
        if end > start:
            yield start, end, opener, kept.get(start, 0)


def _readings(
    transcript: Transcript, start: int, end: int, opener: Opener | None, kept: int, window: int | None
) -> Iterator[Reading]:
    messages = transcript.messages
    typed = [i for i in range(start, end) if is_pinnable(messages[i])]
    # after a compaction the model may go on before anyone types again: that is the window's first turn
    begins = typed if typed and not _answers(messages[start : typed[0]]) else [start, *typed]
    counted = any(m.usage is not None for m in messages)
    turn = 0
    for first, last in zip(begins, [*begins[1:], end], strict=True):
        answers = _answers(messages[first:last])
        if not answers:
            continue
        turn += 1
        used = [a.usage for a in answers if a.usage is not None and _prompt(a.usage)]
        yield reading(
            turn=turn,
            messages=last - start + kept,
            opener=opener,
            tokens=_prompt(used[-1]) + used[-1].output if used else None,
            window=window,
            first_prompt=_prompt(used[0]) if used else None,
            answers=len(used) if counted else None,
            at=first,
            time=answers[-1].time,
            model=answers[-1].model,
        )


def _answers(messages: Sequence[Message]) -> list[Message]:
    return [m for m in messages if m.role == "assistant"]


def _prompt(usage: Usage) -> int:
    return usage.input + usage.cache_read + usage.cache_write_5m + usage.cache_write_1h


def _share(tokens: int | None, window: int | None) -> float | None:
    """Percent of the window, to one decimal."""
    return None if tokens is None or not window else math.floor(tokens / window * 1000 + 0.5) / 10
