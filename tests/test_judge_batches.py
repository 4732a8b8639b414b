"""Judges asked through Message Batches: the same grades at half the price, nothing handed in twice."""

import asyncio
import json

import pytest
from conftest import CANARY_KEY
from fakes import project
from fixture_files import write_fixture
from judging import Written, answered, asking, honest, is_judged
from loopback import failed, say

from bench.calls.journal import Batched, read_journal
from bench.calls.outside import Outside
from bench.calls.retry import RetryPolicy
from bench.cli import main
from bench.errors import BenchError
from bench.fixtures import load_fixture
from bench.forks.run import run_sweep
from bench.grading.judge.replies import Replies
from bench.grading.means import Means
from bench.grading.run import grade_run, read_grades
from bench.sweepfile import GraderSpec

JUDGE = "claude-opus-5-5"
FOLDER = f"judge-{JUDGE}"
QUICK = Outside(
    sleep=lambda seconds: asyncio.sleep(min(seconds, 0.01)),
    retry=RetryPolicy(first_s=0.0, most_s=0.0, retry_after_most_s=0.0),
)
TEXT = "The user ruled out Redis. MAX_RETRIES is 5." + " And more of it." * 400


@pytest.fixture
def fixture(tmp_path):
    return load_fixture(write_fixture(tmp_path / "fixtures" / "small"))


@pytest.fixture
def run(tmp_path):
    return Written(tmp_path / "run", {"a": TEXT, "b": TEXT + " In buckets in Postgres."})


def judge(run, fixture, *, passes=2, batch=True, outside=QUICK, model=JUDGE):
    means = Means(outside=outside, no_budget=True, batch=batch)
    (result,) = grade_run(
        run, (GraderSpec(kind="judge", model=model, passes=passes),), 7, {"small": fixture}, means=means
    )
    return result


def sizes(server):
    return [len(batch.items) for batch in server.batches.values()]


def calls(run):
    return Replies(run.grades_dir / FOLDER).calls()


def verdicts(run):
    return sorted((g.arm, g.grading_pass, g.atom, g.verdict, g.evidence) for g in read_grades(run)[0])


def test_the_first_question_of_each_output_goes_first_and_grades_are_those_of_the_direct_path(
    run, fixture, claude_server, tmp_path
):
    server = claude_server(answered())
    direct = Written(tmp_path / "direct", run.texts)
    judge(direct, fixture, batch=False)
    asked, server.cache.entries = len(server.requests), {}
    result = judge(run, fixture)
    # 2 outputs x 2 passes x 2 questions: the first of each output, then the other three
    assert (result.exit_status, sizes(server), len(server.requests)) == (0, [2, 6], asked)
    assert verdicts(run) == verdicts(direct)
    first, rest = ([*batch.items.values()] for batch in server.batches.values())
    assert all(a.billed.cache_write_1h for a in first) and all(a.billed.cache_read for a in rest)
    rows = calls(run)
    assert {(c.billing, c.purpose, c.seconds) for c in rows} == {("batch", "judge", None)}
    for name, billed in vars(server.billed).items():
        assert sum(getattr(c, f"{name}_tokens") for c in [*rows, *calls(direct)]) == billed
    # half of 4, 20, 0.20 and 8 USD per million
    for c in rows:
        tokens = (c.input_tokens, c.output_tokens, c.cache_read_tokens, c.cache_write_1h_tokens)
        assert c.usd_api == pytest.approx(sum(map(lambda n, usd: n * usd / 1e6, tokens, (2, 10, 0.1, 4))))


def test_where_nothing_can_be_cached_all_questions_go_at_once(run, fixture, claude_server):
    run.texts = {"a": "The user ruled out Redis."}
    server = claude_server(answered())
    assert judge(run, fixture, passes=1).exit_status == 0
    assert sizes(server) == [2]
    assert {"cache_control" in str(a.body) for b in server.batches.values() for a in b.items.values()} == {False}


def test_second_looks_and_unreadable_answers_follow_together_in_the_next_batch(run, fixture, claude_server):
    run.texts = {"a": "The user ruled out Redis."}
    boasts = answered(lambda q, item: ("carried", "never said") if len(q.items) > 1 else honest(q, item))
    server = claude_server(
        lambda asked: say("no JSON") if asked.index < 2 and asking(asked).of_inventions else boasts(asked)
    )
    assert judge(run, fixture, passes=1).exit_status == 0
    assert sizes(server) == [2, 4]  # three claims without a quote, each looked at alone; inventions asked again
    assert {v[2]: v[3] for v in verdicts(run)} == {"a1": "carried", "a2": "absent", "a3": "absent"}


