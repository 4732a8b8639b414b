"""Notebooks in worker processes, several at once, ended cleanly: by Ctrl-C, and when this process dies.

Spawned, not forked: a fork of a process that has started a kernel is a fork of its threads and sockets. A worker takes
no Ctrl-C of its own; this process passes it on once, so that a kernel gets one interrupt and time to end its work.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing.connection import wait as wait_for
from pathlib import Path

from bench.sweeps.status import Failure, Job, Status, sha256_of, write_status

STOP_S = 15.0
"""Time for a worker to end: a kernel has 5 s to write what is done before it is killed."""
POLL_S = 1.0
"""How often `tick` is called while notebooks run."""


@contextmanager
def workers(jobs: int) -> Iterator[ProcessPoolExecutor]:
    """A pool of that many workers. On an interrupt (or any error) they are told to stop, waited for, at last killed.

    Further interrupts meanwhile are not heard: a second one would leave kernels behind.
    """
    others = multiprocessing.active_children()
    pool = ProcessPoolExecutor(jobs, mp_context=multiprocessing.get_context("spawn"), initializer=_prepare)
    with _one_interrupt():
        try:
            yield pool
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            _stop_all([child for child in multiprocessing.active_children() if child not in others])
            raise
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


@contextmanager
def _one_interrupt() -> Iterator[None]:
    """The first SIGINT raises KeyboardInterrupt, later ones nothing; outside the main thread all is left as it is."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def first(*_: object) -> None:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGINT, first)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _stop_all(children: Sequence[multiprocessing.process.BaseProcess]) -> None:
    end = time.monotonic() + STOP_S
    for child in children:
        child.terminate()
    for child in children:
        child.join(max(end - time.monotonic(), 0))
        if child.is_alive():
            child.kill()


def run_all(
    pool: ProcessPoolExecutor, jobs: Iterable[Job], at_once: int, tick: Callable[[], None]
) -> Iterator[tuple[Job, Status]]:
    """Each job with its status, as they finish. A worker that was killed fails its job, and says so."""
    pending = list(jobs)
    running: dict[Future[Status], Job] = {}
    while pending or running:
        for job in startable(pending, list(running.values()), at_once):
            pending.remove(job)
            try:
                running[pool.submit(_execute, job)] = job
            except BrokenProcessPool:
                yield job, _died(job)
        done, _ = wait(running, timeout=POLL_S, return_when=FIRST_COMPLETED)
        tick()
        for future in done:
            job = running.pop(future)
            yield job, _status(future, job)


def startable(pending: Sequence[Job], running: Sequence[Job], at_once: int) -> list[Job]:
    """The jobs to start now: in their order, no more than `at_once` in all, none beside one it must not run with."""
    busy = {job.alone_with for job in running} - {None}
    chosen: list[Job] = []
    for job in pending:
        if len(running) + len(chosen) >= at_once:
            break
        if job.alone_with not in busy:
            chosen.append(job)
            busy |= {job.alone_with} - {None}
    return chosen


def _status(future: Future[Status], job: Job) -> Status:
    try:
        return future.result()
    except BrokenProcessPool:
        return _died(job)


def _died(job: Job) -> Status:
    """The status of a job whose worker was killed, or for which none was left: it takes the pool along."""
    status = Status(
        notebook=f"{job.name}.ipynb", state="failed", parameters=job.parameters,
        template_sha256=sha256_of(Path(job.template)), inputs_sha256=job.inputs_sha256, versions={}, started_at="",
        seconds=0.0, starts=0,
        error=Failure("WorkerDied", "a process that runs notebooks was killed; is there enough memory?"),
    )  # fmt: skip
    write_status(job, status)
    return status


class _Stopping:
    """What a worker's signal handler must know."""

    busy = False
    stopping = False


def _execute(job: Job) -> Status:
    from bench.sweeps.execute import execute

    if _Stopping.stopping:
        raise KeyboardInterrupt
    _Stopping.busy = True
    try:
        with _errors_to(job.path(".log")):
            return execute(job)
    finally:
        _Stopping.busy = False


@contextmanager
def _errors_to(log: Path) -> Iterator[None]:
    """What a kernel says on stderr, such as its last words, goes to a file, which stays only where there are any."""
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("wb") as file:
        os.dup2(file.fileno(), 2)
    try:
        yield
    finally:
        with Path(os.devnull).open("wb") as nowhere:
            os.dup2(nowhere.fileno(), 2)
        if not log.stat().st_size:
            log.unlink()


def _prepare() -> None:
    """In a worker: no Ctrl-C, an interrupt at SIGTERM (once), and the same when the parent is gone."""
    signal.signal(signal.SIGINT, lambda *_: None)  # not SIG_IGN, which kernels would inherit
    signal.signal(signal.SIGTERM, _stop)
    threading.Thread(target=_follow_parent, daemon=True).start()


def _stop(*_: object) -> None:
    signal.signal(signal.SIGTERM, lambda *_: None)
    _Stopping.stopping = True
    raise KeyboardInterrupt if _Stopping.busy else SystemExit(0)


def _follow_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait_for([parent.sentinel])
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(STOP_S)
        os._exit(1)
