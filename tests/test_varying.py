"""What bench noise says beside the split: single atoms, spreads of arms, readings of passes, a key's size, weights."""

import itertools
import json
import math
import statistics

import numpy as np
import pytest
from runs import graded, output, project, write_run
from scipy import stats

import bench
from bench.analysis.atoms.reliability import reliability
from bench.analysis.comparing.alike_spread import alike_spread
from bench.analysis.comparing.key_size import key_sizes
from bench.analysis.graders.pass_readings import pass_readings
from bench.analysis.noise import noise_split
from bench.analysis.recall import pass_recall, run_recall
from bench.analysis.statistics.equal_spread import equal_spread_within
from bench.analysis.statistics.variance import one_way
from bench.cli import main
from bench.frames import records
from bench.runs.expected import spread_lines, worth_passes


def near(value, tol=1e-9):
    return pytest.approx(value, abs=tol)


def test_an_atom_is_carried_in_one_run_in_one_of_k_or_in_all_k():
    # k is 2, b's; of a's three runs: a1 carried in 3, a2 in 1, a3 in 0 (partial is not), of weights 2 1 1
    runs = {"f1": {"a": ["CCP", "CLP", "CLL"], "b": ["CCC", "CCL"]}}
    a, b = records(reliability(graded(runs, weights=[2, 1, 1])))
    pairs = list(itertools.combinations([1, 0, 0], 2))
    once = sum(map(any, pairs)) / len(pairs)
    assert (a["k"], a["atoms"], a["unsure"]) == (2, 3, 1)
    assert (
        a["one_run"] == near((2 + 1 / 3) / 4) and a["any_run"] == near((2 + once) / 4) and a["every_run"] == near(0.5)
    )
    assert (b["one_run"], b["any_run"], b["every_run"], b["unsure"]) == (near(3.5 / 4), near(1), near(0.75), 1)
    assert len(reliability(graded({"f1": {"a": ["CCP"]}}))) == 0


def test_reliability_is_a_mean_over_fixtures():
    (line,) = records(reliability(graded({"f1": {"a": ["CCCC", "CCCC"]}, "f2": {"a": ["LL", "LL"]}})))
    assert (line["every_run"], line["atoms"]) == (near(0.5), 6)


def test_arms_vary_alike_by_levenes_test_and_the_ratio_of_their_sds():
    runs = {"f1": {"a": ["CCCLL", "CCLLL", "CCCCC", "CCCCL"], "b": ["CLLLL", "CCCCC", "LLLLL", "CCCLL"]}}
    first, line = records(alike_spread(run_recall(graded(runs)), ("a", "local", 1, 0)))
    a, b = [60, 40, 100, 80], [20, 100, 0, 60]
    levene = stats.levene(a, b, center="median")
    ratio = statistics.stdev(b) / statistics.stdev(a)
    assert (first["sd"], first["ratio"], line["sd"]) == (near(statistics.stdev(a)), None, near(statistics.stdev(b)))
    assert (line["p"], line["p_holm"], line["ratio"]) == near((levene.pvalue, levene.pvalue, ratio))
    low, high = (ratio / math.sqrt(stats.f.ppf(q, 3, 3)) for q in (0.975, 0.025))
    assert (line["ratio_low"], line["ratio_high"]) == near((low, high))


def test_fixtures_have_medians_of_their_own_and_two_runs_count_once():
    a, b = [[1.0, 2.0, 4.0], [10.0, 13.0]], [[5.0, 5.5, 9.0], [0.0, 1.0]]
    apart = [[1.0, 0.0, 2.0, 1.5], [0.5, 0.0, 3.5, 0.5]]
    found = equal_spread_within(a, b)
    assert (found.statistic, found.p) == near(tuple(stats.f_oneway(*apart)))
    assert found.ratio == near(math.sqrt(one_way(b).ms_within / one_way(a).ms_within))


def test_pairs_of_equal_arms_are_called_different_no_more_than_one_time_in_twenty():
    rng = np.random.default_rng(2)
    found = [equal_spread_within(*rng.normal(size=(2, 4, 2)).tolist()).p <= 0.05 for _ in range(600)]
    assert statistics.fmean(found) <= 0.05 + 3 * (0.05 * 0.95 / 600) ** 0.5


def test_passes_read_as_one_verdict():
    # a1 C C L, a2 L P P, a3 . L C: mean (2/3 + 1/3 + 1/2) / 3; majority C P L (a tie), best C P C, worst L L L
    (line,) = records(pass_readings(graded({"f1": {"a": [["CL.", "CPL", "LPC"]]}}, grader="judge")))
    told = (line["recall"], line["majority"], line["best"], line["worst"])
    assert told == near(((2 / 3 + 1 / 3 + 1 / 2) / 3, 1.5 / 3, 2.5 / 3, 0))
    assert len(pass_readings(graded({"f1": {"a": ["CL"]}}))) == 0


