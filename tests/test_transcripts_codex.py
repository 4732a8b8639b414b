"""Codex rollouts: items and events, running totals, compactions without a summary, rollbacks, and older shapes."""

import json

import pytest
from harness_sessions import (
    CODEX,
    codex_call,
    codex_count,
    codex_event,
    codex_item,
    codex_line,
    codex_output,
    codex_says,
    document,
    put,
)

from bench.cli import main
from bench.transcripts import read
from bench.transcripts.model import Image, Text, Thinking, ToolUse, Usage
from bench.transcripts.view import seen_at


def texts(messages) -> list[str]:
    return [m.text for m in messages]


def usages(t) -> list[Usage | None]:
    return [m.usage for m in t.messages if m.role == "assistant"]


def test_what_items_and_events_say_twice_stands_once(tmp_path):
    t = read(put(tmp_path, *CODEX))
    assert [(m.role, m.author, m.origin) for m in t.messages] == [
        ("system", "harness", "developer"),
        ("user", "harness", "rules"),
        ("user", "person", None),
        ("assistant", "assistant", None),
        ("user", "tool", None),
        ("assistant", "assistant", None),
        ("user", "tool", None),
    ]
    assert (t.counts.user, t.counts.assistant, t.counts.tool_calls) == (2, 1, 3)
    assert (t.session_id, t.harness_version, t.cwd, t.system) == ("s-1", "0.142.2", "/app", "Be good.")
    assert (t.records["event_msg:agent_message"], t.records["response_item:message"]) == (1, 4)


def test_calls_of_every_kind_and_outputs_of_every_shape(tmp_path):
    image = {"type": "input_image", "image_url": "data:image/png;base64,AA"}
    t = read(
        put(
            tmp_path,
            CODEX[0],
            codex_call("c1", arguments='{ "cmd": ["ls"] }'),
            codex_call("c2", arguments="no json"),
            codex_item("custom_tool_call", name="apply_patch", call_id="c3", input="*** Begin Patch"),
            codex_item("web_search_call", id="w1", action={"type": "search", "query": "x"}),
            codex_item("local_shell_call", call_id="c4", action={"type": "exec", "command": ["pwd"]}),
            codex_item("tool_search_call", arguments={"query": "y"}),
            codex_output("c1", "a.py"),
            codex_output("c2", [{"type": "input_text", "text": "b"}, image]),
            codex_item("custom_tool_call_output", call_id="c3", output={"content": "c", "success": False}),
            codex_item("function_call_output", call_id="c4"),
            codex_output("lost", "of a call that is not here"),
        )
    )  # fmt: skip
    asked, told, lost = t.messages
    assert [(u.name, u.input_json) for u in asked.tool_uses] == [
        ("shell", '{"cmd":["ls"]}'),
        ("shell", '{"raw":"no json"}'),
        ("apply_patch", '{"input":"*** Begin Patch"}'),
        ("web_search", '{"type":"search","query":"x"}'),
        ("local_shell", '{"type":"exec","command":["pwd"]}'),
        ("tool_search", '{"query":"y"}'),
    ]
    assert [(r.content, r.is_error) for r in told.tool_results] == [
        ((Text("a.py"),), False),
        ((Text("b"), Image("image/png", "AA")), False),
        ((Text("c"),), True),
        ((), False),
    ]
    assert lost.tool_results[0].text == "of a call that is not here"
    # the search has no output, and the one without an id got one of its place
    assert {u.id for u in asked.tool_uses} - {r.tool_use_id for r in told.tool_results} == {"w1", "call-7"}


def test_an_answer_ends_where_its_tokens_are_counted_a_result_came_or_someone_speaks(tmp_path):
    t = read(
        put(
            tmp_path,
            CODEX[0],
            codex_says("assistant", "one"),
            codex_call("c1"),
            codex_call("c2"),
            codex_output("c1"),
            codex_output("c2"),
            codex_count(100, 100),
            codex_says("assistant", "two"),
            codex_count(250, 150),
            codex_says("assistant", "three"),
            codex_call("c3"),
            codex_output("c3"),
            codex_says("assistant", "four"),
            codex_says("user", "typed while it worked"),
            codex_says("assistant", "five"),
        )
    )
    assert [(m.spoken, len(m.tool_uses)) for m in t.messages if m.role == "assistant"] == [
        ("one", 2), ("two", 0), ("three", 1), ("four", 0), ("five", 0),
    ]  # fmt: skip
    assert [u.input if u else None for u in usages(t)] == [100, 150, None, None, None]


