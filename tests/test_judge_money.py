"""What judging costs: planned, capped with the forks, paid once, and found again after a kill."""

import json
import signal
import time
from datetime import date
from pathlib import Path

import pytest
from conftest import CANARY_KEY
from fakes import PAID, FakeModel, outside, project, reply
from fixture_files import MESSAGES, write_fixture
from judging import COMMAND, Written, answered, is_judged
from loopback import LoopbackServer, dropped, overloaded, say

from bench.calls.journal import read_journal
from bench.calls.ledger import Ledger
from bench.calls.outside import Outside
from bench.calls.pricing import Pricing
from bench.calls.retry import RetryPolicy
from bench.cli import main
from bench.errors import BenchError
from bench.fixtures import load_fixture
from bench.forks.run import plan_sweep, run_sweep
from bench.forks.store import Store
from bench.grading.judge.cost import Prompt, expense, worst_answers
from bench.grading.judge.questions import Question, Sheet, answer_tokens
from bench.grading.judge.run import plan_judge
from bench.grading.means import Means
from bench.grading.run import grade_run, read_grades
from bench.models.protocol import CredentialsMissing, ModelMissing
from bench.pricetable import built_in
from bench.runs.index import open_run
from bench.sweepfile import GraderSpec
from bench.transcripts.model import Usage

JUDGE = "claude-opus-5-5"
"""4 USD/MTok in, 5 written, 0.2 read, 20 out."""
SPEC = GraderSpec(kind="judge", model=JUDGE)
QUICK = Outside(retry=RetryPolicy(first_s=0.0, most_s=0.0, retry_after_most_s=0.0))
TEXT = "The user ruled out Redis. MAX_RETRIES is 5. " * 60
"""660 tokens: enough to be cached."""
GRADERS = f'[[graders]]\nkind = "judge"\nmodel = "{JUDGE}"\n'

PRICING = Pricing(built_in(), date(2026, 11, 30))


@pytest.fixture
def fixture(tmp_path):
    return load_fixture(write_fixture(tmp_path / "fixtures" / "small"))


@pytest.fixture
def run(tmp_path):
    return Written(tmp_path / "run", {"a": TEXT, "b": TEXT + "more"})


def judge(run, fixture, *, spec=SPEC, **means):
    (result,) = grade_run(run, (spec,), 7, {"small": fixture}, means=Means(outside=QUICK, **means))
    return result


def calls(run, folder=f"judge-{JUDGE}"):
    path = run.grades_dir / folder / "calls.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def question(ids=1, chars=4000, tokens=1000):
    return Question(name="a1", ids=("x",) * ids, instruction="x" * chars, max_tokens=tokens)


def test_the_expected_cost_is_one_write_and_reads_and_the_worst_is_every_look():
    two = [question(), question()]
    cost = expense(two, Prompt(prefix=10_000, most=11_600), 1, JUDGE, PRICING)
    # 4,000 characters at 2.5 a token are 1,600 tokens; an answer to one statement is 300 + 60
    written = 10_000 * 5 + 1_600 * 4 + 360 * 20
    read = 10_000 * 0.2 + 1_600 * 4 + 360 * 20
    assert cost.expected_usd == pytest.approx((written + read) / 1e6)
    # 1.05 x 11,600 + 500 tokens in the dearest class; asked twice, and one second look of 6,000 + 150
    one = (2 * (12_680 * 5 + 1_000 * 20) + 12_680 * 5 + 6_150 * 20) / 1e6
    assert cost.worst_usd == pytest.approx(2 * one)
    assert expense(two, Prompt(10_000, 11_600), 3, JUDGE, PRICING).worst_usd == pytest.approx(6 * one)


@pytest.mark.parametrize(("ids", "answers"), [(0, [9, 9]), (1, [9, 9, 6150]), (40, [9, 9, 7500, 7500, 7500, 7500])])
def test_a_question_leads_to_at_most_six_calls(ids, answers):
    assert worst_answers(question(ids, tokens=9)) == answers