def test_weights_count_in_the_split_as_in_the_recall():
    # only an atom that weighs nothing varies: nothing varies
    lines = records(noise_split(graded({"f1": {"a": ["CCL", "CLC", "CCC", "CLL"]}}, weights=[1, 0, 0])))
    assert {r["variance"] for r in lines if r["why_none"] is None} == {0.0}
    # two atoms of weights 3 and 1, run to run: recalls 3/4, 1/4, 1, 1/4 have the variance of a run graded once
    runs, weights = ["CL", "LC", "CC", "LC"], [3, 1]
    table = graded({"f1": {"a": runs}}, weights=weights)
    recalls = [100 * r["recall"] for r in records(pass_recall(table))]
    assert recalls == near([75, 25, 100, 25])
    found = {r["source"]: r["variance"] for r in records(noise_split(table))}
    # of balanced data the mean square of runs is that of replicates and, over the two atoms, the rest
    assert 1e4 * (found["replicate"] + found["rest"] / 2) == near(statistics.variance(recalls), 1e-6)


def test_how_many_atoms_a_difference_takes():
    # differences vary by 2 * 0.03, a sample by 0.02 + 0.08: at two runs an arm 0.06 + 0.1
    variances = {"fixture x arm": 0.008, "atom x arm": 0.03, "atom x replicate": 0.02, "rest": 0.08}
    two = next(line for line in key_sizes(variances, 40, 4, 5.0) if line.replicates == 2)
    z = stats.norm.ppf(0.975) + stats.norm.ppf(0.8)
    assert two.needed == near(z**2 * 0.16 / 0.05**2, 1e-6)
    # ten atoms a fixture, intraclass correlation 0.016 / 0.176
    counts_as = 40 / (1 + 9 * 0.016 / 0.176)
    assert (two.counts_as, two.sees) == (near(counts_as), near(100 * z * math.sqrt(0.16 / counts_as)))
    alone = key_sizes(variances | {"fixture x arm": None}, 40, 1, 5.0)[1]
    assert (alone.counts_as, alone.sees) == (None, near(100 * z * math.sqrt(0.16 / 40)))
    assert key_sizes(variances | {"atom x arm": None}, 40, 4, 5.0) == []


def test_an_expected_spread_and_the_widest_one():
    groups = {"a on f1": [50.0, 60.0], "b on f1": [40.0, 44.0, 70.0]}
    expected, widest = spread_lines(groups, 10.0, 6)
    # two runs lie 2 / sqrt(pi) SDs apart, three 3 / sqrt(pi)
    assert expected.startswith(
        f"runs with such an SD spread over {20 / math.pi**0.5:.1f} in 2, {30 / math.pi**0.5:.1f} in 3"
    )
    p = 2 * stats.studentized_range.sf(3.0, 3, 6)
    sd = statistics.stdev(groups["b on f1"])
    low, high = (sd * math.sqrt(2 / stats.chi2.ppf(q, 2)) for q in (0.975, 0.025))
    assert f"b on f1, 30.0 points in 3 runs, an SD of {sd:.1f} (95 % limits {low:.1f} to {high:.1f})" in widest
    assert widest.endswith(f"one as wide among 2 by chance: p {p:.2g}")
    assert spread_lines(groups, 0.0, 6) == []


@pytest.fixture
def judged(tmp_path, monkeypatch):
    folder = project(tmp_path / "project")
    runs = {"f1": {"a": ["CCLL", "CLLL", "CCCL"], "b": ["CCCC", "CCCL", "LCCC"]}}
    rows = [output(a, "f1", r, run="tiny", usd_api=1.0) for a in "ab" for r in (1, 2, 3)]
    write_run(folder / "results/tiny", runs, rows=rows)
    monkeypatch.chdir(folder)
    return bench.open_run("tiny")


def test_the_command_prints_them_all(judged, capsys):
    assert main(["noise", judged.name]) == 0
    told = capsys.readouterr().out
    assert "how reliable single atoms are\narm  k  atoms  in one run  in one of k  in all k  unsure\n" in told
    # a: a1 always, a2 in 2 of 3, a3 in 1, a4 never
    assert "a    3      4        50.0         75.0      25.0       2" in told
    assert "below 10 runs an arm it hardly ever finds anything" in told and "what a key would take" in told
    assert "several passes read as one" not in told  # one pass
    assert main(["noise", judged.name, "--json"]) == 0
    tables = json.loads(capsys.readouterr().out)
    assert {line["name"]: line["every_run"] for line in tables["reliability"]} == {"a": 0.25, "b": 0.5}
    assert [line["replicates"] for line in tables["key"]] == [1, 2, 3, 5, 10] and tables["readings"] == []
    assert len(bench.key_sizes(judged, 2.0)) == 5


def test_passes_that_are_worth_their_price_are_told_where_both_prices_are_known(judged):
    import dataclasses

    import pandas as pd

    passes = [["CCLL", "CCCL"], ["CLLL", "CLLL"], ["CCCL", "CLLL"]]
    table = graded({"f1": {"a": passes}}, grader="judge")
    calls = judged.calls.reindex(range(6)).assign(purpose="judge", usd_api=pd.Series([0.05] * 6, dtype="Float64"))
    (told,) = worth_passes(dataclasses.replace(judged, calls=calls, grades=table), table)
    parts = one_way([[0.5, 0.75], [0.25, 0.25], [0.75, 0.25]])
    replicate, grading = max(0.0, parts.between), parts.ms_within
    best = min(range(1, 60), key=lambda g: (replicate + grading / g) * (1.0 + g * 0.05))
    assert told.startswith(f"for the least variance a USD, grade each run {best} time") if replicate else told == []
    unknown = calls.assign(usd_api=pd.Series([None] * 6, dtype="Float64"))
    assert worth_passes(dataclasses.replace(judged, calls=unknown, grades=table), table) == []