def test_totals_that_are_only_told_again_count_nothing(tmp_path):
    say = [codex_says("assistant", str(n)) for n in range(3)]
    again = codex_count(100, 100, cached=60)
    null = codex_event("token_count", info=None, rate_limits={})
    t = read(
        put(tmp_path, CODEX[0], say[0], again, again, null, say[1], again, say[2], codex_count(300, 200, cached=150))
    )
    # input counts the cache in: 100 - 60 = 40 fresh, 200 - 150 = 50 fresh
    assert usages(t) == [
        Usage(input=40, output=10, cache_read=60),
        Usage(input=50, output=10, cache_read=150),
    ]
    # the second text's tokens were counted with the third's: they are one answer
    assert texts(t.messages) == ["0", "1\n2"]


def test_totals_without_the_last_answer_s_share_are_taken_apart(tmp_path):
    def count(total: int):
        return codex_event(
            "token_count", info={"total_token_usage": {"input_tokens": total, "output_tokens": total // 10}}
        )

    lines = [codex_says("assistant", "0"), count(100), codex_says("assistant", "1"), count(250)]
    after_restart = [codex_says("assistant", "2"), count(30)]
    t = read(put(tmp_path, CODEX[0], *lines, *after_restart))
    assert [(u.input, u.output) for u in usages(t)] == [(100, 10), (150, 15), (30, 3)]


def test_reasoning_that_a_message_interrupts_belongs_to_the_answer_that_follows(tmp_path):
    t = read(
        put(
            tmp_path,
            CODEX[0],
            codex_item("reasoning", summary=[{"type": "summary_text", "text": "plan"}]),
            codex_item("agent_message", author="agent-2", content=[{"type": "input_text", "text": "found it"}]),
            codex_item("reasoning", summary=[], encrypted_content="xxx"),
            codex_says("assistant", "good"),
            codex_count(100, 100),
        )
    )
    assert [(m.author, m.origin) for m in t.messages] == [("harness", "agent-message"), ("assistant", None)]
    assert t.messages[1].blocks == (Thinking("plan"), Thinking(""), Text("good"))
    assert t.messages[1].usage == Usage(input=100, output=10)
    assert t.counts.user == 0


COMPACTED = [
    CODEX[0],
    codex_says("user", "# AGENTS.md instructions for /app"),
    codex_says("user", "first"),
    codex_says("assistant", "one"),
    codex_count(900, 900),
    codex_says("user", "first"),
    codex_says("assistant", "two"),
]


def test_an_encrypted_compaction_is_a_cut_point_without_a_summary(tmp_path):
    history = [codex_says("user", "first")["payload"], {"type": "compaction", "encrypted_content": "xxx"}]
    t = read(
        put(
            tmp_path,
            *COMPACTED,
            codex_line("compacted", message="", replacement_history=history),
            codex_count(900, 0),
            codex_says("assistant", "three"),
        )
    )
    (point,) = t.compactions
    assert (point.at, point.summary, point.summary_at) == (5, None, None)
    # of two prompts with the same words the newer one stayed
    assert point.preserved == (3,)
    # before: the newest answer's prompt and output, 900 + 10
    assert (point.tokens_before, point.tokens_after) == (910, None)
    assert texts(seen_at(t).messages) == ["first", "three"]


def test_what_a_compaction_left_is_told_as_an_answer_that_used_nothing(tmp_path):
    left = codex_count(900, 0)
    left["payload"]["info"]["last_token_usage"]["total_tokens"] = 133
    lines = [codex_line("compacted", message=""), left, codex_says("assistant", "three"), codex_count(1000, 100)]
    t = read(put(tmp_path, *COMPACTED, *lines))
    assert (t.compactions[0].tokens_before, t.compactions[0].tokens_after) == (910, 133)
    assert usages(t)[-1] == Usage(input=100, output=10)


def test_commands_say_that_a_compaction_s_summary_is_not_stored(tmp_path, capsys):
    lines = [codex_line("compacted", message=""), codex_says("assistant", "three"), codex_count(1000, 100)]
    path = put(tmp_path, *COMPACTED, *lines)
    assert main(["transcript", str(path)]) == 0
    (row,) = [line.split() for line in capsys.readouterr().out.splitlines() if line.split()[1:2] == ["full"]]
    # number, kind, at, trigger, tokens before and after, first prompt, seen, summary, preserved, cleared
    seen = sum(m.tokens for m in read(path).messages[:5])
    assert row == ["1", "full", "5", "—", "910", "—", "100", str(seen), "not", "stored", "0", "0"]
    assert main(["handoffs", "list", str(path)]) == 0
    assert capsys.readouterr().out.splitlines()[-1].split("—", 1)[1].strip().startswith("—  no summary stored; ")
    assert main(["handoffs", "show", str(path)]) == 2
    assert "has no section 'full'; no summary stored; it has ledger" in capsys.readouterr().err


def test_the_kinds_of_records_stand_on_lines_of_a_terminal_s_width(tmp_path, capsys):
    kinds = [codex_event(f"a_kind_of_event_number_{n}") for n in range(12)]
    assert main(["transcript", str(put(tmp_path, *CODEX, *kinds))]) == 0
    out = capsys.readouterr().out
    assert max(map(len, out.splitlines())) <= 110 + len(str(tmp_path))
    told = " ".join(line.strip() for line in out.splitlines())
    assert all(f"1 event_msg:a_kind_of_event_number_{n}" in told for n in range(12))


def test_a_readable_summary_stands_in_the_line(tmp_path):
    t = read(
        put(tmp_path, *COMPACTED, codex_line("compacted", message="so far: one, two"), codex_says("user", "go on"))
    )
    assert (t.compactions[0].summary, t.compactions[0].summary_at) == ("so far: one, two", 5)
    assert texts(seen_at(t).messages) == ["so far: one, two", "go on"]
    assert t.messages[5].author == "compaction" and t.counts.user == 4


@pytest.mark.parametrize(
    ("text", "origin"),
    [
        ("# AGENTS.md instructions for /app", "rules"),
        ("<user_instructions>be brief</user_instructions>", "rules"),
        ("<environment_context>\n<cwd>/app</cwd>", "environment"),
        ("<recommended_plugins>", "plugins"),
        ("<turn_aborted>", "interrupt"),
        ("<task>review this</task>", "task"),
        ("<new_kind>of words</new_kind>", "injected"),  # no event calls it typed
        ("fix it", None),
    ],
)
def test_words_in_the_user_s_role_that_no_person_typed(tmp_path, text, origin):
    t = read(
        put(
            tmp_path,
            CODEX[0],
            codex_says("user", text),
            codex_says("user", "fix it"),
            codex_event("user_message", message="fix it"),
        )
    )
    assert (t.messages[0].author, t.messages[0].origin) == (("harness", origin) if origin else ("person", None))
    assert t.messages[1].author == "person"


def test_without_such_events_unknown_words_are_a_person_s(tmp_path):
    assert read(put(tmp_path, CODEX[0], codex_says("user", "<b>fix</b> it"))).messages[0].author == "person"


def test_a_subagent_s_prompts_come_from_the_agent_that_sent_it(tmp_path):
    meta = codex_line("session_meta", id="s-2", source={"subagent": {"thread_spawn": {"parent_thread_id": "s-1"}}})
    t = read(put(tmp_path, meta, codex_says("user", "look there")))
    assert (t.messages[0].author, t.messages[0].origin) == ("assistant", "subagent-prompt")


def test_rolled_back_turns_are_a_branch_of_their_own_and_an_aborted_one_says_so(tmp_path):
    t = read(
        put(
            tmp_path,
            CODEX[0],
            codex_says("user", "first"),
            codex_says("assistant", "one"),
            codex_says("user", "second"),
            codex_says("assistant", "two"),
            codex_call("c1"),
            codex_output("c1"),
            codex_says("user", "third"),
            codex_says("assistant", "cut off"),
            codex_event("turn_aborted", reason="interrupted"),
            codex_event("thread_rolled_back", num_turns=2),
            codex_says("user", "second, better"),
            codex_says("assistant", "fine"),
        )
    )
    assert texts(t.messages) == ["first", "one", "second, better", "fine"]
    (side,) = t.sides
    assert (side.kind, texts(side.messages)) == ("branch", ["second", 'two\n{"cmd":"ls"}', "done", "third", "cut off"])
    assert side.messages[-1].stop_reason == "aborted"
    assert (t.counts.user, t.counts.assistant, t.tool_calls, t.counts.tool_calls) == (4, 4, 0, 1)


def test_a_rollback_of_more_turns_than_there_are_leaves_what_came_before_the_first(tmp_path):
    lines = [
        codex_says("developer", "rules"),
        codex_says("user", "first"),
        codex_event("thread_rolled_back", num_turns=9),
    ]
    assert texts(read(put(tmp_path, CODEX[0], *lines)).messages) == ["rules"]


def test_calls_without_output_stay_and_get_none(tmp_path):
    t = read(put(tmp_path, CODEX[0], codex_call("c1"), codex_call("c2"), codex_output("c1"), codex_call("c3")))
    assert t.counts.tool_calls == 3
    assert [r.tool_use_id for m in t.messages for r in m.tool_results] == ["c1"]


def test_of_two_session_metas_the_first_names_the_session_and_another_id_its_origin(tmp_path):
    twice = read(put(tmp_path, CODEX[0], CODEX[0], codex_says("user", "x")))
    assert (twice.session_id, twice.forked_from) == ("s-1", None)
    fork = read(put(tmp_path, CODEX[0], codex_line("session_meta", id="s-0", cwd="/old"), codex_says("user", "x")))
    assert (fork.session_id, fork.forked_from, fork.cwd) == ("s-1", "s-0", "/app")
    told = read(put(tmp_path, codex_line("session_meta", id="s-1", forked_from_id="s-9"), codex_says("user", "x")))
    assert told.forked_from == "s-9"


def test_a_file_of_events_alone_is_read_from_them(tmp_path):
    lines = [
        CODEX[0],
        codex_event("user_message", message="fix it"),
        codex_event("agent_reasoning", text="hm"),
        codex_event("agent_message", message="fixed"),
        codex_event("turn.completed", message="ok"),
        codex_event("token_count", info={"prompt": 1420, "completion": 910}),
    ]
    t = read(put(tmp_path, *lines))
    assert [(m.author, m.blocks) for m in t.messages] == [
        ("person", (Text("fix it"),)), ("assistant", (Thinking("hm"), Text("fixed"))),
    ]  # fmt: skip
    assert (t.counts.user, t.counts.assistant, usages(t)) == (1, 1, [None])
    with_items = read(put(tmp_path, *lines, codex_says("assistant", "fixed")))
    assert texts(with_items.messages) == ["fixed"]


FLAT = [
    {"id": "s-1", "timestamp": "2025-08-01T10:00:00Z", "instructions": "Be good.", "git": {"branch": "main"}},
    {"record_type": "state"},
    {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "fix it"}]},
    {"type": "reasoning", "summary": [{"type": "summary_text", "text": "hm"}]},
    {"type": "function_call", "name": "shell", "arguments": "{}", "call_id": "c1"},
    {"type": "function_call_output", "call_id": "c1", "output": "done"},
]


