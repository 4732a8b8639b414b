"""What arms take: tokens, seconds and USD with level, spread, worst run and difference; and the bounds of gaps."""

import json
import math

import pytest
from runs import graded, output, project, write_run
from scipy import stats

from bench.analysis.arms.measures import measure_table
from bench.analysis.arms.states import cell_states
from bench.analysis.bounds import arm_bounds, cell_bounds, difference_bounds
from bench.analysis.recall import run_recall
from bench.cli import main
from bench.frames import frame, records
from bench.rows import OutputRow

SECONDS = {"a": {"f1": [10.0, 14.0], "f2": [20.0, 22.0]}, "b": {"f1": [15.0, 15.0], "f2": [29.0, 31.0]}}


def near(value):
    return pytest.approx(value, abs=1e-9)


def outputs(seconds=SECONDS, **more):
    rows = [
        output(arm, fixture, i, seconds=one, output_tokens=None if one is None else int(100 * one), **more)
        for arm, fixtures in seconds.items()
        for fixture, values in fixtures.items()
        for i, one in enumerate(values, 1)
    ]
    return frame(rows, OutputRow)


def lines(table, measure="seconds"):
    return {r["arm"]: r for r in records(table) if r["measure"] == measure}


def test_every_figure_of_a_measure():
    found = lines(measure_table(outputs(), ("a", "local", 1, 0)))
    a, b = found["a"], found["b"]
    assert (a["n"], a["missing"], a["fixtures"], a["mean"]) == (4, 0, 2, near((12 + 21) / 2))
    assert (a["spread"], a["spread_of"], a["worst_at"]) == (near((4 + 2) / 2), 2, near((14 + 22) / 2))
    assert (b["worst"], b["worst_fixture"], b["worst_replicate"]) == (31, "f2", 2)
    # differences 3 and 9: mean 6, SE 3, t(1) 12.706
    reach = 3 * stats.t.ppf(0.975, 1)
    assert (b["difference"], b["difference_low"], b["difference_high"]) == (6, near(6 - reach), near(6 + reach))
    assert b["difference_p"] == near(2 * stats.t.sf(2, 1)) and b["target"] == "transcripts like these"
    assert a["difference"] is None
    # ratios 15 / 12 and 30 / 21, their logarithms' mean and SE, t(1)
    logs = [math.log(15 / 12), math.log(30 / 21)]
    middle, reach = sum(logs) / 2, abs(logs[1] - logs[0]) / 2 * stats.t.ppf(0.975, 1)
    ends = [math.expm1(v) for v in (middle, middle - reach, middle + reach)]
    assert [b["more"], b["more_low"], b["more_high"]] == pytest.approx(ends, abs=1e-9)


def test_what_is_dearer_by_the_same_share_everywhere_is_dearer_though_transcripts_differ_in_length():
    seconds = {"a": {"f1": [1.0], "f2": [10.0], "f3": [100.0]}, "b": {"f1": [1.5], "f2": [15.3], "f3": [149.0]}}
    b = lines(measure_table(outputs(seconds), ("a", "local", 1, 0)))["b"]
    assert b["difference_low"] < 0 < b["difference_high"]  # 0.5, 5.3 and 49 seconds
    assert 0.4 < b["more_low"] < b["more"] < b["more_high"] < 0.6
    assert b["more"] == near((1.5 * 1.53 * 1.49) ** (1 / 3) - 1)


@pytest.mark.parametrize(
    ("base", "other", "told"),
    [
        ([0.0, 1.0], [1.0, 1.0], None),  # a share of nothing
        ([1.0, 2.0], [0.0, 0.0], -1.0),  # all of it less
        ([1.0, 3.0], [0.0, 3.0], -0.25),  # nothing on one only: the ratio of the sums, without an interval
    ],
)
def test_a_share_where_an_arm_takes_nothing(base, other, told):
    by_arm = {"a": base, "b": other}
    seconds = {arm: {f"f{i}": [v] for i, v in enumerate(values)} for arm, values in by_arm.items()}
    b = lines(measure_table(outputs(seconds), ("a", "local", 1, 0)))["b"]
    assert (b["more"], b["more_low"], b["more_high"]) == (told, None, None)


def test_on_one_fixture_runs_are_what_is_drawn_again():
    found = lines(
        measure_table(outputs({"a": {"f1": [10.0, 12.0, 11.0]}, "b": {"f1": [20.0, 26.0, 23.0]}}), ("a", "local", 1, 0))
    )
    welch = stats.ttest_ind([20, 26, 23], [10, 12, 11], equal_var=False)
    low, high = welch.confidence_interval(0.95)
    assert (found["b"]["difference_low"], found["b"]["difference_high"]) == (near(low), near(high))
    assert found["b"]["difference_p"] == near(welch.pvalue)


