"""Planned looks and successive halving, against printed tables and arithmetic."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.analysis.statistics.halving import Round, rounds
from bench.analysis.statistics.looks import boundaries, crossing, doubling, nominal


@pytest.mark.parametrize(("looks", "rate"), [(1, 0.05), (2, 0.083), (3, 0.107), (5, 0.142), (10, 0.193)])
def test_testing_at_every_look_errs_as_often_as_armitage_printed(looks, rate):
    assert crossing(range(1, looks + 1), [1.959964] * looks) == pytest.approx(rate, abs=5e-4)


@pytest.mark.parametrize(("looks", "pocock", "obrien"), [(2, 2.178, 1.977), (3, 2.289, 2.004), (5, 2.413, 2.040)])
def test_boundaries_are_those_of_jennison_and_turnbulls_tables(looks, pocock, obrien):
    seen = tuple(range(1, looks + 1))
    assert boundaries(seen, 0.05)[0] == pytest.approx(pocock, abs=5e-4)
    assert boundaries(seen, 0.05, "obrien-fleming")[-1] == pytest.approx(obrien, abs=5e-4)
    first = boundaries(seen, 0.05, "obrien-fleming")[0]
    assert first == pytest.approx(obrien * math.sqrt(looks), abs=2e-3)


def test_unequal_looks_keep_the_error_of_the_whole_as_a_simulation_finds_it():
    seen, rng = (2, 4, 10), np.random.default_rng(5)
    z = boundaries(seen, 0.05)
    sums = rng.standard_normal((400_000, seen[-1])).cumsum(axis=1)
    crossed = np.zeros(len(sums), dtype=bool)
    for n, bound in zip(seen, z, strict=True):
        crossed |= np.abs(sums[:, n - 1]) > bound * math.sqrt(n)
    # binomial SE of 0.05 over 400,000 is 0.00034
    assert crossed.mean() == pytest.approx(0.05, abs=0.0015)


def test_one_look_is_the_ordinary_test():
    assert nominal(boundaries((3,), 0.05)[0]) == pytest.approx(0.05)


@pytest.mark.parametrize("seen", [(), (2, 2), (3, 1), (0, 1)])
def test_looks_that_see_no_more_are_refused(seen):
    with pytest.raises(ValueError):
        crossing(seen, [2.0] * len(seen))


@settings(max_examples=25, deadline=None)
@given(st.lists(st.integers(1, 6), min_size=1, max_size=4), st.sampled_from([0.01, 0.05, 0.2]))
def test_the_chance_of_crossing_is_what_was_asked_for(steps, alpha):
    seen = tuple(int(n) for n in np.cumsum(steps))
    for shape in ("pocock", "obrien-fleming"):
        assert crossing(seen, boundaries(seen, alpha, shape)) == pytest.approx(alpha, abs=1e-6)


@pytest.mark.parametrize(
    ("first", "most", "looks"),
    [(3, 12, (3, 6, 12)), (2, 10, (2, 4, 8, 10)), (4, 4, (4,)), (3, 50, (3, 6, 12, 24, 48, 50))],
)
def test_looks_double_up_to_the_last(first, most, looks):
    assert doubling(first, most) == looks


def test_halving_spends_an_even_grid_on_the_best():
    # 8 arms x 6 replicates = 48 runs; three rounds of 16: 8 x 2, 4 x 4, 2 x 8
    assert rounds(8, 48) == (Round(8, 2), Round(4, 4), Round(2, 8))
    # 5 arms: 5, 3, 2 go on; 30 runs, 10 a round: 2, 3, 5 each
    assert rounds(5, 30) == (Round(5, 2), Round(3, 3), Round(2, 5))
    assert rounds(1, 10) == ()


def test_too_few_runs_are_refused_by_number():
    with pytest.raises(ValueError, match="8 runs are too few to screen 8 arms in 3 rounds"):
        rounds(8, 8)
