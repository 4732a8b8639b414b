"""Forks through Message Batches: half the price, the same files, and nothing handed in twice."""

import asyncio
import json
import time

import pytest
from conftest import CANARY_KEY
from fakes import FakeModel, outside, project
from loopback import cut, failed, say

from bench.calls.outside import Outside
from bench.cli import main
from bench.errors import BenchError
from bench.forks.run import RunInterrupted, plan_sweep, run_sweep
from bench.forks.store import Store

MESSAGES = [{"role": "user", "content": "Please mend the flaky test. " + "It fails now and then. " * 100}]
QUICK = Outside(sleep=lambda seconds: asyncio.sleep(min(seconds, 0.01)))
CHILD = "import sys; from bench.forks.run import run_sweep; run_sweep(sys.argv[1], batch=True, grade=False)"


def batched(tmp_path, *, replicates=4, outside=QUICK, **options):
    path = project(tmp_path, messages=MESSAGES, sweep=f"replicates = {replicates}")
    return run_sweep(path, outside=outside, grade=False, batch=True, **options)


def sizes(server):
    return [len(batch.items) for batch in server.batches.values()]


def totals(summary):
    calls = Store(summary.folder).calls()
    names = ("input", "output", "cache_read", "cache_write_5m", "cache_write_1h")
    return {n: sum(getattr(c, f"{n}_tokens") or 0 for c in calls) for n in names}


def test_one_request_goes_first_and_writes_the_hour_long_entry_that_all_others_read(tmp_path, claude_server):
    server = claude_server(say("A handoff."))
    summary = batched(tmp_path)  # 2 arms x 4 replicates
    assert summary.exit_status == 0
    assert (sizes(server), server.requests) == ([1, 7], [])
    first, rest = (list(batch.items.values()) for batch in server.batches.values())
    assert {a.body["messages"][0]["content"][0]["cache_control"]["ttl"] for a in first + rest} == {"1h"}
    assert [a.billed.cache_write_1h > 0 for a in first] == [True]
    assert all(a.billed.cache_read > 0 and not a.billed.cache_write_1h for a in rest)
    assert totals(summary) == vars(server.billed)
    assert (summary.cache.writes, summary.cache.reads) == (1, 7)
    assert summary.cache.input_usd == pytest.approx(summary.cache.floor_usd)


def test_rows_are_those_of_the_direct_path_at_half_the_price(tmp_path, claude_server):
    server = claude_server(lambda asked: say(f"A handoff to {asked.body['messages'][-1]['content'][-1]['text']}"))
    rows = {}
    for way, batch in (("direct", False), ("batch", True)):
        path = project(tmp_path / way, messages=MESSAGES, arms={"short": "Say it."}, sweep="replicates = 1")
        server.cache.entries.clear()
        summary = run_sweep(path, outside=QUICK, grade=False, batch=batch)
        (rows[way],) = Store(summary.folder).rows()
        assert Store(summary.folder).handoff_text(rows[way]) == "A handoff to Say it."
    assert [rows[way].billing for way in rows] == ["direct", "batch"]
    assert rows["direct"].cell_key == rows["batch"].cell_key
    batch = rows["batch"]
    tokens = (batch.input_tokens, batch.output_tokens, batch.cache_write_1h_tokens)
    # half of 2, 10 and 4 USD per million
    assert batch.usd_api == pytest.approx((tokens[0] * 1 + tokens[1] * 5 + tokens[2] * 2) * 1e-6)
    assert (batch.seconds, batch.first_token_seconds) == (None, None)  # nobody knows when it was worked on
    assert len(server.batches) == 1


