"""Which fork starts when: warm first, fan out, stay inside the cache's lifetime. No clock, no network."""

import pytest

from bench.calls.schedule import GroupSchedule, Schedule


def group(name="f/m", n=4, model="m", **options):
    return GroupSchedule(name, model, [f"{name}-{i}" for i in range(n)], **options)


def test_the_first_fork_of_a_group_goes_alone_until_it_begins():
    schedule = Schedule([group()], concurrency=8)
    assert schedule.launch(0) == ["f/m-0"]
    assert schedule.launch(1) == []
    schedule.began("f/m-0")
    assert schedule.launch(2) == ["f/m-1", "f/m-2", "f/m-3"]


def test_where_the_first_fails_before_it_begins_the_next_one_goes_alone():
    schedule = Schedule([group()], concurrency=8)
    schedule.launch(0)
    schedule.ended("f/m-0")
    assert schedule.launch(1) == ["f/m-1"]
    assert schedule.launch(1) == []


def test_no_more_than_the_concurrency_are_in_flight():
    schedule = Schedule([group(n=10)], concurrency=3)
    schedule.launch(0)
    schedule.began("f/m-0")
    assert len(schedule.launch(1)) == 2
    schedule.ended("f/m-1")
    assert len(schedule.launch(2)) == 1
    assert schedule.in_flight == 3


def test_an_earlier_group_is_served_first_and_a_later_one_takes_the_idle_slots():
    schedule = Schedule([group("a/m"), group("b/m")], concurrency=4)
    assert schedule.launch(0) == ["a/m-0", "b/m-0"]  # a is warming, so b warms too
    schedule.began("b/m-0")
    schedule.began("a/m-0")
    assert schedule.launch(1) == ["a/m-1", "a/m-2"]


def test_once_the_cache_has_expired_one_fork_goes_alone_again():
    schedule = Schedule([group(lifetime_s=300)], concurrency=1)
    schedule.launch(0)
    schedule.began("f/m-0")
    schedule.ended("f/m-0")
    warm = Schedule([group("w/m", lifetime_s=300)], concurrency=8)
    warm.launch(0)
    warm.began("w/m-0")
    warm.ended("w/m-0")
    assert len(warm.launch(299.9)) == 3  # the entry lives from the start of the last request that used it
    cold = Schedule([group("c/m", lifetime_s=300)], concurrency=8)
    cold.launch(0)
    cold.began("c/m-0")
    cold.ended("c/m-0")
    assert cold.launch(300) == ["c/m-1"]


def test_a_model_with_one_slot_is_asked_one_at_a_time_and_others_are_not_held_up():
    schedule = Schedule([group("a/local", model="local"), group("b/m")], concurrency=8, limits={"local": 1})
    assert schedule.launch(0) == ["a/local-0", "b/m-0"]
    schedule.began("a/local-0")
    schedule.began("b/m-0")
    assert schedule.launch(1) == ["b/m-1", "b/m-2", "b/m-3"]
    schedule.ended("a/local-0")
    assert schedule.launch(2) == ["a/local-1"]


@pytest.mark.parametrize(
    ("concurrency", "began", "hungry"), [(1, False, False), (2, False, True), (2, True, False), (8, True, True)]
)
def test_a_further_group_is_wanted_where_a_slot_stays_free(concurrency, began, hungry):
    schedule = Schedule([group()], concurrency=concurrency)
    schedule.launch(0)
    if began:
        schedule.began("f/m-0")
        schedule.launch(1)
    assert schedule.hungry(1) == hungry


def test_after_a_stop_nothing_starts():
    schedule = Schedule([group()], concurrency=8)
    schedule.launch(0)
    assert schedule.stop() == ["f/m-1", "f/m-2", "f/m-3"]
    schedule.began("f/m-0")
    assert schedule.launch(1) == []
    assert not schedule.hungry(1)
