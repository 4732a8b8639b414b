"""Several clients of one model: a connection pool looks through all its connections at each request."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bench.models.clients import Client

MOST_IN_FLIGHT = 50
"""Calls over one client before another is opened: at 200 in flight over one, the search took more than the calls."""


class Pool:
    """Clients, opened as they are needed inside the running loop; `close` ends them all."""

    def __init__(self, open_: Callable[[], Client]) -> None:
        self._open = open_
        self._clients = [open_()]
        self._in_flight = [0]

    @property
    def first(self) -> Client:
        """The client for whatever is not asked by the hundred: counts and batches."""
        return self._clients[0]

    @contextmanager
    def taken(self) -> Iterator[Client]:
        """The client with the fewest calls in flight, for one more."""
        at = min(range(len(self._clients)), key=self._in_flight.__getitem__)
        if self._in_flight[at] >= MOST_IN_FLIGHT:
            at = len(self._clients)
            self._clients.append(self._open())
            self._in_flight.append(0)
        self._in_flight[at] += 1
        try:
            yield self._clients[at]
        finally:
            self._in_flight[at] -= 1

    async def close(self) -> None:
        for client in self._clients:
            await client.close()
