"""Runs what a schedule starts: one task each, until nothing is in flight and nothing more will start."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, Generic, Literal, TypeVar

from bench.calls.schedule import Schedule
from bench.calls.stopping import Stopping

T = TypeVar("T")

POLL_S = 0.5
"""How often work that another process holds is looked at again."""

Fed = Literal["added", "later", "none"]
"""Whether the schedule got more to start, may get more once others let go of it, or has all there is."""


class Runner(Generic[T]):
    """Use once: `await run()`; `interrupt()` from its loop ends it early.

    `work` makes the coroutine of a name that the schedule starts; `ended` is told of each that ended, with what it
    brought, None where it was cancelled. `feed` is asked for more where a slot stays free. What any of them raises ends
    the run and is raised by it. After a stop for money names are still started, since what has an answer already costs
    nothing more; after an interrupt none is.
    """

    def __init__(
        self,
        schedule: Schedule,
        stopping: Stopping,
        clock: Callable[[], float],
        *,
        work: Callable[[str], Coroutine[Any, Any, T | None]],
        ended: Callable[[str, T | None], None],
        feed: Callable[[], Fed] = lambda: "none",
    ) -> None:
        self._schedule = schedule
        self._stopping = stopping
        self._clock = clock
        self._work = work
        self._told = ended
        self._feed = feed
        self._tasks: dict[asyncio.Task[T | None], str] = {}
        self._news = asyncio.Event()
        self._trouble: BaseException | None = None

    async def run(self) -> None:
        """Done when nothing is in flight and nothing more will start."""
        try:
            while self._step():
                await self._news.wait()
                self._news.clear()
        finally:
            self._cancel()
            while self._tasks:
                await asyncio.wait(self._tasks)
        self.check()

    def began(self, name: str) -> None:
        """The first content of a name in flight: from here on others may read what it wrote."""
        self._schedule.began(name)
        self._news.set()

    def interrupt(self) -> None:
        """Start nothing more and give up what is in flight."""
        self._stopping.interrupt()
        self._cancel()
        self._news.set()

    def fail(self, error: BaseException) -> None:
        """What went wrong is none of a model's doing: end the run and raise it."""
        self._trouble = self._trouble or error
        self.interrupt()

    def check(self) -> None:
        """Nothing, or raises what ended the run."""
        if self._trouble is not None:
            raise self._trouble

    def _step(self) -> bool:
        """Start what may start; False when all is over."""
        if self._trouble is not None:
            return False
        self._launch()
        fed: Fed = "none"
        while not self._stopping and self._schedule.hungry(self._clock()) and (fed := self._feed()) == "added":
            self._launch()
        if self._tasks:
            return True
        if self._stopping or fed == "none":
            return False
        asyncio.get_running_loop().call_later(POLL_S, self._news.set)
        return True

    def _launch(self) -> None:
        if self._stopping.interrupted:
            return
        for name in self._schedule.launch(self._clock()):
            task = asyncio.create_task(self._work(name))
            self._tasks[task] = name
            task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[T | None]) -> None:
        name = self._tasks.pop(task)
        try:
            self._told(name, None if task.cancelled() else task.result())
        except BaseException as error:
            self.fail(error)
        self._schedule.ended(name)
        self._news.set()

    def _cancel(self) -> None:
        for task in self._tasks:
            task.cancel()
