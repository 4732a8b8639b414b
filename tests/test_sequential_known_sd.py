"""Looks after every replicate where the SD of runs is known, and the candidates of a screening's first round."""

import math

import numpy as np
import pytest
from fakes import outside, project
from scipy import integrate, stats
from test_sequential import ALL, NUMBER, answers, rule

from bench.cli import main
from bench.errors import BenchError
from bench.sequential.decide import decide
from bench.sequential.screen import screen
from bench.sequential.until import Until, run_until

KNOWN = {"looks": (1, 2, 3), "run_sd": 3.0, "arms": ("b",)}


def line(difference, runs, arm="b", fixtures=1):
    numbers = {"difference": difference, "fewest_runs": runs, "common_fixtures": fixtures}
    return {
        "arm": arm,
        "model": "m",
        "p": 0.5,
        "why_no_interval": None,
        "runs_for_it": 9.0,
        "fixtures_for_it": None,
    } | numbers


def mixed(difference, runs, fixtures=1, sd=3.0, worth=5.0):
    """The likelihood ratio, as an integral over differences of the size that is worth seeing."""
    se = sd * math.sqrt(2 / (runs * fixtures))
    peak = difference * worth**2 / (worth**2 + se**2)

    def both(d):
        return stats.norm.pdf(difference, d, se) * stats.norm.pdf(d, 0, worth)

    over = integrate.quad(both, peak - 60, peak + 60, points=[peak])[0]
    return over / stats.norm.pdf(difference, 0, se)


def test_p_is_the_least_so_far_of_one_over_the_mixture():
    (one,) = decide([line(9.0, 2, fixtures=3)], rule(**KNOWN), 1, (), 1)
    assert one.p == pytest.approx(1 / mixed(9.0, 2, fixtures=3), rel=1e-6) and one.p_needed == 0.05
    (again,) = decide([line(2.0, 3)], rule(**KNOWN), 2, (), 1, {("b", "m"): 0.03})
    assert (again.p, again.state) == (0.03, "differs") and 1 / mixed(2.0, 3) > 0.03


def test_the_interval_is_where_the_mixture_reaches_the_level():
    # the limits d at which 9 - d would just be found
    (one,) = decide([line(9.0, 2)], rule(**KNOWN), 1, (), 1)
    assert one.low is not None and mixed(9.0 - one.low, 2) == pytest.approx(1 / 0.05, rel=1e-6)
    assert one.high == pytest.approx(18.0 - one.low)


@pytest.mark.parametrize(
    ("one", "state"), [(line(0.1, 60), "close"), (line(4.0, 2), "undecided"), (line(None, None), "undecided")]
)
def test_what_becomes_of_an_arm(one, state):
    assert decide([one], rule(**KNOWN), 0, (), 1)[0].state == state


def test_looking_after_every_replicate_finds_no_more_than_it_promises():
    rng, given = np.random.default_rng(6), rule(**KNOWN | {"looks": tuple(range(1, 13)), "arms": ("b", "c")})
    found = 0
    for _ in range(300):
        means = rng.normal(0, 3.0, (3, 12)).cumsum(axis=1) / np.arange(1, 13)
        before: dict = {}
        for at in range(12):
            lines = [line(float(means[i, at] - means[0, at]), at + 1, arm) for i, arm in ((1, "b"), (2, "c"))]
            told = decide(lines, given, at, (), 2, before)
            before = {(one.arm, one.model): one.p for one in told}
            if any(one.state == "differs" for one in told):
                found += 1
                break
    assert found / 300 <= 0.05 + 3 * (0.05 * 0.95 / 300) ** 0.5


def test_a_run_is_looked_at_after_every_replicate(tmp_path):
    model = answers(first=[ALL], alike=[ALL, NUMBER], worse=["x"])
    path = project(tmp_path, arms={a: a for a in ("first", "alike", "worse")}, sweep="replicates = 1")
    said = []
    stopped = run_until(path, Until(most=4, run_sd=5.0), outside=outside(model), tell=said.append)
    # worse carries 100 points less: found at the first look, of one replicate each
    assert model.asked_of["worse"] == 1 and model.asked_of["first"] == model.asked_of["alike"] > 1
    assert stopped.looks.looks[0].arms[1].p == pytest.approx(1 / mixed(-100.0, 1, sd=5.0), rel=1e-4)
    assert said[0] == "look 1 of 4, 1 replicates:" and "worse: differs from first, -100.0 points" in said[2]
    again = run_until(path, Until(most=4, run_sd=5.0), outside=outside(model), tell=said.append)
    assert again.looks == stopped.looks
    with pytest.raises(BenchError, match="began by another stopping rule"):
        run_until(path, Until(most=4, run_sd=6.0), outside=outside(model), tell=list)


def test_the_command_tells_the_rule_and_refuses_what_is_none(tmp_path, monkeypatch, capsys):
    path = project(
        tmp_path, arms={"window.toml": 'kind = "window"\nwindow = {tokens = 100}\n', "a": "a"}, sweep="replicates = 2"
    )
    monkeypatch.setenv("ANTHROPIC_API_KEY", "")
    asked = ["run", str(path), "--until", "0.05", "--most", "4", "--dry-run"]
    assert main([*asked, "--run-sd", "2.5"]) == 0
    told = (
        "a mixture test after every replicate from 2 to 4, runs having an SD of 2.5 points; 0.05 is the chance that any"
    )
    assert capsys.readouterr().out.startswith(told)
    assert main([*asked, "--run-sd", "0"]) == 2
    assert "--run-sd 0; it is an SD in points, above 0" in capsys.readouterr().err


def test_a_screening_names_candidates_after_its_first_round(tmp_path):
    # rounds of 3, 2 arms; 18 runs: 3 each, then 4 more
    texts = {"base": [NUMBER, NUMBER, ALL], "good": [ALL, ALL, NUMBER], "poor": ["x", NUMBER, "x"]}
    path = project(tmp_path, arms={a: a for a in texts}, sweep="replicates = 6")
    said = []
    stopped = screen(path, outside=outside(answers(**texts)), tell=said.append)
    first, second = stopped.looks.looks
    by_arm = {r.arm: r for r in first.ranks}
    base, good, poor = [100 / 3, 100 / 3, 100], [100, 100, 100 / 3], [0, 100 / 3, 0]
    ps = [stats.ttest_ind(other, base, equal_var=False).pvalue for other in (good, poor)]
    adjusted = stats.false_discovery_control(ps)
    assert [by_arm[a].p_screened for a in ("good", "poor")] == pytest.approx(list(adjusted), rel=1e-6)
    assert (
        by_arm["good"].difference == pytest.approx(np.mean(good) - np.mean(base)) and by_arm["base"].difference is None
    )
    assert f"p {adjusted[0]:.2g} after Benjamini-Hochberg: no candidate" in "\n".join(said)
    assert {r.p_screened for r in second.ranks} == {None}  # the second round's arms were chosen
