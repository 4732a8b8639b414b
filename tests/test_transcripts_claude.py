"""Claude Code sessions: each trap that readers of these files fall into, with a session of our own making."""

import pytest
from claude_sessions import SESSION, answer, boundary, record, result, user, written

from bench.transcripts import read, read_all
from bench.transcripts.model import (
    Counts,
    Image,
    Message,
    Other,
    Text,
    Thinking,
    ToolResult,
    ToolUse,
    Transcript,
    Usage,
)


def spoken(transcript: Transcript) -> list[str]:
    """The messages in short: text, calls as name(id), results as ->id."""
    return [in_short(m) for m in transcript.messages]


def in_short(message: Message) -> str:
    parts = []
    for b in message.blocks:
        match b:
            case Text(text):
                parts.append(text)
            case ToolUse(id_, name, _):
                parts.append(f"{name}({id_})")
            case ToolResult(id_, _, _):
                parts.append(f"->{id_}")
    return " ".join(parts)


# --- one answer, many lines -------------------------------------------------------------------------------------------


def test_fragments_of_an_answer_are_one_message_also_with_results_between(tmp_path):
    t = read(written(
        tmp_path,
        user("u1", None, "go"),
        answer("a1", "u1", ("t1", "Read"), id="m1", output=1),
        result("r1", "a1", "t1"),
        answer("a2", "a1", ("t2", "Read"), id="m1", output=9),
        result("r2", "a2", "t2"),
        answer("a3", "r2", "done", id="m2", output=3),
    ))  # fmt: skip
    assert spoken(t) == ["go", "Read(t1) Read(t2)", "->t1 ->t2", "done"]
    assert [m.record_ids for m in t.messages[1:3]] == [("a1", "a2"), ("r1", "r2")]
    assert (t.messages[1].id, t.messages[1].line, t.messages[3].line) == ("m1", 2, 6)


@pytest.mark.parametrize(
    ("outputs", "kept"),
    [
        ((1, 1, 7), 7),  # placeholders first
        ((9, 2, 2), 9),  # the largest, wherever it stands
    ],
)
def test_usage_is_the_whole_record_of_the_fragment_with_the_largest_output(tmp_path, outputs, kept):
    fragments = [answer(f"a{i}", "u1" if not i else f"a{i - 1}", f"part {i}", id="m1") for i in range(3)]
    for i, (fragment, output) in enumerate(zip(fragments, outputs, strict=True)):
        fragment["message"]["usage"] = {"input_tokens": 100 + i, "output_tokens": output}
        fragment["message"]["model"] = f"model-{i}"
    t = read(written(tmp_path, user("u1", None, "go"), *fragments))
    i = outputs.index(kept)
    assert t.messages[1].usage == Usage(input=100 + i, output=kept)
    assert t.messages[1].model == f"model-{i}"  # a model may change within an answer: price the record that is kept


def test_cache_writes_are_split_by_lifetime(tmp_path):
    fragment = answer("a1", "u1", "hi", id="m1")
    fragment["message"]["usage"] = {
        "input_tokens": 1, "output_tokens": 2, "cache_read_input_tokens": 3, "cache_creation_input_tokens": 9,
        "cache_creation": {"ephemeral_5m_input_tokens": 4, "ephemeral_1h_input_tokens": 5},
    }  # fmt: skip
    t = read(written(tmp_path, user("u1", None, "go"), fragment))
    assert t.messages[1].usage == Usage(input=1, output=2, cache_read=3, cache_write_5m=4, cache_write_1h=5)


def test_without_ids_and_parents_the_order_of_the_file_is_the_conversation(tmp_path):
    bare = [
        {"type": "user", "message": {"role": "user", "content": "go"}},
        {"type": "assistant", "message": {"role": "assistant", "content": [{"type": "text", "text": "well"}]}},
        {"type": "user", "message": {"role": "user", "content": "more"}},
    ]
    assert spoken(read(written(tmp_path, *bare))) == ["go", "well", "more"]


