"""Where a chain cuts a conversation: into stretches, each of which ends in a compaction.

The session's own compactions are the cuts where it has just as many; else typed turns nearest to equal shares of its
tokens, since a window is handed over between two asks. A session with too few typed turns (an agent that was asked
once) is cut between a result and the next answer, as a harness does that compacts inside a turn.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise

from bench.errors import BenchError
from bench.handoff.pins import is_pinnable
from bench.transcripts.model import Transcript
from bench.transcripts.view import full_compactions, summary_indices


def cuts_of(transcript: Transcript, steps: int) -> tuple[int, ...]:
    """The first message of each stretch but the first: `steps` - 1 indices into the main line, rising.

    Raises BenchError where the conversation cannot be cut so often.
    """
    if steps < 2:
        return ()
    own = tuple(sorted({c.at for c in full_compactions(transcript)}))
    if len(own) == steps - 1 and _all_speak(transcript, own):
        return own
    typed = _places(transcript, typed=True)
    places = typed if len(typed) >= steps - 1 else _places(transcript, typed=False)
    if len(places) < steps - 1:
        most = len(places) + 1
        raise BenchError(f"the conversation cannot be cut for a chain of {steps}; at most chain = {most} is possible")
    return _nearest(_tokens_before(transcript), places, steps)


def spans(cuts: Sequence[int], messages: int) -> tuple[tuple[int, int], ...]:
    """First message of each stretch, and the one behind its last; one stretch without cuts."""
    return tuple(pairwise((0, *cuts, messages)))


def _all_speak(transcript: Transcript, cuts: Sequence[int]) -> bool:
    """Whether each stretch holds more than a harness's own summary."""
    summaries = summary_indices(transcript)
    return all(any(i not in summaries for i in range(*span)) for span in spans(cuts, len(transcript.messages)))


def _places(transcript: Transcript, *, typed: bool) -> list[int]:
    """Messages that a stretch may begin with: turns that a person typed, or whatever answers no call."""
    summaries = summary_indices(transcript)
    first = next((i for i in range(len(transcript.messages)) if i not in summaries), 0)
    later = [(i, m) for i, m in enumerate(transcript.messages) if i > first and i not in summaries]
    return [i for i, m in later if (is_pinnable(m) if typed else m.role != "system" and not m.tool_results)]


def _tokens_before(transcript: Transcript) -> list[int]:
    """Estimated tokens before each message, and of all, harness's summaries aside."""
    summaries = summary_indices(transcript)
    sizes = (0 if i in summaries else m.tokens for i, m in enumerate(transcript.messages))
    return [0, *accumulate(sizes)]


def _nearest(before: Sequence[int], places: Sequence[int], steps: int) -> tuple[int, ...]:
    """Of `places`, one for each cut: nearest to its share, each behind the last, the earlier of two equally near."""
    chosen: list[int] = []
    at = 0
    for n in range(1, steps):
        target = before[-1] * n / steps
        free = range(at, len(places) - (steps - 1 - n))  # enough stay for the cuts that are still to come
        at = min(free, key=lambda i: (abs(before[places[i]] - target), i))
        chosen.append(places[at])
        at += 1
    return tuple(chosen)
