"""Intervals, exact tests, power and components, against figures worked by hand, published, or by other software.

Names in brackets are those of the worked examples in the method sheet.
"""

import math
import statistics
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from runs import graded

from bench.analysis.graders.grader_noise import grader_noise
from bench.analysis.statistics import power, relabel, sign_flip
from bench.analysis.statistics.holm import holm
from bench.analysis.statistics.over_fixtures import over_fixtures
from bench.analysis.statistics.over_runs import Pair, Runs, over_runs
from bench.analysis.statistics.variance import crossed, one_way, shown
from bench.frames import records
from benchmarks.coverage import covered

DARWIN = [49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48]
"""Darwin's maize, eighths of an inch (Fisher 1935, section 21)."""
FIXTURES = {  # credits of two arms on the same atoms of five fixtures [compare.paired-clustered]
    "a": [[0.75, 1, 1, 0.5], [1, 0.75, 0.75], [0, 1, 0.25, 0.25, 0.5], [0.25, 1], [0, 0, 1, 0]],
    "b": [[0.75, 1, 1, 0.5], [1, 0.75, 0.5], [0, 1, 0.25, 0.25, 0.75], [0.75, 1], [0, 0, 0.75, 0]],
}
DYESTUFF = [
    [1545, 1440, 1440, 1520, 1580], [1540, 1555, 1490, 1560, 1495], [1595, 1550, 1605, 1510, 1560],
    [1445, 1440, 1595, 1465, 1545], [1595, 1630, 1515, 1635, 1625], [1520, 1455, 1450, 1480, 1445],
]  # fmt: skip
"""Batches of dyestuff (Davies & Goldsmith 1972); SDs 42.00 between and 49.51 within (lme4's documentation)."""
PASSES = [[0.7195, 0.7439, 0.7073], [0.7683, 0.7561, 0.7805], [0.6951, 0.7195, 0.7195], [0.7561, 0.7317, 0.7439]]
RUN_SD = math.hypot(0.025, 0.015 / math.sqrt(3))
"""Run to run 2.5 points, a pass 1.5, three passes a run."""


def near(value, tol=1e-9):
    return pytest.approx(value, abs=tol)


def pair(base, other, *, sure=(False, False), fixture="f1"):
    difference = statistics.fmean(other) - statistics.fmean(base)
    return Pair(fixture, difference, Runs(tuple(base), sure[0]), Runs(tuple(other), sure[1]))


# over fixtures: transcripts like these


def test_t_over_fixtures():  # [compare.paired-clustered]
    differences = [statistics.fmean(b) - statistics.fmean(a) for a, b in zip(FIXTURES["a"], FIXTURES["b"], strict=True)]
    assert differences == near([0, -0.25 / 3, 0.25 / 5, 0.5 / 2, -0.25 / 4])
    found = over_fixtures(differences)
    assert (found.difference, found.se, found.df) == near((0.030833333333333334, 0.05962265602194446, 4))
    assert (found.low, found.high, found.p) == near((-0.13470569813768615, 0.1963723648043528, 0.6323381045935124))
    assert sign_flip.sign_flip(differences) == near(0.875)


def test_t_over_the_pairs_of_darwin():  # [compare.darwin], t and p
    found = over_fixtures(DARWIN)
    assert (found.difference / found.se, found.p) == near((2.1479874613311205, 0.049702944021800866))


def test_the_90_percent_interval_of_an_equivalence_test():  # [compare.equivalence]
    d = [-0.012, -0.006, 0.0, 0.003, -0.01, 0.002, 0.009, 0.03, 0.014, -0.011]
    found = over_fixtures(d, level=0.90)
    assert (found.low, found.high) == near((-0.005719372365386853, 0.009519372365386851))


@pytest.mark.parametrize(
    ("differences", "difference", "why"),
    [
        ([], None, "no fixture"),
        ([1 / 3], 1 / 3, "one fixture"),  # [compare.one-fixture]
        ([0.1, 0.1, 0.1], 0.1, "the fixtures' differences are all alike"),  # t would say p = 1e-32
    ],
)
def test_where_fixtures_give_no_interval_it_is_absent_with_a_reason(differences, difference, why):
    found = over_fixtures(differences)
    assert found.difference == (None if difference is None else near(difference)) and found.why.startswith(why)
    assert (found.se, found.low, found.high, found.p) == (None,) * 4


# over runs: the same key


