"""From a file to its sessions: which reader, what is refused in one line, and what 'bench transcript' prints."""

import json

import pytest
from claude_sessions import answer, boundary, jsonl, result, user, written
from harness_sessions import (
    CODEX,
    COPILOT,
    GEMINI,
    GEMINI_FACTS,
    MINI,
    OPENHANDS,
    OPENHANDS_SDK,
    PI,
    SWE,
    pi_header,
)
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.cli import main
from bench.errors import BenchError
from bench.transcripts import detect, read, read_all, registry
from bench.transcripts.head import read_head
from bench.transcripts.model import Message, Text, Transcript

CLAUDE = [user("u1", None, "go"), answer("a1", "u1", ("t1", "Bash"), id="m1"), result("r1", "a1", "t1")]


@pytest.mark.parametrize(
    ("head", "name"),
    [
        (jsonl(*CLAUDE), "claude-code"),
        (jsonl({"type": "summary", "summary": "x", "leafUuid": "y"}), "claude-code"),
        (jsonl({"type": "file-history-snapshot", "messageId": "x", "snapshot": {}}), "claude-code"),
        (jsonl({"role": "user", "content": "go"}), "anthropic-messages"),
        ('{"messages": []}', "anthropic-messages"),
        ("", None),
        ("hello", None),
        ("{}", None),
        ("[]", None),
    ],
)
def test_the_format_is_told_from_the_beginning_of_a_file(head, name):
    assert detect(head.encode()) == name


OF_EVERY_FORMAT = [
    ("claude-code", jsonl(*CLAUDE)),
    ("pi", jsonl(*PI)),
    ("pi", jsonl({"type": "title", "pad": " "}, pi_header())),
    ("pi", jsonl(pi_header(version=None))),
    ("codex", jsonl(*CODEX)),
    ("codex", jsonl(CODEX[0])),
    ("codex", jsonl({"id": "s"}, {"type": "message", "role": "user", "content": []})),
    ("codex", json.dumps({"session": {"id": "s"}, "items": []})),
    ("gemini-cli", json.dumps({**GEMINI_FACTS, "messages": GEMINI}, indent=1)),
    ("gemini-cli", jsonl(GEMINI_FACTS, *GEMINI)),
    ("copilot-cli", jsonl(*COPILOT)),
    ("openhands", json.dumps(OPENHANDS, indent=1)),
    ("openhands", jsonl(*OPENHANDS)),
    ("openhands", json.dumps(OPENHANDS_SDK)),
    ("openhands", json.dumps({"instance_id": "x", "history": OPENHANDS})),
    ("swe-agent", json.dumps(SWE, indent=1)),
    ("mini-swe-agent", json.dumps(MINI, indent=1)),
    ("mini-swe-agent", json.dumps(MINI["messages"])),
    ("anthropic-messages", json.dumps([{"role": "user", "content": "go"}])),
    ("markdown", "# Chat\n\n## User\n\ngo\n\n## Assistant\n\nok\n"),
]


@pytest.mark.parametrize(("name", "text"), OF_EVERY_FORMAT)
def test_each_format_is_told_by_its_own_reader_alone(name, text):
    head = read_head(text.encode())
    first, *others = [r.name for r in registry.readers() if r.detect(head)]
    # a list of messages may be Messages JSON as well; the marked one is asked first
    assert (first, others) in [(name, []), ("mini-swe-agent", ["anthropic-messages"])]


FOREIGN = [
    ("Qwen", jsonl({"uuid": "u", "sessionId": "s", "type": "user", "message": {"role": "user", "parts": []}})),
    ("OpenCode", json.dumps({"info": {}, "messages": [{"info": {"role": "user"}, "parts": []}]})),
    ("OpenAI", json.dumps([{"role": "system", "content": "x"}, {"role": "user", "content": "y"}])),
    ("OpenAI", json.dumps({"messages": [{"role": "user", "content": "y"}, {"role": "tool", "content": "z"}]})),
]  # fmt: skip


