"""How far behind a handoff is that was written early, by the rule that refreshes it between turns. Pure.

A pipeline that may not wait for a handoff inside the compaction writes one between turns and reads it then. At each
turn's end one that is finished takes its place, and another is begun where the rule allows. What was said since the
newest one began to be written is what it does not know: so many messages it is behind.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from datetime import datetime

from msgspec import Struct

from bench.handoff.pins import is_pinnable
from bench.rows import MOST_STALE
from bench.transcripts.model import Message, Transcript
from bench.transcripts.view import full_compactions

WRITING_S = 120.0
"""What writing a handoff takes unless told otherwise: the median of warm forks in a real pipeline's log."""


class Rule(Struct, frozen=True, kw_only=True):
    """When a handoff is refreshed. Times in seconds; they count only where a session tells its times."""

    first_messages: int = 20
    """No handoff before there are so many messages …"""
    new_messages: int = 20
    """… and no other one until so many have come since …"""
    gap_s: float = 600.0
    """… and so long after the last was begun."""
    given_up_s: float = 900.0
    """One that is not finished by then is dead, and another may be begun."""
    writing_s: float = WRITING_S


RULE = Rule()


class Refresh(Struct, frozen=True, kw_only=True):
    """One handoff that was begun. `at` is the index of the message that would come next: it knows all before."""

    at: int
    time: str | None
    landed: int | None
    """Where it took its place, as `at`; None where it never did."""
    given_up: bool = False


class Replay(Struct, frozen=True, kw_only=True):
    """What the rule does over a session."""

    timed: bool
    """Whether the times of the rule were kept; without times it goes by messages alone."""
    refreshes: tuple[Refresh, ...]
    behind: tuple[int | None, ...]
    """For a compaction after each message: how many messages it finds its handoff behind; None where there is none."""

    @property
    def at_end(self) -> int | None:
        """What a compaction at the session's end finds."""
        return self.behind[-1] if self.behind else None


class Staleness(Struct, frozen=True, kw_only=True):
    """What a compaction at a random moment finds, every message as likely. Shares of 1; numbers of messages."""

    moments: int
    without: float | None
    """Share that finds no handoff; None without moments."""
    fresh: float | None
    too_stale: float | None
    """Share that finds one more than `MOST_STALE` behind."""
    median: int | None
    """Of those that find one."""
    p90: int | None
    most: int | None


def replay(transcript: Transcript, rule: Rule = RULE) -> Replay:
    """What the rule does over the main line; each compaction begins it anew, for the conversation is another then."""
    times = _times(transcript.messages)
    starts = [0, *sorted({c.at for c in full_compactions(transcript) if c.at})]
    refreshes: list[Refresh] = []
    behind: list[int | None] = []
    for start, end in zip(starts, [*starts[1:], len(transcript.messages)], strict=True):
        walk = _Walk(transcript.messages, times, rule, start)
        behind += [walk.step(n) for n in range(start + 1, end + 1)]
        refreshes += walk.refreshes()
    return Replay(timed=times is not None, refreshes=tuple(refreshes), behind=tuple(behind))


def staleness(found: Replay) -> Staleness:
    """What a compaction at a random moment finds."""
    moments = len(found.behind)
    known = sorted(k for k in found.behind if k is not None)
    late = sum(k > MOST_STALE for k in known)

    def share(n: int) -> float | None:
        return n / moments if moments else None

    return Staleness(
        moments=moments,
        without=share(moments - len(known)),
        fresh=share(len(known) - late),
        too_stale=share(late),
        median=_quantile(known, 0.5),
        p90=_quantile(known, 0.9),
        most=known[-1] if known else None,
    )


class _Walk:
    """The rule over one window, message by message."""

    def __init__(self, messages: Sequence[Message], times: Sequence[float] | None, rule: Rule, start: int) -> None:
        self._messages = messages
        self._times = times
        self._rule = rule
        self._start = start
        self._begun: list[int] = []
        self._landed: dict[int, int] = {}
        self._dead: set[int] = set()
        self._pending: int | None = None
        self._ready: int | None = None

    def step(self, n: int) -> int | None:
        """How far behind a compaction before message `n` finds its handoff."""
        if self._turn_ends(n):
            self._promote(n)
            if self._may_begin(n):
                self._begun.append(n)
                self._pending = n
        return None if self._ready is None else n - self._ready

    def refreshes(self) -> Iterator[Refresh]:
        for at in self._begun:
            time = self._messages[at - 1].time
            yield Refresh(at=at, time=time, landed=self._landed.get(at), given_up=at in self._dead)

    def _turn_ends(self, n: int) -> bool:
        last = self._messages[n - 1]
        if n < len(self._messages):
            return is_pinnable(self._messages[n])
        return last.role == "assistant" and not last.tool_uses

    def _promote(self, n: int) -> None:
        """A finished handoff takes its place; one that takes too long is given up."""
        at = self._pending
        if at is None:
            return
        passed = self._passed(at, n)
        if passed is None or (passed >= self._rule.writing_s and self._rule.writing_s <= self._rule.given_up_s):
            self._landed[at] = n
            self._ready, self._pending = at, None
        elif passed >= self._rule.given_up_s:
            self._dead.add(at)
            self._pending = None

    def _may_begin(self, n: int) -> bool:
        if self._pending is not None or n - self._start < self._rule.first_messages:
            return False
        if self._ready is not None and n - self._ready < self._rule.new_messages:
            return False
        passed = self._passed(self._begun[-1], n) if self._begun else None
        return passed is None or passed >= self._rule.gap_s

    def _passed(self, since: int, n: int) -> float | None:
        """Seconds between two turns' ends; None where times are not told."""
        return None if self._times is None else self._times[n - 1] - self._times[since - 1]


def _times(messages: Sequence[Message]) -> list[float] | None:
    """Seconds since the first message, never going back; a message without a time has that of the one before.

    None where fewer than two messages tell a time: nothing can be measured then.
    """
    told = [_seconds(m.time) for m in messages]
    known = [t for t in told if t is not None]
    if len(known) < 2:
        return None
    out: list[float] = []
    latest = known[0]
    for time in told:
        latest = max(latest, time if time is not None else latest)
        out.append(latest)
    return out


def _seconds(time: str | None) -> float | None:
    try:
        return datetime.fromisoformat(time or "").timestamp()
    except (ValueError, OverflowError, OSError):
        return None


def _quantile(known: Sequence[int], share: float) -> int | None:
    """The least that so large a share of them stays within."""
    return known[math.ceil(share * len(known)) - 1] if known else None