def test_welch_on_the_runs_of_one_fixture():  # [compare.replicates-one-fixture]
    a, b = [0.7, 0.73, 0.69, 0.72], [0.76, 0.74, 0.78]
    found = over_runs([pair(a, b)])
    assert (found.difference, found.se, found.df) == near((0.05, 0.014719601443879758, 4.190082644628099))
    assert (found.low, found.high, found.p) == near((0.009852725680192617, 0.0901472743198077, 0.025450115875949017))
    assert relabel.relabel([(a, b)]) == near(1 / 35)  # one of C(7, 3) labellings, not twice the smaller tail
    assert relabel.smallest_p([(4, 3)]) == near(1 / 35)


def test_welch_over_two_fixtures_adds_their_variances():
    found = over_runs([pair([0.1, 0.3], [0.5, 0.7]), pair([0.2, 0.4], [0.3, 0.5], fixture="f2")])
    # each variance of 2 runs is 0.02, of their mean 0.01; 4 of them / 2^2 = 0.01; four equal terms of df 1: df 4
    assert (found.difference, found.se, found.df) == near((0.25, 0.1, 4))


def test_an_arm_that_is_the_same_each_time_adds_no_variance():
    found = over_runs([pair([0.5], [0.6, 0.8], sure=(True, False))])
    assert (found.difference, found.se, found.df) == near((0.2, 0.1, 1))


@pytest.mark.parametrize(
    ("one", "why"),
    [
        (pair([0.5], [0.6, 0.8]), "one run a fixture"),
        (pair([0.5], [0.6], sure=(True, True)), "neither arm varies"),
        (pair([0.5, 0.5], [0.6, 0.6]), "all runs of an arm are alike"),
    ],
)
def test_where_runs_give_no_interval_it_is_absent_with_a_reason(one, why):
    found = over_runs([one])
    assert found.why.startswith(why) and (found.se, found.low, found.p) == (None, None, None)
    assert found.difference == near(one.difference)


# exact tests


@pytest.mark.parametrize(
    ("differences", "p"),
    [
        (DARWIN, 1726 / 32768),  # [compare.darwin]
        ([0, 0, 0.1, 0.2, 0.05], 0.25),  # [compare.signflip-zeros]: 2 of 8 patterns of what is not 0
        ([0, 0, 0], 1.0),  # [compare.signflip-all-zero]
        ([0.3], 1.0),
        ([], None),
    ],
)
def test_sign_flip_counts_all_patterns(differences, p):
    assert sign_flip.sign_flip(differences) == (None if p is None else near(p))


def test_sign_flip_draws_patterns_where_there_are_too_many_to_list():
    differences = [*DARWIN, 0, 0, 0, 0, 0, 0]  # zeros change nothing; SE of 9,999 draws is 0.0022
    assert sign_flip.sign_flip(differences, seed=1) == near(0.0527, 0.007)
    assert sign_flip.sign_flip([1.0] * 21) == near(1 / 10_000)


@pytest.mark.parametrize(("n", "p"), [(2, 1 / 3), (3, 0.1), (4, 2 / 70), (5, 2 / 252), (10, 2 / 184_756)])
def test_the_smallest_p_of_relabelling(n, p):  # [compare.smallest-p]
    assert relabel.smallest_p([(n, n)]) == near(p)


@pytest.mark.parametrize(("fixtures", "p"), [(1, 1.0), (2, 0.5), (5, 0.0625), (6, 0.03125), (10, 0.001953125)])
def test_the_smallest_p_of_sign_flip(fixtures, p):  # [compare.smallest-p]
    assert sign_flip.smallest_p(fixtures) == sign_flip.sign_flip([1.0] * fixtures) == p


def test_runs_are_relabelled_inside_their_fixture():
    one = ([0.0, 0.1], [1.0, 1.1])
    assert relabel.relabel([one]) == near(2 / 6)
    assert relabel.relabel([one, one]) == near(2 / 36)  # only both as they are, or both mirrored
    assert relabel.relabel([one, ([], [1.0])]) is None


def test_relabelling_draws_where_there_are_too_many_to_list():
    a, b = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0], [2.0, 3.0, 4.0, 5.0, 6.0, 7.0]
    listed = relabel.relabel([(a, b)])
    most, relabel.MOST_LISTED = relabel.MOST_LISTED, 10
    try:
        assert relabel.relabel([(a, b)], seed=1) == near(listed, 0.015)  # SE of 9,999 draws at most 0.005
    finally:
        relabel.MOST_LISTED = most


# Holm


def test_holm_on_the_trials_of_benjamini_and_hochberg():  # [compare.bh-1995]
    p = [0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.324, 0.4262, 0.5719, 0.6528, 0.759, 1]  # fmt: skip  # noqa: E501
    expected = [0.0015, 0.0056, 0.0247, 0.114, 0.2211, 0.278, 0.278, 0.278, 0.3213, 1, 1, 1, 1, 1, 1]
    assert holm(p) == near(expected)
    assert sum(q <= 0.05 for q in holm(p)) == 3


