"""What a comparison comes to, in one sentence: how much, how sure, about what, or what it would take to tell."""

import pandas as pd
import pytest
from runs import graded, outputs_of
from test_analysis import BENCH

from bench.analysis.arms.measures import measure_table
from bench.analysis.arms.states import cell_states
from bench.analysis.comparing.compare import compare
from bench.runs.conclusion import _further, conclusions
from bench.runs.cost_clauses import atom_clause


def sentences(runs, first="a", costs=None, moves=None, model="local", states=None, seconds=None, margin=None, **more):
    """`costs` and `seconds`: an arm's figure of each run, one for all; `states`: what `cell_states` would give."""
    one = (first, model, 1, 0)
    table = compare(graded(runs, model=model, **more), one, cells=states, margin=margin)
    outputs = outputs_of(runs, model=model)
    given = {"usd_api": costs or {}, "seconds": seconds or {}}
    for column, by_arm in given.items():
        values = [by_arm.get(a) for a in outputs["arm"]]
        picked = [v[r - 1] if isinstance(v, list) else v for v, r in zip(values, outputs["replicate"], strict=True)]
        outputs[column] = pd.Series(picked, dtype="Float64")
    told = conclusions(table.assign(name=table["arm"], grader_moves=moves), measure_table(outputs, one))
    assert told.isna().tolist() == [True] + [False] * (len(told) - 1)
    return told.dropna().tolist()


def runs_of(**carried):
    """One fixture of ten atoms; each arm's runs by how many they carry."""
    return {arm: ["C" * n + "L" * (10 - n) for n in counts] for arm, counts in carried.items()}


def test_a_difference_on_one_fixture_speaks_of_its_facts():
    # 4.25 of 10 against 7.5: variances 0.25 / 4 and 1 / 3 of atoms squared
    (told,) = sentences({"f1": runs_of(a=[4, 4, 5, 4], b=[7, 8, 8, 7])})
    assert told.startswith("b carries 32.5 points more than a (95 % interval 23.")
    assert "1 fixture × 4 replicates) on these facts; on other facts of its transcript it is +0.9 to +64.1; " in told
    worst = "nothing is said of other transcripts; the worst of 4 runs carries 70.0 points against 40.0"
    assert told.endswith(f"{worst}, and they lie 10.0 apart against 10.0")


def test_fewer_points_have_their_interval_the_same_way_round():
    (more,) = sentences({"f1": runs_of(a=[4, 4, 5, 4], b=[7, 8, 8, 7])})
    (fewer,) = sentences({"f1": runs_of(b=[4, 4, 5, 4], a=[7, 8, 8, 7])})
    assert fewer.split(" on these facts")[0] == more.replace("more than", "fewer than").split(" on these facts")[0]
    assert "it is -64.1 to -0.9" in fewer and "it is +0.9 to +64.1" in more


def test_a_difference_over_fixtures_speaks_of_transcripts_like_these():
    runs = {f"f{i}": runs_of(a=[4, 4], b=[n, n + 1]) for i, n in enumerate([6, 7, 6, 7, 6, 8])}
    (told,) = sentences(runs, costs={"a": 0.5, "b": 0.69}, moves=1.42)
    assert told.startswith("b carries 31.7 points more than a (95 % interval ")
    assert "6 fixtures × 2 replicates) on transcripts like these; " in told
    assert told.endswith("; it costs 38 % more to write in these runs; the grader alone moves a run by ±1.4")


def test_where_it_cannot_tell_it_says_what_it_would_take():
    (told,) = sentences(BENCH, "base")
    assert told.startswith("cannot tell terse from base on transcripts like these: +19.2 points (95 % interval -2.6 to")
    # the SE over fixtures is 5.0768 points [report.bench]; at 2 degrees of freedom a design sees 5.65 of them
    assert "3 fixtures × 1 to 3 replicates); this design sees 28.7 points or more; " in told
    assert " more fixtures would see 5; the worst of 2 runs carries " in told


def test_more_than_anybody_would_add_is_no_number_to_name():
    assert _further(740, 1, "fixture") == "over 100 more fixtures"
    assert (_further(101, 1, "fixture"), _further(1.2, 1, "fixture")) == ("100 more fixtures", "1 more fixture")


def test_more_replicates_are_named_where_they_would_do():
    (told,) = sentences({"f1": runs_of(a=[4, 5, 6], b=[5, 6, 7])})
    # SD 10 points an arm; two groups see 5 points from 64 runs on (Cohen's d of 0.5): 61.. more
    assert told.startswith("cannot tell b from a on these facts: +10.0 points (95 % interval -12.7 to 32.7, ")
    assert "this design sees 30.7 points or more; 61 more replicates would see 5; the worst of 3 runs" in told


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
    sure, two = told.split("; ", 1)
    assert sure == "b carries 20.0 points more than a on these facts, each time: both are fixed texts (1 fixture)"
    assert two.endswith("; that is about these two outputs, the same each time")


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


