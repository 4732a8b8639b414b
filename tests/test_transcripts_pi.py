"""pi sessions: versions 1 to 3, the tree and its branches, compactions, and what its forks do differently."""

import pytest
from harness_sessions import PI, pi_answer, pi_entry, pi_header, pi_result, pi_user, put

from bench.errors import BenchError
from bench.transcripts import read, read_all
from bench.transcripts.model import Image, Other, Text, Thinking, ToolUse, Usage
from bench.transcripts.view import CLEARED, seen_at


def texts(messages) -> list[str]:
    return [m.text for m in messages]


def speakers(messages) -> list[tuple[str, str | None]]:
    return [(m.author, m.origin) for m in messages]


def test_an_answer_its_calls_and_their_results_alternate_as_an_api_takes_them(tmp_path):
    call = {"type": "toolCall", "id": "t1", "name": "read", "arguments": {"path": "a.py"}}
    answer = pi_answer("a1", "u1", {"type": "thinking", "thinking": "hm"}, "looking", call, ("t2", "bash"))
    image = {"type": "image", "mimeType": "image/png", "data": "AAAA"}
    t = read(
        put(
            tmp_path,
            pi_header(),
            pi_user("u1", None, [{"type": "text", "text": "fix it"}, image]),
            answer,
            pi_result("r1", "a1", "t1", [{"type": "text", "text": "x = 1"}, image]),
            pi_result("r2", "r1", "t2", "no such file", isError=True),
            pi_answer("a2", "r2", "done"),
        )
    )
    user, asked, told, done = t.messages
    assert user.blocks == (Text("fix it"), Image("image/png", "AAAA"))
    assert asked.blocks == (
        Thinking("hm"), Text("looking"), ToolUse("t1", "read", '{"path":"a.py"}'), ToolUse("t2", "bash", '{"n":1}')
    )  # fmt: skip
    assert [(r.tool_use_id, r.text, r.is_error) for r in told.tool_results] == [
        ("t1", "x = 1", False),
        ("t2", "no such file", True),
    ]
    assert (told.images, told.record_ids, told.author) == (1, ("r1", "r2"), "tool")
    # input excludes the cache, as the Messages API's does: 10 + 100 + 20 + 5 = 135 in all
    assert asked.usage == Usage(input=10, output=5, cache_read=100, cache_write_5m=20)
    assert (asked.model, done.stop_reason, t.session_id, t.cwd) == ("claude-test", "stop", "s-1", "/app")


def test_version_1_has_no_ids_and_its_compaction_counts_entries_with_the_header(tmp_path):
    # entry 0 is the header, 1 the first prompt; the model change is an entry as well, so that "second" is entry 4
    path = put(
        tmp_path,
        pi_header(version=None),
        pi_user(None, None, "first"),
        pi_answer(None, None, "one"),
        pi_entry("model_change", None, provider="x", modelId="y"),
        pi_user(None, None, "second"),
        pi_answer(None, None, "two"),
        pi_entry("compaction", None, summary="so far: one", firstKeptEntryIndex=4, tokensBefore=900),
        pi_user(None, None, "third"),
    )
    t = read(path)
    assert texts(t.messages) == ["first", "one", "second", "two", "so far: one", "third"]
    (point,) = t.compactions
    assert (point.at, point.summary_at, point.summary, point.preserved) == (4, 4, "so far: one", (2, 3))
    assert (point.tokens_before, point.tokens_after, t.harness_version) == (900, None, "v1")
    assert texts(seen_at(t).messages) == ["so far: one", "second", "two", "third"]
    assert texts(seen_at(t, 1).messages) == ["first", "one", "second", "two"]


@pytest.mark.parametrize("index", [0, 99, -1, "4", None, 6])
def test_a_first_kept_index_that_is_no_earlier_entry_keeps_nothing(tmp_path, index):
    # 6 is the compaction itself
    path = put(
        tmp_path,
        pi_header(version=None),
        *(pi_user(None, None, str(n)) for n in range(5)),
        pi_entry("compaction", None, summary="so far", firstKeptEntryIndex=index),
    )
    assert read(path).compactions[0].preserved == ()


def test_version_2_calls_an_extension_s_message_a_hook_s(tmp_path):
    entry = pi_entry(
        "message", "h1", None, message={"role": "hookMessage", "customType": "lint", "content": "2 errors"}
    )
    t = read(put(tmp_path, pi_header(version=2), entry, pi_answer("a1", "h1", "ok")))
    assert speakers(t.messages) == [("harness", "lint"), ("assistant", None)]
    assert (t.counts.user, t.harness_version) == (0, "v2")


FIRST_KEPT = [
    # name of the first kept entry, and what stays of "first", "one", "second", "two"
    ("u2", ["second", "two"]),
    ("m1", ["second", "two"]),  # a model change right before the second prompt
    ("l1", ["two"]),  # a label on the branch: what stands behind it
    ("l2", ["second", "two"]),  # a label on another branch: the entry that it names
    ("b1", []),  # an entry of another branch
    ("gone", []),
]


