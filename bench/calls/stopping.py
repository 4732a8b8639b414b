"""Whether a run still starts calls, and if not, why."""

from __future__ import annotations

import asyncio


class Stopping:
    """That a run starts no further call, and why; waiting ends with it. Made inside the event loop."""

    def __init__(self) -> None:
        self.reason: str | None = None
        self.by_budget = False
        self.interrupted = False
        self._over: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def __bool__(self) -> bool:
        return self.reason is not None

    def stop(self, reason: str, *, by_budget: bool = False) -> None:
        """Start nothing more; the first reason is kept."""
        if self.reason is None:
            self.reason, self.by_budget = reason, by_budget
            self._over.set_result(None)

    def interrupt(self) -> None:
        """A person wants it to end now."""
        self.interrupted = True
        self.stop("interrupted")

    async def nap(self, sleeping: asyncio.Future[None]) -> None:
        """Wait for `sleeping`, or until the run stops."""
        try:
            await asyncio.wait((sleeping, self._over), return_when=asyncio.FIRST_COMPLETED)
        finally:
            sleeping.cancel()