def test_a_plan_for_batches_costs_half_but_for_the_longer_cache(tmp_path, claude_server):
    claude_server(say("A handoff."))
    path = project(tmp_path, messages=MESSAGES, arms={"short": "Say it."})
    direct, batch = (plan_sweep(path, batch=b).asked[0] for b in (None, True))
    # the prompt at 4 x 0.5 in place of 2.5, the answer at 5 in place of 10
    prompt = -(-105 * direct.count.tokens // 100) + 500
    assert direct.worst_usd == pytest.approx((prompt * 2.5 + 32000 * 10) * 1e-6)
    assert batch.worst_usd == pytest.approx((prompt * 2.0 + 32000 * 5) * 1e-6)


def test_errored_and_expired_items_are_attempts_and_their_cells_are_asked_by_the_next_start(tmp_path, claude_server):
    server = claude_server(
        say("A handoff."),
        say(expires=True),
        failed(400, "invalid_request_error", "bad"),
        cut("half"),
        say("A handoff."),
    )
    summary = batched(tmp_path, replicates=2)
    assert summary.outcomes == {"handoff": 1, "truncated": 1}
    assert (summary.exit_status, len(summary.missing)) == (1, 2)
    failures = Store(summary.folder).failed_calls()
    assert sorted((c.outcome, c.detail, c.usd_api, c.billing) for c in failures) == [
        ("api-error", "in the batch: invalid_request_error: bad", 0.0, "batch"),
        ("expired", "the batch expired before this request was answered", 0.0, "batch"),
    ]
    again = run_sweep(tmp_path / "sweeps/s.toml", outside=QUICK, grade=False, batch=True)
    assert (again.exit_status, sizes(server)) == (0, [1, 3, 2])
    assert totals(again) == vars(server.billed)


@pytest.mark.parametrize("batch", [True, False])
def test_a_killed_start_leaves_its_batch_to_the_next_which_asks_for_nothing_again(
    tmp_path, claude_server, forker, batch
):
    server = claude_server(say("A handoff."), batch_polls=1_000_000)
    path = project(tmp_path, messages=MESSAGES, sweep="replicates = 2")
    journal = tmp_path / "results/s/journal.jsonl"
    child = forker.start(CHILD, tmp_path, str(path))
    until = time.monotonic() + 60
    while not journal.exists() or '"batched"' not in journal.read_text():
        assert time.monotonic() < until
        time.sleep(0.01)
    child.kill()
    child.wait()
    assert sizes(server) == [1]
    for one in server.batches.values():
        one.polls_left = 0
    server._batch_polls = 0
    summary = run_sweep(path, outside=QUICK, grade=False, batch=batch)
    assert (summary.exit_status, summary.outcomes) == (0, {"handoff": 4})
    assert (sizes(server), len(server.requests)) == (([1, 3], 0) if batch else ([1], 3))
    assert totals(summary) == vars(server.billed)
    assert summary.money.possibly_calls == 0
    assert sorted(r.billing for r in Store(summary.folder).rows()) == sorted(
        ["batch"] * 4 if batch else ["batch", "direct", "direct", "direct"]
    )


def test_an_interrupt_leaves_the_batch_with_the_server(tmp_path, claude_server):
    import _thread

    server = claude_server(say("A handoff."), batch_polls=1_000_000)

    pressed = []

    async def pressing(_seconds):
        if not pressed:
            pressed.append(True)
            _thread.interrupt_main()
        await asyncio.sleep(0.05)

    with pytest.raises(RunInterrupted) as stop:
        batched(tmp_path, outside=Outside(sleep=pressing))
    assert stop.value.summary.exit_status == 130
    assert Store(stop.value.summary.folder).failed_calls() == []
    for one in server.batches.values():
        one.polls_left = 0
    server._batch_polls = 0
    summary = run_sweep(tmp_path / "sweeps/s.toml", outside=QUICK, grade=False, batch=True)
    assert (summary.exit_status, sizes(server)) == (0, [1, 7])
    assert totals(summary) == vars(server.billed)


def test_a_batch_that_is_gone_may_have_been_billed_and_its_cell_is_missing(tmp_path, claude_server):
    server = claude_server(say("A handoff."))

    async def losing(_seconds):
        server.batches.clear()
        await asyncio.sleep(0.01)

    summary = batched(tmp_path, replicates=1, outside=Outside(sleep=losing))
    assert summary.exit_status == 1
    lost = Store(summary.folder).failed_calls()
    assert all(call.detail.startswith("msgbatch_1: 404 not_found_error") for call in lost)
    assert all(call.possibly_billed_usd > 0 for call in lost)
    assert summary.money.possibly_calls == len(lost) == 2


@pytest.mark.parametrize("name", ["bedrock:us.anthropic.claude-opus-5-5-v1:0", "vertex:claude-opus-5-5"])
def test_a_model_without_batches_is_refused_before_anything_is_asked(tmp_path, name):
    path = project(tmp_path, models=(name,))
    with pytest.raises(BenchError, match="takes no batches; leave out --batch"):
        run_sweep(path, outside=outside(FakeModel(name=name)), batch=True, no_budget=True)


def test_the_command_takes_it_and_no_file_holds_the_key(tmp_path, monkeypatch, claude_server, capsys):
    monkeypatch.setattr("bench.forks.run.Outside", lambda: QUICK)
    monkeypatch.chdir(tmp_path)
    claude_server(say("A handoff."))
    project(tmp_path, messages=MESSAGES)
    assert main(["run", "s", "--batch", "--json"]) == 0
    out, err = capsys.readouterr()
    assert json.loads(out)["outcomes"] == {"handoff": 2}
    files = [p for p in tmp_path.rglob("*") if p.is_file()]
    assert len(files) > 8
    assert [p for p in files if CANARY_KEY.encode() in p.read_bytes()] == []
    assert CANARY_KEY not in out + err


PASSED = '+++\nparts = ["summary", "commitments"]\n+++\nSay it.'
SAID = [*MESSAGES, {"role": "assistant", "content": "I will mend it."}, {"role": "user", "content": "ok"}]


def passing(tmp_path):
    path = project(tmp_path, arms={"both": PASSED}, messages=SAID)
    (tmp_path / "prompts/_commitments.md").write_text("Find what was promised.")
    return path


def test_a_commitments_pass_stands_in_a_batch_too_and_an_expired_one_is_asked_by_the_next_start(
    tmp_path, claude_server
):
    found = say('UNKEPT | T1 | "I will mend it." | no run after it')
    expired = [True]

    def answer(asked):
        if "Find what was promised." not in json.dumps(asked.body):
            return say("A handoff.")
        return say(expires=True) if expired else found

    server = claude_server(answer)
    path = passing(tmp_path)
    first = run_sweep(path, outside=QUICK, grade=False, batch=True)
    assert (first.exit_status, len(first.missing), server.requests) == (1, 1, [])
    expired.clear()
    second = run_sweep(path, outside=QUICK, grade=False, batch=True)
    (row,) = Store(second.folder).rows()
    assert (second.exit_status, row.parts_failed, row.billing) == (0, None, "batch")
    paid = {c.purpose: c for c in Store(second.folder).calls() if c.outcome == "handoff"}
    assert row.commitments_usd == paid["commitments"].usd_api and paid["commitments"].billing == "batch"
    assert [c.purpose for c in Store(second.folder).failed_calls()] == ["commitments"]
    assert totals(second) == vars(server.billed)
