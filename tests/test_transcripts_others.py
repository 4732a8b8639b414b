"""Gemini CLI, Copilot CLI, OpenHands, SWE-agent, mini-swe-agent: what each keeps, and what it tells in its own way."""

import pytest
from harness_sessions import (
    COPILOT,
    GEMINI,
    GEMINI_CALL,
    GEMINI_FACTS,
    MINI,
    OPENHANDS,
    OPENHANDS_SDK,
    SWE,
    Json,
    chat_call,
    copilot,
    document,
    oh_call,
    oh_model,
    put,
)

from bench.errors import BenchError
from bench.transcripts import detect, read, read_all
from bench.transcripts.model import Image, Spent, Text, Thinking, ToolUse, Usage
from bench.transcripts.view import seen_at


def texts(messages) -> list[str]:
    return [m.text for m in messages]


def speakers(messages) -> list[tuple[str, str | None]]:
    return [(m.author, m.origin) for m in messages]


# --- Gemini CLI -------------------------------------------------------------------------------------------------------


def test_gemini_keeps_results_inside_the_answer_s_calls(tmp_path):
    t = read(document(tmp_path, {**GEMINI_FACTS, "messages": GEMINI}))
    user, answer, told, thanks = t.messages
    assert (user.text, told.tool_results[0].text, thanks.text) == ("fix it", "x = 1", "thanks")
    assert answer.blocks == (Thinking("Plan\nread"), Text("looking"), ToolUse("t1", "read_file", '{"path":"a.py"}'))
    # input counts the cache in and leaves out the tools' prompt; thoughts are no part of output:
    # 100 - 60 + 2 = 42 fresh, 5 + 3 = 8 out
    assert answer.usage == Usage(input=42, output=8, cache_read=60)
    assert t.records == {"user": 2, "gemini": 1, "info": 1}
    assert (t.session_id, answer.model) == ("s-1", "gemini-test")


def test_gemini_s_log_writes_a_growing_message_again_and_again(tmp_path):
    begun = {**GEMINI[1], "content": "", "toolCalls": [{**GEMINI_CALL, "result": None, "status": "executing"}]}
    t = read(put(tmp_path, GEMINI_FACTS, GEMINI[0], begun, {"$set": {"lastUpdated": "x"}}, GEMINI[3], GEMINI[1]))
    assert texts(t.messages) == ["fix it", 'looking\n{"path":"a.py"}', "x = 1", "thanks"]
    assert (t.counts.assistant, t.counts.tool_calls, t.records["gemini"]) == (1, 1, 2)


def test_gemini_s_rewind_takes_back_the_message_and_all_after_it(tmp_path):
    path = put(tmp_path, GEMINI_FACTS, *GEMINI[:2], {"$rewindTo": "g1"}, GEMINI[3], {"$rewindTo": "unheard of"})
    t = read(path)
    assert texts(t.messages) == ["fix it", "thanks"]
    assert [(s.kind, s.id, len(s.messages)) for s in t.sides] == [("branch", "g1", 2)]
    assert [u.reason for u in t.unread] == ["goes back to a message that the file does not hold"]
    assert t.counts.assistant == 1


SNAPSHOT = {"$set": {"messages": [
    {"id": "n1", "type": "user", "content": [{"text": "<state_snapshot>so far</state_snapshot>"}]},
    {"id": "n2", "type": "gemini", "content": "Got it."},
    {"id": "n3", "type": "user", "content": [{"text": "kept"}]},
]}}  # fmt: skip
SQUEEZED = {"id": "i1", "type": "info", "content": "Chat history compressed from 900 to 100 tokens."}


@pytest.mark.parametrize("order", [[SQUEEZED, SNAPSHOT], [SNAPSHOT, SQUEEZED]])
def test_gemini_s_compression_is_told_by_a_note_and_by_what_was_sent_from_then_on(tmp_path, order):
    kept = {"id": "u3", "type": "user", "content": "kept"}
    t = read(put(tmp_path, GEMINI_FACTS, *GEMINI[:2], kept, *order, GEMINI[3]))
    (point,) = t.compactions
    assert (point.tokens_before, point.tokens_after, point.preserved) == (900, 100, (3,))
    assert texts(seen_at(t).messages) == ["<state_snapshot>so far</state_snapshot>", "kept", "thanks"]
    assert texts(t.messages)[:4] == ["fix it", 'looking\n{"path":"a.py"}', "x = 1", "kept"]