def test_items_that_fail_are_attempts_and_missing_grades_which_the_next_start_makes(run, fixture, claude_server):
    bad = {0: failed(400, "invalid_request_error", "bad"), 2: say(expires=True)}
    server = claude_server(lambda asked: bad.pop(asked.index, None) or answered()(asked))
    result = judge(run, fixture, passes=1)
    assert (result.exit_status, len(result.missing)) == (1, 2)
    assert sorted(c.outcome for c in calls(run) if c.usd_api == 0) == ["api-error", "expired"]
    again = judge(run, fixture, passes=1)
    assert (again.exit_status, again.missing, again.money.possibly_calls) == (0, (), 0)
    assert sum(sizes(server)) == 4 + 2


@pytest.mark.parametrize("batch", [True, False])
def test_what_an_interrupted_start_left_with_the_server_is_waited_for_by_the_next(run, fixture, claude_server, batch):
    import _thread

    from bench.grading.results import GradingInterrupted

    server = claude_server(answered(), batch_polls=1_000_000)
    pressed = []

    async def pressing(_seconds):
        if not pressed:
            pressed.append(True)
            _thread.interrupt_main()
        await asyncio.sleep(0.05)

    with pytest.raises(GradingInterrupted) as stop:
        judge(run, fixture, outside=Outside(sleep=pressing))
    assert stop.value.results[0].exit_status == 130
    assert sizes(server) == [2] and calls(run) == []
    for one in server.batches.values():
        one.polls_left = 0
    server._batch_polls = 0
    result = judge(run, fixture, batch=batch)
    assert (result.exit_status, result.missing, result.money.possibly_calls) == (0, (), 0)
    assert (sizes(server), len(server.requests)) == (([2, 6], 0) if batch else ([2], 6))
    assert [p for p in run.root.rglob("*") if p.is_file() and CANARY_KEY.encode() in p.read_bytes()] == []


def test_answers_to_questions_that_nobody_asks_any_more_may_have_been_billed(run, fixture, claude_server):
    server = claude_server(answered(), batch_polls=1_000_000)

    async def gone(_seconds):
        raise OSError("killed")

    with pytest.raises(OSError, match="killed"):
        judge(run, fixture, outside=Outside(sleep=gone))
    server._batch_polls = 0
    run.texts = {"a": TEXT + " Changed."}
    result = judge(run, fixture)
    assert (result.exit_status, result.money.possibly_calls) == (0, 2)
    assert (
        len([e for e in read_journal(run.journal) if isinstance(e, Batched)]) == 3
    )  # that one, the first question, the others


def test_a_judge_without_batches_is_refused_before_anything_is_asked(run, fixture):
    with pytest.raises(BenchError, match="the judge 'vertex:claude-opus-5-5' takes no batches; leave out --batch"):
        judge(run, fixture, model="vertex:claude-opus-5-5")


def test_the_command_plans_and_grades_in_batches(tmp_path, claude_server, monkeypatch, capsys):
    def talks(asked):
        return answered(lambda _question, _item: ("absent", ""))(asked) if is_judged(asked) else say("A handoff.")

    server = claude_server(talks, batch_polls=0)
    run_sweep(project(tmp_path, arms={"short": "Say it."}), outside=QUICK)
    monkeypatch.chdir(tmp_path)
    asked = ["grade", "s", "--grader", "judge", "--model", JUDGE]
    usd = []
    for options in ([], ["--batch"]):
        assert main([*asked, *options, "--dry-run", "--json"]) == 0
        (plan,) = json.loads(capsys.readouterr().out)
        usd.append((plan["billing"], plan["expected_usd"]))
    assert usd == [("direct", pytest.approx(2 * usd[1][1])), ("batch", usd[1][1])]  # too short for any cache
    assert (server.batches, len(server.requests)) == ({}, 1)
    assert main([*asked, "--batch", "--budget-usd", "20"]) == 0
    assert sizes(server) == [2] and len(server.requests) == 1