def alike(**arms):
    return {"f1": runs_of(**{arm: [5] * 4 for arm in arms})}


def test_a_cost_is_told_with_its_interval():
    usd = {"a": [1.0, 1.1, 0.9, 1.0], "b": [1.5, 1.6, 1.4, 1.5]}
    # ln 1.5, SE sqrt(0.00667 / 4 * (1 / 1 + 1 / 2.25)) = 0.0491, df 5.22, t 2.537: 0.4055 -+ 0.1245
    assert "; it costs 50 % more to write (95 % interval 32 to 70 % more)" in sentences(alike(**usd), costs=usd)[0]
    close = {"a": [1.0, 1.4, 0.6, 1.0], "b": [1.0, 1.5, 0.7, 1.0]}
    told = sentences(alike(**close), costs=close)[0]
    # ln 1.05, SE sqrt(0.1067 / 4 / 1 + 0.11 / 4 / 1.1025) = 0.2272, df 6.0, t 2.447: 0.0488 -+ 0.556
    assert "; it costs 5 % more to write in these runs (95 % interval 40 % less to 83 % more: it may be chance)" in told
    free = {"a": 1.0, "b": 0.0}
    assert "; it costs nothing to write" in sentences(alike(**free), costs=free)[0]


def test_time_is_told_only_where_it_is_sure():
    slow = {"a": [10.0, 11.0, 9.0, 10.0], "b": [5.0, 6.0, 4.0, 5.0]}
    # ln 0.5, SE sqrt(0.6667 / 4 * (1 / 100 + 1 / 25)) = 0.0913, df 4.41, t 2.677: -0.6931 -+ 0.2444
    assert "; it takes 50 % less time (95 % interval 36 to 61 % less)" in sentences(alike(**slow), seconds=slow)[0]
    alone = {"a": [10.0, 14.0, 6.0, 10.0], "b": [10.0, 15.0, 7.0, 10.0]}
    assert "takes" not in sentences(alike(**alone), seconds=alone)[0]


def test_a_gap_that_could_turn_it_leaves_the_ranking_open():
    runs = {"f1": runs_of(a=[4, 4, 5, 4], b=[7, 8, 8])}
    planned = outputs_of({"f1": runs_of(a=[4] * 4, b=[7] * 4)})
    # b 7 8 8 and one cell missing: 57.5 to 82.5 points, a 42.5: above 0 whatever was in it
    told = sentences(runs, states=cell_states(planned, outputs_of(runs)))[0]
    assert told.startswith("b carries 34.2 points more") and "it would be +15.0 to +40.0" in told
    assert "1 of 8 cells lack a handoff or a verdict: had those carried nothing, or all," in told
    planned = outputs_of({"f1": runs_of(a=[4] * 4, b=[7] * 9)})
    told = sentences(runs, states=cell_states(planned, outputs_of(runs)))[0]
    # 23 of 90 to 83 of 90 against 42.5
    assert (
        told.startswith("cannot tell b from a") and "it would be -16.9 to +49.7, so which is better stays open" in told
    )


def test_no_worse_is_told_against_a_margin_only():
    runs = {"f1": runs_of(a=[5, 6, 5, 6], b=[5, 6, 6, 6])}
    # SE sqrt(0.3333 / 4 + 0.25 / 4) atoms of ten: 3.82 points; +2.5 with 5.9 degrees of freedom
    assert "it is not worse by 8 points or more (p 0.0" in sentences(runs, margin=8)[0]
    assert "it is as good, to within 20 points (p 0.00" in sentences(runs, margin=20)[0]
    assert "that it is not worse by 1 points or more cannot be told (p 0.2" in sentences(runs, margin=1)[0]
    assert "worse" not in sentences(runs)[0]


def test_a_further_atom_has_its_price_where_more_costs_more_for_sure():
    more = {"usd_per_more": 0.0123, "usd_per_more_low": 0.008, "usd_per_more_high": 0.0201}
    line = {"difference": 31.7, "found": True, **more}
    told = "each further atom costs 0.0123 USD to write (95 % interval 0.008 to 0.0201)"
    assert atom_clause(line) == [told]
    assert atom_clause(line | {"difference": -31.7}) == [told.replace("further atom costs", "atom that it lacks saves")]
    for nothing in ({"found": False}, {"usd_per_more_low": -0.001}, {"usd_per_more": None}):
        assert atom_clause(line | nothing) == []


def test_an_arm_that_costs_nothing_says_so():
    usd = {"a": [1.0, 1.1, 0.9, 1.0], "b": [0.0] * 4}
    assert "; it costs nothing to write" in sentences(alike(**usd), costs=usd)[0]
    same = {"a": [1.0, 1.4, 0.6, 1.0], "b": [1.0, 1.4, 0.6, 1.0]}
    told = sentences(alike(**same), costs=same)[0]
    assert "it costs the same in these runs (95 % interval " in told and "chance" not in told