def test_a_note_alone_is_a_cut_point_without_a_summary(tmp_path):
    t = read(document(tmp_path, {**GEMINI_FACTS, "messages": GEMINI}))
    assert [(c.at, c.summary, c.tokens_after) for c in t.compactions] == [(3, None, 100)]


def test_gemini_s_own_words_and_parts_of_every_kind(tmp_path):
    parts = [{"text": "see"}, {"inlineData": {"mimeType": "image/png", "data": "AA"}}, {"fileData": {"fileUri": "x"}}]
    said = {
        "id": "g1",
        "type": "gemini",
        "content": [{"text": "so", "thought": True}, {"functionCall": {"name": "ls"}}],
    }
    response = {"functionResponse": {"response": {"files": ["a"]}}}
    t = read(
        put(
            tmp_path,
            {**GEMINI_FACTS, "directories": ["/app"]},
            {"id": "u0", "type": "user", "content": [{"text": "<session_context>\ntoday"}]},
            {"id": "u1", "type": "user", "content": parts},
            said,
            {"id": "u2", "type": "user", "content": [response]},
        )
    )
    assert speakers(t.messages) == [
        ("harness", "environment"), ("person", None), ("assistant", None), ("tool", None),
    ]  # fmt: skip
    assert t.messages[1].blocks[1] == Image("image/png", "AA")
    assert t.messages[2].blocks == (Thinking("so"), ToolUse("part-2-1", "ls", "{}"))
    assert t.messages[3].tool_results[0].text == '{"files":["a"]}'
    assert (t.cwd, t.counts.user) == ("/app", 2)


def test_a_gemini_subagent_is_prompted_by_an_agent(tmp_path):
    t = read(put(tmp_path, {**GEMINI_FACTS, "kind": "subagent"}, GEMINI[0]))
    assert speakers(t.messages) == [("assistant", "subagent-prompt")]


def test_zeros_that_were_never_filled_in_are_no_measured_usage(tmp_path):
    answer = {**GEMINI[1], "tokens": {"input": 0, "output": 0, "cached": 0}}
    assert read(put(tmp_path, GEMINI_FACTS, answer)).messages[0].usage is None


# --- Copilot CLI ------------------------------------------------------------------------------------------------------


def test_copilot_s_events_become_messages_and_a_subagent_s_stand_beside(tmp_path):
    t = read(put(tmp_path, *COPILOT))
    assert texts(t.messages) == ["fix it", 'looking\n{"command":"ls"}', "a.py", "so far", "thanks"]
    assert [(s.kind, s.id, texts(s.messages)) for s in t.sides] == [("sidechain", "sub-1", ["of a subagent"])]
    assert (t.counts.user, t.counts.assistant, t.counts.tool_calls) == (2, 2, 1)
    assert (t.session_id, t.cwd, t.branch, t.harness_version) == ("s-1", "/app", "main", "1.0")
    assert [(c.at, c.tokens_before, c.tokens_after, c.summary) for c in t.compactions] == [(3, 900, None, "so far")]


def test_a_prompt_that_only_a_hook_saw_stands_where_the_hook_did(tmp_path):
    hook = copilot("hook.start", "h1", hookType="userPromptSubmitted", input={"prompt": "fix it"})
    t = read(put(tmp_path, COPILOT[0], hook, COPILOT[3], COPILOT[5]))
    assert texts(t.messages) == ["fix it", 'looking\n{"command":"ls"}', "a.py"]
    assert (t.messages[0].author, t.counts.user) == ("person", 1)


