"""An event loop of one's own, in a thread: works from plain code and from inside a running loop (Jupyter) alike."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from typing import Any, Generic, TypeVar

T = TypeVar("T")

LOOK_UP_S = 0.25
"""How often the waiting caller looks whether it was interrupted."""


class Interruptible(Generic[T]):
    """A coroutine run to its end in a thread. An interrupt of the caller is handed to it, and its result still comes.

    The coroutine says with `on_interrupt` what an interrupt does; until it has, an interrupt cancels it.
    """

    def __init__(self) -> None:
        self.interrupted = False
        self._result: Future[T] = Future()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._task: asyncio.Task[T] | None = None
        self._act: Callable[[], object] | None = None

    def on_interrupt(self, act: Callable[[], object]) -> None:
        """What an interrupt does, in the coroutine's loop."""
        self._act = act
        if self.interrupted:
            act()

    def run(self, main: Callable[[Interruptible[T]], Coroutine[Any, Any, T]]) -> T:
        """The coroutine's result. Raises KeyboardInterrupt where an interrupt cancelled it, or a second one came."""
        # a daemon: after a second interrupt nobody waits for it any more
        thread = threading.Thread(target=self._work, args=(main,), name="bench-run", daemon=True)
        try:
            thread.start()
            return self._wait()
        except KeyboardInterrupt:
            self.interrupted = True
            if self._loop is not None:
                with contextlib.suppress(RuntimeError):  # it has just closed: the result is there
                    self._loop.call_soon_threadsafe(self._interrupt)
            try:
                return self._wait()
            except asyncio.CancelledError:
                raise KeyboardInterrupt from None

    def _wait(self) -> T:
        """The result, looking up now and then: an interrupt that another thread took wakes no lock."""
        while True:
            try:
                return self._result.result(LOOK_UP_S)
            except TimeoutError:
                if self._result.done():  # the coroutine's own
                    raise

    def _work(self, main: Callable[[Interruptible[T]], Coroutine[Any, Any, T]]) -> None:
        async def noted() -> T:
            self._loop = asyncio.get_running_loop()
            self._task = asyncio.current_task()
            if self.interrupted and self._task is not None:
                self._task.cancel()
            return await main(self)

        try:
            self._result.set_result(asyncio.run(noted()))
        except BaseException as error:
            self._result.set_exception(error)

    def _interrupt(self) -> None:
        if self._act is not None:
            self._act()
        elif self._task is not None:
            self._task.cancel()
