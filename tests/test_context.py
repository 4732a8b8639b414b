"""A context: what the harness said, in the form the API takes, every repair counted."""

import base64
import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.contexts.context import RENDERED_HEAD, build_context, prepare
from bench.contexts.native import NO_RESULT, OPENING
from bench.contexts.tools import definitions, safe_name
from bench.contexts.validate import faults, validate_messages
from bench.errors import BenchError
from bench.transcripts.model import Image, Message, Other, Text, Thinking, ToolResult, ToolUse, Transcript

PNG = base64.b64encode(b"\x89PNG not really").decode()
HI = Message(role="user", author="person", blocks=(Text("hi"),))


def said(role, *blocks):
    """A message of these blocks; text stands for a text block."""
    made = tuple(Text(b) if isinstance(b, str) else b for b in blocks)
    return Message(role=role, author="person" if role == "user" else "assistant", blocks=made)


def call(id_="t1", name="Read", arguments='{"path":"a"}'):
    return ToolUse(id_, name, arguments)


def result(id_="t1", text="ok", **more):
    return ToolResult(id_, (Text(text),), **more)


def native(*messages, **options):
    """The request's messages in short, and the repairs that were made (only those that are not 0)."""
    prepared = prepare(messages, "native", **options)
    repairs = {k: v for k in prepared.repairs.__struct_fields__ if (v := getattr(prepared.repairs, k))}
    body = json.loads(prepared.context.body)
    return [(m["role"][0], *map(short, m["content"])) for m in body["messages"]], repairs


def short(block):
    match block["type"]:
        case "text":
            return block["text"]
        case "tool_use":
            return f"call {block['id']} {block['name']} {json.dumps(block['input'])}"
        case "tool_result":
            return f"result {block['tool_use_id']} {' '.join(map(short, block['content']))}"
        case kind:
            return kind


@pytest.mark.parametrize(
    ("messages", "becomes", "repairs"),
    [
        ([HI], [("u", "hi")], {}),
        ([HI, said("assistant", Thinking("hm"), "yes")], [("u", "hi"), ("a", "yes")], {"thinking_removed": 1}),
        ([HI, said("assistant", Thinking("hm"))], [("u", "hi")], {"thinking_removed": 1}),
        ([HI, said("assistant", " \n", "yes")], [("u", "hi"), ("a", "yes")], {"blank_removed": 1}),
        ([HI, said("user", "there")], [("u", "hi", "there")], {"merged": 1}),
        ([said("assistant", "yes")], [("u", OPENING), ("a", "yes")], {"opened": 1}),
        (
            [HI, said("assistant", call()), said("user", result())],
            [("u", "hi"), ("a", 'call t1 Read {"path": "a"}'), ("u", "result t1 ok")],
            {},
        ),
        (  # the result comes first in its turn
            [HI, said("assistant", call()), said("user", "wait", result())],
            [("u", "hi"), ("a", 'call t1 Read {"path": "a"}'), ("u", "result t1 ok", "wait")],
            {},
        ),
        (  # a call that nothing answered, at the end and in the middle
            [HI, said("assistant", call())],
            [("u", "hi"), ("a", 'call t1 Read {"path": "a"}'), ("u", f"result t1 {NO_RESULT}")],
            {"orphan_calls": 1},
        ),
        (
            [HI, said("assistant", call()), said("user", "stop")],
            [("u", "hi"), ("a", 'call t1 Read {"path": "a"}'), ("u", f"result t1 {NO_RESULT}", "stop")],
            {"orphan_calls": 1},
        ),
        (  # a result that nothing asked for stays as text
            [HI, said("assistant", "yes"), said("user", result("t9", "lost"))],
            [("u", "hi"), ("a", "yes"), ("u", "[result of a call that is not in this conversation]", "lost")],
            {"orphan_results": 1},
        ),
        (  # a result that comes a turn late goes where its call is
            [HI, said("assistant", call()), said("user", "go on"), said("assistant", "so"), said("user", result())],
            [("u", "hi"), ("a", 'call t1 Read {"path": "a"}'), ("u", "result t1 ok", "go on"), ("a", "so")],
            {"moved_results": 1},
        ),
        (  # the same id twice
            [HI, said("assistant", call()), said("user", result()), said("assistant", call()), said("user", result())],
            [
                ("u", "hi"), ("a", 'call t1 Read {"path": "a"}'), ("u", "result t1 ok"),
                ("a", 'call t1-2 Read {"path": "a"}'), ("u", "result t1-2 ok"),
            ],
            {"renamed": 1},
        ),
        (  # characters that the API refuses, in id and name
            [HI, said("assistant", call("a|b", "my.tool")), said("user", result("a|b"))],
            [("u", "hi"), ("a", 'call a_b my_tool {"path": "a"}'), ("u", "result a_b ok")],
            {"renamed": 2},
        ),
        (
            [HI, said("assistant", call(arguments="[1]")), said("user", result())],
            [("u", "hi"), ("a", 'call t1 Read {"value": [1]}'), ("u", "result t1 ok")],
            {"wrapped_inputs": 1},
        ),
        ([said("user", Image("image/png", PNG))], [("u", "image")], {"images_kept": 1}),
        ([said("user", Image("image/png", None))], [("u", "[image image/png]")], {"images_noted": 1}),
        ([said("user", Image("image/tiff", PNG))], [("u", "[image image/tiff]")], {"images_noted": 1}),
        ([said("user", Image("image/png", "%%%"))], [("u", "[image image/png]")], {"images_noted": 1}),
        (
            [HI, said("assistant", Image("image/png", PNG))],
            [("u", "hi"), ("a", "[image image/png]")],
            {"images_noted": 1},
        ),
        ([said("user", Other("document", '{"a":1}'))], [("u", '[document] {"a":1}')], {"others_as_text": 1}),
        (
            [HI, Message(role="system", author="harness", blocks=(Text("be brief"),)), said("assistant", "ok")],
            [("u", "hi", "be brief"), ("a", "ok")],
            {"merged": 1, "system_as_user": 1},
        ),
        ([said("user", "a\ud800b")], [("u", "a\ufffdb")], {}),
    ],
)  # fmt: skip
def test_a_conversation_becomes_what_the_api_takes(messages, becomes, repairs):
    assert native(*messages) == (becomes, repairs)