def test_copilot_s_calls_without_a_request_failed_results_aborts_and_failed_compactions(tmp_path):
    odd = {"toolCallId": "t1", "name": "sh", "arguments": "no json"}
    t = read(
        put(
            tmp_path,
            copilot("assistant.message", "e1", content="looking", toolRequests=[odd]),
            copilot("tool.execution_start", "e2", toolCallId="t2", toolName="view", arguments={"path": "a"}),
            copilot("tool.execution_complete", "e3", toolCallId="t1", success=False, error={"message": "denied"}),
            copilot("tool.execution_complete", "e4", toolCallId="t2", success=True, result="plain"),
            copilot("session.compaction_complete", "e5", success=False, error="x"),
            copilot("assistant.message", "e6", content="and"),
            copilot("abort", "e7", reason="user"),
            copilot("future.event", "e8"),
        )
    )  # fmt: skip
    assert t.messages[0].tool_uses == (ToolUse("t1", "sh", '{"raw":"no json"}'), ToolUse("t2", "view", '{"path":"a"}'))
    assert [(r.text, r.is_error) for r in t.messages[1].tool_results] == [("denied", True), ("plain", False)]
    assert (t.messages[2].stop_reason, t.compactions, t.records["future.event"]) == ("aborted", (), 1)


def test_copilot_s_rewind_takes_back_the_event_and_all_after_it(tmp_path):
    rewind = copilot("session.snapshot_rewind", "r1", upToEventId="e3", eventsRemoved=4)
    t = read(put(tmp_path, *COPILOT[:6], rewind, copilot("user.message", "u9", content="again")))
    assert texts(t.messages) == ["again"]
    assert [(s.kind, len(s.messages)) for s in t.sides] == [("branch", 3)]


def test_copilot_tells_what_was_used_by_answer_or_for_a_run_of_the_program(tmp_path):
    def used(n: int) -> Json:
        return {
            "gpt-test": {
                "requests": {"count": n},
                "usage": {"inputTokens": n * 10, "cacheReadTokens": n, "outputTokens": n},
            }
        }

    lines = [
        COPILOT[3],
        copilot("assistant.usage", "a1", inputTokens=100, cacheReadTokens=60, cacheWriteTokens=10, outputTokens=5),
        copilot("session.shutdown", "x1", sessionStartTime=1, modelMetrics=used(2)),
        copilot("session.shutdown", "x2", sessionStartTime=1, modelMetrics=used(3)),  # the same run, told again
        copilot("session.shutdown", "x3", sessionStartTime=2, modelMetrics=used(4)),
        copilot("session.shutdown", "x4", sessionStartTime=3, modelMetrics={"gpt-test": {"usage": {"inputTokens": 0}}}),
    ]
    t = read(put(tmp_path, *lines))
    assert t.messages[0].usage == Usage(input=30, output=5, cache_read=60, cache_write_5m=10)
    time = "2026-01-01T10:00:00Z"
    assert t.spent == (
        Spent(model="gpt-test", usage=Usage(input=27, output=3, cache_read=3), requests=3, time=time),
        Spent(model="gpt-test", usage=Usage(input=36, output=4, cache_read=4), requests=4, time=time),
    )


# --- OpenHands --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["document", "lines", "items"])
def test_openhands_parallel_calls_of_one_response_are_one_answer_counted_once(tmp_path, form):
    path = put(tmp_path, *OPENHANDS) if form == "lines" else document(
        tmp_path, OPENHANDS if form == "document" else {"items": OPENHANDS}
    )  # fmt: skip
    t = read(path)
    assert texts(t.messages) == ["fix it", 'looking\n{"n":1}\n{"n":1}', "a.py\nno such file", "so far", "fixed"]
    answer, told = t.messages[1], t.messages[2]
    # the prompt counts the cache in: 100 - 30 - 50 = 20 fresh
    assert answer.usage == Usage(input=20, output=7, cache_read=50, cache_write_5m=30)
    assert [r.is_error for r in told.tool_results] == [False, True]
    assert (t.system, t.counts.assistant, t.counts.tool_calls) == ("Be good.", 2, 2)
    assert t.records["action:condensation"] == t.records["observation:error"] == 1


