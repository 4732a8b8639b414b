"""Runs that a rule stops: planned looks add replicates to undecided arms only, a screening halves its arms."""

import json
import math
import shlex
from collections import Counter
from pathlib import Path

import pytest
from fakes import PAID, FakeModel, outside, project, reply
from loopback import say
from pages import blocks
from scipy import stats

import bench
from bench.analysis.statistics.looks import boundaries, nominal
from bench.cli import main
from bench.errors import BenchError
from bench.forks.store import Store
from bench.runs.index import open_run
from bench.runs.told import show_comparison
from bench.sequential.decide import decide
from bench.sequential.rule import Rule, read_looks
from bench.sequential.screen import screen
from bench.sequential.until import Until, run_until
from bench.transcripts.model import Usage
from benchmarks.looks import found_by_chance

PAGE = Path(__file__).parent.parent / "docs" / "stopping-early.md"
ALL = "We ruled out Redis. MAX_RETRIES is 5. Buckets go to Postgres."
NUMBER = "MAX_RETRIES is 5."
"""Two of the small fixture's three atoms fewer."""


def answers(**by_instruction):
    """A model whose nth answer to an arm is the nth of its texts, over and over."""
    asked = Counter()

    def answer(request, _n):
        arm = next(name for name in by_instruction if name in request.instruction)
        texts = by_instruction[arm]
        asked[arm] += 1
        return reply(texts[(asked[arm] - 1) % len(texts)])

    model = FakeModel(answer)
    model.asked_of = asked
    return model


def rule(**more):
    usual = {
        "kind": "until", "first": "a", "arms": ("b", "c"), "models": ("m",), "versions": {}, "looks": (3, 6, 12),
        "alpha": 0.05, "worth_seeing": 5.0,
    }  # fmt: skip
    return Rule(**(usual | more))


def line(arm="b", difference=10.0, se=2.0, df=4.0, **more):
    p = None if se is None else 2 * stats.t.sf(abs(difference) / se, df)
    usual = {"model": "m", "p": p, "runs_for_it": 5.0, "fixtures_for_it": None, "why_no_interval": None}
    return {"arm": arm, "difference": difference, "se": se, "df": df, **(usual | more)}


def test_the_least_p_is_held_against_the_smallest_share_of_the_error_and_the_next_against_more():
    both = decide([line("b", 4.0, 1.0, 30), line("c", 9.0, 1.0, 30)], rule(), 0, (), 2)
    needed = [nominal(boundaries((3.0, 6.0, 12.0), 0.05 / n)[0]) for n in (1, 2)]
    assert [one.p_needed for one in both] == pytest.approx(needed)  # c is tested first, and found: b has all of 0.05
    assert [one.state for one in both] == ["differs", "differs"]


def test_after_an_arm_that_is_not_found_none_is():
    # both p lie between the boundary of 0.05 / 2 and that of 0.05
    z = boundaries((3.0, 6.0, 12.0), 0.05 / 2)[0] - 0.05
    lines = [line(arm, z * 1.0, 1.0, 1e9) for arm in "bc"]
    assert {one.state for one in decide(lines, rule(), 0, (), 2)} == {"undecided"}
    # with one arm found before, the family has one comparison left, and its boundary is that of 0.05
    assert decide(lines[:1], rule(), 1, {("c", "m")}, 2)[0].state == "differs"


def test_the_interval_is_the_repeated_one_of_its_look():
    one = decide([line(difference=3.0, se=2.0, df=4.0)], rule(), 1, (), 1)[0]
    level = nominal(boundaries((3.0, 6.0, 12.0), 0.05)[1])
    reach = stats.t.ppf(1 - level / 2, 4.0) * 2.0
    assert (one.low, one.high) == pytest.approx((3.0 - reach, 3.0 + reach))


@pytest.mark.parametrize(
    ("one", "state"),
    [
        (line(difference=1.0, se=0.5, df=30), "close"),  # 1 -+ 2.2 x 0.5 or so lies within 5
        (line(difference=1.0, se=3.0, df=30), "undecided"),
        (line(difference=1.0, se=3.0, df=2, runs_for_it=None, fixtures_for_it=9.0), "out of reach"),
        (line(difference=1.0, se=None, df=None, runs_for_it=None), "undecided"),
        (line(difference=None, se=None, df=None), "undecided"),
    ],
)  # fmt: skip
def test_what_becomes_of_an_arm(one, state):
    assert decide([one], rule(), 0, (), 1)[0].state == state


def test_what_is_the_same_each_time_is_decided_at_once():
    from bench.analysis.statistics.over_runs import SURE

    sure = [line("b", 4.0, None, None, why_no_interval=SURE), line("c", 0.0, None, None, why_no_interval=SURE)]
    assert [one.state for one in decide(sure, rule(), 0, (), 2)] == ["differs", "close"]