def test_the_flat_lines_of_2025_are_items_without_an_envelope(tmp_path):
    t = read(put(tmp_path, *FLAT))
    assert (t.session_id, t.system, t.branch) == ("s-1", "Be good.", "main")
    assert [m.blocks[0] for m in t.messages[:2]] == [Text("fix it"), Thinking("hm")]
    assert t.messages[1].tool_uses == (ToolUse("c1", "shell", "{}"),)
    assert t.records == {
        "(none)": 1,
        "state": 1,
        "message": 1,
        "reasoning": 1,
        "function_call": 1,
        "function_call_output": 1,
    }


def test_the_first_rollouts_are_one_document(tmp_path):
    t = read(document(tmp_path, {"session": {"id": "s-0", "instructions": "Be good."}, "items": [*FLAT[2:], 5]}))
    assert (t.format, t.session_id, len(t.messages)) == ("codex", "s-0", 3)
    assert [(u.line, u.reason) for u in t.unread] == [(5, "an item that is no object")]


def test_unknown_kinds_are_counted_and_payloads_of_any_shape_harmless(tmp_path):
    odd = [{"type": "world_state", "payload": v} for v in (None, 3, "x", [1], {"full": True}, 10**30)]
    t = read(
        put(tmp_path, CODEX[0], *odd, codex_item("ghost_snapshot"), codex_event("new_event"), codex_says("user", "x"))
    )
    assert (t.records["world_state"], t.records["response_item:ghost_snapshot"], t.records["event_msg:new_event"]) == (
        6,
        1,
        1,
    )
    assert texts(t.messages) == ["x"]


def test_a_cut_last_line_is_named(tmp_path):
    path = put(tmp_path, *COMPACTED)
    path.write_text(path.read_text() + json.dumps(codex_says("user", "never finished"))[:-20])
    assert [u.reason for u in read(path).unread] == ["cut off: the file ends inside a JSON value"]
