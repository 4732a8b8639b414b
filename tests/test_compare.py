"""Arms against the first of them: paired over fixtures and atoms, and what a small design cannot tell."""

import pytest
from runs import graded
from test_analysis import BENCH

from bench.analysis.comparing.compare import cannot_be_said, compare
from bench.errors import BenchError
from bench.frames import records


def near(value):
    return pytest.approx(value, abs=1e-9)


def compared(runs, first):
    return records(compare(graded(runs), (first, "local", 1, 0)))


def test_the_first_stands_on_top_without_a_difference_to_itself():
    lines = compared({"f1": {"a": ["CL"], "b": ["CC"], "c": ["LL"]}}, "a")
    assert [(r["arm"], r["difference"]) for r in lines] == [("a", None), ("b", near(50)), ("c", near(-50))]


def test_a_difference_is_paired_by_fixture_and_atom():
    lines = {r["arm"]: r for r in compared(BENCH, "base")}
    # fixture differences 0.0972…, 0.2708…, 0.2083… of the worked example
    assert lines["terse"]["difference"] == near(19.212962962962962)
    assert (lines["terse"]["common_fixtures"], lines["terse"]["common_atoms"]) == (3, 15)
    assert (lines["terse"]["recall"], lines["base"]["recall"]) == (near(0.8171296296296298), near(0.625))
    assert (lines["terse"]["n"], lines["base"]["n"]) == (6, 6)


def test_only_atoms_that_both_have_a_verdict_on_are_compared():
    # a: a1 1, a2 0, a3 1, a4 1, a5 none; b: a1 none, a2 1, a3 1, a4 0, a5 1: on a2 to a4 both carry 2 of 3
    lines = compared({"f1": {"a": ["CLCC."], "b": [".CCLC"]}}, "a")
    assert (lines[1]["difference"], lines[1]["common_atoms"], lines[1]["atoms_left_out"]) == (near(0), 3, 2)


def test_only_common_fixtures_are_compared():
    lines = compared({"f1": {"a": ["CL"], "b": ["CC"]}, "f2": {"a": ["LL"]}}, "a")
    assert (lines[1]["difference"], lines[1]["common_fixtures"], lines[1]["fixtures"]) == (near(50), 1, 1)


def test_arms_without_a_common_fixture_have_no_difference():
    lines = compared({"f1": {"a": ["CL"]}, "f2": {"b": ["CC"]}}, "a")
    assert (lines[1]["difference"], lines[1]["common_fixtures"]) == (None, 0)


def test_weights_count_in_a_difference():
    table = graded({"f1": {"a": ["LC"], "b": ["CC"]}}, weights=[3, 1])
    assert records(compare(table, ("a", "local", 1, 0)))[1]["difference"] == near(75)


def test_an_arm_without_grades_cannot_be_first():
    with pytest.raises(BenchError, match="arm 'nobody' has no graded handoff"):
        compared({"f1": {"a": ["C"]}}, "nobody")


@pytest.mark.parametrize(
    ("runs", "told"),
    [
        ({"f1": {"a": ["CL"], "b": ["CC"]}}, ["One fixture", "One run a fixture (a, b)"]),
        ({"f1": {"a": ["CL", "CL"], "b": ["CC", "CC"]}}, ["One fixture"]),
        ({"f1": {"a": ["CL"], "b": ["CC"]}, "f2": {"a": ["CL"], "b": ["CC"]}}, ["One run a fixture (a, b)"]),
        ({"f1": {"a": ["CL", "CL"], "b": ["CC", "CC"]}, "f2": {"a": ["C", "C"], "b": ["C", "C"]}}, []),
        ({"f1": {"a": ["CL", "C."], "b": ["C.", "C."]}}, ["One fixture", "Atoms that only one"]),
    ],
)
def test_what_cannot_be_said_of_a_design(runs, told):
    sentences = cannot_be_said(compare(graded(runs), ("a", "local", 1, 0)))
    assert [s.startswith(t) for s, t in zip(sentences, told, strict=True)] == [True] * len(told)


def test_an_arm_that_asks_no_model_needs_no_second_run():
    table = graded({"f1": {"window-4k": ["CL"], "full": ["CC"]}}, model="none")
    (sentence,) = cannot_be_said(compare(table, ("window-4k", "none", 1, 0)))
    assert sentence.startswith("One fixture")


def test_an_arm_with_fewer_fixtures_is_said_not_to_compare():
    runs = {"f1": {"a": ["CL", "CC"], "b": ["CC", "CL"]}, "f2": {"a": ["LL", "CL"]}, "f3": {"a": ["LL", "CL"]}}
    table = compare(graded(runs), ("a", "local", 1, 0))
    assert [(r["arm"], r["fixtures"], r["of_fixtures"]) for r in records(table)] == [("a", 3, 3), ("b", 1, 3)]
    assert any(s.startswith("b: 1 of 3 fixtures, not comparable") for s in cannot_be_said(table))


def test_there_is_no_p_without_an_interval():
    # six fixtures that all differ by the same: sign-flip alone would say 2 / 64
    runs = {f"f{i}": {"a": ["CL"], "b": ["CC"]} for i in range(6)}
    line = compared(runs, "a")[1]
    assert (line["difference"], line["low"], line["p"], line["p_exact"]) == (near(50), None, None, None)


def test_atoms_like_these_have_an_interval_of_their_own():
    # the method sheet's crossed design: difference 1/12, SE 0.12199 at 3.70 degrees of freedom, t 2.868
    runs = {"a": ["LCLLLCCC", "CCCCLCLL", "LCCLCCCC"], "b": ["CCLCLCCL", "LCCCLCCC", "CCLCCCCL"]}
    line = compared({"f1": runs}, "a")[1]
    assert line["difference"] == near(100 / 12)
    assert ((line["atoms_high"] + line["atoms_low"]) / 2, (line["atoms_high"] - line["atoms_low"]) / 2) == (
        near(100 / 12), pytest.approx(12.198750911856665 * 2.8677, rel=1e-3)
    )  # fmt: skip
    assert compared({"f1": {"a": ["CL"], "b": ["CC"]}}, "a")[1]["atoms_low"] is None