def test_openhands_condensation_forgets_events_and_keeps_the_others(tmp_path):
    def forget(n: int, **args: object) -> Json:
        return {"id": n, "source": "agent", "action": "condensation", "args": args}

    said = [{"id": n, "source": "user", "action": "message", "args": {"content": str(n)}} for n in range(1, 7)]
    t = read(
        document(
            tmp_path,
            [
                *said[:4],
                forget(10, forgotten_event_ids=[2], summary="without 2"),
                *said[4:],
                forget(11, forgotten_events_start_id=3, forgotten_events_end_id=4),
            ],
        )
    )
    assert texts(seen_at(t, 2).messages) == ["without 2", "1", "3", "4", "5", "6"]
    assert texts(seen_at(t).messages) == ["1", "5", "6"]
    assert [c.summary for c in t.compactions] == ["without 2", None]


def test_openhands_events_that_say_nothing_to_the_model_are_counted(tmp_path):
    quiet = [
        {"id": 8, "source": "environment", "observation": "agent_state_changed", "content": ""},
        {"id": 9, "source": "user", "action": "change_agent_state", "args": {}},
        {"id": 10, "source": "environment", "observation": "recall", "content": "repo notes"},
        {"id": 11, "source": "user", "action": "run", "args": {"command": "ls"}},
        "no event",
    ]
    t = read(document(tmp_path, [*OPENHANDS[:2], *quiet]))
    assert speakers(t.messages) == [("person", None), ("harness", "recall"), ("harness", "shell")]
    assert [u.reason for u in t.unread] == ["no event: it is no object"]
    assert sum(t.records.values()) == 6


def test_openhands_actions_without_the_model_s_response_are_calls_of_their_own(tmp_path):
    run = {"id": 2, "source": "agent", "action": "run", "args": {"command": "ls", "thought": "look"}}
    seen = {"id": 3, "source": "agent", "observation": "run", "cause": 2, "content": "a.py"}
    t = read(document(tmp_path, [OPENHANDS[1], run, seen]))
    assert t.messages[1].blocks == (Text("look"), ToolUse("event-2", "run", '{"command":"ls"}'))
    assert t.messages[2].tool_results[0].tool_use_id == "event-2"


def test_the_openhands_sdk_names_its_kinds(tmp_path):
    t = read(document(tmp_path, OPENHANDS_SDK))
    assert texts(t.messages) == ["go", 'looking\n{"command":"ls"}', "a", "so far", "ok"]
    assert (t.messages[2].tool_results[0].tool_use_id, t.system, t.tools_json) == ("t1", "Be good.", '[{"n":1}]')
    assert texts(seen_at(t).messages) == ["so far", "go", "ok"]


def test_openhands_sdk_failures_and_rejections_are_failed_results(tmp_path):
    act = {"kind": "ActionEvent", "id": "e2", "tool_name": "edit", "action": {"kind": "EditAction", "path": "a"}}
    reject = {"kind": "UserRejectObservation", "id": "e3", "action_id": "e2", "rejection_reason": "not so"}
    t = read(document(tmp_path, [*OPENHANDS_SDK[:2], act, reject]))
    assert t.messages[1].tool_uses == (ToolUse("event-e2", "edit", '{"path":"a"}'),)
    assert (t.messages[2].tool_results[0].text, t.messages[2].tool_results[0].is_error) == ("not so", True)


def test_an_openhands_file_of_a_run_a_line_holds_several_sessions(tmp_path):
    pairs = [[OPENHANDS[2], OPENHANDS[3]], [oh_call(7, "run", "t9", oh_model("r9", ("t9", "run"))), {}]]
    runs = [{"instance_id": "a-1", "history": OPENHANDS}, {"instance_id": "a-2", "history": pairs}]
    first, second = read_all(put(tmp_path, *runs))
    assert (first.session_id, second.session_id) == ("a-1", "a-2")
    assert (len(first.messages), second.counts.tool_calls) == (5, 2)


# --- SWE-agent and mini-swe-agent -------------------------------------------------------------------------------------


def test_swe_agent_s_history_is_the_conversation(tmp_path):
    t = read(document(tmp_path, SWE))
    assert texts(t.messages) == ["fix it", 'looking\n{"command":"ls"}', "a.py"]
    assert (t.system, t.format) == ("Be good.", "swe-agent")
    assert t.records == {"system": 1, "user": 1, "assistant": 1, "tool": 1, "trajectory_steps": 1}
    assert t.spent == (Spent(model="claude-test", usage=Usage(input=900, output=90), requests=2),)


