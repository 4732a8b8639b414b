"""Methods on small examples worked by hand, or by scipy in another way; the sheet's own are in test_stat_vectors."""

import itertools
import math
import statistics

import numpy as np
import pytest
from runs import graded
from scipy import integrate, stats

from bench.analysis.arms.spread import best_at, pooled_sd, worst_at
from bench.analysis.graders.grader_noise import moves_arms, moves_one
from bench.analysis.recall import atom_mean, run_recall
from bench.analysis.statistics.at_k import all_of, any_of
from bench.analysis.statistics.chain_sequences import sequences
from bench.analysis.statistics.clustered import clustered
from bench.analysis.statistics.equal_spread import equal_spread
from bench.analysis.statistics.equivalence import equivalence
from bench.analysis.statistics.false_discovery import false_discovery
from bench.analysis.statistics.fieller import fieller
from bench.analysis.statistics.grader_error import Labelled, corrected, judge_interval, rogan_gladen
from bench.analysis.statistics.kaplan_meier import kaplan_meier, retention
from bench.analysis.statistics.mcnemar import mcnemar
from bench.analysis.statistics.mixture import half_width, mixture_test
from bench.analysis.statistics.multi_rater import multi_rater
from bench.analysis.statistics.normal_range import c4, d2, d3, range_p, sigma_limits, sigma_limits_of, sigma_of_range
from bench.analysis.statistics.over_atoms import crossed_atoms, over_atoms
from bench.analysis.statistics.over_fixtures import over_fixtures
from bench.analysis.statistics.pass_flips import pass_flips
from bench.analysis.statistics.passes import best, majority, worst
from bench.analysis.statistics.prediction_powered import prediction_powered
from bench.analysis.statistics.proportion import effective_atoms, exact, jeffreys, least_if_all, wilson
from bench.analysis.statistics.questions import design_effect, question_variance, questions_needed, questions_see
from bench.analysis.statistics.variance import se_of_mean
from bench.frames import records


def near(value, tol=1e-9):
    return pytest.approx(value, abs=tol)


# one run


@pytest.mark.parametrize(("carried", "atoms"), [(0, 10), (3, 10), (10, 10), (60, 82)])
def test_intervals_of_a_share_are_scipys(carried, atoms):
    test = stats.binomtest(carried, atoms)
    for ours, method in ((wilson, "wilson"), (exact, "exact")):
        assert ours(carried, atoms) == near(tuple(test.proportion_ci(0.95, method)), 1e-12)
    low, high = stats.beta.ppf([0.025, 0.975], carried + 0.5, atoms - carried + 0.5)
    assert jeffreys(carried, atoms) == near((low if carried else 0, high if carried < atoms else 1))


def test_shares_of_nothing_are_absent_and_weights_leave_fewer_atoms():
    assert (wilson(0, 0), exact(0, 0), jeffreys(0, 0), least_if_all(0), effective_atoms([0, 0])) == (None,) * 5
    assert effective_atoms([3, 1]) == near(16 / 10) and effective_atoms([2, 2, 2]) == near(3)
    assert least_if_all(10) ** 10 == near(0.05)  # ten of ten happen one time in twenty at this share


@pytest.mark.parametrize(
    ("verdicts", "of_most", "highest", "lowest"),
    [
        (["carried", "absent", "carried"], "carried", "carried", "absent"),
        (["carried", "absent"], "absent", "carried", "absent"),  # a tie goes to the lower credit
        (["partial", None, "carried"], "partial", "carried", "partial"),
        ([None, None], None, None, None),
    ],
)
def test_several_passes_as_one_verdict(verdicts, of_most, highest, lowest):
    assert (majority(verdicts), best(verdicts), worst(verdicts)) == (of_most, highest, lowest)


def test_a_typical_atom_weighs_fixtures_by_their_atoms():
    # f1: 4 of 4, f2: 0 of 1: a typical transcript 0.5, a typical atom 4 / 5
    (line,) = records(atom_mean(run_recall(graded({"f1": {"a": ["CCCC", "CCCC"]}, "f2": {"a": ["L"]}}))))
    assert line["recall"] == near(0.8)


# spread