def test_records_that_all_say_they_have_no_parent_are_one_conversation(tmp_path):
    t = read(written(tmp_path, user("u1", None, "go"), answer("a1", None, "well"), user("u2", None, "more")))
    assert spoken(t) == ["go", "well", "more"]


# --- the tree ---------------------------------------------------------------------------------------------------------


def test_the_chain_runs_through_records_of_every_type(tmp_path):
    t = read(written(
        tmp_path,
        user("u1", None, "go"),
        record("attachment", "x1", "u1", attachment={"type": "file"}),
        answer("a1", "x1", ("t1", "Bash"), id="m1"),
        record("progress", "p1", "a1", data={"type": "bash_progress"}),
        result("r1", "a1", "t1"),
        record("system", "y1", "r1", subtype="turn_duration"),
        user("u2", "y1", "more"),
    ))  # fmt: skip
    assert spoken(t) == ["go", "Bash(t1)", "->t1", "more"]
    assert t.sides == ()
    assert t.records == {"user": 3, "attachment": 1, "assistant": 1, "progress": 1, "system:turn_duration": 1}


def test_a_prompt_that_hangs_below_progress_does_not_lose_the_answers_beside_it(tmp_path):
    t = read(written(
        tmp_path,
        user("u1", None, "go"),
        answer("a1", "u1", ("t1", "Bash"), id="m1"),
        record("progress", "p1", "a1", data={"type": "bash_progress"}),
        result("r1", "a1", "t1"),
        answer("a2", "r1", "it ran", id="m2"),
        user("u2", "p1", "more"),
    ))  # fmt: skip
    assert spoken(t) == ["go", "Bash(t1)", "->t1", "it ran", "more"]


def test_a_rewound_branch_stands_beside_the_main_line(tmp_path):
    t = read(written(
        tmp_path,
        user("u1", None, "go"),
        answer("a1", "u1", "well", id="m1"),
        user("u2", "a1", "first try"),
        answer("a2", "u2", "tried", id="m2"),
        user("u3", "a1", "second try"),
        answer("a3", "u3", "better", id="m3"),
    ))  # fmt: skip
    assert spoken(t) == ["go", "well", "second try", "better"]
    assert [(s.kind, s.id, [in_short(m) for m in s.messages]) for s in t.sides] == [
        ("branch", "u2", ["first try", "tried"])
    ]
    assert t.counts == Counts(user=3, assistant=3, tool_calls=0)


def test_a_session_rewound_to_its_beginning_keeps_only_the_new_one(tmp_path):
    t = read(written(
        tmp_path, user("u1", None, "old"), answer("a1", "u1", "no", id="m1"), user("u2", None, "new"),
        answer("a2", "u2", "yes", id="m2"),
    ))  # fmt: skip
    assert spoken(t) == ["new", "yes"]
    assert [[in_short(m) for m in s.messages] for s in t.sides] == [["old", "no"]]


@pytest.mark.parametrize(
    "records",
    [
        pytest.param([user("u1", "lost", "go"), answer("a1", "u1", "well")], id="first-record"),
        pytest.param([user("u1", None, "go"), answer("a1", "lost", "well")], id="answer"),
        pytest.param([user("u1", None, "go"), answer("a1", "a1", "well")], id="own-parent"),
    ],
)
def test_a_parent_that_is_not_there_is_the_record_before(tmp_path, records):
    assert spoken(read(written(tmp_path, *records))) == ["go", "well"]


def test_a_parent_that_comes_later_in_the_file_is_found(tmp_path):
    t = read(written(
        tmp_path, user("u1", None, "go"), user("u2", "a1", "more"), answer("a1", "u1", "well", id="m1"),
    ))  # fmt: skip
    assert spoken(t) == ["go", "well", "more"]


def test_a_ring_of_parents_begins_with_its_first_record(tmp_path):
    records = [user("u1", "u2", "go"), answer("a1", "u1", "well", id="m1"), user("u2", "a1", "more")]
    assert spoken(read(written(tmp_path, *records))) == ["go", "well", "more"]
    assert spoken(read(written(tmp_path, *records, answer("a2", "u2", "so", id="m2")))) == ["go", "well", "more", "so"]


