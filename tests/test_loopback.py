"""The fake server keeps the real API's rules, so that what passes against it means something."""

from __future__ import annotations

import asyncio
import json
import re
import time
import urllib.error
import urllib.request

import pytest
from loopback import Billed, LoopbackServer, PromptCache, failed, say, think_and_say, tool_call, wire
from loopback.rules import refusal

TEXT = "x" * 400
"""100 tokens at four characters each."""


def block(text=TEXT, ttl=None):
    return {"type": "text", "text": text, **({"cache_control": {"type": "ephemeral", "ttl": ttl}} if ttl else {})}


def body(*blocks, **more):
    messages = [message("user", *blocks)]
    return {"model": "claude-sonnet-5-5", "max_tokens": 100, "messages": messages, **more}


def message(role, *blocks):
    return {"role": role, "content": list(blocks)}


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


def charged(cache, request, begin=True):
    charge = cache.charge(request)
    if begin:
        cache.begin(charge)
    return charge.input, charge.read, charge.write_5m, charge.write_1h


def test_the_first_request_writes_up_to_the_breakpoint_and_later_ones_read():
    cache = PromptCache(Clock(), minimum=0)
    assert charged(cache, body(block(ttl="5m"), block("ab"))) == (1, 0, 100, 0)
    assert charged(cache, body(block(ttl="5m"), block("cd"))) == (1, 100, 0, 0)


def test_an_entry_cannot_be_read_before_its_writers_response_has_begun():
    cache = PromptCache(Clock(), minimum=0)
    first = cache.charge(body(block(ttl="5m"), block("ab")))
    assert charged(cache, body(block(ttl="5m"), block("cd")), begin=False) == (1, 0, 100, 0), "both pay the write"
    cache.begin(first)
    assert charged(cache, body(block(ttl="5m"), block("ef"))) == (1, 100, 0, 0)


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        (body(block(TEXT + "y", "5m")), "another byte"),
        (body(block(ttl="5m"), system="be brief"), "another system prompt"),
        (body(block(ttl="5m"), tools=[{"name": "t", "input_schema": {}}]), "another tool"),
        (body(block(ttl="5m"), model="claude-opus-5-5"), "another model"),
        (body(block(ttl="5m"), thinking={"type": "adaptive"}), "another thinking setting"),
        (body(block(ttl="5m"), output_config={"effort": "low"}), "another effort"),
        (body(block(ttl="5m"), output_config={"format": {"type": "json_schema"}}), "another output format"),
        (
            body(messages=[message("assistant", block(ttl="5m"))]),
            "said by the other side",
        ),
    ],
)
def test_the_prefix_must_be_exactly_the_same(changed, why):
    cache = PromptCache(Clock(), minimum=0)
    charged(cache, body(block(ttl="5m")))
    assert charged(cache, changed)[1] == 0, why


def test_what_comes_after_the_breakpoint_does_not_matter_nor_does_max_tokens():
    cache = PromptCache(Clock(), minimum=0)
    charged(cache, body(block(ttl="5m"), block("a")))
    assert charged(cache, body(block(ttl="5m"), block("b"), block("c"), max_tokens=7))[1] == 100


@pytest.mark.parametrize(
    ("model", "tokens", "written"),
    [
        ("claude-sonnet-5-5", 511, 0),
        ("claude-sonnet-5-5", 512, 512),
        ("claude-haiku-4-5", 4095, 0),
        ("claude-haiku-4-5", 4096, 4096),
    ],
)
def test_below_the_minimum_nothing_is_cached_and_nothing_is_said(model, tokens, written):
    cache = PromptCache(Clock())
    request = body(block("x" * 4 * tokens, "5m"), model=model)
    assert charged(cache, request) == (tokens - written, 0, written, 0)


@pytest.mark.parametrize(("ttl", "lifetime"), [("5m", 300), ("1h", 3600)])
def test_an_entry_lives_from_the_last_request_that_used_it(ttl, lifetime):
    clock = Clock()
    cache = PromptCache(clock, minimum=0)
    request = body(block(ttl=ttl))
    charged(cache, request)
    clock.now = lifetime - 1
    assert charged(cache, request)[1] == 100, "read in time, and renewed"
    clock.now = 2 * lifetime - 2
    assert charged(cache, request)[1] == 100
    clock.now = 3 * lifetime
    assert charged(cache, request)[1] == 0, "gone"


def test_a_breakpoint_looks_back_over_twenty_blocks_and_no_further():
    for added, read in ((19, 100), (20, 0)):
        cache = PromptCache(Clock(), minimum=0)
        charged(cache, body(block(ttl="5m")))
        more = [block("abcd") for _ in range(added - 1)]
        assert charged(cache, body(block(), *more, block("abcd", "5m")))[1] == read, added


def test_both_lifetimes_in_one_request_are_charged_apart():
    cache = PromptCache(Clock(), minimum=0)
    assert charged(cache, body(block(ttl="1h"), block(ttl="5m"), block("ab"))) == (1, 0, 100, 100)


def test_an_automatic_breakpoint_marks_the_last_block():
    cache = PromptCache(Clock(), minimum=0)
    assert charged(cache, body(block(), cache_control={"type": "ephemeral"})) == (0, 0, 100, 0)


@pytest.mark.parametrize(
    "blocks",
    [[block(ttl="5m")] * 5, [block(ttl="5m"), block(ttl="1h")]],
    ids=["five breakpoints", "an hour after five minutes"],
)
def test_breakpoints_that_the_api_refuses(blocks):
    with pytest.raises(ValueError, match="cache_control"):
        PromptCache(Clock()).charge(body(*blocks))


