"""The frontier with its uncertainty, what a budget buys, and resampling, against figures worked by hand or by scipy."""

import itertools

import numpy as np
import pytest
from runs import graded, output, outputs_of
from scipy import stats

from bench.analysis.arms.budget import at_budget, front, hull, steps
from bench.analysis.arms.frontier import dominance, frontier_table, recall_at_budget
from bench.analysis.arms.level import arm_interval
from bench.analysis.arms.output_table import output_table
from bench.analysis.arms.pareto import arm_points
from bench.analysis.statistics.bootstrap import mean_draws, over_fixtures, over_runs, resampled, resampled_atoms
from bench.frames import frame, records
from bench.rows import OutputRow

ARMS = {"cheap": (1.0, 0.5), "middle": (2.0, 0.6), "dear": (3.0, 0.9), "silly": (4.0, 0.8)}


def near(value, tol=1e-9):
    return pytest.approx(value, abs=tol)


# the level of an arm


def test_the_interval_of_an_arm_over_fixtures_is_a_t_of_their_means():
    # fixture means 0.75 and 0.25: mean 0.5, SD 0.3536, SE 0.25, t(1) = 12.706: cut at 0 and 1
    runs = {"f1": {"a": ["CCCC", "CCLL"]}, "f2": {"a": ["CLLL", "CLLL"]}}
    (line,) = records(arm_interval(graded(runs)))
    assert (line["se"], line["df"], line["low"], line["high"]) == (near(0.25), 1, 0, 1)
    assert line["target"] == "transcripts like these"
    # over runs: variance 0.125 of f1 / 2 runs / 4 = 0.015625, f2 none: SE 0.125, df 1: -1.09 to 2.09
    assert (line["these_low"], line["these_high"]) == (0, 1)


def test_the_interval_of_an_arm_on_one_fixture_is_a_t_of_its_runs():
    shares = [0.4, 0.5, 0.6, 0.5]
    (line,) = records(
        arm_interval(graded({"f1": {"a": ["C" * round(10 * s) + "L" * round(10 - 10 * s) for s in shares]}}))
    )
    low, high = stats.t.interval(0.95, 3, np.mean(shares), stats.sem(shares))
    assert (line["low"], line["high"], line["target"]) == (near(low), near(high), "these facts")


def test_one_run_has_no_interval_and_says_so():
    (line,) = records(arm_interval(graded({"f1": {"a": ["CL"]}})))
    assert (line["low"], line["why_no_interval"]) == (
        None,
        "one run a fixture: how much of it is chance cannot be said",
    )


# resampling


def test_draws_of_fixtures_have_the_spread_of_all_27_that_can_be_listed():
    values = [0.02, 0.10, -0.03]
    means = [sum(d) / 3 for d in itertools.product(values, repeat=3)]
    drawn = mean_draws(values, draws=100_000)
    assert drawn.std() == near(np.std(means), 0.0004)  # sqrt(sum of squares) / 3
    assert (drawn <= 0).mean() == near(np.mean([m <= 1e-12 for m in means]), 0.005)


def test_runs_are_drawn_inside_their_fixture_and_arm_and_figures_of_a_run_stay_together():
    runs = np.array([[1.0, 10.0], [2.0, 20.0], [4.0, 40.0]])
    drawn = over_runs([[runs, runs[:1]]], draws=4000, seed=3)
    assert drawn.shape == (4000, 1, 2, 2)
    assert np.allclose(drawn[..., 1], 10 * drawn[..., 0])
    assert np.allclose(drawn[:, 0, 1], [1, 10])  # a single run is itself each time
    # the SD of a mean of 3 draws is the population SD of the runs / sqrt(3)
    assert drawn[:, 0, 0, 0].std() == near(np.std([1, 2, 4]) / 3**0.5, 0.03)


def test_arms_of_a_fixture_are_drawn_together():
    means = np.zeros((5000, 2, 2, 1))
    means[:, 0, :, 0], means[:, 1, :, 0] = [0.1, 0.2], [0.8, 0.9]
    drawn = over_fixtures(means)
    assert np.allclose(drawn[:, 1] - drawn[:, 0], 0.1)  # what the arms differ by is the same on both
    assert drawn[:, 0, 0].std() == near(0.35 / 2**0.5, 0.01)


def test_resampling_repeats_with_its_seed_and_agrees_with_scipy():
    a, b = np.array([0.5, 0.6, 0.8, 0.7]), np.array([0.4, 0.9, 0.6])
    drawn = resampled([[a[:, None], b[:, None]]], draws=20_000, seed=5)
    assert np.array_equal(drawn, resampled([[a[:, None], b[:, None]]], draws=20_000, seed=5))
    difference = drawn[:, 1, 0] - drawn[:, 0, 0]
    theirs = stats.bootstrap(
        (a, b),
        lambda x, y, axis=-1: y.mean(axis=axis) - x.mean(axis=axis),
        n_resamples=20_000,
        rng=1,
        method="percentile",
    )
    assert difference.std() == near(theirs.standard_error, 0.003)


def test_atoms_are_drawn_alike_for_every_arm_and_weigh_what_they_weigh():
    credits_ = [np.array([[1.0, 0.0, 1.0]]), np.array([[1.0, 0.0, 1.0], [1.0, 0.0, 1.0]])]
    drawn = resampled_atoms(credits_, [1, 1, 2], draws=5000)
    atoms = [(1, 1), (0, 1), (2, 2)]  # weight carried, weight: all 27 draws of three can be listed
    listed = [sum(c for c, _ in d) / sum(w for _, w in d) for d in itertools.product(atoms, repeat=3)]
    assert np.allclose(drawn[:, 0], drawn[:, 1]) and drawn[:, 0].mean() == near(np.mean(listed), 0.015)
    nothing = resampled_atoms([np.array([[1.0, 0.0]])], [1.0, 0.0], draws=400)
    assert np.isnan(nothing).any() and np.nanmin(nothing) == 1