@pytest.mark.parametrize(("first", "kept"), FIRST_KEPT)
def test_the_first_kept_entry_may_be_of_any_kind(tmp_path, first, kept):
    t = read(
        put(
            tmp_path,
            pi_header(),
            pi_user("u1", None, "first"),
            pi_answer("a1", "u1", "one"),
            pi_user("b1", "a1", "rewound"),
            pi_entry("label", "l2", "b1", targetId="u2", label="here"),
            pi_entry("model_change", "m1", "a1", provider="x", modelId="y"),
            pi_user("u2", "m1", "second"),
            pi_entry("label", "l1", "u2", targetId="u1", label="start"),
            pi_answer("a2", "l1", "two"),
            pi_entry("compaction", "c1", "a2", summary="so far", firstKeptEntryId=first),
            pi_user("u3", "c1", "third"),
        )
    )
    assert texts(seen_at(t).messages) == ["so far", *kept, "third"]


def test_a_second_compaction_may_keep_what_the_first_one_kept_but_not_its_summary(tmp_path):
    t = read(
        put(
            tmp_path,
            pi_header(),
            pi_user("u1", None, "first"),
            pi_user("u2", "u1", "second"),
            pi_entry("compaction", "c1", "u2", summary="sum 1", firstKeptEntryId="u2"),
            pi_user("u3", "c1", "third"),
            pi_entry("compaction", "c2", "u3", summary="sum 2", firstKeptEntryId="u2", fromHook=True),
        )
    )
    assert texts(seen_at(t, 2).messages) == ["sum 1", "second", "third"]
    assert texts(seen_at(t).messages) == ["sum 2", "second", "third"]
    assert [c.trigger for c in t.compactions] == [None, "extension"]


FORKED = [
    pi_header(),
    pi_user("u1", None, "first"),
    pi_answer("a1", "u1", "one"),
    pi_user("u2", "a1", "rewound"),
    pi_answer("a2", "u2", "of the old branch"),
    pi_entry("branch_summary", "s1", "a1", fromId="a2", summary="tried that"),
    pi_user("u3", "s1", "again"),
]


def test_the_main_line_leads_to_the_newest_leaf_and_the_other_branch_is_listed_by_its_own(tmp_path):
    t = read(put(tmp_path, *FORKED))
    assert texts(t.messages) == ["first", "one", "tried that", "again"]
    assert speakers(t.messages)[2] == ("harness", "branch-summary")
    assert [(s.kind, s.id, texts(s.messages)) for s in t.sides] == [("branch", "a2", ["rewound", "of the old branch"])]
    assert (t.counts.user, t.counts.assistant) == (3, 2)


@pytest.mark.parametrize(
    ("leaf", "line"),
    [
        ("a2", ["first", "one", "rewound", "of the old branch"]),
        ("u2", ["first", "one", "rewound", "of the old branch"]),  # through it, to the newest leaf below
        ("u3", ["first", "one", "tried that", "again"]),
        ("u1", ["first", "one", "tried that", "again"]),
    ],
)
def test_a_named_leaf_gives_the_branch_through_it(tmp_path, leaf, line):
    path = put(tmp_path, *FORKED)
    assert texts(read(path, leaf=leaf).messages) == line


def test_a_leaf_that_no_entry_has_is_told(tmp_path):
    with pytest.raises(BenchError, match="holds no entry 's-1' to be a leaf"):
        read(put(tmp_path, *FORKED), leaf="s-1")


def test_a_leaf_entry_at_the_end_moves_the_conversation_s_end(tmp_path):
    assert texts(read(put(tmp_path, *FORKED, pi_entry("leaf", "f1", "u3", targetId="a2"))).messages) == [
        "first", "one", "rewound", "of the old branch",
    ]  # fmt: skip


def test_lost_parents_missing_ids_and_rings_lose_no_entry(tmp_path):
    nameless = {k: v for k, v in pi_answer("x", None, "without an id").items() if k not in ("id", "parentId")}
    t = read(
        put(
            tmp_path,
            pi_header(),
            pi_user("u1", "lost", "first"),
            pi_answer("a1", "also-lost", "one"),
            nameless,
            pi_user("u2", "a1", "second"),
            pi_user("r1", "r2", "in a ring"),
            pi_user("r2", "r1", "in a ring too"),
            pi_user("u3", "u2", "third"),
        )
    )
    assert texts(t.messages) == ["first", "one", "without an id", "second", "third"]
    assert [texts(s.messages) for s in t.sides] == [["in a ring", "in a ring too"]]


