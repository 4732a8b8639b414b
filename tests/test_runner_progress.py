"""How far a run is: bars on a terminal, plain lines elsewhere; and an event loop of one's own."""

import asyncio
import io
import subprocess
import sys
import threading

import pytest

from bench.calls.own_loop import Interruptible
from bench.forks.progress import Bars, Lines, progress_on


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


def test_plain_lines_are_the_first_the_last_and_one_now_and_then():
    lines, clock = [], Clock()
    told = Lines(lines.append, clock)
    told.begin("f/m", 4)
    for second, outcome in ((1, "handoff"), (11, "truncated"), (12, "handoff"), (13, "handoff")):
        clock.now = second
        told.done("f/m", outcome, 0.5)
    assert lines == [
        "f/m  0/4 done",
        "f/m  2/4 done (1 truncated), $0.50 spent, 11 s left",  # 2 of 4 in 11 s
        "f/m  4/4 done (1 truncated), $0.50 spent",
    ]


def test_failed_cells_are_told_with_their_reason_and_no_escape_reaches_the_terminal():
    lines = []
    told = Lines(lines.append, Clock())
    told.begin("f/m", 2)
    told.failed("f/m", 1, "timeout: \x1b[2Jgone")
    told.done("f/m", "handoff", 0.0)
    assert lines == ["f/m  0/2 done", "f/m  timeout: \\x1b[2Jgone", "f/m  1/2 done, 1 failed"]


def test_bars_are_drawn_in_place_and_those_of_finished_groups_stay():
    screen, clock = io.StringIO(), Clock()
    bars = Bars(screen, clock)
    bars.begin("a/m", 1)
    bars.begin("b/m", 2)
    bars.done("a/m", "handoff", 0.0)
    bars.note("a note")
    drawn = screen.getvalue().split("\n")
    assert drawn[0].startswith("\r░░░░") and "a/m  0/1 done" in drawn[0]
    assert "\x1b[1A" in drawn[1]  # one line up, over the bar that was there
    assert any("████" in line and "a/m  1/1 done" in line for line in drawn)
    assert drawn[-2].endswith("b/m  0/2 done\x1b[K")
    assert sum("a/m  1/1 done" in line for line in drawn) == 1
    assert any("a note" in line for line in drawn)


def test_a_stream_that_is_no_terminal_gets_lines():
    stream = io.StringIO()
    told = progress_on(stream)
    told.note("hello")
    assert isinstance(told, Lines)
    assert stream.getvalue() == "hello\n"


def test_a_coroutine_runs_in_a_loop_of_its_own_also_inside_another():
    async def main(_):
        await asyncio.sleep(0)
        return threading.current_thread().name

    async def cell():
        return Interruptible().run(main)

    assert Interruptible().run(main) == asyncio.run(cell()) == "bench-run"


def test_what_it_raises_is_raised():
    async def main(_):
        raise TimeoutError("its own")

    with pytest.raises(TimeoutError, match="its own"):
        Interruptible().run(main)


INTERRUPTED = """
import _thread, asyncio
from bench.calls.own_loop import Interruptible

async def early(_):
    _thread.interrupt_main()
    await asyncio.sleep(60)

async def prepared(handle):
    over = asyncio.Event()
    handle.on_interrupt(over.set)
    _thread.interrupt_main()
    await over.wait()
    return "kept"

try:
    print(Interruptible().run({main}))
except KeyboardInterrupt:
    print("cancelled")
"""


@pytest.mark.parametrize(("main", "told"), [("early", "cancelled"), ("prepared", "kept")])
def test_an_interrupt_cancels_it_or_does_what_it_asked_for_and_its_result_still_comes(main, told):
    # in a process of its own: an interrupt that comes a moment too late must not end the test run
    child = [sys.executable, "-c", INTERRUPTED.replace("{main}", main)]
    assert subprocess.run(child, capture_output=True, text=True, timeout=60).stdout == f"{told}\n"