def test_leading_system_messages_join_the_system_prompt():
    system = Message(role="system", author="harness", blocks=(Text("You are an agent."),))
    body = json.loads(prepare([system, HI], "native", system="Be brief.").context.body)
    assert body["system"] == "Be brief.\n\nYou are an agent."
    assert [m["role"] for m in body["messages"]] == ["user"]


def test_the_one_breakpoint_is_on_the_last_block():
    body = json.loads(prepare([HI, said("assistant", call()), said("user", result(), "go on")], "native").context.body)
    marked = [b for m in body["messages"] for b in m["content"] if "cache_control" in b]
    assert marked == [{"type": "text", "text": "go on", "cache_control": {"type": "ephemeral"}}]


def test_the_same_conversation_gives_the_same_bytes_and_another_does_not():
    first, again = (prepare([HI, said("assistant", "yes")], "native").context for _ in range(2))
    other = prepare([HI, said("assistant", "no")], "native").context
    assert (first.body, first.sha256) == (again.body, again.sha256)
    assert first.sha256 != other.sha256


def test_tokens_are_a_quarter_of_the_characters_of_the_text():
    # system 8 + tools [] 2 + 'hi' 2 = 12 characters
    assert prepare([HI], "native", system="Be brief").context.tokens == 3


def test_tools_are_made_of_the_calls_seen_and_the_given_ones_stay_as_they_are():
    given = [{"name": "Read", "input_schema": {"type": "object"}, "cache_control": {"type": "ephemeral"}}]
    calls = [("Bash", {"command": "ls", "n": 1}), ("Read", {"path": "a"}), ("Bash", {"n": "two"})]
    read, bash = definitions(calls, given)
    assert read == {"name": "Read", "input_schema": {"type": "object"}}
    assert bash["name"] == "Bash"
    assert bash["input_schema"] == {"type": "object", "properties": {"command": {"type": "string"}, "n": {}}}


@pytest.mark.parametrize(
    ("name", "safe"), [("Read", "Read"), ("a.b/c", "a_b_c"), ("é", "_"), ("", "tool"), ("x" * 200, "x" * 128)]
)
def test_a_tool_name_that_the_api_takes(name, safe):
    assert safe_name(name) == safe


def test_rendered_is_one_user_block_under_a_line_that_states_the_cut():
    context = build_context(Transcript(format="t", messages=(HI, said("assistant", "yes"))), "rendered", system="s")
    body = json.loads(context.body)
    assert (body["system"], body["tools"], len(body["messages"])) == ("", [], 1)
    (block,) = body["messages"][0]["content"]
    assert block["text"].startswith(RENDERED_HEAD) and "2000 characters" in RENDERED_HEAD
    assert "hi" in block["text"] and "yes" in block["text"]
    assert context.mode == "rendered"


def test_a_conversation_without_text_is_nothing_to_fork():
    assert prepare([said("assistant", Thinking("hm"))], "native") is None
    assert prepare([], "rendered") is None
    with pytest.raises(BenchError, match="nothing to fork"):
        build_context(Transcript(format="t", messages=()), "native")


U, A = "user", "assistant"
TEXT = {"type": "text", "text": "x"}
MARKED = {"type": "text", "text": "x", "cache_control": {"type": "ephemeral"}}
CALL = {"type": "tool_use", "id": "t", "name": "Read", "input": {}}
ANSWER = {"type": "tool_result", "tool_use_id": "t", "content": [TEXT]}


def turn(role, *blocks):
    return {"role": role, "content": list(blocks)}