TOOL = {"type": "tool_use", "id": "t1", "name": "Bash", "input": {}}
RESULT = {"type": "tool_result", "tool_use_id": "t1", "content": "ok"}


@pytest.mark.parametrize(
    ("request_", "why"),
    [
        (body(block()), None),
        (body(block(), temperature=0), "temperature"),
        (body(block(), top_p=1), "top_p"),
        ({"model": "m", "messages": []}, "max_tokens"),
        (body(block(), messages=[]), "at least one"),
        (body(block(), messages=[{"role": "assistant", "content": "x"}]), "prefill"),
        (body(block(" ")), "non-empty"),
        (body(block(), tool_choice={"type": "any"}), "forced"),
        (body(block(), model="claude-opus-5-5", thinking={"type": "disabled"}), "disabled"),
        (body(RESULT), "tool_use ids"),
        (
            body(block(), messages=[{"role": "assistant", "content": [TOOL]}, {"role": "user", "content": "x"}]),
            "tool_use",
        ),
        (
            body(block(), messages=[{"role": "assistant", "content": [TOOL]}, {"role": "user", "content": [RESULT]}]),
            None,
        ),
    ],
)
def test_requests_that_the_api_refuses(request_, why):
    found = refusal(request_)
    assert found is None if why is None else why in found


def post(server, path, request, **headers):
    sent = urllib.request.Request(server.url + path, json.dumps(request).encode(), headers=headers)
    try:
        with urllib.request.urlopen(sent, timeout=5) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read()


def test_a_whole_message_and_its_bill():
    with LoopbackServer(say("x" * 40)) as server:
        status, answer = post(server, "/v1/messages", body(block()))
        message = json.loads(answer)
    assert (status, message["content"], message["stop_reason"]) == (
        200,
        [{"type": "text", "text": "x" * 40}],
        "end_turn",
    )
    assert (message["usage"]["input_tokens"], message["usage"]["output_tokens"]) == (100, 10)
    assert server.billed == Billed(input=100, output=10)


def test_refused_requests_are_recorded_and_never_billed():
    with LoopbackServer(failed(500), say()) as server:
        assert post(server, "/v1/messages", body(block()))[0] == 500
        assert post(server, "/v1/messages", body(block(), temperature=1))[0] == 400
        assert post(server, "/v1/messages/batches", {})[0] == 400
    assert [r.status for r in server.requests] == [500, 400]
    assert server.billed == Billed()


def test_the_key_is_checked_where_one_is_set():
    with LoopbackServer(key="k") as server:
        assert post(server, "/v1/messages", body(block()))[0] == 401
        assert post(server, "/v1/messages", body(block()), Authorization="Bearer k")[0] == 200


def test_counting_is_free_and_counts_what_would_be_charged():
    with LoopbackServer() as server:
        assert json.loads(post(server, "/v1/messages/count_tokens", body(block(), block("ab")))[1]) == {
            "input_tokens": 101
        }
    assert (len(server.counted), len(server.requests)) == (1, 0)


def test_two_hundred_streams_at_once_are_served_at_once():
    head = b"POST /v1/messages HTTP/1.1\r\nconnection: close\r\ncontent-length: %d\r\n\r\n"
    data = json.dumps(body(block(), stream=True)).encode()

    async def one(port):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(head % len(data) + data)
        answer = await reader.readuntil(b'message_stop"}')
        writer.close()
        return answer.count(b"event: ")

    async def all_of_them(port):
        return await asyncio.gather(*(one(port) for _ in range(200)))

    # half a second each: one after the other they would take 100
    with LoopbackServer(say(first_token_after=0.5)) as server:
        started = time.monotonic()
        counts = asyncio.run(all_of_them(int(server.url.rpartition(":")[2])))
        assert time.monotonic() - started < 20
    assert server.most_in_flight == 200
    assert set(counts) == {9}, "start, block start, four deltas, block stop, delta, stop"


def events_of(server, request):
    answer = post(server, "/v1/messages", {**request, "stream": True})[1].decode()
    return [json.loads(data) for data in re.findall(r"(?m)^data: (.*)$", answer)]


@pytest.mark.shared
@pytest.mark.parametrize(
    ("section", "script"),
    [("stream", say("hello")), ("stream-thinking-tool", tool_call()), ("stream-thinking-tool", think_and_say())],
)
def test_events_have_the_members_of_the_reference(shared, section, script):
    text = (shared / "reference/claude-api.md").read_text()
    examples = json.loads(re.search(rf"`{section}`[^\n]*\n```json\n(.*?)\n```", text, re.DOTALL)[1])
    with LoopbackServer(script) as server:
        ours = events_of(server, body(block()))
    shapes = {kind_of(e): e for e in examples}
    for event in ours:
        example = shapes.get(kind_of(event))
        if example is not None:
            assert missing(example, event) == [], event["type"]


def kind_of(event):
    inner = event.get("content_block") or event.get("delta") or {}
    return event["type"], inner.get("type")


def missing(example, event, at=""):
    """Paths that the example has and the event has not."""
    if not isinstance(example, dict):
        return []
    out = []
    for key, value in example.items():
        if at.endswith("input"):
            continue
        out += missing(value, event[key], f"{at}.{key}") if key in event else [f"{at}.{key}"]
    return out


@pytest.mark.shared
def test_errors_have_the_members_of_the_reference(shared):
    text = (shared / "reference/claude-api.md").read_text()
    example = json.loads(re.search(r"`error`[^\n]*\n```json\n(.*?)\n```", text, re.DOTALL)[1])
    assert missing(example, wire.error_body("overloaded_error", "Overloaded", "req_e")) == []