def test_a_copied_record_stands_once_and_a_reused_id_loses_nothing(tmp_path):
    t = read(written(
        tmp_path, user("u1", None, "go"), user("u1", None, "go"), answer("a1", "u1", "well", id="m1"),
        answer("a1", "u1", "other", id="m2"),
    ))  # fmt: skip
    everything = {text for line in (t.messages, *(s.messages for s in t.sides)) for text in map(in_short, line)}
    assert everything == {"go", "well", "other"}
    assert spoken(t).count("go") == 1
    assert t.counts == Counts(user=2, assistant=2, tool_calls=0)  # counts are of records, as the file has them


def test_an_id_that_a_snapshot_shares_with_a_message_is_the_messages(tmp_path):
    snapshot = {"type": "file-history-snapshot", "messageId": "u1", "uuid": "u1", "snapshot": {}}
    t = read(written(tmp_path, snapshot, user("u1", None, "go"), answer("a1", "u1", "well", id="m1")))
    assert spoken(t) == ["go", "well"]


# --- sides and sessions -----------------------------------------------------------------------------------------------


def test_inline_subagents_are_conversations_of_their_own_and_their_prompts_are_the_models(tmp_path):
    t = read(written(
        tmp_path,
        user("u1", None, "go"),
        answer("a1", "u1", ("t1", "Task"), id="m1"),
        user("s1", None, "look into it", isSidechain=True),
        user("q1", None, "and that", isSidechain=True),
        answer("s2", "s1", ("t2", "Read"), id="m2", isSidechain=True),
        answer("q2", "q1", "found", id="m3", isSidechain=True),
        result("s3", "s2", "t2", isSidechain=True),
        result("r1", "a1", "t1"),
    ))  # fmt: skip
    assert spoken(t) == ["go", "Task(t1)", "->t1"]
    assert [[in_short(m) for m in s.messages] for s in t.sides] == [
        ["look into it", "Read(t2)", "->t2"], ["and that", "found"],
    ]  # fmt: skip
    prompt = t.sides[0].messages[0]
    assert (prompt.author, prompt.origin) == ("assistant", "subagent-prompt")
    assert (t.tool_calls, t.counts.tool_calls) == (1, 2)


def test_messages_that_progress_carries_are_a_side_and_are_not_counted(tmp_path):
    def carried(uuid, parent, message, kind):
        data = {"type": "agent_progress", "agentId": "g1", "message": {"type": kind, "message": message}}
        return record("progress", uuid, parent, data=data)

    t = read(written(
        tmp_path,
        user("u1", None, "go"),
        answer("a1", "u1", ("t1", "Task"), id="m1"),
        carried("p1", "a1", {"role": "user", "content": [{"type": "text", "text": "look"}]}, "user"),
        carried("p2", "p1", {"role": "assistant", "id": "m2", "content": [
            {"type": "tool_use", "id": "t2", "name": "Read", "input": {}}]}, "assistant"),
        result("r1", "a1", "t1"),
    ))  # fmt: skip
    assert spoken(t) == ["go", "Task(t1)", "->t1"]
    assert [(s.id, [in_short(m) for m in s.messages]) for s in t.sides] == [("g1", ["look", "Read(t2)"])]
    assert t.counts == Counts(user=1, assistant=1, tool_calls=1)


def test_a_subagents_own_file_is_its_conversation(tmp_path):
    t = read(written(
        tmp_path, {"_type": "hive-mind-meta", "sessionId": "other"},
        user("s1", None, "look", isSidechain=True, agentId="g1"),
        answer("s2", "s1", "seen", isSidechain=True, agentId="g1"),
    ))  # fmt: skip
    assert spoken(t) == ["look", "seen"]
    assert t.sides == ()
    assert t.records["hive-mind-meta"] == 1


