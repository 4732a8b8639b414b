"""Spending never passes the cap: a state machine over money."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.calls.guard import Guard, worst_case_tokens


@pytest.mark.parametrize(("counted", "tokens"), [(0, 500), (1000, 1550), (101, 607)])  # 101 x 1.05 = 106.05
def test_a_worst_case_counts_five_percent_and_500_tokens_more(counted, tokens):
    assert worst_case_tokens(counted) == tokens


def test_a_call_starts_only_while_all_that_may_be_spent_fits():
    guard = Guard(1.0)
    assert guard.judge(1.0, own_in_flight=False).answer == "start"
    guard.reserve("a", 0.6)
    assert guard.judge(0.4, own_in_flight=True).answer == "start"
    assert guard.judge(0.41, own_in_flight=True).answer == "wait"  # a may turn out cheaper
    guard.settle("a", billed_usd=0.1)
    assert guard.judge(0.41, own_in_flight=False).answer == "start"


def test_what_may_have_been_billed_counts_until_shown_otherwise():
    guard = Guard(1.0)
    guard.reserve("a", 0.6)
    guard.settle("a", billed_usd=None, possibly_usd=0.6)
    assert guard.judge(0.5, own_in_flight=True).answer == "stop"
    assert guard.committed_usd == 0.6


def test_nobody_waits_for_the_reservations_of_others():
    guard = Guard(1.0)
    guard.reserve("of another process", 0.6)
    verdict = guard.judge(0.5, own_in_flight=False)
    assert verdict.answer == "stop"
    assert verdict.reason == "the next call may cost $0.5000, and $0.6000 of $1.00 is taken"


def test_a_bill_above_its_reservation_stops_everything():
    guard = Guard(10.0)
    guard.reserve("a", 0.1)
    over = guard.settle("a", billed_usd=0.2)
    assert (over.call_id, over.reserved, over.billed) == ("a", 0.1, 0.2)
    assert guard.judge(0.0, own_in_flight=True).answer == "stop"


def test_without_a_budget_everything_starts_and_money_is_still_counted():
    guard = Guard(None)
    assert guard.judge(None, own_in_flight=False).answer == "start"
    guard.reserve("a", None)
    guard.settle("a", billed_usd=5.0)
    assert guard.spent_usd == 5.0


calls = st.lists(
    st.tuples(st.floats(0.001, 2.0), st.floats(0.0, 1.0), st.sampled_from(["billed", "broken"])), max_size=60
)


@settings(max_examples=200, deadline=None)
@given(st.floats(0.0, 5.0), calls, st.randoms(use_true_random=False))
def test_under_any_usage_within_its_worst_case_spending_never_passes_the_cap(budget, script, order):
    """Calls start as the guard allows and end in any order, at any share of their worst case, or break off unbilled or
    billed in full: the true bill never passes the budget."""
    guard, true_bill, flying = Guard(budget), 0.0, {}

    def land():
        nonlocal true_bill
        name = order.choice(sorted(flying))
        worst, share, how = flying.pop(name)
        true_bill += worst if how == "broken" else worst * share  # whoever broke off was billed in full, unseen
        billed = None if how == "broken" else worst * share
        guard.settle(name, billed_usd=billed, possibly_usd=worst if how == "broken" else None)
        assert true_bill <= budget + 1e-9

    for i, call in enumerate(script):
        while (answer := guard.judge(call[0], own_in_flight=bool(flying)).answer) == "wait":
            land()
        if answer == "stop":
            break
        guard.reserve(str(i), call[0])
        flying[str(i)] = call
        if order.random() < 0.3:
            land()
    while flying:
        land()


@settings(max_examples=100, deadline=None)
@given(st.floats(0.1, 5.0), st.lists(st.floats(0.0, 3.0), min_size=1, max_size=30))
def test_under_bills_above_their_worst_case_no_call_starts_after_the_first_such(budget, bills):
    guard = Guard(budget)
    overbilled = False
    for i, bill in enumerate(bills):
        if guard.judge(0.05, own_in_flight=False).answer != "start":
            break
        assert not overbilled
        guard.reserve(str(i), 0.05)
        overbilled = guard.settle(str(i), billed_usd=bill) is not None
        assert overbilled == (bill > 0.05)


def test_beside_a_fork_its_grading_is_reserved_and_then_what_that_is_expected_to_cost_is_kept():
    guard = Guard(10.0)
    verdict = guard.judge(1.0, own_in_flight=False, grading_usd=9.5)
    assert (verdict.answer, verdict.reason) == (
        "stop", "the next call may cost $10.5000 with what follows it ($9.5000), and $0.0000 of $10.00 is taken",
    )  # fmt: skip
    assert guard.judge(1.0, own_in_flight=False, grading_usd=6.0).answer == "start"
    guard.reserve("a", 1.0, 6.0)
    assert guard.judge(1.0, own_in_flight=True, grading_usd=6.0).answer == "wait"  # 7 are taken, and 7 more are asked
    guard.settle("a", billed_usd=0.5)
    guard.keep(2.0)
    assert guard.committed_usd == pytest.approx(2.5)
    assert guard.judge(1.0, own_in_flight=False, grading_usd=6.5).answer == "start"
    guard.keep(-3.0)  # it is graded, and was dearer than expected: nothing is kept any more
    assert guard.kept_usd == 0.0


def test_a_bill_is_held_against_the_calls_own_reservation_not_its_gradings():
    guard = Guard(10.0)
    guard.reserve("a", 0.1, 5.0)
    assert guard.settle("a", billed_usd=0.2) is not None