def test_an_unknown_price_is_no_price_and_a_local_judge_is_free():
    assert expense([question()], Prompt(1, 2), 1, "http://h#m", PRICING).worst_usd is None
    assert expense([question()], Prompt(1, 2), 1, "local", PRICING).expected_usd == 0.0


def test_a_plan_prices_what_is_missing_and_asks_nothing(run, fixture, claude_server):
    server = claude_server(answered())
    plan = plan_judge(run, SPEC, 7, {"small": fixture}, Means(outside=QUICK))
    assert (plan.grades, plan.left, plan.questions, len(server.counted)) == (2, 2, 4, 2)
    assert {c.source for c in plan.counts.values()} == {"counted"}
    assert 0 < plan.expense.expected_usd < plan.expense.worst_usd
    assert not run.grades_dir.exists() and server.requests == []
    result = judge(run, fixture, budget_usd=5.0)
    assert plan.expense.expected_usd / 3 < result.money.spent_usd < plan.expense.worst_usd
    assert plan_judge(run, SPEC, 7, {"small": fixture}, Means(outside=QUICK)).left == 0


def test_a_plan_needs_no_key(run, fixture):
    plan = plan_judge(run, SPEC, 7, {"small": fixture}, Means())
    assert ({c.source for c in plan.counts.values()}, plan.expense.expected_usd is not None) == ({"estimated"}, True)


@pytest.mark.parametrize(
    ("model", "means", "told"),
    [
        (JUDGE, {}, "is paid for and there is no budget; use --budget-usd"),
        ("http://127.0.0.1:9#m", {}, "is paid for"),
        ("http://127.0.0.1:9#m", {"budget_usd": 1.0}, "no price is known for the judge"),
        ("claude-opus-9", {"budget_usd": 1.0}, "no price is known for the judge 'claude-opus-9'"),
    ],
)
def test_money_is_settled_before_the_first_call(run, fixture, claude_server, model, means, told):
    server = claude_server(answered())
    with pytest.raises(BenchError, match=told):
        judge(run, fixture, spec=GraderSpec(kind="judge", model=model), **means)
    assert server.requests == server.counted == []


def test_every_call_is_a_row_with_usage_and_price(run, fixture, claude_server):
    server = claude_server(answered())
    result = judge(run, fixture, budget_usd=5.0)
    rows = calls(run)
    assert {(c["purpose"], c["model"], c["outcome"], c["price_row"]) for c in rows} == {
        ("judge", JUDGE, "graded", JUDGE)
    }  # fmt: skip
    assert {c["cell_key"] for c in rows} == {"cell-a", "cell-b"}
    totals = {n: sum(c[f"{n}_tokens"] for c in rows) for n in vars(server.billed)}
    assert totals == vars(server.billed)
    assert result.money.spent_usd == pytest.approx(sum(c["usd_api"] for c in rows))
    assert {g.call_id for g in read_grades(run)[0]} <= {c["call_id"] for c in rows}


def test_the_cap_stops_judging_says_what_is_missing_and_a_higher_one_makes_just_that(run, fixture, claude_server):
    server = claude_server(answered())
    plan = plan_judge(run, SPEC, 7, {"small": fixture}, Means(outside=QUICK))
    tokens = max(c.tokens for c in plan.counts.values())
    cap = PRICING.worst(JUDGE, tokens, answer_tokens(3)) + 0.02  # the atoms' questions fit, those of inventions do not
    result = judge(run, fixture, budget_usd=cap)
    assert len(server.requests) in (1, 2)
    assert (result.by_budget, result.exit_status, len(result.missing)) == (True, 3, 2)
    assert "may cost" in result.stopped and result.money.spent_usd <= cap
    again = judge(run, fixture, budget_usd=10 * cap)
    assert (again.missing, again.exit_status, len(server.requests)) == ((), 0, 4)
    assert len({c["call_id"] for c in calls(run)}) == 4, "nothing was paid twice"


