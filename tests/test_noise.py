"""Where variation comes from: components against published and balanced figures, and against made data."""

import statistics

import numpy as np
import pandas as pd
import pytest
from runs import graded

from bench.analysis.noise import noise_split, run_components
from bench.analysis.statistics.components import RESIDUAL, components, design
from bench.analysis.statistics.projection import Sources, best_passes, best_whole_passes, se_like_these, se_these
from bench.analysis.statistics.variance import crossed, one_way
from bench.frames import records


def near(value, tol=1e-9):
    return pytest.approx(value, abs=tol)


def test_balanced_data_give_the_analysis_of_variances_components():
    y = np.random.default_rng(3).normal(size=(4, 3, 5))
    f, a, _ = np.indices(y.shape)
    found = components(y.ravel(), {"f": f.ravel(), "a": a.ravel(), "fa": (3 * f + a).ravel()})
    theirs = crossed(y.tolist())
    assert (found["f"], found["a"], found["fa"], found[RESIDUAL]) == near(
        (theirs.fixture, theirs.arm, theirs.fixture_arm, theirs.replicate)
    )


def test_groups_of_any_size_give_the_moments_with_n0():
    groups = [[1.0, 3.0, 2.0], [6.0], [4.0, 5.0]]
    found = components([v for g in groups for v in g], {"g": [0, 0, 0, 1, 2, 2]})
    theirs = one_way(groups)
    assert (found["g"], found[RESIDUAL]) == near((theirs.between, theirs.ms_within))


def test_a_large_mean_costs_no_digits():
    groups = {"g": [0, 0, 1, 1, 2, 2]}
    values = np.array([1.0, 2, 5, 7, 3, 3])
    near_zero, far = components(values, groups), components(values + 1e8, groups)
    assert (far["g"], far[RESIDUAL]) == near((near_zero["g"], near_zero[RESIDUAL]), 1e-5)


@pytest.mark.parametrize(
    ("values", "factors", "none"),
    [
        ([1.0], {"g": [0]}, {"g", RESIDUAL}),
        ([1.0, 2.0, 4.0], {"g": [0, 0, 0]}, {"g"}),  # one level
        ([1.0, 2.0, 4.0], {"g": [0, 1, 2]}, {"g"}),  # one value a level: it is the residual
        ([1.0, 2.0, 4.0, 5.0], {"g": [0, 0, 1, 1], "h": [5, 5, 7, 7]}, {"h"}),  # the levels of a factor before it
    ],
)
def test_what_cannot_be_told_apart_has_no_component(values, factors, none):
    found = components(values, factors)
    assert {name for name, v in found.items() if v is None} == none


def test_the_split_of_a_run_names_why_a_source_has_none():
    lines = {
        r["source"]: r for r in records(noise_split(graded({"f1": {"a": ["CCLL", "CLLL"], "b": ["CCCC", "CLCC"]}})))
    }
    assert lines["fixture"]["why_none"] == "one fixture"
    assert lines["fixture x arm"]["why_none"] == "one fixture an arm: it is in arm"
    assert lines["pass"]["why_none"] == "one pass a run: what the grader adds is in replicate and rest"
    assert lines["atom x replicate"]["why_none"] == "one pass a run: it is in rest"
    assert lines["replicate"]["variance"] is not None and lines["atom"]["levels"] == 4
    assert sum(r["share"] or 0 for r in lines.values()) == near(1)


def test_atoms_alone_move_a_recall_by_their_variance_over_their_number():
    # two runs that carry the same half of eight atoms: all variation is from atoms, none from runs
    lines = {r["source"]: r for r in records(noise_split(graded({"f1": {"a": ["CCCCLLLL"] * 2}})))}
    # each atom's mean is 1 or 0: variance 8 / 7 * 0.25 between atoms, of one credit; over 8 atoms, in points squared
    assert lines["atom"]["variance"] == near(2 / 7)
    assert lines["atom"]["run_variance"] == near(1e4 * 2 / 7 / 8)
    assert lines["rest"]["sd"] == near(0) and lines["atom"]["share"] == near(1)


