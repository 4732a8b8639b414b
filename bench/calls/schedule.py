"""Which fork starts when: a pure controller, tested without clock or network.

Per group (one context, one model) one fork goes first and alone until its first content event, since a cache entry can
be read only then; the rest fan out up to the concurrency. Groups come in order, so that one group's forks stay inside
the cache's lifetime; a later group starts only in slots that the earlier ones cannot use.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence

CACHE_LIFETIME_S = 300.0
"""Of a 5-minute cache entry, from the start of the last request that wrote or read it."""


class GroupSchedule:
    """Forks over one context of one model: cold (nothing cached), warming (one alone), or warm (the rest may go).

    `cached` False: nothing is to be written once and read, and none needs to go alone.
    """

    def __init__(
        self,
        name: str,
        model: str,
        forks: Iterable[str],
        lifetime_s: float = CACHE_LIFETIME_S,
        *,
        cached: bool = True,
    ) -> None:
        self.name = name
        self.model = model
        self.waiting = deque(forks)
        self.started: dict[str, float] = {}
        """Forks in flight and when each started."""
        self._lifetime_s = lifetime_s
        self._cached = cached
        self._read_at: float | None = None
        """Start of the newest request known to have written or read the entry; None while there is none."""

    def ready(self, now: float) -> bool:
        """Whether a fork may start."""
        return bool(self.waiting) and (not self._cached or not self.started or self._warm(now))

    def start(self, now: float) -> str:
        """The fork to start; only when `ready`."""
        fork = self.waiting.popleft()
        self.started[fork] = now
        return fork

    def began(self, fork: str) -> None:
        """The first content event of a fork: from here on the entry can be read."""
        at = self.started.get(fork)
        if at is not None:
            self._read_at = at if self._read_at is None else max(at, self._read_at)

    def ended(self, fork: str) -> None:
        """A fork is done, answered or not."""
        self.started.pop(fork, None)

    def _warm(self, now: float) -> bool:
        return self._read_at is not None and now - self._read_at < self._lifetime_s


class Schedule:
    """All groups of a run under one concurrency; `limits` holds models to fewer forks at once."""

    def __init__(
        self,
        groups: Sequence[GroupSchedule] = (),
        *,
        concurrency: int,
        limits: Mapping[str, int] | None = None,
        lifetime_s: float = CACHE_LIFETIME_S,
    ) -> None:
        self.lifetime_s = lifetime_s
        """Of the cache entries that its groups write."""
        self.groups: list[GroupSchedule] = []
        self.in_flight = 0
        self._concurrency = concurrency
        self._limits = dict(limits or {})
        self._group_of: dict[str, GroupSchedule] = {}
        self._stopped = False
        for group in groups:
            self.add(group)

    def add(self, group: GroupSchedule) -> None:
        """A further group, behind the ones that are there."""
        self.groups.append(group)
        self._group_of.update((fork, group) for fork in group.waiting)

    def hungry(self, now: float) -> bool:
        """Whether a slot is free that no group here can use: a further one may be added."""
        return not self._stopped and self.in_flight < self._concurrency and not any(g.ready(now) for g in self.groups)

    def launch(self, now: float) -> list[str]:
        """The forks to start now, marked as started."""
        out: list[str] = []
        for group in self.groups:
            while not self._stopped and group.ready(now) and self._free(group.model):
                out.append(group.start(now))
                self.in_flight += 1
        self.groups = [g for g in self.groups if g.waiting or g.started]
        return out

    def began(self, fork: str) -> None:
        """The first content event of a fork."""
        self._group_of[fork].began(fork)

    def ended(self, fork: str) -> None:
        """A fork is done, answered or not."""
        self._group_of.pop(fork).ended(fork)
        self.in_flight -= 1

    def stop(self) -> list[str]:
        """Start nothing any more; returns the forks that will not run."""
        self._stopped = True
        return [fork for group in self.groups for fork in group.waiting]

    def _free(self, model: str) -> bool:
        if self.in_flight >= self._concurrency:
            return False
        limit = self._limits.get(model)
        return limit is None or sum(len(g.started) for g in self.groups if g.model == model) < limit