def test_two_sessions_in_a_file_are_two_and_a_resumed_one_is_one(tmp_path):
    one = [user("u1", None, "go"), answer("a1", "u1", "well", id="m1")]
    other = [{**user("v1", None, "hello"), "sessionId": "s-2"}, {**answer("b1", "v1", "hi"), "sessionId": "s-2"}]
    resumed = [{**user("u2", "a1", "more"), "sessionId": "s-3"}]
    sessions = read_all(written(tmp_path, one[0], other[0], one[1], other[1]))
    assert [(t.session_id, spoken(t)) for t in sessions] == [(SESSION, ["go", "well"]), ("s-2", ["hello", "hi"])]
    sessions = read_all(written(tmp_path, *one, *resumed))
    assert [(t.session_id, spoken(t)) for t in sessions] == [("s-3", ["go", "well", "more"])]


# --- compactions ------------------------------------------------------------------------------------------------------

BEFORE = [user("u1", None, "go"), answer("a1", "u1", ("t1", "Bash"), id="m1"), result("r1", "a1", "t1", "long output")]


def test_the_main_line_runs_across_a_compaction(tmp_path):
    t = read(written(
        tmp_path, *BEFORE, boundary("b1", "r1", postTokens=200),
        user("c1", "b1", "so far: went", isCompactSummary=True), user("u2", "c1", "more"),
    ))  # fmt: skip
    assert spoken(t) == ["go", "Bash(t1)", "->t1", "so far: went", "more"]
    [c] = t.compactions
    assert (c.at, c.kind, c.trigger, c.summary, c.summary_at) == (3, "full", "auto", "so far: went", 3)
    assert (c.tokens_before, c.tokens_after, c.line) == (1000, 200, 4)
    assert t.messages[3].author == "compaction"


@pytest.mark.parametrize("logical", ["not-in-the-file", None])
def test_a_boundary_whose_parent_is_gone_goes_on_from_the_record_before_it(tmp_path, logical):
    t = read(written(
        tmp_path, *BEFORE, boundary("b1", logical), user("c1", "b1", "so far", isCompactSummary=True),
    ))  # fmt: skip
    assert spoken(t) == ["go", "Bash(t1)", "->t1", "so far"]


def test_a_boundary_without_a_summary_is_a_compaction_without_one(tmp_path):
    t = read(written(tmp_path, *BEFORE, boundary("b1", "r1"), user("u2", "b1", "more"), answer("a2", "u2", "yes")))
    [c] = t.compactions
    assert (c.at, c.summary, c.summary_at, c.tokens_after) == (3, None, None, None)


def test_a_boundary_at_the_end_of_the_file_is_found(tmp_path):
    t = read(written(tmp_path, *BEFORE, boundary("b1", "r1")))
    assert [c.at for c in t.compactions] == [3]


def test_a_summary_without_a_boundary_is_a_compaction(tmp_path):
    t = read(written(tmp_path, *BEFORE, user("c1", "r1", "so far", isCompactSummary=True), user("u2", "c1", "more")))
    assert [(c.at, c.summary, c.tokens_before) for c in t.compactions] == [(3, "so far", None)]


def test_preserved_messages_are_named_by_their_place(tmp_path):
    metadata = {"preservedMessages": {"anchorUuid": "c1", "uuids": ["a1", "r1"]}, "trigger": "manual"}
    t = read(written(
        tmp_path, *BEFORE, boundary("b1", "r1", **metadata), user("c1", "b1", "so far", isCompactSummary=True),
    ))  # fmt: skip
    assert [(c.trigger, c.preserved) for c in t.compactions] == [("manual", (1, 2))]


def test_a_micro_compaction_names_what_it_cleared(tmp_path):
    micro = record(
        "system", "b1", "r1", subtype="microcompact_boundary",
        microcompactMetadata={"trigger": "auto", "preTokens": 900, "tokensSaved": 400, "compactedToolIds": ["t1"]},
    )  # fmt: skip
    t = read(written(tmp_path, *BEFORE, micro, user("u2", "b1", "more")))
    assert [(c.kind, c.at, c.cleared, c.tokens_before, c.tokens_after) for c in t.compactions] == [
        ("micro", 3, ("t1",), 900, 500)
    ]