@pytest.mark.parametrize(("name", "text"), FOREIGN)
def test_a_foreign_format_is_refused_by_name_and_never_half_read(tmp_path, name, text):
    path = tmp_path / "session.jsonl"
    path.write_text(text)
    with pytest.raises(BenchError) as caught:
        read_all(path)
    told = str(caught.value)
    assert name in told
    assert all(reader.told in told for reader in registry.readers())
    assert "\n" not in told


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"", "is empty"),
        (b" \n\n", "is empty"),
        (b"hello\nworld\n", "is no session file"),
        (b"\x89PNG\r\n\x1a\n\0\0", "is no session file"),
        (b'{"a": 1}\n', "JSON of no format known here"),
        ('{"a": 1}\n'.encode("utf-16"), "is UTF-16 text; save it as UTF-8"),
    ],
)
def test_what_is_no_session_is_told_in_one_line(tmp_path, data, told):
    path = tmp_path / "x.jsonl"
    path.write_bytes(data)
    with pytest.raises(BenchError, match=told) as caught:
        read(path)
    assert "\n" not in str(caught.value)


def test_a_folder_and_a_missing_file_are_told(tmp_path):
    with pytest.raises(BenchError, match="is a folder"):
        read(tmp_path)
    with pytest.raises(BenchError, match="no such file"):
        read(tmp_path / "x")
    with pytest.raises(BenchError, match="cannot be read"):
        read(tmp_path / "a\0b")


def test_a_session_without_a_message_is_a_session_but_not_one_to_work_on(tmp_path):
    path = written(tmp_path, {"type": "file-history-snapshot", "snapshot": {}})
    assert read_all(path)[0].messages == ()
    with pytest.raises(BenchError, match="holds no message, only 1 file-history-snapshot"):
        read(path)


class Lines:
    """A reader of another package: each line is a message."""

    name = "lines"
    told = "lines of text"

    def detect(self, head):
        return head.records == () and not head.is_document

    def read(self, path):
        message = Message(role="user", author="person", blocks=(Text(path.read_text()),))
        return [Transcript(format=self.name, messages=(message,))]


