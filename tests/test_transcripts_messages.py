"""Messages API JSON in its shapes, and the form in which the bench writes transcripts: what goes out comes back."""

import json
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from bench.errors import BenchError
from bench.transcripts import read, read_all
from bench.transcripts.model import (
    Compaction,
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
from bench.transcripts.write import to_jsonl

MESSAGES = [
    {"role": "user", "content": "go"},
    {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "ls"}}]},
    {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "a.py"}]},
    {"role": "assistant", "content": "done"},
]
BODY = {
    "model": "m",
    "system": [{"type": "text", "text": "Be brief."}],
    "tools": [{"name": "Bash"}],
    "messages": MESSAGES,
}
LOGLINES = {"loglines": [{"type": m["role"], "message": m} for m in MESSAGES]}


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(json.dumps({"messages": MESSAGES}), id="session"),
        pytest.param(json.dumps(BODY, indent=2), id="request-body"),
        pytest.param(json.dumps(MESSAGES, indent=1), id="list"),
        pytest.param(json.dumps(MESSAGES), id="list-on-one-line"),
        pytest.param(json.dumps(LOGLINES, indent=2), id="loglines"),
        pytest.param("\n".join(map(json.dumps, MESSAGES)), id="jsonl"),
        pytest.param("\ufeff" + "\r\n".join(map(json.dumps, MESSAGES)), id="jsonl-bom-crlf"),
    ],
)
def test_every_shape_gives_the_same_messages(tmp_path, text):
    path = tmp_path / "session.json"
    path.write_text(text, encoding="utf-8", newline="")
    t = read(path)
    assert t.format == "anthropic-messages"
    assert [m.blocks for m in t.messages] == [
        (Text("go"),),
        (ToolUse("t1", "Bash", '{"command":"ls"}'),),
        (ToolResult("t1", (Text("a.py"),)),),
        (Text("done"),),
    ]
    assert [m.author for m in t.messages] == ["person", "assistant", "tool", "assistant"]
    assert (t.counts.user, t.counts.assistant, t.tool_calls, t.unread) == (1, 2, 1, ())


def test_a_request_body_keeps_its_system_prompt_and_tools(tmp_path):
    (tmp_path / "body.json").write_text(json.dumps(BODY))
    t = read(tmp_path / "body.json")
    assert (t.system, t.tools_json) == ("Be brief.", '[{"name":"Bash"}]')


def test_blocks_of_another_harness_are_kept_as_they_are(tmp_path):
    file = {"type": "file", "path": "a.py", "content": "x = 1"}
    entry = {"role": "user", "content": [{"type": "text", "text": "see"}, file], "ts": 1_700_000_000_123, "id": "m1"}
    (tmp_path / "s.json").write_text(json.dumps({"messages": [entry]}))
    [m] = read(tmp_path / "s.json").messages
    assert m.blocks[1] == Other("file", json.dumps(file, separators=(",", ":")))
    assert (m.id, m.time) == ("m1", "2023-11-14T22:13:20.123+00:00")


def test_the_servers_own_compaction_is_found(tmp_path):
    compacted = {
        "role": "assistant",
        "content": [{"type": "compaction", "content": "so far"}, {"type": "text", "text": "on"}],
    }
    (tmp_path / "s.json").write_text(json.dumps([*MESSAGES, {"role": "user", "content": "more"}, compacted]))
    t = read(tmp_path / "s.json")
    assert [(c.at, c.trigger, c.summary, c.summary_at) for c in t.compactions] == [(5, "server", "so far", 5)]


def test_a_line_that_is_no_message_is_named(tmp_path):
    (tmp_path / "s.jsonl").write_text(
        "\n".join(map(json.dumps, MESSAGES * 10)) + '\n{"type": "ping"}\n{"role": "user"}\n'
    )
    t = read(tmp_path / "s.jsonl")
    assert len(t.messages) == 40
    assert [u.line for u in t.unread] == [41, 42]