def test_what_forks_spent_counts_against_a_judges_cap(run, fixture, claude_server):
    from bench.calls.call_rows import answered_call
    from bench.calls.journal import Journal
    from bench.models.protocol import Count

    claude_server(answered())
    journal = Journal(run.journal)
    book = Ledger(journal, None, lambda: "now")
    _, call_id = book.start("a" * 64, ["cell-a"], "small/m", 1.0)
    answer = reply(usage=Usage(output=100_000), started_at="2026-11-30T12:00:00Z")  # 1 USD
    book.finish(answered_call(call_id, PAID, "cell-a", answer, Count(1, "counted"), "handoff", PRICING), answer,
                Count(1, "counted"), "a" * 64, "ctx")  # fmt: skip
    journal.close()
    result = judge(run, fixture, budget_usd=1.0)
    assert (result.calls, result.exit_status) == (0, 3)


def test_after_a_bill_above_its_reservation_nothing_more_is_asked(run, fixture, claude_server):
    server = claude_server(answered(charged={"input_tokens": 1_000_000}))  # 4 USD, where 14 cents were reserved
    result = judge(run, fixture, budget_usd=50.0, concurrency=1)
    assert (len(server.requests), result.by_budget, result.exit_status) == (1, True, 3)
    assert "was billed $4.0" in result.stopped and "more than the $0.1" in result.stopped


# inside a run


def sweep(tmp_path, more="", graders=GRADERS, **options):
    options = {"arms": {"short": "Say it short."}, "messages": MESSAGES} | options
    return project(tmp_path, sweep=more + graders, **options)


def talks(text=TEXT):
    """A server that is forked and judges."""
    judging = answered()
    return lambda asked: judging(asked) if is_judged(asked) else say(text)


def test_a_sweep_runs_and_judges_and_its_tables_have_every_call(tmp_path, claude_server):
    server = claude_server(talks())
    summary = run_sweep(sweep(tmp_path, more="replicates = 2\n"), outside=QUICK)
    assert summary.exit_status == 0
    run = open_run(summary.folder)
    assert sorted(run.calls["purpose"]) == ["fork"] * 2 + ["judge"] * 4
    assert run.calls["usd_api"].sum() == pytest.approx(sum(_usd(a) for a in server.requests))
    assert set(run.grades["grader"]) == {f"judge-{JUDGE}"}
    assert run.grades["call_id"].isin(run.calls["call_id"]).all()
    assert any(f"judge-{JUDGE}: 2 of 2 grades are there" in line for line in summary.lines())
    before = len(server.requests)
    assert run_sweep(sweep(tmp_path, more="replicates = 2\n"), outside=QUICK).exit_status == 0
    assert len(server.requests) == before


def _usd(asked):
    billed = asked.billed
    usage = Usage(
        input=billed.input, output=billed.output, cache_read=billed.cache_read, cache_write_5m=billed.cache_write_5m
    )
    return PRICING.cost(usage, asked.body["model"]).usd_api


def test_beside_each_fork_the_worst_case_of_its_grading_is_reserved(tmp_path, claude_server):
    claude_server(talks())
    path = sweep(tmp_path, more="max_tokens = 4000\n")
    (sized,) = plan_sweep(path, outside=QUICK).asked
    key = load_fixture(tmp_path / "fixtures" / "f1").key
    questions = Sheet("", key, seed=0, cell_key="", grading_pass=1).questions()
    assert len(questions) == 2
    # two questions, of at most 2 x 4,000 + second looks: 3 atoms, 1 invention
    assert sized.grading_worst_usd > 2 * (4000 * 5 + 6450 * 20) / 1e6
    assert 0 < sized.grading_usd < sized.grading_worst_usd
    run_sweep(path, outside=QUICK)
    (started,) = [
        e for e in read_journal(tmp_path / "results/s/journal.jsonl") if getattr(e, "group", "") == f"f1/{PAID}"
    ]
    assert (started.grading_worst_usd, started.grading_usd) == (sized.grading_worst_usd, sized.grading_usd)