def test_worst_and_best_of_m_are_means_over_all_subsets():
    runs = [0.3, 0.9, 0.5, 0.6]
    for m in (1, 2, 3, 4):
        subsets = list(itertools.combinations(runs, m))
        assert worst_at(runs, m) == near(statistics.fmean(map(min, subsets)))
        assert best_at(runs, m) == near(statistics.fmean(map(max, subsets)))
    assert (worst_at(runs, 5), best_at(runs, 0)) == (None, None)


def test_a_pooled_sd_weighs_by_degrees_of_freedom():
    # squares 2 * 0.01 of three runs and 0.02 of two: 0.04 / 3
    sd, df = pooled_sd([[0.4, 0.5, 0.6], [0.1, 0.3], [0.9]])
    assert (sd, df) == (near((0.04 / 3) ** 0.5), 3)
    assert pooled_sd([[0.1], [0.2]]) is None


@pytest.mark.parametrize("n", [2, 4, 9])
def test_range_constants_are_integrals_of_order_statistics(n):
    density = stats.studentized_range(n, math.inf).sf
    mean = integrate.quad(density, 0, 12)[0]
    square = integrate.quad(lambda w: 2 * w * density(w), 0, 12)[0]
    assert (d2(n), d3(n)) == (near(mean, 1e-6), near(math.sqrt(square - mean**2), 1e-6))
    assert c4(n) == near(stats.chi.mean(n - 1) / math.sqrt(n - 1))


def test_what_a_range_and_an_sd_say_of_many_runs():
    assert sigma_of_range(2 / math.sqrt(math.pi), 2) == near(1)  # two runs lie 2 / sqrt(pi) SDs apart on average
    low, high = sigma_limits(5)
    assert (low, high) == near(tuple(math.sqrt(4 / stats.chi2.ppf(q, 4)) for q in (0.975, 0.025)))
    assert (sigma_limits(1), sigma_limits_of(0), sigma_of_range(0.1, 1)) == (None, None, None)
    # two runs: the range over sqrt(2) is a half-normal
    assert range_p(1.0, 1.0, 2) == near(2 * stats.norm.sf(1 / math.sqrt(2)), 1e-6)
    assert range_p(1.0, 0.0, 2) is None


def test_reliability_of_one_atom_counts_draws():
    draws = list(itertools.combinations([True, True, False, False, False], 2))
    assert any_of(2, 5, 2) == near(sum(map(any, draws)) / len(draws))
    assert all_of(2, 5, 2) == near(sum(map(all, draws)) / len(draws))
    assert (any_of(6, 5, 2), all_of(0, 5, 2)) == (None, None)


def test_equal_spread_is_an_f_test_of_deviations_from_the_median():
    a, b = [1.0, 2.0, 4.0, 5.0], [0.0, 5.0, 9.0]
    apart = [[abs(v - statistics.median(x)) for v in x] for x in (a, b)]
    f, p = stats.f_oneway(*apart)
    found = equal_spread(a, b)
    assert (found.statistic, found.p, found.ratio) == near((f, p, statistics.stdev(b) / statistics.stdev(a)))
    assert equal_spread([1.0], b) is None and equal_spread([1.0, 1.0], b) is None


# graders


def test_passes_that_differ_as_a_whole():
    # one pass is stricter on every atom: each atom's variance 0.5, predicted 4 * 0.5 / 16, observed 0.5
    found = pass_flips([[1, 1, 1, 1], [0, 0, 0, 0]])
    assert found == near((0.125, 0.5, 4))
    assert pass_flips([[1, 0], [1, 0]]).ratio is None and pass_flips([[1, 0]]) is None


def test_how_far_the_grader_moves_arms():
    assert moves_one(2.0) == near(stats.norm.ppf(0.975) * 2 * math.sqrt(2))
    assert moves_arms(2.0, 4, 3) == near(moves_one(2.0) / math.sqrt(12))
    assert se_of_mean([[0.1, 0.3], [0.6]]) == near(0.2) and se_of_mean([[0.1, 0.3]]) is None


def test_agreement_of_several_raters():
    # units CC CC CL LL: p_a 3/4; shares C 5/8, L 3/8
    found = multi_rater(["CCCL", "CCLL"])
    by_chance = 25 / 64 + 9 / 64
    assert found.fleiss == near((3 / 4 - by_chance) / (1 - by_chance))
    assert found.ac1 == near((3 / 4 - 30 / 64) / (1 - 30 / 64)) and found.brennan_prediger == near(0.5)
    assert multi_rater(["CC", "CC"]) == (1.0, None, None, None) and multi_rater(["C"])[0] is None
    assert multi_rater([["C", None], ["C", "L"]], categories=2).ac1 == 1.0