# --- who typed it -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "flags", "author", "origin"),
    [
        ("fix it", {}, "person", None),
        ("<command-name>/loop</command-name><command-args>keep going</command-args>", {}, "person", None),
        ("<bash-input>git status</bash-input>", {}, "person", None),
        ("<bash-stdout>clean</bash-stdout>", {}, "harness", "shell-output"),
        ("<local-command-stdout>ok</local-command-stdout>", {}, "harness", "command-output"),
        ("Caveat: The messages below were generated by the user while running local commands", {}, "harness", "caveat"),
        ("<task-notification>done</task-notification>", {}, "harness", "task-notification"),
        ("[Request interrupted by user for tool use]", {}, "harness", "interrupt"),
        ("[Image: source: /tmp/x.png]", {}, "harness", "image-source"),
        ("Warmup", {}, "harness", "warmup"),
        ("Base directory for this skill: /x", {"isMeta": True}, "harness", "meta"),
        ("anything", {"origin": {"kind": "task-notification"}}, "harness", "task-notification"),
        ("fix it", {"origin": {"kind": "human"}}, "person", None),
        ("so far", {"isCompactSummary": True}, "compaction", None),
        ("This session is being continued from a previous conversation that ran out", {}, "compaction", None),
        ([{"type": "image", "source": {"type": "url", "url": "x"}}], {}, "person", None),
        (["<system-reminder>x</system-reminder>", "fix it"], {}, "person", None),
    ],
)  # fmt: skip
def test_who_produced_a_user_turn(tmp_path, content, flags, author, origin):
    t = read(written(tmp_path, user("u1", None, content, **flags)))
    assert (t.messages[0].author, t.messages[0].origin) == (author, origin)


def test_results_are_a_tools_and_text_beside_them_is_a_persons(tmp_path):
    results = [{"type": "tool_result", "tool_use_id": "t1", "content": "ok"}]
    t = read(written(tmp_path, *BEFORE[:2], user("r1", "a1", results)))
    assert t.messages[2].author == "tool"
    t = read(written(tmp_path, *BEFORE[:2], user("r1", "a1", [*results, {"type": "text", "text": "not so fast"}])))
    assert (t.messages[2].author, t.messages[2].spoken) == ("person", "not so fast")


@pytest.mark.parametrize(
    ("fields", "model", "origin"),
    [({"isApiErrorMessage": True}, "<synthetic>", "api-error"), ({}, "<synthetic>", "synthetic")],
)
def test_replies_that_no_model_gave_are_the_harnesss(tmp_path, fields, model, origin):
    reply = answer("a1", "u1", "API Error", id="m1", **fields)
    reply["message"]["model"] = model
    t = read(written(tmp_path, user("u1", None, "go"), reply))
    assert (t.messages[1].author, t.messages[1].origin) == ("harness", origin)


def queue(operation: str, content: str | None = None) -> dict[str, object]:
    return {"type": "queue-operation", "operation": operation, "sessionId": SESSION} | (
        {"content": content} if content else {}
    )


def queued(uuid: str, parent: str, prompt: object) -> dict[str, object]:
    return record("attachment", uuid, parent, attachment={"type": "queued_command", "prompt": prompt})


@pytest.mark.parametrize(
    ("what", "between", "messages"),
    [
        ("taken in the turn", [queue("enqueue", "stop"), queue("remove")], ["go", "A(t1)", "->t1", "stop", "yes"]),
        ("never taken", [queue("enqueue", "wait")], ["go", "A(t1)", "->t1", "yes", "wait"]),
        ("taken back", [queue("enqueue", "stop"), queue("popAll")], ["go", "A(t1)", "->t1", "yes"]),
        ("an attachment", [queued("q1", "r1", "stop")], ["go", "A(t1)", "->t1", "stop", "yes"]),
        ("queue and attachment", [queue("enqueue", "stop"), queued("q1", "r1", "stop"), queue("remove")],
         ["go", "A(t1)", "->t1", "stop", "yes"]),
        ("queue and user record", [queue("enqueue", "stop"), queue("dequeue"), user("q1", "r1", "stop")],
         ["go", "A(t1)", "->t1", "stop", "yes"]),
        ("the same words twice", [*[queue("enqueue", "yes?")] * 2, *[queue("dequeue")] * 2, user("q1", "r1", "yes?")],
         ["go", "A(t1)", "->t1", "yes?", "yes?", "yes"]),
    ],
)  # fmt: skip
def test_typed_text_in_queues_and_attachments_stands_once(tmp_path, what, between, messages):
    last = next((r["uuid"] for r in reversed(between) if r.get("uuid")), "r1")
    t = read(written(
        tmp_path, user("u1", None, "go"), answer("a1", "u1", ("t1", "A"), id="m1"), result("r1", "a1", "t1"), *between,
        answer("a2", last, "yes", id="m2"),
    ))  # fmt: skip
    assert sorted(spoken(t)) == sorted(messages), what
    assert spoken(t)[-1] == messages[-1], what
    assert all(m.author == "person" for m in t.messages if in_short(m) in ("stop", "wait", "yes?"))


