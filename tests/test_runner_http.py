"""Forks through the SDK and real HTTP: our totals are the server's, whatever it does."""

import _thread
import asyncio
import json
import logging
import threading
import time

import pytest
from conftest import CANARY_KEY
from fakes import project
from loopback import (
    compacted,
    cut,
    dropped,
    empty,
    failed,
    garbage,
    html_413,
    mischarged,
    overloaded,
    rate_limited,
    refused,
    say,
    spend_limit,
    stalled,
    stream_error,
    tool_call,
    unfinished,
)

from bench.calls.outside import Outside
from bench.calls.retry import RetryPolicy
from bench.forks.run import RunInterrupted, run_sweep
from bench.forks.store import Store
from bench.rows import FINAL, NOT_FINAL

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
    billed = server.billed
    prompt = billed.input + billed.cache_read + billed.cache_write_5m
    # USD per million: input 2, write 2.5, read 0.1
    usd = (2 * billed.input + 2.5 * billed.cache_write_5m + 0.1 * billed.cache_read) / 1e6
    assert (
        f"cache: 1 writes, 47 reads in 48 forks, {100 * billed.cache_read / prompt:.0f} % of the prompt tokens read "
        f"from it; input ${usd:.4f}, at least possible ${usd:.4f}"
    ) in summary.lines()
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


WAYS = {
    "handoff": [(say("A handoff."), "direct"), (tool_call("A handoff."), "direct"), (compacted(), "server")],
    "empty-reply": [(empty(), "direct")],
    "empty": [(say("<analysis>only this</analysis>"), "direct")],
    "truncated": [(cut(), "direct"), (say("half", stop_reason="model_context_window_exceeded"), "direct")],
    "refused": [(refused(), "direct"), (tool_call(), "direct")],
    "mismatch": [(mischarged(9), "direct")],
    "no-summary": [(compacted(None), "server"), (empty(), "server")],
    "api-error": [
        (overloaded(), "direct"), (rate_limited("0.01"), "direct"), (rate_limited(None), "direct"),
        (stream_error(), "direct"), (dropped(), "direct"), (unfinished(), "direct"), (garbage(), "direct"),
        (html_413(), "direct"), (failed(500), "direct"), (failed(400), "batch"),
    ],
    "timeout": [(stalled(), "direct"), (failed(504, "timeout_error"), "direct")],
    "aborted": [(say(headers_after=60.0), "interrupted"), (say(cancelled=True), "batch")],
    "expired": [(say(expires=True), "batch")],
}  # fmt: skip
"""Outcome that needs a call -> behaviours of the server that bring it, and the way in which it is asked."""


def test_every_outcome_that_needs_a_call_is_in_the_table():
    assert set(WAYS) == {*FINAL, *NOT_FINAL}


@pytest.mark.parametrize(
    ("outcome", "behaviour", "way"),
    [(outcome, *case) for outcome, cases in WAYS.items() for case in cases],
    ids=[f"{outcome}-{n}" for outcome, cases in WAYS.items() for n, _ in enumerate(cases)],
)
def test_every_outcome_comes_through_the_wire_and_is_priced(tmp_path, claude_server, outcome, behaviour, way):
    server = claude_server(behaviour)
    summary = asked_once(tmp_path, server, way)
    store = Store(summary.folder)
    if outcome in FINAL:
        (row,) = store.rows()
        assert (row.outcome, row.usage_source, row.usd_api is not None) == (outcome, "reported", True)
        assert totals(summary) == vars(server.billed)
        assert (summary.exit_status, store.failed_calls()) == (0, [])
        return
    (call,) = store.failed_calls()
    assert call.outcome == outcome
    # it cost nothing, and that is known, or it may have been billed up to its worst case
    assert (call.usd_api == 0.0) != (call.possibly_billed_usd is not None)
    assert (store.rows(), summary.exit_status) == ([], 130 if way == "interrupted" else 1)


def asked_once(tmp_path, server, way):
    """A sweep of one cell, asked with one call."""
    (tmp_path / "prompts").mkdir()
    (tmp_path / "prompts/theirs.toml").write_text('kind = "server"\n')
    path = project(
        tmp_path, arms={"short": "Say it short."}, more_arms=("theirs",), messages=MESSAGES, sweep="timeout_s = 0.5"
    )
    once = Outside(retry=RetryPolicy(calls=1), sleep=lambda seconds: asyncio.sleep(min(seconds, 0.01)))
    arms = ["theirs" if way == "server" else "short"]
    if way != "interrupted":
        return run_sweep(path, outside=once, grade=False, arms=arms, batch=way == "batch")
    path.write_text(path.read_text().replace("timeout_s = 0.5", "timeout_s = 60"))
    pressing = threading.Thread(target=_press_once_asked, args=(server,))
    pressing.start()
    with pytest.raises(RunInterrupted) as stop:
        run_sweep(path, outside=once, grade=False, arms=arms)
    pressing.join()
    return stop.value.summary


def _press_once_asked(server):
    until = time.monotonic() + 30
    while not server.requests and time.monotonic() < until:
        time.sleep(0.005)
    if server.requests:
        _thread.interrupt_main()


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


@pytest.mark.parametrize("batch", [False, True])
def test_no_file_and_no_log_line_of_a_run_holds_the_key(tmp_path, claude_server, caplog, batch):
    caplog.set_level(logging.DEBUG)
    claude_server(
        dropped(), failed(500, message=f"your key {CANARY_KEY} is fine"), say("A handoff that quotes nothing.")
    )
    path = project(tmp_path, messages=MESSAGES)
    quick = Outside(retry=QUICK.retry, sleep=lambda seconds: asyncio.sleep(min(seconds, 0.01)))
    summary = run_sweep(path, outside=quick, batch=batch)
    files = [p for p in summary.folder.rglob("*") if p.is_file()]
    assert len(files) > 8
    assert [p for p in files if CANARY_KEY.encode() in p.read_bytes()] == []
    assert len(caplog.records) > 0
    assert CANARY_KEY not in caplog.text + str(summary)


def test_a_commitments_pass_goes_over_the_wire_as_a_call_of_its_own(tmp_path, claude_server):
    row = 'UNKEPT | T1 | "I will mend it." | no run after it'
    server = claude_server(say(row))
    arms = {"both": '+++\nparts = ["summary", "commitments"]\n+++\nSay it.'}
    said = [*MESSAGES[:1], {"role": "assistant", "content": "I will mend it."}, {"role": "user", "content": "ok"}]
    path = project(tmp_path, arms=arms, messages=said)
    (tmp_path / "prompts/_commitments.md").write_text("Find what was promised.")
    summary = run_sweep(path, outside=QUICK, grade=False)
    store = Store(summary.folder)
    (output,) = store.rows()
    calls = {call.purpose: call for call in store.calls()}
    assert set(calls) == {"fork", "commitments"}
    assert (output.parts_failed, output.commitments_usd) == (None, calls["commitments"].usd_api)
    assert output.usd_api == calls["fork"].usd_api
    assert totals(summary) == vars(server.billed)
    (asked,) = (a.body for a in server.requests if "Find what was promised." in json.dumps(a.body))
    assert "what the assistant said" in json.dumps(asked) and "Say it." not in json.dumps(asked)