def test_a_replay_gives_several_calls_one_id_and_each_gets_its_own_result(tmp_path):
    def round_(text: str) -> list[Json]:
        return [
            {"role": "assistant", "content": "", "tool_calls": [chat_call("t1")]},
            {"role": "tool", "content": text, "tool_call_ids": ["t1"]},
        ]

    t = read(document(tmp_path, {**SWE, "history": [*round_("one"), *round_("two")]}))
    assert t.counts.tool_calls == t.tool_calls == 2
    assert [(r.tool_use_id, r.text) for m in t.messages for r in m.tool_results] == [("t1", "one"), ("t1~2", "two")]


def test_without_tool_calls_an_action_is_text_and_its_outcome_no_person_s(tmp_path):
    history = [
        {"role": "user", "content": "an example", "is_demo": True},
        {"role": "user", "content": "fix it"},
        {"role": "assistant", "content": "```\nls\n```"},
        {"role": "user", "content": "a.py"},
        {"role": "assistant", "content": None, "thought": "hm", "agent": "helper"},
        "odd",
    ]
    t = read(document(tmp_path, {**SWE, "history": history}))
    assert speakers(t.messages) == [("harness", "demonstration"), ("person", None), ("assistant", None), ("tool", None)]
    assert (t.counts.user, t.counts.tool_calls) == (3, 0)
    assert [(s.kind, s.id, texts(s.messages)) for s in t.sides] == [("sidechain", "helper", ["hm"])]
    assert [u.line for u in t.unread] == [6]


def test_a_trajectory_without_a_history_is_read_from_its_steps(tmp_path):
    t = read(document(tmp_path, {"trajectory": [{"response": "looking", "observation": "a.py"}]}))
    assert texts(t.messages) == ["looking", "a.py"]


def test_mini_swe_agent_s_document_and_its_first_bare_list(tmp_path):
    t = read(document(tmp_path, MINI))
    assert speakers(t.messages) == [("person", None), ("assistant", None), ("tool", None)]
    assert (t.format, t.harness_version, t.system, t.messages[1].model) == (
        "mini-swe-agent", "1.14", "Be good.", "claude-test",
    )  # fmt: skip
    bare = read(document(tmp_path, MINI["messages"], "bare.json"))
    assert (bare.format, texts(bare.messages)) == ("mini-swe-agent", texts(t.messages))


def test_mini_swe_agent_s_tool_calls_usage_and_format_errors(tmp_path):
    response = {
        "model": "claude-x",
        "usage": {"prompt_tokens": 100, "completion_tokens": 5, "prompt_tokens_details": {"cached_tokens": 60}},
    }
    messages = [
        {"role": "user", "content": "fix it"},
        {"role": "assistant", "content": None, "tool_calls": [chat_call("t1")], "extra": {"response": response}},
        {"role": "tool", "tool_call_id": "t1", "content": "a.py"},
        {"role": "assistant", "content": "no fence"},
        {"role": "user", "content": "Format error:\n\nsay it again"},
        {"role": "exit", "content": "done"},
        3,
    ]  # fmt: skip
    t = read(document(tmp_path, {**MINI, "messages": messages}))
    assert (t.messages[1].usage, t.messages[1].model) == (Usage(input=40, output=5, cache_read=60), "claude-x")
    assert speakers(t.messages)[2:] == [
        ("tool", None),
        ("assistant", None),
        ("harness", "format-error"),
        ("harness", "exit"),
    ]
    assert [u.line for u in t.unread] == [7]


@pytest.mark.parametrize(
    "messages",
    [
        [{"role": "system", "content": "x"}, {"role": "user", "content": "y"}],
        [{"role": "system", "content": "x"}, {"role": "user", "content": "y"}, {"role": "assistant", "content": "z"}],
    ],
)
def test_a_chat_list_without_the_harness_s_marks_is_refused(tmp_path, messages):
    path = document(tmp_path, messages)
    assert detect(path) is None
    with pytest.raises(BenchError, match="a chat list with a system or tool role"):
        read_all(path)