def test_a_comparison_without_a_p_stays_without_and_does_not_count():  # [compare.adjust-missing]
    assert holm([0.04, None, 0.01, 0.03]) == [near(0.06), None, near(0.03), near(0.06)]
    assert holm([]) == []


# power


@pytest.mark.parametrize(
    ("n", "mde"), [(2, 0.14957726838459243), (3, 0.08124817248429721), (5, 0.053561651695394466), (10, 0.03505481236)]
)
def test_what_n_runs_an_arm_see(n, mde):  # [power.replicates-mde]
    assert power.detectable(RUN_SD * math.sqrt(2 / n), 2 * (n - 1)) == near(mde, 1e-5)


def test_what_eight_fixtures_see():  # [power.fixtures-mde]
    assert power.detectable(0.05 / math.sqrt(8), 7) == near(0.05780176359799795, 1e-5)


@pytest.mark.parametrize(
    ("n", "in_sd"), [(2, 11.6), (3, 3.26), (4, 2.13), (5, 1.68), (6, 1.44), (10, 1.00), (20, 0.66)]
)
def test_the_table_of_what_fixtures_see(n, in_sd):  # section 5 of the sheet, to its printed digits
    assert power.detectable(1 / math.sqrt(n), n - 1) == near(in_sd, 0.051 if n == 2 else 0.006)


@pytest.mark.parametrize("runs", [2, 4, 9])
def test_runs_that_a_difference_takes(runs):  # [power.replicates-needed]: the answer does not hang on what was run
    found = power.runs_needed(RUN_SD * math.sqrt(2 / runs), 2 * (runs - 1), runs, 0.04)
    assert found == near(7.953094241478485, 1e-4)


@pytest.mark.parametrize(("d", "n"), [(0.2, 394), (0.5, 64), (0.8, 26)])
def test_the_group_sizes_of_cohen(d, n):  # [power.cohen-0.5], table 2.4.1
    assert math.ceil(power.runs_needed(math.sqrt(2 / 5), 8, 5, d)) == n


def test_fixtures_that_a_difference_takes_see_it():
    needed = power.fixtures_needed(0.05, 0.04)
    assert power.detectable(0.05 / math.sqrt(needed), needed - 1) == near(0.04, 1e-9)
    assert power.fixtures_needed(1.0, 0.001) is None


def test_more_runs_shrink_only_their_own_part_of_what_fixtures_differ_by():
    # six fixtures whose differences have a variance of 9 points, 8 of them from 2 runs an arm
    needed = power.runs_needed_over_fixtures(3.0, 8.0, 6, 2, 3.0)
    sd = math.sqrt(1.0 + 8.0 * 2 / needed)
    assert power.detectable(sd / math.sqrt(6), 5) == near(3.0)
    assert power.runs_needed_over_fixtures(3.0, 1.0, 6, 2, 1.0) is None  # the fixtures' own 8 stay
    assert power.runs_needed_over_fixtures(3.0, 1.0, 1, 2, 1.0) is None


@settings(max_examples=25, deadline=None)
@given(st.integers(1, 60), st.floats(0.1, 3.0))
def test_a_detectable_difference_is_found_four_times_in_five(df, se):
    assert power.power(power.detectable(se, df), se, df) == near(power.POWER, 1e-6)


# components


@pytest.mark.parametrize(
    ("groups", "ms_between", "ms_within", "n0", "between"),
    [
        (PASSES, 0.001864634444444441, 0.00021085666666666625, 3.0, 0.0005512592592592583),
        ([PASSES[0], [0.7683], [0.6951, 0.7195], PASSES[3]],
         0.0010584177777777759, 0.0002579893333333328, 2.1481481481481484, 0.00037261324137930965),
        ([[0.7, 0.76], [0.75, 0.69], [0.71, 0.74]], 5e-05, 0.00135, 2.0, -0.00065),
    ],
)  # fmt: skip
def test_variance_between_runs_and_between_passes(groups, ms_between, ms_within, n0, between):
    # [variance.runs-and-passes], [variance.unbalanced-passes], [variance.negative]
    found = one_way(groups)
    assert (found.ms_between, found.ms_within, found.n0, found.between) == near((ms_between, ms_within, n0, between))
    assert shown(found.between) == near(max(0.0, between))


def test_the_batches_of_dyestuff():  # [variance.dyestuff]
    found = one_way(DYESTUFF)
    assert (found.between, found.ms_within) == near((1764.05, 2451.25))
    assert (round(math.sqrt(found.between), 2), round(math.sqrt(found.ms_within), 2)) == (42.00, 49.51)


def test_one_pass_a_run_cannot_tell_the_grader_from_the_runs():  # [variance.one-pass]
    found = one_way([[0.7], [0.74], [0.69]])
    assert (found.ms_within, found.between, shown(found.between)) == (None, None, None)


