"""Recall, spread, extremes, tags and lost atoms, against figures worked by hand (and by other software)."""

from itertools import pairwise

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from runs import graded, grades, invented, invention, output, outputs_of

from bench.analysis.arms.extremes import extremes
from bench.analysis.arms.spread import arm_spread, fixture_spread, range_at
from bench.analysis.arms.verdicts import arm_verdicts
from bench.analysis.atoms.by_tag import by_tag
from bench.analysis.atoms.lost import atom_arms, lost_atoms
from bench.analysis.recall import arm_recall, fixture_recall, pass_recall, run_recall
from bench.analysis.units import checked_grades, rankable
from bench.errors import BenchError
from bench.frames import frame, records
from bench.rows import GradeRow, OutputRow

# A whole small bench: three fixtures, two arms, unequal replicates, three passes, two missing verdicts.
BENCH = {
    "f1": {
        "base": [["CLCCCC", "CLCCCP", "CLCCCL"], ["CLLCCL", "CLLCCL", "CLLLCC"]],
        "terse": [["CCCCCC", "LCCCCC", "CCCCCC"], ["CCCLLC", "CCCPLC", "CCCCLC"], ["CCLCLL", "PCLPLL", "CCPCLL"]],
    },
    "f2": {
        "base": [["CLCC", "CLLC", "C.LC"], ["CLCC", "CLCC", "CLC."]],
        "terse": [["CCPC", "CC.C", "CCCC"]],
    },
    "f3": {
        "base": [["CLPPL", "CLCCL", "CPCCL"], ["LCCLL", "LCCCL", "PCCCP"]],
        "terse": [["CCCCC", "C.PCC", "CCLCC"], ["CCCPL", "CLC.L", "CCCCL"]],
    },
}


def near(value):
    return pytest.approx(value, abs=1e-9)


def one_run(letters, **more):
    return records(run_recall(frame(grades(letters, **more), GradeRow)))


@pytest.mark.parametrize(
    ("letters", "weights", "partial", "recall"),
    [
        ("CCLCLCCCLC", None, 0.5, 7 / 10),
        ("CPLCPC", [3, 1, 2, 1, 1, 2], 0.0, 6 / 10),  # 3 + 1 + 2 of 10
        ("CPLCPC", [3, 1, 2, 1, 1, 2], 0.5, 7 / 10),  # and half of 1 + 1
        ("CPLCPC", [3, 1, 2, 1, 1, 2], 1.0, 8 / 10),
        ("CSWL", None, 0.5, 1 / 4),  # stale and wrong count 0
        ("CL", [0, 0], 0.5, None),
        ("...", None, 0.5, None),
    ],
)
def test_recall_is_the_weighted_mean_of_credits(letters, weights, partial, recall):
    table = frame(grades(letters, weights=weights), GradeRow)
    assert records(run_recall(table, partial=partial))[0]["recall"] == (None if recall is None else near(recall))


def test_a_missing_verdict_is_left_out_and_counted():
    # graded: 1 1 . 1 . 1 1 2 = 7 of 10; carried 1 + 1 + 0.5 + 1 + 2 = 5.5
    (run,) = one_run("CC.L.PCC", weights=[1, 1, 2, 1, 1, 1, 1, 2])
    assert (run["recall"], run["coverage"]) == (near(5.5 / 7), near(0.7))
    assert (run["atoms"], run["missing"], run["weight"]) == (8, 2, 10)


def test_nothing_graded_has_coverage_0_and_no_recall():
    (run,) = one_run("...")
    assert (run["recall"], run["coverage"], run["missing"]) == (None, 0.0, 3)


def test_no_grades_give_empty_tables_not_errors():
    none = frame([], GradeRow)
    assert all(len(t) == 0 for t in (run_recall(none), arm_recall(run_recall(none)), arm_spread(run_recall(none))))


@pytest.mark.parametrize("weight", [-1.0, float("inf"), float("nan")])
def test_a_weight_that_is_no_weight_is_refused(weight):
    with pytest.raises(BenchError, match="atom a1 has weight"):
        one_run("CL", weights=[weight, 1.0])


def test_passes_are_averaged_atom_by_atom():
    table = graded({"f1": {"inventory": [["CLC.L", "CLL.P", "C.L.L"]]}})
    passes = records(pass_recall(table))
    assert [p["recall"] for p in passes] == [near(2 / 4), near(1.5 / 4), near(1 / 3)]
    # a1 1, a2 0, a3 1/3, a4 never graded, a5 0.5/3: 1.5 of 4 atoms, not the mean of the passes (0.4028)
    (run,) = records(run_recall(table))
    assert (run["recall"], run["atoms"], run["missing"]) == (near(1.5 / 4), 5, 1)


