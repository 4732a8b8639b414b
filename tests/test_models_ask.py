"""Asking over real HTTP: every answer and every way to fail, as the runner sees it."""

from __future__ import annotations

import asyncio
import logging
import threading
import time

import pytest
from asking import QUESTION, ask, context, count, request, said
from conftest import CANARY_KEY
from loopback import (
    Billed,
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
    think_and_say,
    tool_call,
    unfinished,
)

from bench.errors import BenchError
from bench.models import Attempt, CredentialsMissing, Reply, open_model
from bench.models.claude import MessagesModel, Reach
from bench.models.clients import open_client
from bench.models.names import parse_name
from bench.transcripts.model import Usage

PROMPT = 170 + 8
"""Tokens of `said()` and of QUESTION by the server's count: ceil(680 / 4) and ceil(32 / 4)."""


def test_an_answer_comes_with_its_usage_its_times_and_what_was_asked(claude_server):
    server = claude_server(say("x" * 40, first_token_after=0.05), minimum_cached=0)
    firsts = []
    reply = ask(firsts=firsts)
    assert isinstance(reply, Reply)
    assert (reply.text, reply.stop_reason, reply.tool_calls) == ("x" * 40, "end_turn", 0)
    assert reply.usage == Usage(input=8, output=10, cache_write_5m=170)
    assert (reply.thinking, reply.effort, reply.request_id) == ("adaptive", "high", "req_0")
    assert 0.05 <= reply.first_token_seconds <= reply.seconds < 5
    assert reply.started_at.endswith("Z")
    assert firsts == [1], "called once, at the first content event"
    assert server.billed == Billed(input=8, output=10, cache_write_5m=170)
    assert server.requests[0].last_text == QUESTION


def test_the_second_fork_reads_what_the_first_one_wrote(claude_server):
    server = claude_server(say(), minimum_cached=0)
    reply = ask("claude-sonnet-5-5", request(), request(instruction="Another arm's words."))
    assert (reply.usage.cache_read, reply.usage.cache_write_5m) == (170, 0)
    first, second = (r.raw for r in server.requests)
    shared = first.index(QUESTION.encode())
    assert first[:shared] == second[:shared], "byte for byte the same up to the instruction"


def test_an_hour_in_the_cache_is_charged_as_such(claude_server):
    claude_server(say(), minimum_cached=0)
    assert ask("claude-sonnet-5-5", request(cache_ttl="1h")).usage.cache_write_1h == 170


@pytest.mark.parametrize(
    ("script", "stop_reason", "text", "more"),
    [
        (empty(), "end_turn", "", {}),
        (cut("half an ans"), "max_tokens", "half an ans", {}),
        (refused("frontier_llm"), "refusal", "", {"refusal": "frontier_llm"}),
        (tool_call(), "tool_use", "", {"tool_calls": 1}),
        (tool_call("A handoff."), "tool_use", "A handoff.", {"tool_calls": 1}),
        (think_and_say("A handoff."), "end_turn", "A handoff.", {}),
        (say("naïve — 日本語 🙂"), "end_turn", "naïve — 日本語 🙂", {}),
        (mischarged(3), "end_turn", "A handoff.", {"usage": Usage(3, 3)}),
        (say(no_usage=True), "end_turn", "A handoff.", {"usage": None}),
        # the whole answer was there before the line broke: nothing is missing
        (say(drop_at_end=True), "end_turn", "A handoff.", {"usage": Usage(178, 3)}),
    ],
)
def test_every_final_answer_is_a_reply(claude_server, script, stop_reason, text, more):
    claude_server(script)
    reply = ask()
    assert isinstance(reply, Reply), reply
    assert (reply.stop_reason, reply.text) == (stop_reason, text)
    for name, value in more.items():
        assert getattr(reply, name) == value, name


NO, MAYBE = "no", "possibly"