# budgets


def test_hull_and_increments():
    points = list(ARMS.values())
    assert front(points) == [(1, 0.5), (2, 0.6), (3, 0.9)]
    assert hull(points) == [(1, 0.5), (3, 0.9)]  # half of each buys 0.7 for 2, more than middle does
    assert [s.cost_per_point for s in steps(points)] == near([1 / 10, 1 / 30])


@pytest.mark.parametrize(
    ("budget", "bought"),
    [(0.5, (None, None, None)), (1, ("cheap", 0.5, 0.5)), (2.5, ("middle", 0.6, 0.8)), (9, ("dear", 0.9, 0.9))],
)
def test_what_a_budget_buys(budget, bought):
    arm, recall, mixture = at_budget(ARMS, budget)
    assert (arm, recall, mixture) == (bought[0], bought[1], bought[2] if bought[2] is None else near(bought[2]))


# dominance and the table


def test_dominance_counts_the_draws():
    # four draws of (cost, recall) of two arms: b dominates in the first two, a in the third, nobody in the last
    a = [(2, 0.5), (2, 0.5), (1, 0.5), (1, 0.5)]
    b = [(1, 0.5), (1, 0.6), (2, 0.4), (2, 0.9)]
    on, beaten = dominance(np.array([a, b], dtype="float64").transpose(1, 0, 2))
    assert on.tolist() == [0.5, 0.75]
    assert beaten.tolist() == [[0, 0.5], [0.25, 0]]
    # equal arms both stay; one without a recall is off
    on, _ = dominance(np.array([[(1, 0.5), (1, 0.5), (1, np.nan)]]))
    assert on.tolist() == [1, 1, 0]


def table_of(runs, tokens):
    rows = outputs_of(runs)
    rows["handoff_tokens"] = [tokens[arm][i - 1] for arm, i in zip(rows["arm"], rows["replicate"], strict=True)]
    return output_table(rows, graded(runs))


def test_the_frontier_has_intervals_on_both_axes_and_chances():
    runs = {"f1": {"a": ["CCLL", "CLLL"], "b": ["CCCC", "CCCL"], "c": ["CLLL", "LLLL"]}}
    lines = {
        r["name"]: r
        for r in records(frontier_table(table_of(runs, {"a": [90, 110], "b": [200, 220], "c": [300, 300]}), "tokens"))
    }
    # a costs 100, SD 14.142, SE 10, t(1) 12.706: cut at 0
    assert (lines["a"]["cost"], lines["a"]["cost_low"], lines["a"]["cost_high"]) == (100, 0, near(227.0620, 1e-4))
    assert lines["a"]["target"] == "these facts" and lines["c"]["cost_low"] is None  # alike: nothing tells
    # c costs most, and its best mean of 2 runs, 0.25, ties a's worst: a dominates it in every draw
    assert (lines["c"]["chance_on_frontier"], lines["c"]["dominated_by"], lines["c"]["dominated_chance"]) == (0, "a", 1)
    assert lines["a"]["chance_on_frontier"] == lines["b"]["chance_on_frontier"] == 1
    assert (lines["a"]["draws"], lines["a"]["seed"]) == (10_000, 0)


def test_an_arm_that_lacks_a_fixture_is_on_no_frontier_and_says_why():
    runs = {"f1": {"a": ["CL"], "b": ["CC"]}, "f2": {"a": ["CL"]}, "f3": {"a": ["CL"]}}
    table = table_of(runs, {"a": [90], "b": [50]})
    points = {p["name"]: p for p in records(arm_points(table, "tokens"))}
    assert (points["b"]["fixtures"], points["b"]["of_fixtures"], points["b"]["on_frontier"]) == (1, 3, False)
    assert points["a"]["on_frontier"] is True
    line = {r["name"]: r for r in records(frontier_table(table, "tokens", draws=50))}["b"]
    assert (line["why_not"], line["chance_on_frontier"]) == ("1 of 3 fixtures, not comparable", None)


def test_a_refused_output_costs_and_recalls_nothing_that_counts():
    rows = [output("a", usd_api=1.0), output("a", replicate=2, usd_api=3.0, outcome="refused", handoff_tokens=None)]
    rows.append(output("b", usd_api=1.5))
    table = output_table(frame(rows, OutputRow), graded({"f1": {"a": ["CL"], "b": ["CC"]}}))
    lines = {r["name"]: r for r in records(frontier_table(table, "write", draws=4000))}
    # a is drawn as (1, 1), (1, 3), (3, 1), (3, 3): without a recall in the last; dearer than b unless both are 1
    assert lines["a"]["cost"] == 2 and lines["a"]["chance_on_frontier"] == near(0.25, 0.03)
    assert lines["b"]["chance_on_frontier"] == 1


def test_recall_at_a_budget_leaves_out_what_cannot_be_chosen():
    runs = {"f1": {"a": ["CL"], "b": ["CC"], "full": ["CC"]}}
    rows = outputs_of(runs).assign(handoff_tokens=[10, 30, 5], kind=["prompt", "prompt", "full"])
    points = frontier_table(output_table(rows, graded(runs)), "tokens", draws=50)
    told = [(r["budget"], r["name"], r["recall"], r["mixture"]) for r in records(recall_at_budget(points, [5, 20, 40]))]
    assert told == [(5, None, None, None), (20, "a", 0.5, 0.75), (40, "b", 1, 1)]
