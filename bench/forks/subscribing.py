"""Other packages' work that runs beside a fork: started as the model is asked, each with its own time, never waited for
longer, and never costing the fork a thing.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from collections.abc import Mapping

from bench.beside import Begun, Beside, Ended
from bench.forks.fork import Fork
from bench.models.protocol import Context
from bench.plugins import Denied, Subscriber
from bench.text import clip, printable

LIMIT_S = 90.0
"""Seconds that a subscriber may take where it names no `timeout_s` of its own."""
DETAIL_CHARS = 300
"""Most of an exception's text that is kept."""
INTERRUPTED = "the run was interrupted"


class Work:
    """The subscribers at work beside one fork. Made, and waited for, in one event loop."""

    def __init__(self, subscribers: Mapping[str, Subscriber], begun: Begun) -> None:
        self._loop = asyncio.get_running_loop()
        self._began = time.monotonic()
        self._results = {name: self._loop.create_future() for name in subscribers}
        self._limits: list[asyncio.TimerHandle] = []
        for name, subscriber in subscribers.items():
            limit = float(getattr(subscriber, "timeout_s", LIMIT_S))
            told = f"no end after {limit:g} s; left running"
            self._limits.append(self._loop.call_later(limit, self._end, name, "timed out", told))
            # a thread of its own that may be left behind: a pool would be waited for at the end of the run
            threading.Thread(
                target=self._run, args=(name, subscriber, begun), name=f"beside {name}", daemon=True
            ).start()

    @property
    def over(self) -> bool:
        return all(result.done() for result in self._results.values())

    @property
    def results(self) -> tuple[Beside, ...]:
        """What came of those that have ended, or had their time."""
        return tuple(result.result() for result in self._results.values() if result.done())

    async def ended(self) -> None:
        """All have ended, or had their time."""
        for result in self._results.values():
            await result

    def give_up(self) -> None:
        """Wait for none of them any longer."""
        for name in self._results:
            self._end(name, "timed out", INTERRUPTED)
        for limit in self._limits:
            limit.cancel()

    def _run(self, name: str, subscriber: Subscriber, begun: Begun) -> None:
        outcome: Ended = "ok"
        detail = None
        try:
            subscriber.beside(begun)
        except Denied as denied:
            outcome, detail = "denied", str(denied)
        except BaseException as error:  # another's code, in a thread that nobody else looks after
            outcome, detail = "threw", f"{type(error).__name__}: {error}"
        with contextlib.suppress(RuntimeError):  # the loop is closed: the run went on without it
            self._loop.call_soon_threadsafe(self._end, name, outcome, detail)

    def _end(self, name: str, outcome: Ended, detail: str | None) -> None:
        if self._results[name].done():
            return
        told = clip(printable(detail).replace("\n", " "), DETAIL_CHARS) if detail else None
        seconds = round(time.monotonic() - self._began, 3)
        self._results[name].set_result(Beside(name=name, outcome=outcome, detail=told, seconds=seconds))


class Subscribers:
    """Starts a run's subscribers beside each fork, once, however often the model has to be asked."""

    def __init__(self, run: str, subscribers: Mapping[str, Subscriber]) -> None:
        self._run = run
        self._subscribers = subscribers
        self._work: dict[str, Work] = {}

    def begin(self, fork: Fork, context: Context) -> None:
        """The fork is being asked."""
        if not self._subscribers or fork.is_pass or fork.reply_sha256 in self._work:
            return
        begun = Begun(
            run=self._run,
            fixture=fork.fixture,
            model=fork.model,
            arms=tuple(cell.arm for cell in fork.cells),
            replicate=fork.replicate,
            stale_by=fork.cells[0].stale_by,
            context_sha256=context.sha256,
            context=context.body,
            instruction=fork.instruction,
        )
        self._work[fork.reply_sha256] = Work(self._subscribers, begun)

    def of(self, reply_sha256: str) -> Work | None:
        """Who works beside that fork; None where nobody does."""
        return self._work.get(reply_sha256)

    def came(self, reply_sha256: str) -> tuple[Beside, ...]:
        """What came of all who worked beside that fork and have ended."""
        work = self._work.get(reply_sha256)
        return () if work is None else work.results

    def give_up(self) -> None:
        """Wait for nobody any longer."""
        for work in self._work.values():
            work.give_up()