@pytest.mark.parametrize(
    ("script", "outcome", "billed", "retryable", "stop", "detail"),
    [
        (rate_limited(), "api-error", NO, True, False, "429 rate_limit_error: slow down"),
        (overloaded(), "api-error", NO, True, False, "529 overloaded_error: Overloaded"),
        (failed(500), "api-error", MAYBE, True, False, "500 api_error"),
        (failed(503), "api-error", MAYBE, True, False, "503"),
        (failed(504, "timeout_error"), "timeout", MAYBE, True, False, "504 timeout_error"),
        (failed(408), "timeout", MAYBE, True, False, "408"),
        (failed(409), "api-error", NO, True, False, "409"),
        (failed(400, "invalid_request_error", "bad block"), "api-error", NO, False, False, "bad block"),
        (failed(404, "not_found_error", "model: x"), "api-error", NO, False, False, "model: x"),
        (html_413(), "api-error", NO, False, False, "413 ContentTooLargeError: 413 Request Entity Too Large"),
        (failed(401, "authentication_error", "bad key"), "api-error", NO, False, True, "401"),
        (failed(402, "billing_error", "no credit"), "api-error", NO, False, True, "402"),
        (failed(403, "permission_error", "not allowed"), "api-error", NO, False, True, "403"),
        (spend_limit(), "api-error", NO, False, True, "usage threshold"),
        (
            failed(400, "invalid_request_error", "You have reached your specified API usage limits."),
            "api-error", NO, False, True, "usage limits",
        ),
        (failed(529, headers={"x-should-retry": "false"}), "api-error", NO, False, False, "529"),
        (failed(422, headers={"x-should-retry": "true"}), "api-error", NO, True, False, "422"),
        (stream_error("overloaded_error"), "api-error", MAYBE, True, False, "in the stream: overloaded_error"),
        (stream_error("timeout_error"), "timeout", MAYBE, True, False, "in the stream"),
        (stream_error("invalid_request_error"), "api-error", MAYBE, False, False, "in the stream"),
        (stream_error("authentication_error"), "api-error", MAYBE, False, True, "in the stream"),
        (dropped(), "api-error", MAYBE, True, False, "the stream broke off (RemoteProtocolError"),
        (dropped(after=0), "api-error", MAYBE, True, False, "the stream broke off"),
        (unfinished(), "api-error", MAYBE, True, False, "without a stop reason"),
        (garbage(), "api-error", MAYBE, True, False, "malformed"),
        (say(half_character=True), "api-error", MAYBE, True, False, "malformed (UnicodeDecodeError"),
        (say(no_start=True, break_after=0, break_with="end"), "api-error", MAYBE, True, False, "stop reason"),
    ],
)  # fmt: skip
def test_every_failure_is_an_attempt(claude_server, script, outcome, billed, retryable, stop, detail):
    claude_server(script)
    attempt = ask()
    assert isinstance(attempt, Attempt), attempt
    assert (attempt.outcome, attempt.billed, attempt.retryable, attempt.stop_run) == (outcome, billed, retryable, stop)
    assert detail in attempt.detail
    assert attempt.seconds >= 0 and attempt.started_at


def test_nothing_is_asked_twice_by_the_client(claude_server):
    server = claude_server(overloaded())
    ask()
    assert len(server.requests) == 1


def test_usage_seen_before_a_stream_broke_is_kept(claude_server):
    server = claude_server(dropped(), minimum_cached=0)
    attempt = ask()
    assert attempt.usage == Usage(input=8, output=1, cache_write_5m=170), "what message_start told"
    assert server.billed.cache_write_5m == 170, "and it was paid"


def test_an_attempt_that_was_refused_saw_no_usage(claude_server):
    claude_server(overloaded())
    assert ask().usage is None


@pytest.mark.parametrize(
    ("value", "seconds"),
    [("0.05", 0.05), ("7", 7.0), ("1e9", 600.0), ("-3", 0.0), ("soon", None), ("nan", None), (None, None)],
)
def test_a_wait_the_server_asks_for_is_passed_on_within_bounds(claude_server, value, seconds):
    claude_server(rate_limited(value))
    assert ask().retry_after == seconds


def test_the_wall_clock_ends_a_stream_that_only_pings(claude_server):
    claude_server(stalled())
    started = time.monotonic()
    attempt = ask(timeout_s=0.3)
    assert time.monotonic() - started < 3
    assert (attempt.outcome, attempt.billed, attempt.retryable) == ("timeout", "possibly", True)
    assert attempt.detail == "no whole answer within 0.3 s"


def test_the_wall_clock_ends_a_server_that_never_begins(claude_server):
    claude_server(say(headers_after=30))
    attempt = ask(timeout_s=0.2)
    assert (attempt.outcome, attempt.usage) == ("timeout", None)


def ask_idle(idle_s):
    """One request under a short idle limit."""
    name = parse_name("claude-sonnet-5-5")

    async def run():
        async with MessagesModel(name.name, Reach(lambda: open_client(name), name.id, True, idle_s)) as model:
            return await model.ask(request(), timeout_s=10, on_first=lambda: None)

    return asyncio.run(run())


def test_pings_do_not_keep_a_silent_stream_alive(claude_server):
    claude_server(stalled(after=2))
    attempt = ask_idle(0.2)
    assert (attempt.outcome, attempt.detail) == ("timeout", "no content for 0.2 s, pings aside")


