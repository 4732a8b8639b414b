"""The runner of a schedule: what is started when, what an interrupt, a stop and a failure do."""

import asyncio

import pytest

from bench.calls.runner import Runner
from bench.calls.schedule import GroupSchedule, Schedule
from bench.calls.stopping import Stopping


def made(names, work, *, ended=lambda *_: None, feed=lambda: "none", stopping=None):
    schedule = Schedule([GroupSchedule("g", "m", names)], concurrency=8)
    stopping = Stopping() if stopping is None else stopping
    return Runner(schedule, stopping, lambda: 0.0, work=work, ended=ended, feed=feed)


def test_the_first_goes_alone_and_each_result_is_told_once():
    told, most = [], []

    async def main():
        async def work(name):
            most.append(len(runner._tasks))
            await asyncio.sleep(0)
            runner.began(name)
            return name.upper()

        runner = made("abcd", work, ended=lambda *pair: told.append(pair))
        await runner.run()

    asyncio.run(main())
    assert sorted(told) == [("a", "A"), ("b", "B"), ("c", "C"), ("d", "D")]
    assert most == [1, 3, 3, 3]


def test_after_an_interrupt_nothing_more_is_started_though_it_may_wait_for_ever():
    started, told = [], []

    async def main():
        async def work(name):
            started.append(name)
            await asyncio.Event().wait()

        runner = made("abcd", work, ended=lambda *pair: told.append(pair))
        asyncio.get_running_loop().call_later(0.01, runner.interrupt)
        await asyncio.wait_for(runner.run(), 5)

    asyncio.run(main())
    assert (started, told) == (["a"], [("a", None)])


def test_after_a_stop_for_money_the_rest_is_still_offered_and_no_more_is_fed():
    started, fed = [], []

    async def main():
        async def work(name):
            started.append(name)
            stopping.stop("no money", by_budget=True)

        stopping = Stopping()
        await made("abc", work, feed=lambda: fed.append(1) or "none", stopping=stopping).run()

    asyncio.run(main())
    assert (started, fed) == (["a", "b", "c"], [1])  # fed while a was in flight


@pytest.mark.parametrize("where", ["work", "ended"])
def test_what_fails_ends_the_run_and_is_raised(where):
    async def main():
        async def work(_name):
            if where == "work":
                raise OSError("no space")

        def ended(_name, _result):
            if where == "ended":
                raise OSError("no space")

        await made("abc", work, ended=ended).run()

    with pytest.raises(OSError, match="no space"):
        asyncio.run(main())


def test_what_others_hold_is_asked_for_again_until_they_let_go(monkeypatch):
    monkeypatch.setattr("bench.calls.runner.POLL_S", 0.001)
    answers = ["later", "later", "added", "none"]
    ran = []

    async def main():
        async def work(name):
            ran.append(name)

        def feed():
            answer = answers.pop(0) if answers else "none"
            if answer == "added":
                runner._schedule.add(GroupSchedule("h", "m", ["late"]))
            return answer

        runner = made("a", work, feed=feed)
        await runner.run()

    asyncio.run(main())
    assert (sorted(ran), answers) == (["a", "late"], [])
