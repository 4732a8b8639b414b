"""Files to the disk off the event loop: one thread, which writes whatever has gathered in one go."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from queue import Empty, SimpleQueue

from bench.atomic import write_all

Files = Sequence[tuple[Path | str, bytes]]
Job = Callable[[], Files]
"""Makes the files of one fork, in the order in which they appear; may take its time."""

MOST_JOBS = 64
"""Written in one go: the first to arrive must not wait for ever."""

_Waiting = tuple[Job, "asyncio.Future[None]"]


class Writer:
    """Runs jobs and writes their files whole. Made and closed inside the event loop that submits to it.

    `before`: called ahead of each batch's files; what they rest on is then on the disk too.
    """

    def __init__(self, before: Callable[[], None]) -> None:
        self._before = before
        self._loop = asyncio.get_running_loop()
        self._queue: SimpleQueue[_Waiting | None] = SimpleQueue()
        self._thread = threading.Thread(target=self._work, name="bench-writer")
        self._thread.start()

    def submit(self, job: Job) -> asyncio.Future[None]:
        """Done once the job's files are on the disk; raises what the job or the disk raised."""
        future: asyncio.Future[None] = self._loop.create_future()
        self._queue.put((job, future))
        return future

    async def close(self) -> None:
        """Write what has gathered, then end the thread."""
        self._queue.put(None)
        await asyncio.to_thread(self._thread.join)

    def _work(self) -> None:
        open_ = True
        while open_:
            batch, open_ = self._gather()
            outcomes = self._write(batch)
            self._loop.call_soon_threadsafe(_settle, outcomes)

    def _gather(self) -> tuple[list[_Waiting], bool]:
        """Everything that waits, at least one job; and whether more may come."""
        batch: list[_Waiting] = []
        item = self._queue.get()
        while item is not None:
            batch.append(item)
            if len(batch) == MOST_JOBS:
                return batch, True
            try:
                item = self._queue.get_nowait()
            except Empty:
                return batch, True
        return batch, False

    def _write(self, batch: list[_Waiting]) -> list[tuple[asyncio.Future[None], BaseException | None]]:
        """Each job's future and what went wrong with it; one job's failure is not another's, a disk's is everyone's."""
        outcomes: list[tuple[asyncio.Future[None], BaseException | None]] = []
        files: list[tuple[Path | str, bytes]] = []
        made: list[asyncio.Future[None]] = []
        for job, future in batch:
            try:
                files += job()
                made.append(future)
            except BaseException as error:
                outcomes.append((future, error))
        trouble: BaseException | None = None
        try:
            if batch:
                self._before()
                write_all(files)
        except BaseException as error:
            trouble = error
        return outcomes + [(future, trouble) for future in made]


def _settle(outcomes: list[tuple[asyncio.Future[None], BaseException | None]]) -> None:
    for future, error in outcomes:
        if future.cancelled():
            continue
        if error is None:
            future.set_result(None)
        else:
            future.set_exception(error)