def test_only_undecided_arms_get_more_replicates(tmp_path):
    model = answers(first=[ALL, ALL, NUMBER], alike=[NUMBER, ALL, ALL], worse=["x", "x", "x", NUMBER])
    arms = {"first": "first", "alike": "alike", "worse": "worse"}
    path = project(tmp_path, arms=arms, sweep="replicates = 4")
    said = []
    stopped = run_until(path, Until(most=16), outside=outside(model), tell=said.append)
    last = {(a.arm): a for look in stopped.looks.looks for a in look.arms}
    assert last["worse"].state == "differs" and last["alike"].state == "undecided"
    looked = {arm: sum(any(a.arm == arm for a in look.arms) for look in stopped.looks.looks) for arm in last}
    assert looked["worse"] < 3 == looked["alike"]
    assert model.asked_of == {"first": 16, "alike": 16, "worse": (4, 8)[looked["worse"] - 1]}
    assert [line for line in said if line.startswith("look ")] == [
        f"look {n} of 3, {replicates} replicates:" for n, replicates in ((1, 4), (2, 8), (3, 16))
    ]
    assert "undecided: alike" in stopped.lines()[-1]

    # a stopped arm has no missing cells, and the comparison says how the run was stopped
    run = open_run(stopped.summary.folder)
    assert len(run.planned) == len(run.outputs) == 32 + model.asked_of["worse"]
    told = str(show_comparison(run))
    assert "This run has a stopping rule: planned looks at 4, 8, 16 replicates (pocock)" in told
    assert "worse: differs from first" in told

    # started again it asks nothing, and looks no second time
    before = model.asked_of.total()
    again = run_until(path, Until(most=16), outside=outside(model), tell=said.append)
    assert (model.asked_of.total(), again.looks) == (before, stopped.looks)
    assert again.exit_status == 0


def test_a_run_keeps_the_rule_that_it_began_by(tmp_path):
    path = project(tmp_path, sweep="replicates = 2")
    run_until(path, Until(most=2), outside=outside(FakeModel()), tell=list)
    with pytest.raises(
        BenchError, match=r"began by another stopping rule \(looks: \(2,\), now \(2, 4\)\); use --run NEW"
    ):
        run_until(path, Until(most=4), outside=outside(FakeModel()), tell=list)
    (tmp_path / "prompts/short.md").write_text("Say it shorter.")
    with pytest.raises(BenchError, match=r"\(short has changed since\)"):
        run_until(path, Until(most=2), outside=outside(FakeModel()), tell=list)
    bench.run_sweep(path, outside=outside(FakeModel()), run="plain")
    with pytest.raises(BenchError, match="has outputs from before any stopping rule"):
        run_until(path, Until(most=2), outside=outside(FakeModel()), tell=list, run="plain")


def test_the_cap_stops_it_and_more_money_goes_on_with_the_same_look(tmp_path):
    # a call is 0.32 USD at worst and 0.16 as billed: two fit under 0.5, of the eight of the first look
    model = FakeModel(lambda *_: reply(usage=Usage(input=100, output=16_000)))
    path = project(tmp_path, sweep="replicates = 4\nconcurrency = 1\nbudget_usd = 0.5")
    stopped = run_until(path, outside=outside(model), tell=list)
    assert (stopped.exit_status, stopped.looks.looks, len(model.asked)) == (3, (), 2)
    assert stopped.lines()[-1].startswith("stopped by the cap at look 1 of 3")
    done = run_until(path, outside=outside(model), tell=list, budget_usd=100.0)
    assert (done.exit_status, len(done.looks.looks)) == (0, 3)
    assert len(model.asked) == 2 * 16  # both arms alike, so undecided to the last look


@pytest.mark.parametrize(
    ("sweep", "until", "says"),
    [
        ("replicates = 1", Until(), "one replicate says nothing of chance"),
        ("replicates = 4", Until(alpha=5.0), "between 0 and 1"),
        ("replicates = 4", Until(most=51), "51 replicates; 4 to 50 are possible"),
        ("replicates = 2\nstale_by = [0, 2]", Until(), "one step and one staleness"),
    ],
)
def test_a_rule_that_cannot_be_kept_is_refused(tmp_path, sweep, until, says):
    with pytest.raises(BenchError, match=says):
        run_until(project(tmp_path, sweep=sweep), until, outside=outside(FakeModel()), tell=list)


def test_each_model_has_looks_of_its_own(tmp_path):
    other = "claude-haiku-4-5"
    steady = FakeModel(lambda *_: reply(ALL))
    wild = answers(first=[ALL, NUMBER], second=[NUMBER, ALL])
    wild.name = other
    path = project(tmp_path, arms={"first": "first", "second": "second"}, models=(PAID, other), sweep="replicates = 2")
    stopped = run_until(path, Until(most=4), outside=outside(steady, wild), tell=list)
    assert {a.model for a in stopped.looks.looks[0].arms} == {PAID, other}
    assert wild.asked_of == {"first": 4, "second": 4}


