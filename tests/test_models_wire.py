"""The pure parts of the Messages client: the body that is sent, the usage and the events that come back."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from types import SimpleNamespace

import pytest
from asking import context, request

from bench.models.body import countable, request_body
from bench.models.failures import retry_after_s
from bench.models.heard import Heard
from bench.models.known import known
from bench.models.redact import DETAIL_CHARS, Redactor, secrets_in
from bench.models.usage import passes_of, prompt_tokens, usage_of
from bench.transcripts.model import Usage

SONNET = "claude-sonnet-5-5"
MARK = {"type": "ephemeral", "ttl": "5m"}


def body_of(messages, *, model=SONNET, system="", tools=(), **more):
    asked = request(context(messages, system=system, tools=list(tools)), **more)
    return request_body(asked, model, known(model), json.loads(asked.context.body))


def text(words, **more):
    return {"type": "text", "text": words, **more}


def test_the_instruction_is_the_last_block_after_the_breakpoint():
    body = body_of([{"role": "user", "content": [text("a"), text("b")]}], instruction="Sum up.")
    assert body["messages"] == [
        {"role": "user", "content": [text("a"), text("b", cache_control=MARK), text("Sum up.")]}
    ]


def test_a_plain_string_becomes_a_block_that_can_carry_the_breakpoint():
    body = body_of([{"role": "user", "content": "a"}], instruction="Sum up.")
    assert body["messages"] == [{"role": "user", "content": [text("a", cache_control=MARK), text("Sum up.")]}]


def test_after_an_assistant_message_the_instruction_is_a_user_message_of_its_own():
    body = body_of([{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}], instruction="Sum up.")
    assert body["messages"][1:] == [
        {"role": "assistant", "content": [text("b", cache_control=MARK)]},
        {"role": "user", "content": [text("Sum up.")]},
    ]


def test_the_breakpoint_of_the_context_takes_the_lifetime_that_is_asked_for():
    marked = [{"role": "user", "content": [text("a", cache_control={"type": "ephemeral"})]}]
    body = body_of(marked, cache_ttl="1h")
    assert body["messages"][0]["content"][0]["cache_control"] == {"type": "ephemeral", "ttl": "1h"}


def test_building_a_body_changes_nothing_of_the_context_it_shares():
    asked = request(context([{"role": "user", "content": [text("a")]}]))
    prefix = json.loads(asked.context.body)
    before = json.dumps(prefix)
    request_body(asked, SONNET, known(SONNET), prefix)
    assert json.dumps(prefix) == before


def test_bodies_of_two_instructions_differ_in_the_instruction_alone():
    one, two = (body_of([{"role": "user", "content": "a"}], instruction=i) for i in ("one", "two"))
    assert json.dumps(one).replace("one", "two") == json.dumps(two)


@pytest.mark.parametrize(
    ("model", "effort", "thinking", "output"),
    [
        ("claude-sonnet-5-5", "low", {"type": "adaptive"}, {"effort": "low"}),
        ("claude-opus-5-5", None, {"type": "adaptive"}, {"effort": "high"}),  # its own default is medium
        ("claude-haiku-5-5", None, {"type": "adaptive"}, {"effort": "high"}),
        ("claude-opus-4-5", "low", {"type": "disabled"}, {"effort": "low"}),
        ("claude-haiku-4-5", "low", {"type": "disabled"}, None),  # takes no effort
        ("qwen3", "low", None, None),  # nothing is known of it: nothing is sent
    ],
)
def test_effort_and_thinking_are_sent_explicitly_where_the_model_takes_them(model, effort, thinking, output):
    body = body_of([{"role": "user", "content": "a"}], model=model, effort=effort)
    assert body.get("thinking") == thinking
    assert body.get("output_config") == output


@pytest.mark.parametrize("model", ["claude-sonnet-5-5", "claude-haiku-4-5", "qwen3"])
def test_sampling_and_tool_choice_are_never_sent(model):
    tools = [{"name": "Bash", "input_schema": {"type": "object"}}]
    body = body_of([{"role": "user", "content": "a"}], model=model, system="s", tools=tools, schema=b"{}")
    assert set(body) <= {"model", "max_tokens", "system", "tools", "messages", "thinking", "output_config"}
    assert body["tools"] == tools and body["system"] == "s"


def test_a_schema_is_asked_for_through_the_output_format():
    body = body_of([{"role": "user", "content": "a"}], schema=b'{"type":"object"}')
    assert body["output_config"]["format"] == {"type": "json_schema", "schema": {"type": "object"}}


def test_counting_leaves_out_what_counting_does_not_take():
    assert "max_tokens" not in countable(body_of([{"role": "user", "content": "a"}]))


@pytest.mark.parametrize(
    ("raw", "ttl", "usage"),
    [
        (None, "5m", None),
        ({}, "5m", None),
        ({"input_tokens": None, "output_tokens": None}, "5m", None),
        ({"input_tokens": 3, "output_tokens": 0}, "5m", Usage(3)),
        ({"input_tokens": 3, "output_tokens": 4, "cache_read_input_tokens": None}, "5m", Usage(3, 4)),
        # without a split a write is of the lifetime that was asked for
        ({"input_tokens": 1, "cache_creation_input_tokens": 50}, "5m", Usage(1, cache_write_5m=50)),
        ({"input_tokens": 1, "cache_creation_input_tokens": 50}, "1h", Usage(1, cache_write_1h=50)),
        # with one, the split is the truth
        (
            {
                "input_tokens": 1,
                "cache_creation_input_tokens": 50,
                "cache_creation": {"ephemeral_5m_input_tokens": 20, "ephemeral_1h_input_tokens": 30},
            },
            "5m",
            Usage(1, cache_write_5m=20, cache_write_1h=30),
        ),
        # server-side compaction: the sum over its passes, not the top level
        (
            {
                "input_tokens": 0,
                "output_tokens": 0,
                "iterations": [
                    {"type": "compaction", "input_tokens": 144, "output_tokens": 276},
                    {"type": "message", "input_tokens": 10, "output_tokens": 5, "cache_read_input_tokens": 7},
                ],
            },
            "5m",
            Usage(154, 281, 7),
        ),
        # nonsense is not counted
        ({"input_tokens": "many", "output_tokens": -1}, "5m", None),
        ({"input_tokens": True, "output_tokens": 2}, "5m", Usage(0, 2)),
        ({"input_tokens": 1, "iterations": "none"}, "5m", Usage(1)),
        ({"input_tokens": 1, "cache_creation": 5}, "5m", Usage(1)),
    ],
)
def test_usage_is_read_defensively(raw, ttl, usage):
    assert usage_of(raw, ttl) == usage


def test_passes_are_kept_apart_for_pricing_by_tier():
    raw = {"input_tokens": 0, "iterations": [{"input_tokens": 1}, {"input_tokens": 2}]}
    assert passes_of(raw) == (Usage(1), Usage(2))


def test_the_charged_prompt_is_input_reads_and_writes():
    assert prompt_tokens(Usage(1, 2, 4, 8, 16)) == 1 + 4 + 8 + 16


def event(type_, **more):
    return SimpleNamespace(type=type_, **more)


def start(kind, index=0, **more):
    return event("content_block_start", index=index, content_block=SimpleNamespace(type=kind, **more))


def delta(kind, index=0, **more):
    return event("content_block_delta", index=index, delta=SimpleNamespace(type=kind, **more))


def heard(*events):
    out = Heard("5m")
    content = [out.take(e) for e in events]
    return out, content


def test_text_blocks_are_joined_and_other_blocks_counted_or_passed_over():
    out, content = heard(
        event("message_start", message=SimpleNamespace(usage={"input_tokens": 3, "output_tokens": 1})),
        start("thinking", 0, thinking=""),
        delta("signature_delta", 0, signature="c2ln"),
        start("text", 1, text="One"),
        delta("text_delta", 1, text=" two"),
        start("tool_use", 2, name="Bash"),
        delta("input_json_delta", 2, partial_json="{}"),
        start("text", 3, text=""),
        delta("text_delta", 3, text="three"),
        event("content_block_stop", index=3),
        event("a kind of tomorrow"),
        event("message_delta", delta=SimpleNamespace(stop_reason="tool_use"), usage={"output_tokens": 9}),
    )
    assert out.text == "One two\nthree"
    assert (out.tool_calls, out.stop_reason, out.usage) == (1, "tool_use", Usage(3, 9))
    assert content == [False, *[True] * 9, False, False]


def test_a_later_count_overwrites_and_what_it_leaves_out_stays():
    out, _ = heard(
        event("message_start", message=SimpleNamespace(usage={"input_tokens": 3, "cache_read_input_tokens": 7})),
        event(
            "message_delta", delta=SimpleNamespace(stop_reason=None), usage={"input_tokens": None, "output_tokens": 9}
        ),
    )
    assert out.usage == Usage(3, 9, 7)


def test_silence_is_allowed_only_while_a_thinking_block_is_open():
    out, _ = heard(start("thinking", thinking=""))
    assert out.thinking
    out.take(event("content_block_stop", index=0))
    assert not out.thinking


def test_an_event_without_its_parts_is_an_error_and_not_an_empty_answer():
    for broken in (event("content_block_delta", index=0), event("message_start"), SimpleNamespace()):
        with pytest.raises(AttributeError):
            Heard("5m").take(broken)


NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "1.5"}, 1.5),
        ({"retry-after-ms": "250", "retry-after": "7"}, 0.25),
        ({"retry-after": "Mon, 30 Nov 2026 12:00:20 GMT"}, 20.0),
        ({"retry-after": "Mon, 30 Nov 2026 11:00:00 GMT"}, 0.0),  # it is past
        ({"retry-after": "Tue, 01 Dec 2026 12:00:00 GMT"}, 600.0),  # a day is cut to ten minutes
        ({"retry-after": "inf"}, 600.0),
        ({"retry-after": "later"}, None),
    ],
)
def test_a_wait_is_read_in_every_form_and_bounded(headers, seconds):
    assert retry_after_s(headers, NOON) == seconds


@pytest.mark.parametrize(
    "text",
    [
        "key=hunter2-hunter2",
        "Authorization: Bearer abcdef123456",
        "'x-api-key': 'abcdef123456'",
        '"authorization":"Bearer abcdef123456"',
        "https://me:abcdef123456@host/path",
        "sk-ant-api03-abcdef123456",
        "AKIAABCDEF1234567890",
    ],
)
def test_whatever_has_the_shape_of_a_key_is_taken_out(text):
    cleaned = Redactor(["hunter2-hunter2"]).clean(f"before {text} after")
    assert "hunter2" not in cleaned and "abcdef123456" not in cleaned.lower() and "1234567890" not in cleaned
    assert cleaned.startswith("before ") and cleaned.endswith(" after") and "[key removed]" in cleaned


@pytest.mark.parametrize("text", ["local", "the authorization of a payment", "a bearer of bad news", "429 slow down"])
def test_ordinary_words_stay(text):
    assert Redactor(["local", None, ""]).clean(text) == text


def test_a_detail_is_one_printable_line_of_bounded_length():
    detail = Redactor([]).detail("a\n\x1b[31mb\t" + "c" * 1000)
    assert detail.startswith("a \\x1b[31mb ccc") and len(detail) == DETAIL_CHARS


def test_secrets_are_found_in_the_environment_by_their_names():
    environ = {
        "ANTHROPIC_API_KEY": "one", "AWS_SECRET_ACCESS_KEY": "two", "BENCH_SERVER_KEY": "three",
        "ANTHROPIC_CUSTOM_HEADERS": "X-Api-Key: four\nX-Other: five", "ANTHROPIC_BASE_URL": "http://h", "PATH": "/bin",
    }  # fmt: skip
    assert set(secrets_in(environ)) == {"one", "two", "three", "four", "five"}