def test_replicates_are_averaged_inside_a_fixture_before_fixtures():
    table = graded(
        {
            "f1": {"A": ["CCLC", "CLLC"], "B": ["CCCC", "CCLC"]},
            "f2": {"A": ["CLLLCL"], "B": ["CCLLCL", "CLLCCL", "CLCCCL"]},
            "f3": {"A": ["LL"], "B": ["CL"]},
        }
    )
    runs = run_recall(table)
    by_fixture = {(r["arm"], r["fixture"]): r["recall"] for r in records(fixture_recall(runs))}
    assert by_fixture[("A", "f1")] == near(0.625)
    assert by_fixture[("B", "f2")] == near(5 / 9)  # 3/6, 3/6, 4/6
    arms = {r["arm"]: r for r in records(arm_recall(runs))}
    assert arms["A"]["recall"] == near((5 / 8 + 2 / 6 + 0) / 3)  # pooling the runs would say 0.4375
    assert arms["B"]["recall"] == near((7 / 8 + 5 / 9 + 1 / 2) / 3)
    assert (arms["A"]["n"], arms["A"]["fixtures"], arms["B"]["n"]) == (4, 3, 6)


def test_the_whole_small_bench():
    runs = run_recall(graded(BENCH))
    arms = {r["arm"]: r for r in records(arm_recall(runs))}
    assert arms["base"]["recall"] == near(0.6249999999999999)
    assert arms["terse"]["recall"] == near(0.8171296296296298)
    spreads = {(r["arm"], r["fixture"]): r for r in records(fixture_spread(runs))}
    base = spreads[("base", "f1")]
    assert (base["n"], base["mean"], base["worst"], base["best"]) == (2, near(0.625), near(0.5), near(0.75))
    assert (base["range"], base["sd"]) == (near(25), near(17.67766952966369))
    terse = spreads[("terse", "f1")]
    assert (terse["range"], terse["sd"]) == (near(47.222222222222204), near(23.733343736993134))
    ends = {r["arm"]: r for r in records(extremes(runs))}
    assert ends["terse"]["worst"] == near(0.47222222222222227)
    assert (ends["terse"]["worst_fixture"], ends["terse"]["worst_replicate"]) == ("f1", 3)
    assert (ends["terse"]["best_fixture"], ends["terse"]["best_replicate"]) == ("f1", 1)


def spread_of(recalls):
    """`fixture_spread` of runs with exactly these recalls: one atom of that weight carried, one of the rest lost."""
    rows = [
        row
        for i, r in enumerate(recalls, 1)
        for row in grades("CL", replicate=i, weights=[r, 1 - r])
    ]  # fmt: skip
    return records(fixture_spread(run_recall(frame(rows, GradeRow))))


def test_spread_of_four_runs():
    (line,) = spread_of([0.7195, 0.7683, 0.7073, 0.7439])
    assert (line["n"], line["mean"], line["worst"], line["best"]) == (4, near(0.73475), near(0.7073), near(0.7683))
    assert (line["range"], line["sd"]) == (near(6.1), near(2.7051740547821786))


def test_one_run_has_no_range_and_no_sd():
    (line,) = spread_of([0.71])
    assert (line["n"], line["worst"], line["best"]) == (1, near(0.71), near(0.71))
    assert (line["range"], line["sd"]) == (None, None)


def test_identical_runs_have_a_spread_of_exactly_0():
    (line,) = spread_of([0.75, 0.75, 0.75])
    assert (line["range"], line["sd"]) == (0, 0)


@pytest.mark.parametrize(
    ("m", "expected"),
    # mean of max - min over all subsets of m of these six
    [(1, None), (2, 0.02933333333333336), (3, 0.044), (4, 0.052), (5, 0.05666666666666672), (6, 0.06), (7, None)],
)
def test_range_at_m_is_the_mean_over_all_subsets(m, expected):
    found = range_at([0.71, 0.74, 0.69, 0.75, 0.73, 0.7], m)
    assert found == (None if expected is None else near(expected))


def test_ranges_of_different_n_are_compared_at_the_smaller_n():
    few, many = [0.7, 0.73], [0.71, 0.74, 0.69, 0.75, 0.73, 0.7, 0.72, 0.76, 0.68, 0.71]
    rows = [
        row
        for arm, recalls in (("few", few), ("many", many))
        for i, r in enumerate(recalls, 1)
        for row in grades("CL", arm, replicate=i, weights=[r, 1 - r])
    ]
    spread = {r["arm"]: r for r in records(arm_spread(run_recall(frame(rows, GradeRow))))}
    assert (spread["few"]["spread"], spread["few"]["spread_of"]) == (near(3.0), 2)
    assert (spread["many"]["spread"], spread["many"]["spread_of"]) == (near(3.133333333333334), 2)  # raw: 8


def test_an_arm_with_one_run_has_no_spread_beside_one_that_has():
    table = graded({"f1": {"twice": ["CL", "CC"], "once": ["CL"]}})
    spread = {r["arm"]: (r["spread"], r["spread_of"]) for r in records(arm_spread(run_recall(table)))}
    assert spread == {"twice": (50, 2), "once": (None, None)}