def test_a_reader_of_another_package_joins_by_entry_point(tmp_path, monkeypatch):
    class Point:
        name = "lines"

        def load(self):
            return Lines

    monkeypatch.setattr("importlib.metadata.entry_points", lambda group: [Point()] if group == registry.GROUP else [])
    registry.further_readers.cache_clear()
    try:
        path = tmp_path / "x.txt"
        path.write_text("hello")
        assert read(path).messages[0].text == "hello"
        monkeypatch.setattr(Point, "load", lambda _: object())
        registry.further_readers.cache_clear()
        with pytest.raises(BenchError, match=r"'lines' of handoff_bench\.readers is no reader"):
            read(path)
    finally:
        registry.further_readers.cache_clear()


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.sampled_from(
        ["", "u1", "u2", "m1", "t1", "user", "assistant", "text", "tool_use", "tool_result", "go"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(
        st.sampled_from(["type", "id", "content", "message", "role", "text", "tool_use_id", "source", "name", "input",
                         "usage", "kind", "prompt", "uuids", "preservedMessages", "compactedToolIds", "data"]),
        inner, max_size=4),
    max_leaves=12,
)  # fmt: skip
odd_records = st.dictionaries(
    st.sampled_from(["uuid", "parentUuid", "logicalParentUuid", "sessionId", "message", "attachment", "data", "role",
                     "operation", "content", "isSidechain", "isMeta", "isCompactSummary", "agentId", "origin", "time",
                     "compactMetadata", "microcompactMetadata", "subtype", "author", "record_ids", "compactions"]),
    values, max_size=8,
)  # fmt: skip
kinds = st.sampled_from([
    {"type": "user"}, {"type": "assistant"}, {"type": "progress"}, {"type": "attachment"}, {"type": "summary"},
    {"type": "queue-operation", "operation": "enqueue"}, {"type": "queue-operation", "operation": "remove"},
    {"type": "system", "subtype": "compact_boundary"}, {"type": "system", "subtype": "microcompact_boundary"}, {},
])  # fmt: skip
FIRST = st.sampled_from([CLAUDE, [{"role": "user", "content": "go"}], []])


@given(FIRST, st.lists(st.builds(lambda r, k: {**r, **k}, odd_records, kinds), max_size=6))
@settings(max_examples=40, deadline=None)
def test_records_of_any_shape_give_a_transcript_or_a_bench_error(tmp_path_factory, first, odd):
    path = tmp_path_factory.mktemp("odd") / "session.jsonl"
    path.write_text(jsonl(*first, *odd))
    try:
        sessions = read_all(path)
    except BenchError:
        return
    for t in sessions:
        assert t.tokens >= 0
        assert all(0 <= c.at <= len(t.messages) for c in t.compactions)


@given(st.binary(max_size=300) | st.binary(max_size=60).map(lambda junk: jsonl(*CLAUDE).encode() + junk))
@settings(max_examples=60, deadline=None)
def test_bytes_of_any_kind_give_a_transcript_or_a_bench_error(tmp_path_factory, data):
    path = tmp_path_factory.mktemp("bytes") / "session.jsonl"
    path.write_bytes(data)
    try:
        read_all(path)
    except BenchError as error:
        assert "\n" not in str(error)


# --- bench transcript -------------------------------------------------------------------------------------------------


def test_the_command_prints_what_a_session_holds(tmp_path, capsys):
    hostile = [boundary("b1", "r1"), user("c1", "b1", "so \x1b[31mfar", isCompactSummary=True), "\x1b]0;title\x07"]
    path = written(tmp_path, *CLAUDE, *hostile)
    assert main(["transcript", str(path)]) == 0
    out = capsys.readouterr().out
    for told in ("claude-code", "4 in the main line", "2 user, 1 assistant, 1 tool calls", "line 6: a string, not"):
        assert told in out
    row = next(line.split() for line in out.splitlines() if " full " in line)
    seen = str(sum(m.tokens for m in read(path).messages[:3]))
    assert row == ["1", "full", "3", "auto", "1,000", "—", "—", seen, "yes", "0", "0"]
    assert "\x1b" not in out


def test_json_is_an_object_and_a_list_for_several_sessions(tmp_path, capsys):
    path = written(tmp_path, *CLAUDE, boundary("b1", "r1"))
    assert main(["transcript", "--json", str(path)]) == 0
    facts = json.loads(capsys.readouterr().out)
    compactions = facts.pop("compactions")
    named = (
        "format",
        "messages",
        "user_messages",
        "assistant_messages",
        "tool_calls",
        "tool_calls_all",
        "tokens",
        "unread",
    )
    assert {name: facts[name] for name in named} == {
        "format": "claude-code", "messages": 3, "user_messages": 1, "assistant_messages": 1, "tool_calls": 1,
        "tool_calls_all": 1, "tokens": 1 + 2 + 1, "unread": [],
    }  # fmt: skip
    # tokens, each message rounded up: 'go' 2/4, '{"n":1}' 7/4, 'done' 4/4
    assert [(c["number"], c["at"], c["summary"], c["tokens_after"]) for c in compactions] == [(1, 3, False, None)]
    other = {**user("v1", None, "hello"), "sessionId": "s-2"}
    assert main(["transcript", "--json", str(written(tmp_path, *CLAUDE, other))]) == 0
    assert [s["session_id"] for s in json.loads(capsys.readouterr().out)] == ["s-1", "s-2"]


def test_a_session_without_a_message_prints_zeros(tmp_path, capsys):
    path = written(tmp_path, {"type": "file-history-snapshot", "snapshot": {}})
    assert main(["transcript", "--json", str(path)]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert [facts[k] for k in ("messages", "user_messages", "tool_calls", "tokens")] == [0, 0, 0, 0]


def test_a_bad_file_among_good_ones_is_named_and_the_others_stand(tmp_path, capsys):
    good = written(tmp_path, *CLAUDE)
    empty = written(tmp_path, name="empty.jsonl")
    assert main(["transcript", str(empty), str(good)]) == 2
    out, err = capsys.readouterr()
    assert "claude-code" in out
    assert err.count("\n") == 1 and "empty.jsonl: is empty" in err


@pytest.mark.parametrize("leaf", ["a1", "z1"])
def test_the_command_takes_another_branch_by_its_leaf(tmp_path, capsys, leaf):
    path = written(tmp_path, *CLAUDE, user("u2", "r1", "rewound"), user("z1", "r1", "again"), answer("z2", "z1", "ok"))
    assert main(["transcript", "--json", "--leaf", "u2", str(path)]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert (facts["messages"], facts["leaf"], [s["id"] for s in facts["sides"]]) == (4, "u2", ["z1"])
    assert main(["transcript", "--json", "--leaf", leaf, str(path)]) == 0
    assert json.loads(capsys.readouterr().out)["leaf"] == "z2"
    assert main(["transcript", str(path)]) == 0
    assert "1 rewound branch(es), 1 messages: u2 (1)" in capsys.readouterr().out


def test_a_leaf_that_is_not_there_is_told(tmp_path, capsys):
    assert main(["transcript", "--leaf", "zz", str(written(tmp_path, *CLAUDE))]) == 2
    assert "holds no record 'zz' to be a leaf" in capsys.readouterr().err