def test_who_speaks_in_the_user_s_role(tmp_path):
    shell = {"role": "bashExecution", "command": "ls", "output": "a.py", "exitCode": 2, "cancelled": False}
    t = read(
        put(
            tmp_path,
            pi_header(),
            pi_user("u1", None, "typed"),
            pi_user("u2", "u1", "from an agent", attribution="agent"),
            pi_entry("message", "b1", "u2", message=shell),
            pi_entry("message", "b2", "b1", message={**shell, "excludeFromContext": True}),
            pi_entry("custom_message", "x1", "b2", customType="irc:incoming", content="hello", display=True),
            pi_entry("custom", "x2", "x1", customType="state", data={}),
            pi_entry("message", "d1", "x2", message={"role": "developer", "content": "rules"}),
            pi_entry("message", "d2", "d1", message={"role": "unheard", "content": "of"}),
        )
    )
    assert speakers(t.messages) == [
        ("person", None), ("assistant", "subagent-prompt"), ("harness", "shell"), ("harness", "irc:incoming"),
        ("harness", "developer"),
    ]  # fmt: skip
    assert t.messages[2].text == "$ ls\na.py\n(exit code 2)"
    assert t.counts.user == 2
    # what says nothing, or is not known, is counted
    assert {k: t.records[k] for k in ("message:bashExecution", "custom", "message:unheard")} == {
        "message:bashExecution": 2, "custom": 1, "message:unheard": 1,
    }  # fmt: skip


def test_an_aborted_turn_has_calls_without_results_and_no_measured_usage(tmp_path):
    zeros = {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0, "totalTokens": 0}
    t = read(
        put(
            tmp_path,
            pi_header(),
            pi_user("u1", None, "go"),
            pi_answer("a1", "u1", ("t1", "bash"), usage=zeros, stopReason="aborted"),
            pi_user("u2", "a1", "stop"),
        )
    )
    assert (t.messages[1].usage, t.messages[1].stop_reason, t.counts.tool_calls) == (None, "aborted", 1)
    assert not any(m.tool_results for m in t.messages)


def test_oh_my_pi_begins_with_a_padded_title_and_keeps_the_system_prompt(tmp_path):
    t = read(
        put(
            tmp_path,
            {"type": "title", "v": 1, "title": "", "pad": " " * 40},
            pi_header(),
            pi_entry("session_init", "i1", None, systemPrompt="Be good.", tools=["read"]),
            pi_user("u1", "i1", "go"),
            pi_entry("credential_pin", "p1", "u1"),
            pi_entry("custom", "x1", "p1", customType="tool_execution_start", data={"toolCallId": "c|f"}),
            pi_answer("a1", "x1", ("c|f", "yield")),
            pi_result("r1", "a1", "c|f"),
        )
    )
    assert (t.system, len(t.messages), t.messages[2].tool_results[0].tool_use_id) == ("Be good.", 3, "c|f")
    assert t.records["title"] == t.records["credential_pin"] == 1


def test_hidden_results_are_cleared_and_a_checkpoint_stands_for_what_it_covers(tmp_path):
    t = read(
        put(
            tmp_path,
            pi_header(),
            pi_user("u1", None, "go"),
            pi_answer("a1", "u1", ("t1", "bash")),
            pi_result("r1", "a1", "t1", "long"),
            pi_entry("hidden_range", "h1", "r1", recordIds=["r1"]),
            pi_answer("a2", "h1", "two"),
            pi_entry(
                "compact_checkpoint",
                "k1",
                "a2",
                firstRecordId="a2",
                lastRecordId="a2",
                text="did two",
                coversRecordIds=[],
            ),
            pi_user("u2", "k1", "next"),
        )
    )
    hidden, checkpoint = t.compactions
    assert (hidden.kind, hidden.cleared, hidden.trigger) == ("micro", ("t1",), "hidden-range")
    assert (checkpoint.kind, checkpoint.summary, checkpoint.trigger) == ("full", "did two", "checkpoint")
    assert texts(seen_at(t).messages) == ["did two", "go", '{"n":1}', CLEARED, "next"]


def test_unreadable_lines_and_messages_are_named_and_odd_blocks_kept(tmp_path):
    path = put(tmp_path, pi_header(), pi_user("u1", None, "go"), '{"type":"message"', pi_entry("message", "m1", "u1"))
    with path.open("a") as file:
        file.write('{"type":"message","id":"u2","parentId":"m1","message":{"role":"user","content":[{"type":"new"}]}}')
    t = read(path)
    assert [(u.line, u.reason) for u in t.unread] == [(3, "not JSON"), (4, "a message entry without a message")]
    assert t.messages[1].blocks == (Other("new", '{"type":"new"}'),)


def test_another_header_begins_another_session_and_a_repeated_one_does_not(tmp_path):
    path = put(
        tmp_path, *PI, pi_header(), pi_user("u9", "u2", "more"), pi_header(id="s-2"), pi_user("u1", None, "other")
    )
    first, second = read_all(path)
    assert (first.session_id, second.session_id) == ("s-1", "s-2")
    assert (texts(first.messages)[-1], texts(second.messages)) == ("more", ["other"])
    assert texts(read(path, leaf="u9").messages)[-1] == "more"