def test_content_keeps_a_slow_stream_alive(claude_server):
    claude_server(say(token_gap=0.15))  # six events, 0.9 s in all
    assert isinstance(ask_idle(0.5), Reply)


def test_a_thinking_block_may_be_silent_and_so_may_a_prompt_that_is_still_read(claude_server):
    claude_server(think_and_say(first_token_after=0.5, thinks_for=0.5))
    assert isinstance(ask_idle(0.3), Reply)


def test_no_connection_is_not_billed_and_may_be_tried_again(claude_server):
    claude_server(say()).stop()
    attempt = ask()
    assert (attempt.outcome, attempt.billed, attempt.retryable) == ("api-error", "no", True)
    assert "no connection" in attempt.detail


def test_a_failure_of_the_callers_own_is_not_taken_for_the_servers(claude_server):
    claude_server(say())

    async def run():
        async with open_model("claude-sonnet-5-5") as model:
            await model.ask(request(), timeout_s=5, on_first=lambda: 1 / 0)

    with pytest.raises(RuntimeError, match="on_first failed"):
        asyncio.run(run())


def test_cancelling_goes_through_and_leaves_no_connection_open(claude_server):
    server = claude_server(stalled())

    async def run():
        async with open_model("claude-sonnet-5-5") as model:
            task = asyncio.create_task(model.ask(request(), timeout_s=30, on_first=lambda: None))
            while not server.requests:
                await asyncio.sleep(0.01)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task

    asyncio.run(run())


def test_many_forks_go_out_at_once_over_one_client(claude_server):
    server = claude_server(say(first_token_after=0.3), minimum_cached=0)

    async def run():
        async with open_model("claude-sonnet-5-5") as model:
            asks = [model.ask(request(), timeout_s=20, on_first=lambda: None) for _ in range(40)]
            return await asyncio.gather(*asks)

    replies = asyncio.run(run())
    assert all(isinstance(r, Reply) for r in replies)
    assert server.most_in_flight == 40
    assert sum(r.usage.output for r in replies) == server.billed.output == 40 * 3


def test_a_model_can_be_opened_again_in_another_loop(claude_server):
    claude_server(say())
    model = open_model("claude-sonnet-5-5")

    async def run():
        async with model:
            return await model.ask(request(), timeout_s=5, on_first=lambda: None)

    assert isinstance(asyncio.run(run()), Reply)
    assert isinstance(asyncio.run(run()), Reply)


@pytest.mark.parametrize("status", [404, 405, 501, 500, 429])
def test_where_counting_is_not_offered_the_count_is_an_estimate_and_says_so(claude_server, monkeypatch, status):
    monkeypatch.setattr("anthropic._base_client.BaseClient._calculate_retry_timeout", lambda *_: 0.0)  # the SDK waits
    claude_server(say(), count_status=status)
    found = count()
    assert found.source == "estimated"
    # characters / 2.5: the newer tokenizer's vendor figure, on 4 characters for each token of the estimate
    assert found.tokens == -(-4 * (said().tokens + 8) * 10 // 25)


def test_a_server_without_the_endpoint_is_asked_for_it_once(claude_server):
    server = claude_server(say(), count_status=404)

    async def run():
        async with open_model("claude-sonnet-5-5") as model:
            return [await model.count(request()) for _ in range(3)]

    assert {c.source for c in asyncio.run(run())} == {"estimated"}
    assert len(server.counted) == 1


def test_where_counting_is_offered_it_counts_the_request_as_it_would_be_sent(claude_server):
    server = claude_server(say())
    found = count()
    assert (found.tokens, found.source) == (PROMPT, "counted")
    body = server.counted[0].body
    assert body["messages"][-1]["content"][-1]["text"] == QUESTION
    assert "max_tokens" not in body


def test_a_refused_key_stops_a_count_in_one_line(claude_server):
    claude_server(say(), count_status=401)
    with pytest.raises(CredentialsMissing, match="claude-sonnet-5-5"):
        count()


def test_any_failure_of_an_own_server_only_makes_the_count_an_estimate(claude_server):
    server = claude_server(say(), count_status=401)
    found = count(f"{server.url}#qwen3")
    assert (found.source, found.tokens) == ("estimated", said().tokens + 8)


def test_an_own_server_never_gets_the_accounts_key(claude_server, monkeypatch):
    server = claude_server(say())
    ask(f"{server.url}#qwen3")
    assert server.requests[-1].headers["authorization"] == "Bearer local"
    monkeypatch.setenv("BENCH_SERVER_KEY", "its-own-key")
    ask(f"{server.url}#qwen3")
    assert server.requests[-1].headers["authorization"] == "Bearer its-own-key"
    ask()
    assert server.requests[-1].headers["authorization"] == f"Bearer {CANARY_KEY}"
    assert server.requests[-1].body["model"] == "claude-sonnet-5-5"


def test_an_own_server_below_a_prefix_is_asked_there(claude_server):
    server = claude_server(say())
    assert "404" in ask(f"{server.url}/gateway#qwen3").detail


@pytest.mark.parametrize("name", ["claude-sonnet-5-5", "claude-opus-5-5"])
def test_without_credentials_nothing_is_sent_and_one_line_says_what_to_set(name):
    with pytest.raises(BenchError, match="set ANTHROPIC_API_KEY") as error:
        ask(name)
    assert str(error.value).count("\n") == 0


def test_an_empty_base_url_is_told_before_anything_is_sent(monkeypatch):
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "")
    monkeypatch.setenv("ANTHROPIC_API_KEY", CANARY_KEY)
    with pytest.raises(BenchError, match="ANTHROPIC_BASE_URL"):
        ask()


