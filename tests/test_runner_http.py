"""Forks through the SDK and real HTTP: our totals are the server's, whatever it does."""

import json

import pytest
from conftest import CANARY_KEY
from fakes import project
from loopback import (
    cut,
    dropped,
    empty,
    html_413,
    mischarged,
    overloaded,
    rate_limited,
    refused,
    say,
    spend_limit,
    stream_error,
    tool_call,
    unfinished,
)

from bench.forks.outside import Outside
from bench.forks.retry import RetryPolicy
from bench.forks.run import run_sweep
from bench.forks.store import Store

MESSAGES = [
    {"role": "user", "content": "Please mend the flaky test. " + "It fails now and then. " * 100},
    {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "make"}}]},
    {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "1 failed"}]},
]
QUICK = Outside(retry=RetryPolicy(first_s=0.01, most_s=0.02))


def forked(tmp_path, **options):
    path = project(tmp_path, messages=MESSAGES, **options)
    return run_sweep(path, outside=QUICK, grade=False)


def totals(summary):
    calls = Store(summary.folder).calls()
    names = ("input", "output", "cache_read", "cache_write_5m", "cache_write_1h")
    return {n: sum(getattr(c, f"{n}_tokens") or 0 for c in calls) for n in names}


def test_six_arms_and_eight_replicates_are_one_write_and_47_reads_on_the_wire(tmp_path, claude_server):
    server = claude_server(say("A handoff."))
    arms = {f"arm-{n}": f"Instruction number {n}." for n in range(6)}
    summary = forked(tmp_path, arms=arms, sweep="replicates = 8\nconcurrency = 16")
    assert len(server.requests) == 48
    assert sum(a.billed.cache_write_5m > 0 for a in server.requests) == 1
    assert (summary.cache.writes, summary.cache.reads) == (1, 47)
    assert totals(summary) == vars(server.billed)
    assert summary.cache.input_usd == pytest.approx(summary.cache.floor_usd)
    prefixes = {json.dumps(_without_instruction(a.body)) for a in server.requests}
    assert len(prefixes) == 1  # byte for byte, but for the last block


def _without_instruction(body):
    *earlier, last = body["messages"]
    return [body.get("system"), body.get("tools"), *earlier, {**last, "content": last["content"][:-1]}]


def test_the_instruction_is_the_last_block_after_the_breakpoint(tmp_path, claude_server):
    server = claude_server(say("A handoff."))
    forked(tmp_path, arms={"short": "Say it short."})
    result, instruction = server.requests[0].body["messages"][-1]["content"]
    assert result["type"] == "tool_result" and result["cache_control"]["type"] == "ephemeral"
    assert instruction == {"type": "text", "text": "Say it short."}


@pytest.mark.parametrize(
    ("behaviour", "outcome"),
    [
        (say("A handoff."), "handoff"),
        (tool_call("A handoff."), "handoff"),
        (tool_call(), "refused"),
        (refused(), "refused"),
        (empty(), "empty-reply"),
        (say("<analysis>only this</analysis>"), "empty"),
        (cut(), "truncated"),
        (mischarged(9), "mismatch"),
    ],
)
def test_every_final_outcome_through_the_wire_is_priced(tmp_path, claude_server, behaviour, outcome):
    server = claude_server(behaviour)
    summary = forked(tmp_path, arms={"short": "Say it short."})
    (row,) = Store(summary.folder).rows()
    assert row.outcome == outcome
    assert (row.usage_source, row.usd_api is not None) == ("reported", True)
    assert totals(summary) == vars(server.billed)
    assert summary.exit_status == 0


@pytest.mark.parametrize(
    ("fault", "possibly"),
    [
        (overloaded(), 0),
        (rate_limited("0.01"), 0),
        (rate_limited(None), 0),
        (stream_error(), 1),
        (dropped(), 1),
        (unfinished(), 1),
    ],
)
def test_a_call_that_breaks_is_made_again_and_counted(tmp_path, claude_server, fault, possibly):
    server = claude_server(fault, say("A handoff."))
    summary = forked(tmp_path, arms={"short": "Say it short."})
    (row,) = Store(summary.folder).rows()
    assert (row.outcome, row.attempts, len(server.requests)) == ("handoff", 2, 2)
    assert summary.money.possibly_calls == possibly
    (failed,) = Store(summary.folder).failed_calls()
    assert (failed.usd_api == 0.0) == (possibly == 0)


def test_a_stream_that_only_pings_is_ended_by_the_clock(tmp_path, claude_server):
    from loopback import stalled

    server = claude_server(stalled(), say("A handoff."))
    summary = forked(tmp_path, arms={"short": "Say it short."}, sweep="timeout_s = 0.5")
    assert [c.outcome for c in Store(summary.folder).failed_calls()] == ["timeout"]
    assert (summary.exit_status, len(server.requests)) == (0, 2)


@pytest.mark.parametrize(("fault", "stops"), [(html_413(), False), (spend_limit(), True)])
def test_what_waiting_never_heals_is_not_asked_again(tmp_path, claude_server, fault, stops):
    server = claude_server(fault)
    summary = forked(tmp_path, sweep="replicates = 3\nconcurrency = 1")
    assert len(server.requests) == (1 if stops else 6)
    assert (summary.stopped is not None) == stops
    assert summary.exit_status == 1


def test_counting_falls_back_to_an_estimate_that_says_so(tmp_path, claude_server):
    from bench.forks.run import plan_sweep

    claude_server(say("A handoff."), count_status=404)
    plan = plan_sweep(project(tmp_path, messages=MESSAGES))
    assert {s.count.source for s in plan.asked} == {"estimated"}


def test_no_file_of_a_run_holds_the_key(tmp_path, claude_server):
    claude_server(dropped(), say("A handoff that quotes nothing."))
    summary = forked(tmp_path)
    files = [p for p in summary.folder.rglob("*") if p.is_file()]
    assert len(files) > 8
    assert [p for p in files if CANARY_KEY.encode() in p.read_bytes()] == []