def test_an_empty_list_of_messages_is_a_session_without_a_message(tmp_path):
    (tmp_path / "s.json").write_text('{"messages": []}')
    assert read_all(tmp_path / "s.json")[0].messages == ()
    with pytest.raises(BenchError, match="holds no message"):
        read(tmp_path / "s.json")


# --- what the bench writes --------------------------------------------------------------------------------------------

texts = st.text(st.characters(codec="utf-8"), max_size=12)
ids = st.text("abc123_-", min_size=1, max_size=6)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=5,
)
tool_uses = st.builds(
    ToolUse, ids, ids, st.dictionaries(texts, json_values, max_size=3).map(lambda v: msgspec.json.encode(v).decode())
)
others = st.builds(
    lambda kind, rest: Other(kind, msgspec.json.encode({"type": kind, **rest}).decode()),
    st.sampled_from(["file", "fallback"]),
    st.dictionaries(st.sampled_from("abc"), json_values, max_size=2),
)
images = st.builds(Image, st.sampled_from(["image/png", "application/pdf"]), st.none() | st.just("AA=="))
plain = st.builds(Text, texts)
results = st.builds(ToolResult, ids, st.lists(plain | images | others, max_size=3).map(tuple), st.booleans())
blocks = plain | st.builds(Thinking, texts) | images | tool_uses | results | others
counts = st.integers(0, 10**6)
messages = st.builds(
    Message,
    role=st.sampled_from(["user", "assistant", "system"]),
    author=st.sampled_from(["person", "assistant", "tool", "harness", "compaction"]),
    blocks=st.lists(blocks, max_size=3).map(tuple),
    id=st.none() | ids,
    record_ids=st.lists(ids, max_size=2).map(tuple),
    time=st.none() | st.just("2026-01-02T03:04:05Z"),
    model=st.none() | ids,
    usage=st.none() | st.builds(Usage, counts, counts, counts, counts, counts),
    stop_reason=st.none() | st.just("end_turn"),
    origin=st.none() | st.just("interrupt"),
)


@st.composite
def transcripts(draw):
    found = tuple(draw(st.lists(messages, min_size=1, max_size=5)))
    places = sorted(draw(st.lists(st.integers(0, len(found)), max_size=3)))
    compactions = []
    for at in places:
        micro = draw(st.booleans())
        own = None if micro or at == len(found) else draw(st.none() | st.just(at))
        compactions.append(Compaction(
            at=at, kind="micro" if micro else "full", trigger=draw(st.none() | st.just("auto")),
            summary=None if micro else draw(st.none() | texts) if own is None else found[own].spoken,
            summary_at=own,
            preserved=tuple(range(draw(st.integers(0, at)))), cleared=tuple(draw(st.lists(ids, max_size=2))),
            tokens_before=draw(st.none() | counts), tokens_after=draw(st.none() | counts),
        ))  # fmt: skip
    return Transcript(format="anthropic-messages", messages=found, compactions=tuple(compactions))


@given(transcripts())
@settings(max_examples=40, deadline=None)
def test_what_is_written_reads_back_to_the_same_messages_and_compactions(tmp_path_factory, transcript):
    path = tmp_path_factory.mktemp("written", numbered=True) / "transcript.jsonl"
    path.write_text(to_jsonl(transcript), encoding="utf-8")
    back = read(path)
    assert back.unread == ()
    assert [replace(m, line=None) for m in back.messages] == list(transcript.messages)
    assert [replace(c, line=None) for c in back.compactions] == list(transcript.compactions)


@pytest.mark.shared
def test_real_sessions_go_out_and_come_back(shared: Path, tmp_path):
    for file in sorted((shared / "transcripts" / "claude-code").iterdir()):
        for n, t in enumerate(read_all(file)):
            if not t.messages:
                continue
            path = tmp_path / f"{file.stem}-{n}.jsonl"
            path.write_text(to_jsonl(t), encoding="utf-8")
            back = read(path)
            assert [replace(m, line=None) for m in back.messages] == [replace(m, line=None) for m in t.messages], (
                file.name
            )
            assert [replace(c, line=None, time=None) for c in back.compactions] == [
                replace(c, line=None, time=None) for c in t.compactions
            ], file.name
