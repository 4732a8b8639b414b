"""What a comparison comes to, in one sentence: how much, how sure, about what, or what it would take to tell."""

import pytest
from runs import graded
from test_analysis import BENCH

from bench.analysis.compare import compare
from bench.conclusion import conclusions


def sentences(runs, first="a", costs=None, moves=None, model="local", **more):
    table = compare(graded(runs, model=model, **more), (first, model, 1, 0))
    costed = table.assign(name=table["arm"], grader_moves=moves, usd_write=[(costs or {}).get(a) for a in table["arm"]])
    told = conclusions(costed)
    assert told.isna().tolist() == [True] + [False] * (len(told) - 1)
    return told.dropna().tolist()


def runs_of(**carried):
    """One fixture of ten atoms; each arm's runs by how many they carry."""
    return {arm: ["C" * n + "L" * (10 - n) for n in counts] for arm, counts in carried.items()}


def test_a_difference_on_one_fixture_speaks_of_its_facts():
    # 4.25 of 10 against 7.5: variances 0.25 / 4 and 1 / 3 of atoms squared
    (told,) = sentences({"f1": runs_of(a=[4, 4, 5, 4], b=[7, 8, 8, 7])})
    assert told.startswith("b carries 32.5 points more than a (95 % interval 23.")
    assert told.endswith("1 fixture × 4 replicates) on these facts; nothing is said of other transcripts")


def test_fewer_points_have_their_interval_the_same_way_round():
    (more,) = sentences({"f1": runs_of(a=[4, 4, 5, 4], b=[7, 8, 8, 7])})
    (fewer,) = sentences({"f1": runs_of(b=[4, 4, 5, 4], a=[7, 8, 8, 7])})
    assert fewer == more.replace("more than", "fewer than")


def test_a_difference_over_fixtures_speaks_of_transcripts_like_these():
    runs = {f"f{i}": runs_of(a=[4, 4], b=[n, n + 1]) for i, n in enumerate([6, 7, 6, 7, 6, 8])}
    (told,) = sentences(runs, costs={"a": 0.5, "b": 0.69}, moves=1.42)
    assert told.startswith("b carries 31.7 points more than a (95 % interval ")
    assert "6 fixtures × 2 replicates) on transcripts like these; " in told
    assert told.endswith("; it costs 38 % more to write; the grader alone moves a run by ±1.4")


def test_where_it_cannot_tell_it_says_what_it_would_take():
    (told,) = sentences(BENCH, "base")
    assert told.startswith("cannot tell terse from base on transcripts like these: +19.2 points (95 % interval -2.6 to")
    # the SE over fixtures is 5.0768 points [report.bench]; at 2 degrees of freedom a design sees 5.65 of them
    assert "3 fixtures × 1 to 3 replicates); this design sees 28.7 points or more; " in told
    assert told.endswith("more fixtures would see 5")


def test_more_replicates_are_named_where_they_would_do():
    (told,) = sentences({"f1": runs_of(a=[4, 5, 6], b=[5, 6, 7])})
    # SD 10 points an arm; two groups see 5 points from 64 runs on (Cohen's d of 0.5): 61.. more
    assert told.startswith("cannot tell b from a on these facts: +10.0 points (95 % interval -12.7 to 32.7, ")
    assert told.endswith("this design sees 30.7 points or more; 61 more replicates would see 5")


@pytest.mark.parametrize(
    ("runs", "told"),
    [
        (runs_of(a=[4], b=[6]), "cannot tell b from a: +20.0 points without an interval; one run a fixture"),
        (runs_of(a=[4, 4], b=[6, 6]), "cannot tell b from a: +20.0 points without an interval; all runs of an arm are"),
        ({"a": ["CL.."], "b": ["..CC"]}, "cannot tell b from a: no fixture that both arms have a verdict on"),
    ],
)
def test_without_an_interval_it_says_why(runs, told):
    (sentence,) = sentences({"f1": runs})
    assert sentence.startswith(told)


def test_arms_that_are_the_same_each_time_differ_on_these_facts_for_sure():
    (told,) = sentences({"f1": runs_of(a=[4], b=[6])}, model="none")
    assert told == "b carries 20.0 points more than a on these facts, each time: neither varies (1 fixture)"


def test_a_judged_arm_that_is_the_same_each_time_has_its_gradings_drawn_again():
    runs = {"f1": {"a": [["CCLL", "CLLL", "CCLL"]], "b": [["CCCC", "CCCL", "CCCC"]]}}
    (told,) = sentences(runs, model="none", grader="judge")
    assert told.startswith("b carries 50.0 points more than a (95 % interval ") and "(1 fixture" not in told


def test_many_comparisons_make_one_of_them_less_sure():
    one = {"f1": runs_of(a=[4, 5, 6, 5], b=[6, 7, 6, 7])}
    many = {"f1": one["f1"] | runs_of(c=[5, 5, 4, 6], d=[4, 5, 5, 6], e=[5, 4, 6, 5], f=[5, 5, 6, 6])}
    assert sentences(one)[0].startswith("b carries 15.0 points more")
    told = sentences(many)[0]
    assert told.startswith("cannot tell b from a") and "with 5 comparisons its p of 0.0" in told and "(Holm)" in told


def test_what_holds_of_these_facts_only_is_told_beside():
    runs = {"f1": runs_of(a=[2, 2, 2, 3], b=[9, 9, 9, 8]), "f2": runs_of(a=[5, 5, 5, 4], b=[6, 6, 6, 7])}
    (told,) = sentences(runs)
    assert (
        told.startswith("cannot tell b from a on transcripts like these") and "on these facts, from run to run" in told
    )


def test_a_sign_flip_that_objects_is_told():
    # differences 1 1 1 1 1 -0.1 of ten: t finds it, 6 fixtures' signs do not (4 of 64 patterns)
    differences = {f"f{i}": runs_of(a=[4], b=[6]) for i in range(5)} | {"f9": runs_of(a=[5], b=[4])}
    (told,) = sentences(differences)
    assert "the sign-flip over fixtures does not bear it out (p 0.062)" in told and told.startswith("cannot tell")


def test_a_design_that_sees_nothing_says_so():
    runs = {"f1": runs_of(a=[0], b=[9]), "f2": runs_of(a=[9], b=[3])}
    (told,) = sentences(runs)
    assert "95 % interval -100.0 to 100.0" in told and "sees no difference, however large" in told