def test_run_components_are_those_of_pass_recalls():
    passes = [["CCLL", "CCCL"], ["CLLL", "CLLL"]]
    found = run_components(graded({"f1": {"a": passes}}, grader="judge"))
    theirs = one_way([[0.5, 0.75], [0.25, 0.25]])
    assert (found["replicate"], found["pass"]) == near((theirs.between, theirs.ms_within))
    one_pass = run_components(graded({"f1": {"a": ["CCLL", "CLLL"]}}))
    assert (one_pass["replicate"], one_pass["pass"]) == (near(statistics.variance([0.5, 0.25])), None)
    one_run = run_components(graded({f: {"a": [x], "b": [y]} for f, x, y in (("f1", "CL", "CC"), ("f2", "LL", "CC"))}))
    assert one_run["replicate"] is None and one_run["fixture x arm"] is not None


def test_projection_of_a_design():
    of = Sources(fixture_arm=0.0004, replicate=0.0006, grading=0.0003)
    # one fixture, two runs, three passes: 2 * (0.0003 + 0.00005); over fixtures 0.0004 more in the bracket
    assert se_these(of, 1, 2, 3) == near(0.0007**0.5)
    assert se_like_these(of, 1, 2, 3) == near(0.0015**0.5)
    assert se_like_these(of, 6, 2, 3) == near(0.00025**0.5)


def test_passes_that_are_worth_their_price():
    of = Sources(0.0, 0.025**2, 0.015**2)
    assert best_passes(of, 1.0, 0.05) == near(0.6 * 20**0.5)
    assert best_whole_passes(of, 1.0, 0.05) == 3
    assert best_whole_passes(of, 1.0, 100.0) == 1
    assert best_passes(of, 1.0, 0.0) is None and best_passes(Sources(0, 0, 1), 1, 1) is None


SDS = {"fixture": 0.10, "arm": 0.05, "fixture x arm": 0.05, "replicate": 0.05, "pass": 0.06, "atom": 0.20,
       "atom x arm": 0.10, "atom x replicate": 0.10, "rest": 0.15}  # fmt: skip
FINE = [name for name in SDS if name not in ("fixture", "arm")]
"""Sources with more than a handful of levels, whose mean estimate over 400 runs is known to a few per cent."""


def levels(fixtures=4, arms=4, runs=4, passes=2, atoms=10):
    """Source -> level of each credit of a balanced run."""
    f, a, r, g, i = np.indices((fixtures, arms, runs, passes, atoms))
    found = {"fixture": f, "arm": a, "fixture x arm": f * arms + a}
    found["replicate"] = found["fixture x arm"] * runs + r
    found["pass"] = found["replicate"] * passes + g
    found["atom"] = f * atoms + i
    found["atom x arm"] = found["fixture x arm"] * atoms + i
    found["atom x replicate"] = found["replicate"] * atoms + i
    return {name: level.ravel() for name, level in found.items()}


def estimates(codes, kept, runs=400, seed=11):
    """Mean estimate of each source over so many made runs, as a share of what was put in, and its standard error."""
    rng = np.random.default_rng(seed)
    made = design({name: code[kept] for name, code in codes.items()}, int(kept.sum()))
    found = []
    for _ in range(runs):
        values = rng.normal(0, SDS["rest"], len(kept))
        for name, code in codes.items():
            values += rng.normal(0, SDS[name], code.max() + 1)[code]
        found.append(made.components(values[kept]))
    table = pd.DataFrame(found).rename(columns={RESIDUAL: "rest"}) / pd.Series(SDS) ** 2
    return table.mean(), table.std() / runs**0.5


def test_the_split_is_within_10_percent_on_made_data():
    codes = levels()
    mean, error = estimates(codes, np.full(len(codes["atom"]), True))
    assert {name: m for name, m in mean[FINE].items() if abs(m - 1) > 0.10} == {}
    assert (abs(mean - 1) < 3 * error).all()  # no bias in any source, the few fixtures and arms included


def test_the_split_is_unbiased_where_runs_are_missing():
    codes = levels()
    mean, error = estimates(codes, codes["replicate"] % 3 != 0)  # every third run was refused
    assert {name: m for name, m in mean[FINE].items() if abs(m - 1) > 0.10} == {}
    assert (abs(mean - 1) < 3 * error).all()
