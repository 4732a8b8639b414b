"""A deterministic extractive summary: sentences and lines of the transcript itself, chosen within a token budget.

Method: budgeted maximum coverage by the cost-scaled greedy of Lin and Bilmes (2010, "Multi-document summarization via
budgeted maximization of submodular functions"), evaluated lazily (Minoux 1978). Each term has a weight: its rarity over
messages, more where a person used it, where it recurs, and where it is a path, a name or a number; less where only tool
output has it. Covering a term again is worth `REPEAT` of the time before, so gains only shrink and a stale one in the
heap is an upper bound. A unit's gain is its terms' worth times what its source and its place are worth, by length; a
source's worth falls with the room it has taken (the diversity reward of Lin and Bilmes, 2011).
"""

from __future__ import annotations

import heapq
import math
from collections import Counter, defaultdict
from collections.abc import Sequence

from bench.arms.units import Source, Unit, units_of
from bench.text import CHARS_PER_TOKEN
from bench.transcripts.model import Transcript

REPEAT = 0.3
"""What covering a term once more is worth, as a share of the time before."""
COST_POWER = 0.75
"""Gain is divided by length to this power: below 1, a full sentence beats its fragments."""
SOURCE_WORTH: dict[Source, float] = {
    "user": 3.0, "summary": 1.5, "assistant": 1.2, "ran": 1.0, "error": 1.0, "output": 0.5, "note": 0.2,
}  # fmt: skip
"""User turns first: an ask, a rule or a correction is lost for good, a file can be read again."""
CROWDING = 6.0
"""A source that has taken all of the room so far is worth 1 / (1 + CROWDING) of its worth at the start."""
RECENCY = (0.7, 1.3)
"""Worth of the oldest and of the newest message; a person's turns keep 1 wherever they stand."""
BY_PERSON, RECURS, EXACT, ONLY_OUTPUT = 1.5, 1.5, 2.5, 0.3
"""Factors of a term's weight; EXACT is for one with a digit or a sign in it: paths, identifiers, numbers."""


def extract_text(transcript: Transcript, tokens: int) -> str:
    """At most `tokens` estimated tokens of the transcript's own lines, in its order; the same input, the same text."""
    units = units_of(transcript.messages)
    chosen = _choose(units, len(transcript.messages), tokens * CHARS_PER_TOKEN)
    return "\n".join(units[i].line for i in sorted(chosen))


def _choose(units: Sequence[Unit], messages: int, room: int) -> list[int]:
    """Indices of the chosen units, by falling gain; their lines joined take at most `room` characters."""
    weights = _weights(units)
    times: Counter[str] = Counter()
    taken: Counter[Source] = Counter()
    whole = max(room, 1)

    def gain(i: int) -> float:
        unit = units[i]
        worth = sum(weights[t] * math.pow(REPEAT, times[t]) for t in unit.terms)
        source = SOURCE_WORTH[unit.source] / (1 + CROWDING * taken[unit.source] / whole)
        return worth * source * _place(unit, messages) / math.pow(len(unit.line), COST_POWER)

    heap = [(-gain(i), i) for i in range(len(units))]
    heapq.heapify(heap)
    chosen: list[int] = []
    while heap:
        _, i = heapq.heappop(heap)
        cost = len(units[i].line) + bool(chosen)  # the line break
        if cost > room:
            continue
        now = -gain(i)
        if heap and (now, i) > heap[0]:
            heapq.heappush(heap, (now, i))
            continue
        chosen.append(i)
        room -= cost
        times.update(units[i].terms)
        taken[units[i].source] += cost
    return chosen


def _weights(units: Sequence[Unit]) -> dict[str, float]:
    spread: defaultdict[str, set[int]] = defaultdict(set)
    sources: defaultdict[str, set[Source]] = defaultdict(set)
    for unit in units:
        for term in unit.terms:
            spread[term].add(unit.message)
            sources[term].add(unit.source)
    count = len({u.message for u in units})
    return {term: _weight(term, len(spread[term]), count, sources[term]) for term in spread}


def _weight(term: str, messages: int, count: int, sources: set[Source]) -> float:
    weight = math.log(1 + count / messages)
    if "user" in sources:
        weight *= BY_PERSON
    elif not sources & {"assistant", "summary", "ran"}:
        weight *= ONLY_OUTPUT
    if messages > 1:
        weight *= RECURS
    return weight * (EXACT if not term.isalpha() else 1.0)


def _place(unit: Unit, messages: int) -> float:
    if unit.source == "user":
        return 1.0
    oldest, newest = RECENCY
    return oldest + (newest - oldest) * unit.message / max(messages - 1, 1)