# --- blocks -----------------------------------------------------------------------------------------------------------

PNG = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AA=="}}
PDF = {"type": "document", "source": {"type": "base64", "media_type": "application/pdf", "data": "AA=="}}


@pytest.mark.parametrize(
    ("content", "blocks"),
    [
        ("text", (Text("text"),)),
        (["bare"], (Text("bare"),)),
        ([PNG, PDF], (Image("image/png", "AA=="), Image("application/pdf", "AA=="))),
        ([{"type": "image", "source": {"type": "url", "url": "x"}}], (Image("image/*"),)),
        ([{"type": "document", "source": {"type": "text", "data": "plain"}}], (Text("plain"),)),
        ([{"type": "tool_result", "tool_use_id": "t", "content": None}], (ToolResult("t", ()),)),
        ([{"type": "tool_result", "tool_use_id": "t", "content": [PNG, {"type": "tool_reference", "n": 1}]}],
         (ToolResult("t", (Image("image/png", "AA=="), Other("tool_reference", '{"type":"tool_reference","n":1}'))),)),
        ([{"type": "tool_result", "tool_use_id": "t", "content": {"odd": 1}, "is_error": True}],
         (ToolResult("t", (Other("unknown", '{"odd":1}'),), True),)),
        ([{"type": "thinking", "thinking": "", "signature": "x"}], (Thinking(""),)),
        ([{"type": "redacted_thinking", "data": "x"}], (Thinking(""),)),
        ([{"type": "fallback", "n": [1, 2]}], (Other("fallback", '{"type":"fallback","n":[1,2]}'),)),
        ([{"type": "tool_use", "id": "t", "name": "X", "input": {"b": "é", "a": 1.0}}],
         (ToolUse("t", "X", '{"b":"é","a":1.0}'),)),
    ],
)  # fmt: skip
def test_content_becomes_blocks(tmp_path, content, blocks):
    assert read(written(tmp_path, user("u1", None, content))).messages[0].blocks == blocks


def test_a_message_without_content_is_named_and_the_rest_stands(tmp_path):
    t = read(written(
        tmp_path, user("u1", None, "go"), user("u2", "u1", None), record("user", "u3", "u2", message="error"),
        answer("a1", "u3", "well", id="m1"),
    ))  # fmt: skip
    assert spoken(t) == ["go", "well"]
    assert [u.line for u in t.unread] == [2, 3]


def test_tool_use_results_of_any_shape_and_unknown_types_are_no_matter(tmp_path):
    shapes = [{"a": 1}, "Error: x", [1], None, 4]
    records = [user(f"u{i}", f"u{i - 1}" if i else None, "go", toolUseResult=s) for i, s in enumerate(shapes)]
    t = read(written(tmp_path, *records, record("brand-new", "n1", "u4"), {"silly": 1}))
    assert len(t.messages) == 5
    assert t.records == {"user": 5, "brand-new": 1, "(none)": 1}
    assert t.unread == ()


def test_a_call_without_a_result_ends_the_session(tmp_path):
    t = read(written(tmp_path, *BEFORE[:2]))
    assert spoken(t) == ["go", "Bash(t1)"]
    assert t.tool_calls == 1