def test_correcting_a_recall_undoes_the_graders_errors():
    # true 0.6: seen 0.6 * 0.9 + 0.4 * 0.2 = 0.62
    assert rogan_gladen(0.62, 0.9, 0.8) == near(0.6)
    assert rogan_gladen(0.9, 0.5, 0.5) is None and rogan_gladen(0.1, 0.9, 0.8) == 0
    found = corrected(0.62, 100, Labelled(90, 10, 20, 80))
    variance = 0.62 * 0.38 / 100 + 0.36 * 0.09 / 100 + 0.16 * 0.16 / 100
    assert (found.recall, found.se, found.factor) == near((0.6, math.sqrt(variance) / 0.7, 1 / 0.7))
    assert found.low < 0.6 < found.high
    assert corrected(0.5, 10, Labelled(0, 0, 1, 1)) is None and Labelled(0, 0, 0, 0).accuracy is None


def test_the_interval_of_a_corrected_recall_covers():
    rng = np.random.default_rng(4)
    held = []
    for _ in range(1500):
        seen = rng.binomial(200, 0.62) / 200
        se, sp = rng.binomial(60, 0.9) / 60, rng.binomial(40, 0.8) / 40
        low, high = judge_interval(seen, 200, (se, 60), (sp, 40))
        held.append(low <= 0.6 <= high)
    assert 0.93 <= statistics.fmean(held) <= 0.98


def test_a_prediction_powered_mean_of_a_perfect_grader_is_that_of_all():
    human, more = [1.0, 0.0, 1.0, 1.0], [1.0, 0.0, 0.0, 1.0, 1.0, 1.0]
    found = prediction_powered(human, human, more, tuned=False)
    assert found.mean == near(statistics.fmean(more))
    reach = stats.norm.ppf(0.975) * math.sqrt(statistics.pvariance(more) / 6)
    assert (found.low, found.high) == near((found.mean - reach, found.mean + reach))
    # a grader that always says the same teaches nothing: the people's mean alone
    useless = prediction_powered(human, [1.0] * 4, [1.0] * 6)
    assert (useless.lam, useless.mean) == (0, near(0.75))
    assert prediction_powered([1.0], [1.0], more) is None


# comparisons


def test_a_clustered_error_sums_inside_fixtures():
    # mean 0.5; residuals f1: 0.5 + 0.5, f2: -0.5 - 0.5: sqrt(1 + 1) / 4
    found = clustered({"f1": [(1.0, 1.0), (1.0, 1.0)], "f2": [(0.0, 1.0), (0.0, 1.0)]})
    assert (found.difference, found.cr0, found.cr1) == near((0.5, math.sqrt(2) / 4, 0.5))
    assert clustered({"f1": [(1.0, 3.0), (0.0, 1.0)]}).difference == near(0.75)
    assert clustered({"f1": [(1.0, 0.0)]}) is None and clustered({"f1": [(1.0, 1.0)]}).cr0 is None


def test_atoms_and_runs_drawn_again():
    # base always 0; other carries atom 1 twice, atom 2 never: nothing varies from run to run but by atoms
    found = over_atoms([(np.zeros((2, 2)), np.array([[1.0, 0.0], [1.0, 0.0]]))])
    # differences 1 and 0: variance 0.5 over 2 atoms, one degree of freedom
    assert (found.difference, found.se, found.df) == near((0.5, 0.5, 1))
    terms = crossed_atoms(np.array([[0.0, 0.0], [1.0, 1.0]]), np.zeros((2, 2)))
    assert (terms.runs, terms.atoms, terms.residual) == near((0.25, 0, 0))  # whole runs vary, no atom alone
    assert terms.variance == near(0.25)
    assert over_atoms([(np.zeros((1, 2)), np.zeros((2, 2)))]).why.startswith("it takes two runs")


def test_mcnemar_is_a_fair_coin_on_what_differs():
    assert mcnemar(0, 5) == near(2 / 32) and mcnemar(0, 0) == 1