@settings(max_examples=30, deadline=None)
@given(st.lists(st.floats(0, 1), min_size=2, max_size=7))
def test_range_at_n_is_the_range_and_grows_with_m(values):
    ranges = [range_at(values, m) for m in range(2, len(values) + 1)]
    assert ranges[-1] == near(max(values) - min(values))
    assert all(a <= b + 1e-9 for a, b in pairwise(ranges))


def test_recall_by_tag_skips_fixtures_without_the_tag():
    rows = [
        *grades("CLC", "inventory", "f1", tags=["ask", "ask", "number"]),
        *grades("LL", "inventory", "f2", tags=["ask", "ask"]),
    ]
    tags = {r["tag"]: r for r in records(by_tag(frame(rows, GradeRow)))}
    assert (tags["ask"]["recall"], tags["ask"]["fixtures"], tags["ask"]["atoms"]) == (near((0.5 + 0) / 2), 2, 4)
    assert (tags["number"]["recall"], tags["number"]["fixtures"], tags["number"]["atoms"]) == (1, 1, 1)


def test_lost_atoms_are_those_that_no_arm_carried_in_any_run():
    runs = {"f1": {"a": ["CLLP", "CLL."], "b": ["LLC."], "full": ["CCCC"]}}
    outputs = frame(
        [output("a", replicate=1), output("a", replicate=2), output("b"), output("full", kind="full", model="none")],
        OutputRow,
    )
    table = graded(runs)
    table["model"] = table["model"].where(table["arm"] != "full", "none")
    (lost,) = records(lost_atoms(table, outputs))
    # a1 by a, a3 by b, a4 in part; `full` holds the transcript and does not count
    assert (lost["atom"], lost["runs"], lost["arms"]) == ("a2", 3, 2)


def test_the_matrix_of_atoms_and_arms_counts_stale_and_wrong():
    cells = {(r["atom"], r["arm"]): r for r in records(atom_arms(graded({"f1": {"a": ["CS.", "LW."], "b": ["PC."]}})))}
    assert cells[("a1", "a")]["credit"] == 0.5
    assert (cells[("a2", "a")]["credit"], cells[("a2", "a")]["stale"], cells[("a2", "a")]["wrong"]) == (0, 1, 1)
    assert (cells[("a3", "a")]["credit"], cells[("a3", "a")]["n"]) == (None, 0)
    assert cells[("a1", "b")]["credit"] == 0.5


def test_stale_wrong_and_invented_stand_beside_recall():
    table = graded({"f1": {"a": ["SWCC", "CCCC"]}, "f2": {"a": ["SL"]}, "f3": {"a": ["."]}})
    # stale: f1 (1/4 + 0)/2 = 1/8, f2 1/2, f3 nothing graded; wrong: f1 1/8, f2 0; invented: f1 (2 + 0)/2, f2 0, f3 0
    (line,) = records(arm_verdicts(table, invented(invention("a"), invention("a", never="n2"))))
    assert (line["stale"], line["wrong"]) == (near((1 / 8 + 1 / 2) / 2), near(1 / 16))
    assert line["invented"] == near((1 + 0 + 0) / 3)


def test_inventions_are_counted_a_pass():
    table = graded({"f1": {"a": [["C", "C"]]}})
    (line,) = records(arm_verdicts(table, invented(invention("a", grading_pass=2))))
    assert line["invented"] == 0.5


def test_a_pass_that_did_not_look_in_full_says_nothing_of_inventions():
    rows = [*grades("C", "a"), *grades("C", "a", grading_pass=2, inventions_known=False)]
    rows += grades("C", "b", inventions_known=False)
    found = invented(invention("a"), invention("a", grading_pass=2), invention("b"))
    lines = {r["arm"]: r["invented"] for r in records(arm_verdicts(frame(rows, GradeRow), found))}
    assert lines == {"a": 1, "b": None}


def test_a_grader_that_can_see_no_old_value_says_nothing_of_them():
    rows = [
        *grades("CL", "a", stale_known=False),
        *grades("SL", "a", grading_pass=2),
        *grades("CS", "b", stale_known=False),
    ]
    lines = {r["arm"]: (r["stale"], r["wrong"]) for r in records(arm_verdicts(frame(rows, GradeRow), invented()))}
    assert lines == {"a": (0.5, 0), "b": (None, 0)}


def test_truncated_outputs_are_ranked_only_when_asked():
    outputs = frame([output("a"), output("b", outcome="truncated")], OutputRow)
    table = graded({"f1": {"a": ["C"], "b": ["C"]}})
    assert set(rankable(table, outputs)["arm"]) == {"a"}
    assert set(rankable(table, outputs, with_truncated=True)["arm"]) == {"a", "b"}


def test_two_keys_of_one_fixture_are_never_averaged():
    mixed = pd.concat([graded({"f1": {"a": ["C"]}}), graded({"f1": {"b": ["C"]}}, key_sha256="other")])
    with pytest.raises(BenchError, match="fixture 'f1' was graded with 2 answer keys"):
        checked_grades(mixed)
    assert len(checked_grades(graded(BENCH))) == len(graded(BENCH))
    assert len(outputs_of(BENCH)) == 12