@pytest.mark.parametrize(
    ("name", "says"),
    [("bedrock:anthropic.claude-opus-5-5", "anthropic[bedrock]"), ("vertex:claude-opus-5-5", "anthropic[vertex]")],
)
def test_a_cloud_without_its_extra_says_what_to_install(name, says, monkeypatch):
    monkeypatch.setattr("bench.models.clients.find_spec", lambda _: None)
    with pytest.raises(BenchError) as error:
        ask(name)
    assert says in str(error.value)


def test_bedrock_is_asked_at_its_own_address_with_its_own_token(claude_server, monkeypatch):
    server = claude_server(say())
    monkeypatch.setattr("bench.models.clients.find_spec", lambda _: True)  # the token alone needs no extra
    monkeypatch.setenv("AWS_BEARER_TOKEN_BEDROCK", "of-the-cloud-0123456789")
    monkeypatch.setenv("AWS_REGION", "eu-central-1")
    monkeypatch.setenv("ANTHROPIC_BEDROCK_BASE_URL", server.url)
    answer = ask("bedrock:us.anthropic.claude-opus-5-5-v1:0")
    assert "/model/us.anthropic.claude-opus-5-5-v1:0/invoke-with-response-stream" in answer.detail
    (path, headers), *_ = server.unknown
    assert path == "/model/us.anthropic.claude-opus-5-5-v1:0/invoke-with-response-stream"
    assert headers["authorization"] == "Bearer of-the-cloud-0123456789"
    assert CANARY_KEY not in str(headers)


@pytest.mark.parametrize(
    "script",
    [
        failed(400, "invalid_request_error", f"the header was Bearer {CANARY_KEY}, x-api-key: {CANARY_KEY}"),
        failed(401, "authentication_error", f"invalid key {CANARY_KEY}"),
        stream_error(f"error of {CANARY_KEY}"),
        failed(500, message=f"see https://user:{CANARY_KEY}@host/?key={CANARY_KEY}"),
    ],
)
def test_a_key_never_stands_in_what_is_told_even_where_the_server_repeats_it(claude_server, script):
    claude_server(script)
    detail = ask().detail
    assert "canary" not in detail and "[key removed]" in detail


@pytest.mark.parametrize("script", [say(), failed(401), stream_error(), dropped()])
def test_a_key_never_stands_in_a_log_line(claude_server, script, caplog):
    server = claude_server(script)
    with caplog.at_level(logging.DEBUG):
        ask()
        count()
    assert server.requests[0].headers["authorization"].endswith(CANARY_KEY), "it was sent"
    assert "/v1/messages" in caplog.text, "the SDK does log at this level"
    assert CANARY_KEY not in caplog.text


def test_asking_a_model_that_was_not_entered_is_an_error_of_the_caller():
    with pytest.raises(RuntimeError, match="async with"):
        asyncio.run(open_model("claude-sonnet-5-5").count(request()))


def test_a_connection_is_used_again_for_the_next_fork(claude_server):
    server = claude_server(say())
    ask("claude-sonnet-5-5", *(request(context([{"role": "user", "content": "a"}])) for _ in range(5)))
    assert len(server.requests) == 5
    assert server.connections == 1


def test_closing_a_model_leaves_no_thread_behind(claude_server):
    claude_server(say())
    before = threading.active_count()
    ask()
    assert threading.active_count() <= before + 1
