"""Whether and when a failed call is made again."""

import pytest
from fakes import attempt

from bench.calls.retry import Retries, RetryPolicy

POLICY = RetryPolicy(calls=4, first_s=1.0, most_s=6.0, retry_after_most_s=30.0, run_retries=3, run_share=0.5)


def retries(random=0.0, forks=1):
    return Retries(POLICY, forks, lambda: random)


@pytest.mark.parametrize(
    ("calls", "random", "seconds"),
    [
        (1, 0.0, 0.5),  # 1 s, half of it jitter
        (1, 1.0, 1.0),
        (2, 1.0, 2.0),
        (3, 1.0, 4.0),
        (4, 1.0, None),  # the most calls for one fork
    ],
)
def test_the_back_off_doubles_with_jitter_up_to_a_number_of_calls(calls, random, seconds):
    assert retries(random).after(attempt(), calls, now=0) == seconds


def test_the_back_off_has_an_upper_bound():
    policy = RetryPolicy(calls=20, first_s=1.0, most_s=6.0)
    assert Retries(policy, 1, lambda: 1.0).after(attempt(), 10, now=0) == 6.0


@pytest.mark.parametrize(("asked", "seconds"), [(0.05, 0.05), (20, 20), (3600, 30.0)])
def test_retry_after_is_honoured_up_to_a_bound(asked, seconds):
    assert retries().after(attempt(retry_after=asked), 1, now=0) == seconds


@pytest.mark.parametrize("final", [{"retryable": False}, {"stop_run": True}])
def test_what_never_heals_is_not_tried_again(final):
    assert retries().after(attempt(**final), 1, now=0) is None


def test_a_server_that_refuses_work_pauses_every_fork():
    all_ = retries()
    assert all_.pause(now=10) == 0
    all_.after(attempt(billed="no", retry_after=5), 1, now=10)
    assert all_.pause(now=11) == 4
    assert all_.pause(now=15) == 0


def test_a_broken_stream_pauses_nobody_else():
    all_ = retries()
    all_.after(attempt(billed="possibly"), 1, now=10)
    assert all_.pause(now=10) == 0


def test_those_that_waited_do_not_all_wake_at_once():
    all_ = Retries(POLICY, 1, iter([0.0, 0.0, 0.25, 0.75]).__next__)
    all_.after(attempt(billed="no", retry_after=5), 1, now=0)
    assert [all_.pause(now=1) for _ in range(3)] == [4.0, 4.25, 4.75]


@pytest.mark.parametrize(("forks", "budget"), [(1, 3), (40, 20)])
def test_a_run_has_a_budget_of_retries(forks, budget):
    all_ = retries(forks=forks)
    given = [all_.after(attempt(), 1, now=0) for _ in range(budget + 2)]
    assert [g is None for g in given] == [False] * budget + [True] * 2