@pytest.mark.parametrize(("short_of", "forks"), [(0.001, 0), (-0.001, 1)])
def test_a_fork_starts_only_where_its_grading_could_be_paid_too(tmp_path, claude_server, short_of, forks):
    server = claude_server(talks())
    path = sweep(tmp_path, more="max_tokens = 4000\n")
    (sized,) = plan_sweep(path, outside=QUICK).asked
    budget = sized.worst_usd + sized.grading_worst_usd - short_of
    summary = run_sweep(path, outside=QUICK, budget_usd=budget)
    assert sum(not is_judged(a) for a in server.requests) == forks
    assert summary.exit_status == (0 if forks else 3)


def test_forks_leave_the_money_that_grading_is_expected_to_take(tmp_path, claude_server):
    server = claude_server(talks())
    path = sweep(tmp_path, more="max_tokens = 4000\nreplicates = 20\nconcurrency = 1\n")
    sized = plan_sweep(path, outside=QUICK).asked[0]
    budget = sized.worst_usd + sized.grading_worst_usd + 5 * sized.grading_usd
    summary = run_sweep(path, outside=QUICK, budget_usd=budget)
    forks = sum(not is_judged(a) for a in server.requests)
    assert 2 <= forks <= 6 and summary.exit_status == 3
    (result,) = summary.grading
    assert result.missing == (), "every fork that was paid could be graded"
    assert sum(_usd(a) for a in server.requests) <= budget


def test_without_grading_nothing_is_kept_for_it(tmp_path, claude_server):
    claude_server(talks())
    path = sweep(tmp_path, more="max_tokens = 4000\n")
    (sized,) = plan_sweep(path, outside=QUICK).asked
    summary = run_sweep(path, outside=QUICK, budget_usd=sized.worst_usd + 0.001, grade=False)
    assert (summary.exit_status, summary.grading) == (0, ())


@pytest.mark.parametrize("fault", [CredentialsMissing("no key"), BenchError("bad")])
def test_a_judge_that_cannot_be_asked_is_told_before_a_fork_is_paid(tmp_path, fault):
    model = FakeModel()
    with pytest.raises(BenchError, match=str(fault)):
        run_sweep(sweep(tmp_path), outside=outside(model, missing={JUDGE: fault}))
    assert model.asked == []


def test_a_local_judge_that_is_not_installed_fails_no_run(tmp_path):
    graders = '[[graders]]\nkind = "judge"\nmodel = "local"\n'
    missing = {"local": ModelMissing("not installed")}
    summary = run_sweep(sweep(tmp_path, graders=graders), outside=outside(FakeModel(), missing=missing))
    assert summary.exit_status == 0
    assert "skipped judge-local: not installed" in summary.lines()


KILLED = """
import sys
import time
from datetime import date
from pathlib import Path
sys.path.insert(0, {tests!r})
from judging import Written
from bench.fixtures import load_fixture
from bench.grading.means import Means
from bench.grading.results import GradingInterrupted
from bench.grading.run import grade_run
from bench.sweepfile import GraderSpec
run = Written(Path({root!r}), {texts!r})
spec = GraderSpec(kind="judge", model={model!r}, passes=2)
try:
    grade_run(run, (spec,), 7, {{"small": load_fixture(Path({fixture!r}))}}, means=Means(budget_usd=50.0))
except GradingInterrupted as interrupted:
    sys.exit(interrupted.results[-1].exit_status)
"""