def test_false_discovery_is_scipys_without_what_has_no_p():
    ps = [0.01, None, 0.04, 0.03, 0.005]
    theirs = iter(stats.false_discovery_control([p for p in ps if p is not None]))
    assert false_discovery(ps) == [None if p is None else near(float(next(theirs))) for p in ps]


def test_equivalence_is_two_one_sided_t_tests():
    differences, margin = [0.01, -0.02, 0.03, 0.0, 0.01], 0.03
    found = equivalence(over_fixtures(differences), margin)
    worse = stats.ttest_1samp(differences, -margin, alternative="greater").pvalue
    better = stats.ttest_1samp(differences, margin, alternative="less").pvalue
    assert (found.p_worse, found.p_better, found.p) == near((worse, better, max(worse, better)))
    assert equivalence(over_fixtures([0.1]), 0.05) is None
    with pytest.raises(ValueError, match="above 0"):
        equivalence(over_fixtures(differences), 0.0)


def test_questions_that_a_difference_takes():
    variance = question_variance(0.05, (0.2, 4), (0.1, 2))
    assert variance == near(0.15)
    z = stats.norm.ppf(0.975) + stats.norm.ppf(0.8)
    assert questions_needed(variance, 0.1) == near(z**2 * 0.15 / 0.01)
    assert questions_see(variance, questions_needed(variance, 0.1)) == near(0.1)
    assert design_effect(11, 0.1) == near(2) and design_effect(1, 0.9) == 1


# cost and chains


def test_limits_of_a_ratio_are_where_the_t_test_turns():
    cost, carried = [1.0, 1.3, 1.1, 1.4], [50.0, 61.0, 52.0, 60.0]
    for r in fieller(cost, carried):
        apart = [c - r * n for c, n in zip(cost, carried, strict=True)]
        assert stats.ttest_1samp(apart, 0).pvalue == near(0.05)
    assert fieller([1.0, 2.0], [0.0, 1.0]) is None and fieller([1.0], [1.0]) is None


def test_survival_of_five_atoms():
    # lost at 1 and 2; one not seen after 2; two last to 3: 4/5, then 3/4 of it, then all
    curve = kaplan_meier([1, 2, 2, 3, 3], [True, True, False, False, False])
    assert curve.at_risk == (5, 4, 2) and curve.survival == near((0.8, 0.6, 0.6))
    greenwood = [0.64 * (1 / 20), 0.36 * (1 / 20 + 1 / 12)]
    assert curve.variance[:2] == near(tuple(greenwood))
    kept = retention([1, 2, 2, 3, 3], [True, True, False, False, False])
    assert (kept.trials, kept.losses, kept.retention) == (11, 2, near(9 / 11))
    assert near((9 / 11) ** kept.half_life) == 0.5
    assert retention([2, 2], [False, False]).least == near(0.05**0.25) and retention([], []) is None


def test_steps_of_three_atoms():
    found = sequences([[True, False, True], [True, True, True], [False, False, False]])
    assert found.recall == near([2 / 3, 1 / 3, 2 / 3]) and found.reappeared == 1
    assert (found.stay, found.came_back) == ([0.5, 1.0], [0.0, 0.5])
    assert (found.first_loss, found.last_seen) == ([2, None, 1], [3, 3, 0])
    assert sequences([]) is None and sequences([[True, True]]).came_back == [None]


# looking after every run


def test_a_mixture_is_the_integral_over_effects():
    (one, two) = mixture_test([0.5, 1.0], sigma=1.0, tau=0.7)
    total, n = 1.5, 2
    mixed = integrate.quad(lambda m: math.exp(m * total - n * m * m / 2) * stats.norm.pdf(m, 0, 0.7), -8, 8)[0]
    assert two.ratio == near(mixed, 1e-8) and two.p == near(min(1, 1 / one.ratio, 1 / mixed), 1e-8)


def test_looking_after_every_run_errs_no_more_than_one_time_in_twenty():
    rng = np.random.default_rng(9)
    missed = 0
    for _ in range(400):
        means = np.cumsum(rng.normal(size=60)) / np.arange(1, 61)
        missed += any(abs(m) > half_width(n, 1.0, 1.0) for n, m in enumerate(means, 1))
    assert missed / 400 <= 0.05