def test_fixtures_and_arms_with_replicates():  # [variance.fixture-arm]
    found = crossed([
        [[0.828, 0.795, 0.824], [0.79, 0.754, 0.793]], [[0.563, 0.554, 0.581], [0.585, 0.586, 0.576]],
        [[0.679, 0.684, 0.695], [0.607, 0.672, 0.729]], [[0.751, 0.73, 0.775], [0.752, 0.718, 0.765]],
    ])  # fmt: skip
    expected = (0.000738, -3.6666666666628164e-06, 0.00926465740740741, -8.333333333269387e-08)
    assert (found.replicate, found.fixture_arm, found.fixture, found.arm) == near(expected)
    assert math.sqrt(2 * found.ms_fixture_arm / (4 * 3)) == near(0.011007573150639)
    assert crossed([[[1.0], [2.0]], [[1.0], [2.0]]]) is None


def test_components_that_went_in_come_out():
    rng, sd = np.random.default_rng(7), {"fixture": 10.0, "arm": 4.0, "fixture_arm": 3.0, "replicate": 2.0}
    found = []
    for _ in range(400):
        cells = (
            rng.normal(0, sd["fixture"], (6, 1, 1)) + rng.normal(0, sd["arm"], (1, 5, 1))
            + rng.normal(0, sd["fixture_arm"], (6, 5, 1)) + rng.normal(0, sd["replicate"], (6, 5, 3))
        )  # fmt: skip
        found.append(crossed(cells.tolist()))
    for name, one in sd.items():
        assert np.mean([getattr(c, name) for c in found]) == pytest.approx(one**2, rel=0.10)


# the grader's noise


def test_noise_of_a_grader_from_its_passes():
    # pass recalls of 100 and 50, 50 and 50, 0 and 50 points: variances 1250, 0 and 1250, pooled 2500 / 3
    (line,) = records(grader_noise(graded({"f1": {"a": [["CC", "CL"], ["CL", "LC"], ["LL", "LC"]]}})))
    sd = math.sqrt(2500 / 3)
    assert (line["pass_sd"], line["df"], line["passes"]) == near((sd, 3, 2))
    assert (line["moves"], line["repeatability"]) == near((1.959963984540054 * sd / math.sqrt(2), 2.7718 * sd), 1e-2)


def test_noise_of_the_whole_small_bench():  # [report.bench]
    from test_analysis import BENCH

    (line,) = records(grader_noise(graded(BENCH)))
    assert (line["pass_sd"], line["df"]) == near((11.545334689233559, 24))


def test_one_pass_has_no_noise_rather_than_none_of_it():
    (line,) = records(grader_noise(graded({"f1": {"a": ["CC", "CL"]}})))
    assert (line["pass_sd"], line["df"], line["moves"]) == (None, 0, None)


# properties


@settings(max_examples=40, deadline=None)
@given(st.lists(st.floats(-1, 1), min_size=2, max_size=9), st.floats(0.1, 100))
def test_intervals_keep_their_place_when_the_unit_or_the_sides_change(differences, unit):
    found, scaled = over_fixtures(differences), over_fixtures([unit * d for d in differences])
    mirrored = over_fixtures([-d for d in differences])
    if found.se is not None and scaled.se is not None:
        assert (scaled.low, scaled.p) == (pytest.approx(unit * found.low, abs=1e-6), pytest.approx(found.p, abs=1e-6))
        assert (mirrored.low, mirrored.high) == near((-found.high, -found.low))


@settings(max_examples=40, deadline=None)
@given(st.lists(st.floats(0, 1), max_size=8))
def test_an_adjusted_p_is_no_smaller_and_keeps_the_order(ps):
    adjusted = holm(ps)
    assert all(q >= p for p, q in zip(ps, adjusted, strict=True))
    assert all(a <= b for a, b in pairwise(q for _, q in sorted(zip(ps, adjusted, strict=True))))


@pytest.mark.parametrize(("fixtures", "replicates"), [(3, 3), (6, 5)])
def test_intervals_cover_what_they_promise_on_made_runs(fixtures, replicates):
    found = covered(fixtures, replicates, 600, np.random.default_rng(2))
    # 600 comparisons know a share of 0.95 to 0.018, two standard errors
    assert [0.93 - 0.018 <= share <= 0.97 + 0.018 for share in (found.like_these, found.these, found.own)] == [True] * 3
    assert found.without <= 0.02


def test_intervals_on_atoms_like_these_cover_two_arms_that_are_alike():
    found = covered(1, 5, 600, np.random.default_rng(3))  # 300 of them
    assert found.atoms >= 0.93 and found.like_these is None