@pytest.mark.parametrize(("answers", "asked"), [(0, 2), (1, 5), (3, 8)])
def test_a_killed_judge_is_resumed_to_exactly_what_is_missing(run, fixture, claude_server, forker, answers, asked):
    """After so many answers every further question hangs; then SIGKILL.

    Of two outputs with four questions each the first question goes alone: without an answer 2 are in flight, with one
    the other 3 of its output too, with three all.
    """
    hang = True
    server: LoopbackServer = claude_server(
        lambda a: say("", headers_after=60.0) if hang and a.index >= answers else answered()(a)
    )
    child = _child(forker, run, fixture)
    try:
        _until(lambda: len(server.requests) >= asked and len(calls(run)) >= answers)
    finally:
        child.kill()
        child.wait()
    assert len(server.requests) == asked
    hang = False
    result = judge(run, fixture, spec=GraderSpec(kind="judge", model=JUDGE, passes=2), budget_usd=50.0)
    assert result.missing == ()
    rows = calls(run)
    assert sum(c["outcome"] == "graded" for c in rows) == 8  # 2 outputs x 2 passes x 2 questions, each answered once
    assert len(server.requests) == 8 + asked - answers
    assert result.money.possibly_calls == asked - answers == sum(c["outcome"] == "aborted" for c in rows)


def test_an_interrupted_judge_keeps_its_answers_and_notes_what_it_gave_up(run, fixture, claude_server, forker):
    hang = True
    server: LoopbackServer = claude_server(
        lambda a: say("", headers_after=60.0) if hang and a.index >= 1 else answered()(a)
    )
    child = _child(forker, run, fixture)
    _until(lambda: len(server.requests) >= 5 and len(calls(run)) >= 1)
    child.send_signal(signal.SIGINT)
    assert child.wait() == 130
    assert [c["outcome"] for c in calls(run)] == ["graded", *["aborted"] * 4]
    assert {c["detail"] for c in calls(run)} == {None, "interrupted"}
    hang = False
    assert judge(run, fixture, spec=GraderSpec(kind="judge", model=JUDGE, passes=2), budget_usd=50.0).missing == ()
    assert len(server.requests) == 5 + 7


def _child(forker, run, fixture):
    """Another process that judges the run."""
    code = KILLED.format(
        tests=str(Path(__file__).parent), root=str(run.root), texts=run.texts, model=JUDGE, fixture=str(fixture.folder)
    )
    return forker.start(code, fixture.folder)


def _until(done, seconds=30.0):
    end = time.monotonic() + seconds
    while not done():
        assert time.monotonic() < end, "it did not come to it"
        time.sleep(0.02)


def test_an_answer_on_disk_that_the_journal_does_not_know_is_settled_at_its_price(run, fixture, claude_server):
    """Killed between the answer's file and the journal's line: it is not billed at its worst case."""
    claude_server(answered())
    judge(run, fixture, budget_usd=5.0)
    lines = run.journal.read_bytes().splitlines(keepends=True)
    graded = [i for i, line in enumerate(lines) if b'"graded"' in line]
    run.journal.write_bytes(b"".join(line for i, line in enumerate(lines) if i != graded[-1]))
    log = run.grades_dir / f"judge-{JUDGE}" / "calls.jsonl"
    log.write_bytes(b"".join(log.read_bytes().splitlines(keepends=True)[:-1]))
    next((run.grades_dir / f"judge-{JUDGE}" / "p1").glob("*.json")).unlink()
    run.texts["c"] = TEXT
    result = judge(run, fixture, budget_usd=5.0)
    assert (result.money.possibly_calls, len(calls(run))) == (0, 6)


# the command


@pytest.fixture
def forked(tmp_path, claude_server, monkeypatch):
    """A run with two handoffs and no grade; the server judges."""
    server = claude_server(talks())
    run_sweep(sweep(tmp_path, graders="", more="replicates = 2\n"), outside=QUICK)
    monkeypatch.chdir(tmp_path)
    del server.requests[:]
    return server


COMMAND_LINE = ["grade", "s", "--grader", "judge", "--model", JUDGE, "--passes", "2"]