def test_a_mean_over_what_is_not_known_is_not_known():
    b = lines(measure_table(outputs({"a": {"f1": [10.0]}, "b": {"f1": [20.0, None]}}), ("a", "local", 1, 0)))["b"]
    assert (b["n"], b["missing"], b["mean"], b["difference"], b["worst"]) == (1, 1, None, None, 20)


def test_what_an_arm_costs_that_asks_no_model_needs_no_second_run():
    table = outputs({"a": {"f1": [1.0, 2.0]}}, usd_api=0.5)
    free = outputs({"full": {"f1": [3.0]}}, model="none", usd_api=None)
    import pandas as pd

    found = measure_table(pd.concat([table, free], ignore_index=True), ("full", "none", 1, 0))
    assert lines(found, "usd_write")["full"]["mean"] == 0
    assert lines(found, "usd_write")["a"]["difference"] == near(0.5)
    assert lines(found)["a"]["why_no_interval"].startswith("one run a fixture")  # its seconds would vary


def test_a_refused_output_took_what_it_took():
    rows = [output("a", seconds=1.0), output("a", replicate=2, seconds=9.0, outcome="refused", handoff_tokens=None)]
    (line,) = lines(measure_table(frame(rows, OutputRow), ("a", "local", 1, 0))).values()
    assert (line["mean"], line["worst"]) == (5, 9)


# gaps


def bounds(runs, planned, **more):
    cells = cell_states(
        frame([output(a, f, r) for a, f, r in planned], OutputRow),
        frame(
            [output(a, f, r) for f, by in runs.items() for a, o in by.items() for r in range(1, len(o) + 1)], OutputRow
        ),
    )
    return cell_bounds(run_recall(graded(runs, **more)), cells)


def test_a_missing_cell_counts_as_nothing_and_as_all():
    found = bounds({"f1": {"a": ["CCLL"]}, "f2": {"a": ["CC"]}}, [("a", "f1", 1), ("a", "f1", 2), ("a", "f2", 1)])
    (line,) = records(arm_bounds(found))
    # f1: (0.5 + 0) / 2 to (0.5 + 1) / 2; f2: 1
    assert (line["recall_least"], line["recall_most"]) == (near((0.25 + 1) / 2), near((0.75 + 1) / 2))
    assert (line["gaps"], line["planned"]) == (1, 3)


def test_a_missing_verdict_counts_by_its_weight():
    found = bounds({"f1": {"a": ["CC.L"]}}, [("a", "f1", 1)], weights=[1, 1, 2, 1])
    (line,) = records(arm_bounds(found))
    assert (line["recall_least"], line["recall_most"], line["gaps"]) == (near(0.4), near(0.8), 1)


def test_bounds_of_a_difference_are_of_shared_fixtures():
    found = bounds(
        {"f1": {"a": ["CL"], "b": ["CC"]}, "f2": {"a": ["LL"]}},
        [("a", "f1", 1), ("b", "f1", 1), ("b", "f1", 2), ("a", "f2", 1)],
    )
    a, b = (found[found["arm"] == arm] for arm in "ab")
    gap = difference_bounds(a, b)  # b on f1: 1 and a gap, 0.5 to 1; a: 0.5
    assert (gap.least, gap.most, gap.gaps, gap.cells) == (near(0), near(0.5), 1, 3)
    assert difference_bounds(a, a) is None


# commands


def test_compare_prints_what_arms_take_and_json_has_every_figure(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(project(tmp_path / "project"))
    rows = outputs({"a": {"f1": [10.0, 12.0]}, "b": {"f1": [20.0, 22.0]}}, usd_api=0.5)
    made = [output(**{k: v for k, v in r.items() if v is not None}) for r in records(rows)]
    write_run(tmp_path / "project/results/tiny", {"f1": {"a": ["CL", "CC"], "b": ["CC", "CC"]}}, rows=made)
    assert main(["compare", "tiny"]) == 0
    told = capsys.readouterr().out
    assert "tiny: what it takes, every output that was tried counted" in told
    # ln(21 / 11), SE sqrt(2 / 2 / 11^2 + 2 / 2 / 21^2) = 0.1026, df 1.51: t 5.95
    assert "it takes 91 % longer (95 % interval 3.6 to 252 % longer)" in told
    assert main(["compare", "tiny", "--json"]) == 0
    _, b = json.loads(capsys.readouterr().out)
    assert (b["costs"]["seconds"]["difference"], b["costs"]["seconds"]["worst"]) == (10, 22)
    assert b["costs"]["output_tokens"]["mean"] == 2100