def test_screening_spends_an_even_grid_on_the_best_and_calls_it_a_ranking(tmp_path):
    # three arms of the small fixture's three atoms: 3, 1 and 0 carried
    model = answers(best=[ALL], middle=[NUMBER], last=["x"])
    path = project(tmp_path, arms={a: a for a in ("last", "middle", "best")}, sweep="replicates = 4")
    said = []
    stopped = screen(path, outside=outside(model), tell=said.append)
    # 12 runs in 2 rounds of 6: three arms get 2 each, the better two 3 more
    assert model.asked_of == {"last": 2, "middle": 5, "best": 5}
    first, second = stopped.looks.looks
    assert [(r.arm, r.recall, r.runs, r.goes_on) for r in first.ranks] == [
        (
            "best",
            pytest.approx(bench.recall(open_run(stopped.summary.folder)).query("arm == 'best'")["recall"].iloc[0]),
            2,
            True,
        ),
        ("middle", pytest.approx(1 / 3), 2, True),
        ("last", 0.0, 2, False),
    ]
    assert [(r.arm, r.goes_on) for r in second.ranks] == [("best", True), ("middle", False)]
    assert "best ranks first; this is a ranking, not a finding" in stopped.lines()[-1]
    assert "This run was screened" in str(show_comparison(open_run(stopped.summary.folder)))
    again = screen(path, outside=outside(model), tell=said.append)
    assert (again.looks, model.asked_of.total()) == (stopped.looks, 12)


@pytest.mark.parametrize(
    ("sweep", "says"),
    [
        ("replicates = 1", "3 runs are too few to screen 3 arms in 2 rounds; raise replicates"),
        ("replicates = 50", "the last round would be at 62 replicates, 50 is the most"),
    ],
)
def test_a_screening_that_cannot_be_is_refused(tmp_path, sweep, says):
    path = project(tmp_path, arms={a: a for a in "abc"}, sweep=sweep)
    with pytest.raises(BenchError, match=says):
        screen(path, outside=outside(FakeModel()), tell=list)


def test_the_command_plans_tells_and_refuses(tmp_path, monkeypatch, capsys):
    # arms without a model but one: nothing is asked of the network
    arms = {"window.toml": 'kind = "window"\nwindow = {tokens = 100}\n', "a": "a"}
    path = project(tmp_path, arms=arms, sweep="replicates = 2", models=(PAID,))
    monkeypatch.setenv("ANTHROPIC_API_KEY", "")
    assert main(["run", str(path), "--until", "0.05", "--most", "6", "--dry-run"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("planned looks at 2, 4, 6 replicates (pocock); 0.05 is the chance that any of 1 comparisons")
    assert "6 forks to ask" in out
    assert main(["run", str(path), "--most", "6"]) == 2
    assert "--most, --worth and --run-sd belong to --until ALPHA" in capsys.readouterr().err
    assert main(["run", str(path), "--until", "0.05", "--no-grade"]) == 2
    assert main(["run", str(path), "--screen", "--dry-run"]) == 2
    assert "--screen has 1 arms" in capsys.readouterr().err
    assert not (tmp_path / "results").exists()


def test_the_rule_is_on_disk_before_the_first_fork(tmp_path):
    seen = []

    def answer(_request, _n):
        seen.append(read_looks(tmp_path / "results/s"))
        return reply()

    run_until(project(tmp_path, sweep="replicates = 2"), Until(most=2), outside=outside(FakeModel(answer)), tell=list)
    assert seen[0].rule.looks == (2,) and seen[0].looks == ()
    raw = json.loads((tmp_path / "results/s/looks.json").read_text())
    assert raw["rule"]["alpha"] == 0.05 and math.isclose(len(raw["looks"]), 1)
    assert Store(tmp_path / "results/s").done()


def test_every_command_of_the_page_runs(tmp_path, monkeypatch, capsys, claude_server):
    server = claude_server(say(NUMBER))
    path = project(tmp_path, arms={"inventory": "a", "short": "b", "long": "c"}, sweep="replicates = 3")
    for name in ("nightly", "weekly", "prompts-of-the-week"):
        (path.parent / f"{name}.toml").write_text(path.read_text())
    monkeypatch.chdir(tmp_path)
    commands = [line for block in blocks(PAGE) if block.language == "sh" for line in block.text.splitlines()]
    assert [main(shlex.split(command)[1:]) for command in commands] == [0] * len(commands)
    out = capsys.readouterr().out
    assert "look 3 of 3, 12 replicates:" in out and "look 2 of 2" in out
    # three arms that are alike: 3 x 12 by looks, 3 x 6 by looks at each; 9 runs in 2 rounds of 4: 3 x 1 and 2 x 2
    assert len(server.requests) == 36 + 18 + 7


def test_looks_find_nothing_where_nothing_is_more_often_than_they_promise():
    # tested at 5 % at each look and arm, three equal arms would be found different in 17 of 100 runs
    assert found_by_chance(3, (3, 6, 12), "pocock", 300) < 0.085  # 0.05 and three times its binomial SE