def test_the_command_plans_and_grades_an_existing_run(forked, capsys):
    assert main([*COMMAND_LINE, "--dry-run", "--json"]) == 0
    (plan,) = json.loads(capsys.readouterr().out)
    assert (plan["grader"], plan["grades"], plan["to_make"], plan["calls"]) == (f"judge-{JUDGE}", 4, 4, 8)
    assert 0 < plan["expected_usd"] < plan["worst_usd"] and forked.requests == []
    assert main([*COMMAND_LINE, "--budget-usd", "20"]) == 0
    assert capsys.readouterr().out.startswith(f"judge-{JUDGE}: 4 of 4 grades are there, 4 of them new\n")
    run = open_run("s")
    judged = run.grades[run.grades["grader"] == f"judge-{JUDGE}"]
    assert judged.groupby("grading_pass")["score"].count().to_dict() == {1: 6, 2: 6}
    assert (run.calls["purpose"] == "judge").sum() == 8
    assert main([*COMMAND_LINE, "--dry-run"]) == 0
    assert main([*COMMAND_LINE, "--no-budget", "--json"]) == 0
    out = capsys.readouterr().out
    assert len(forked.requests) == 8 and '"made": 0' in out


@pytest.mark.parametrize(
    ("options", "status", "told"),
    [
        (["--budget-usd", "0.0"], 3, "missing: 4 grades; start again to make just these"),
        (["--budget-usd", "100", "--scope", "summary"], 0, f"judge-{JUDGE}-summary: 4 of 4"),
    ],
)
def test_the_command_ends_as_it_went(forked, capsys, options, status, told):
    assert main([*COMMAND_LINE, *options]) == status
    assert told in capsys.readouterr().out
    assert bool(forked.requests) == (status == 0)


def test_a_judge_without_a_budget_is_bad_input(forked, tmp_path, capsys):
    text = (tmp_path / "results/s/run.json").read_text().replace('"budget_usd": 100.0', '"budget_usd": null')
    (tmp_path / "results/s/run.json").write_text(text)
    assert main(COMMAND_LINE) == 2
    assert "is paid for and there is no budget" in capsys.readouterr().err
    assert forked.requests == [] and COMMAND not in text
    assert Store(tmp_path / "results/s").rows()


def test_no_file_of_a_judged_run_holds_the_key(tmp_path, claude_server):
    script = [dropped(), overloaded()]
    claude_server(lambda asked: script[asked.index] if asked.index < 2 else talks()(asked))
    summary = run_sweep(sweep(tmp_path), outside=QUICK)
    files = [p for p in summary.folder.rglob("*") if p.is_file()]
    assert any("grades" in p.parts for p in files)
    assert [p for p in files if CANARY_KEY.encode() in p.read_bytes()] == []


def test_a_dry_run_of_a_sweep_tells_what_judging_will_take(tmp_path, claude_server, monkeypatch, capsys):
    server = claude_server(talks())
    sweep(tmp_path, more="max_tokens = 4000\n")
    monkeypatch.chdir(tmp_path)
    assert main(["run", "s", "--dry-run"]) == 0
    (told,) = [line for line in capsys.readouterr().out.splitlines() if line.startswith("judging: ")]
    plan = plan_sweep(tmp_path / "sweeps/s.toml")
    assert told == (
        f"judging: ${plan.total('grading_usd'):.4f} expected; "
        f"${plan.total('grading_worst_usd'):.4f} at most for what the forks bring"
    )
    assert server.requests == []


def test_money_is_kept_for_outputs_that_come_without_a_fork_or_wait_for_a_grade(tmp_path, claude_server):
    claude_server(talks())
    (tmp_path / "prompts").mkdir()
    (tmp_path / "prompts/full.toml").write_text('kind = "full"\n')
    path = sweep(tmp_path, more_arms=("full",))
    before = plan_sweep(path, outside=QUICK)
    run_sweep(path, outside=QUICK, grade=False)
    between = plan_sweep(path, outside=QUICK)
    assert 0 < before.other_grading_usd < between.other_grading_usd  # full alone, then the fork's output as well
    run_sweep(path, outside=QUICK)
    after = plan_sweep(path, outside=QUICK)
    assert (after.other_grading_usd, after.total("grading_usd")) == (0.0, 0.0)