@pytest.mark.parametrize(
    ("messages", "says"),
    [
        ([turn(U, MARKED)], None),
        ([turn(U, TEXT), turn(A, CALL), turn(U, ANSWER, MARKED)], None),
        ([], "there is no message"),
        ([turn(A, MARKED)], "message 0: the first message is not the user's"),
        ([turn(U, TEXT), turn(U, MARKED)], "message 1: two user messages in a row"),
        ([turn(U, TEXT), turn("system", MARKED)], "message 1: role 'system' is neither user nor assistant"),
        ([turn(U)], "message 0: has no content"),
        ([turn(U, {"type": "thinking", "thinking": "x"}, MARKED)], "a thinking block cannot stand in a message of the"),
        ([turn(U, CALL, MARKED)], "message 0: a tool_use block cannot stand in a message of the user"),
        ([turn(U, {"type": "text", "text": " "}, MARKED)], "message 0: a text block is empty"),
        ([turn(U, {**TEXT, "id": 1}, MARKED)], "message 0: a text block has unknown fields: id"),
        ([turn(U, TEXT), turn(A, CALL), turn(U, MARKED)], "message 2: no result for tool call 't'"),
        ([turn(U, ANSWER, MARKED)], "message 0: tool result 't' answers no call of the message before"),
        ([turn(U, TEXT), turn(A, CALL), turn(U, TEXT, ANSWER, MARKED)], "message 2: a tool result stands after other"),
        ([turn(U, TEXT), turn(A, CALL, CALL), turn(U, ANSWER, MARKED)], "message 1: tool call id 't' stands twice"),
        ([turn(U, TEXT), turn(A, {**CALL, "id": "a|b"})], "message 1: a tool call's id 'a|b' holds other characters"),
        ([turn(U, TEXT), turn(A, {**CALL, "input": "x"})], "message 1: a tool call's input is no object"),
        ([turn(U, {"type": "image", "source": {"type": "url"}}, MARKED)], "message 0: an image has no base64 source"),
        ([turn(U, TEXT)], "message 0: the one cache breakpoint is not on the last block"),
        ([turn(U, MARKED, MARKED)], "message 0: the one cache breakpoint is not on the last block"),
    ],
)  # fmt: skip
def test_the_validator_names_the_message_that_the_api_would_refuse(messages, says):
    if says is None:
        validate_messages(messages)
        return
    with pytest.raises(BenchError) as refused:
        validate_messages(messages)
    assert str(refused.value).startswith("the API would refuse this context: ")
    assert says in str(refused.value)


@pytest.mark.parametrize(
    ("tools", "says"),
    [
        ([{"name": "a", "input_schema": {"type": "object"}}], None),
        ([{"type": "bash_20250124", "name": "bash"}], None),
        ([{"name": "a.b", "input_schema": {"type": "object"}}], "tool name 'a.b' holds other characters"),
        ([{"name": "a"}], "tool 'a' has no input_schema of type object"),
        ([{"name": "a", "input_schema": {"type": "object"}}] * 2, "tool 'a' is defined twice"),
    ],
)
def test_the_validator_reads_tool_definitions(tools, says):
    found = [str(f) for f in faults([turn(U, MARKED)], tools)]
    assert (found == []) if says is None else found[0].startswith(says)


ids = st.sampled_from(["t1", "t2", "a|b", ""])
blocks = st.one_of(
    st.builds(Text, st.text(max_size=4)),
    st.builds(Thinking, st.text(max_size=2)),
    st.builds(
        ToolUse, ids, st.sampled_from(["Read", "a.b", ""]), st.sampled_from(["{}", "[1]", "not json", '{"a":1}'])
    ),
    st.builds(ToolResult, ids, st.lists(st.builds(Text, st.text(max_size=2)), max_size=2).map(tuple)),
    st.builds(Image, st.sampled_from(["image/png", "image/tiff"]), st.sampled_from([None, PNG, "%"])),
    st.builds(Other, st.sampled_from(["document", "redacted_thinking"]), st.just("{}")),
)
messages = st.builds(
    lambda role, blocks: Message(role=role, author="person", blocks=tuple(blocks)),
    st.sampled_from(["user", "assistant", "system"]),
    st.lists(blocks, max_size=4),
)


@settings(max_examples=150, deadline=None)
@given(st.lists(messages, max_size=8))
def test_whatever_a_session_holds_the_api_takes_its_context(conversation):
    prepared = prepare(conversation, "native")
    if prepared is not None:
        body = json.loads(prepared.context.body)
        validate_messages(body["messages"], body["tools"])


def sessions(shared: Path) -> list[Path]:
    folders = (shared / "transcripts" / name for name in ("claude-code", "anthropic-messages"))
    return sorted(p for folder in folders for p in folder.iterdir() if p.is_file())


@pytest.mark.shared
def test_every_shared_session_gives_a_context_that_the_api_takes_or_a_reason(shared):
    from bench.transcripts import read_all
    from bench.transcripts.view import seen_at

    made, without = [], []
    for path in sessions(shared):
        for transcript in read_all(path):
            prepared = prepare(seen_at(transcript).messages, "native", system=transcript.system or "")
            (made if prepared else without).append((path.name, prepared))
            if prepared is None:
                assert not any(m.text.strip() or m.images for m in transcript.messages), path
                continue
            body = json.loads(prepared.context.body)
            validate_messages(body["messages"], body["tools"])
            assert "thinking" not in {b["type"] for m in body["messages"] for b in m["content"]}
    assert len(made) >= 25
