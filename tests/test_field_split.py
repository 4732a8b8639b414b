"""A live split: draws that anyone can repeat, rows taken in whole, arms compared as observations."""

from __future__ import annotations

import json

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.json import decode

from bench.cli import main
from bench.errors import BenchError
from bench.field.feedback import Feedback
from bench.field.live_rows import LiveReading, LiveRow, import_rows, read_stored, store
from bench.field.observed import arms_observed, observed, observed_frame
from bench.field.split import Chain, Design, assign, chain_after, planned, read_design
from bench.frames import records

DESIGN = """\
version = 1
name = "week"
seed = 7
control = "stock"
longest_chain = 2

[arms]
stock = 1
inventory = 3
"""
ARMS = {"stock": 1.0, "inventory": 3.0}


def design(**more):
    return Design(version=1, name="week", arms=more.pop("arms", ARMS), **more)


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "week.toml"
    path.write_text(DESIGN)
    return path


def test_a_design_is_read(file):
    assert read_design(file) == design(seed=7, control="stock", longest_chain=2)


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("inventory = 3", "inventory = -1", ":7: weights are 0 or more"),
        ("inventory = 3", '"../x" = 1', "no plain name"),
        ('control = "stock"', 'control = "none"', ":4: the control 'none' is none of the arms"),
        ('control = "stock"\n', "", "longest_chain is 1 or more, and needs a control"),
        ("longest_chain", "longest_chian", "unknown field"),
        ("version = 1", "version = 2", "version"),
    ],
)
def test_a_bad_design_is_told_with_its_line(old, new, told, file):
    file.write_text(DESIGN.replace(old, new))
    with pytest.raises(BenchError) as error:
        read_design(file)
    assert told in str(error.value)


def test_the_same_draw_comes_out_everywhere():
    # sha256 of '["week",7,"s1",1]', its first 53 bits over 2**53
    one = assign(design(seed=7), "s1")
    assert (one.arm, round(one.draw, 5)) == ("inventory", 0.06353)
    assert assign(design(seed=7, arms=dict(reversed(ARMS.items()))), "s1") == one


@given(st.text(max_size=20), st.integers(0, 50))
def test_a_draw_is_a_function_of_design_session_and_chain(session, done):
    chain = Chain(compactions=done)
    one = assign(design(), session, chain)
    assert one == assign(design(), session, chain)
    assert 0 <= one.draw < 1 and one.arm in ARMS and one.compaction == done + 1
    assert assign(design(unit="session"), session).arm == assign(design(unit="session"), session, chain).arm


def test_arms_come_by_their_weights_and_one_of_weight_0_never():
    drawn = [assign(design(arms={**ARMS, "off": 0.0}), f"s{i}").arm for i in range(2000)]
    # 3 in 4, with a standard error of sqrt(0.75 * 0.25 / 2000) = 0.0097
    assert abs(drawn.count("inventory") / 2000 - 0.75) < 4 * 0.0097
    assert "off" not in drawn


def test_after_the_longest_chain_the_control_has_its_turn():
    only = design(arms={"stock": 0.0, "inventory": 1.0}, control="stock", longest_chain=2)
    plan = planned(only, "s1", 6)
    assert [(a.arm, a.why) for a in plan] == [
        ("inventory", "drawn"), ("inventory", "drawn"), ("stock", "chain"),
        ("inventory", "drawn"), ("inventory", "drawn"), ("stock", "chain"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("delivered", "chain"),
    [([], (0, 0)), ([True, True], (2, 2)), ([True, False], (2, 0)), ([True, False, True], (3, 1))],
)
def test_the_chain_is_of_handoffs_that_were_delivered(delivered, chain):
    after = chain_after(delivered)
    assert (after.compactions, after.handoffs) == chain


ROW = {
    "at": "2026-11-01T10:00:00.000Z", "sessionId": "s1", "model": "claude-sonnet-5", "trigger": "auto",
    "messagesIn": 120, "messagesOut": 9, "ab": {"arm": "inventory", "design": "week", "n": 1}, "outcome": "handoff",
    "usage": {"inputTokens": 4, "outputTokens": 900, "cacheReadInputTokens": 90000, "cacheCreationInputTokens": 12},
    "forkInput": {"sent": 90016, "contextTokens": 91000, "matchesContext": True}, "costUsd": 0.02,
    "restore": {"restored": 2, "chars": 800}, "elapsedMs": 61000, "odd": {"x": [1]}, "aborted": None,
}  # fmt: skip
READING = {
    "at": "2026-11-01T10:01:00.000Z", "session": "s1", "turn": 1, "phase": "post-compact", "compaction": 1,
    "tokens": 31000, "window": 200000, "handoffChars": 9000,
}  # fmt: skip


def lines(path, *rows):
    path.write_text("".join((r if isinstance(r, str) else json.dumps(r)) + "\n" for r in rows))
    return path


def test_a_row_is_read_into_the_bench_s_names_and_nothing_is_lost(tmp_path):
    imported = import_rows(lines(tmp_path / "rows.jsonl", ROW, READING))
    (row,) = imported.rows
    assert (row.arm, row.design, row.handoff, row.messages_in, row.messages_out) == ("inventory", "week", True, 120, 9)
    assert (row.input_tokens, row.output_tokens, row.cache_read_tokens, row.cache_write_tokens) == (4, 900, 90000, 12)
    assert (row.charged_input_tokens, row.context_tokens, row.matches_context) == (90016, 91000, True)
    assert (row.restored_files, row.restored_chars, row.usd, row.elapsed_ms) == (2, 800, 0.02, 61000)
    assert decode(row.more["odd"]) == {"x": [1]}
    assert decode(row.more["ab"])["n"] == 1
    (reading,) = imported.readings
    assert (reading.turn, reading.phase, reading.tokens) == (1, "post-compact", 31000)
    assert decode(reading.more["handoffChars"]) == 9000


def test_a_value_of_another_kind_is_kept_and_not_guessed(tmp_path):
    (row,) = import_rows(lines(tmp_path / "rows.jsonl", {**ROW, "messagesIn": "many", "usage": [1]})).rows
    assert (row.messages_in, row.input_tokens) == (None, None)
    assert (decode(row.more["messagesIn"]), decode(row.more["usage"])) == ("many", [1])


def test_a_line_that_is_no_row_is_told(tmp_path):
    path = lines(tmp_path / "rows.jsonl", "nope", {"hello": 1}, {**ROW, "sessionId": None}, "", ROW)
    imported = import_rows(path)
    assert [u.line for u in imported.unread] == [1, 2, 3]
    assert "does not say its session" in imported.unread[2].reason
    assert len(imported.rows) == 1
    with pytest.raises(BenchError, match="cannot be read"):
        import_rows(tmp_path / "none.jsonl")


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(["arm", "sent", "more"]), inner),
    max_leaves=4,
)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.dictionaries(st.sampled_from([*ROW, *READING, "more", "x"]), json_values), max_size=4))
def test_no_row_breaks_the_import_and_storing_reads_back_the_same(tmp_path_factory, rows):
    folder = tmp_path_factory.mktemp("rows")
    imported = import_rows(lines(folder / "given.jsonl", *rows))
    assert len(imported.rows) + len(imported.readings) + len(imported.unread) == len(rows)
    store(folder / "kept", imported)
    kept = read_stored(folder / "kept")
    assert {msgspec.json.encode(r) for r in kept.rows} <= {msgspec.json.encode(r) for r in imported.rows}
    assert store(folder / "kept", kept) == (0, 0)


def test_a_row_is_taken_in_once(tmp_path):
    imported = import_rows(lines(tmp_path / "rows.jsonl", ROW, READING))
    assert store(tmp_path / "kept", imported) == (1, 1)
    assert store(tmp_path / "kept", imported) == (0, 0)
    assert read_stored(tmp_path / "kept").rows == imported.rows


def row(session, time, arm, outcome="handoff", **more):
    return LiveRow(time=f"2026-11-01T{time}:00Z", session=session, arm=arm, design="week", outcome=outcome, **more)


def reading(session, time, tokens, turn=1, phase="post-compact"):
    return LiveReading(time=f"2026-11-01T{time}:00Z", session=session, turn=turn, phase=phase, tokens=tokens)


ROWS = [
    row("s1", "10:00", "inventory", usd=0.02),
    row("s1", "11:00", None, "subagent"),  # another conversation's: it ends nothing
    row("s1", "12:30", "stock", "stock"),
    row("s2", "10:00", "inventory", "mismatch", usd=0.04),
]
READINGS = [
    reading("s1", "09:00", 90_000, phase="fresh"),
    reading("s1", "10:01", 31_000),
    reading("s1", "10:05", 33_000, turn=2),
    reading("s1", "12:31", 42_000, phase="stock-compact"),
    reading("s2", "10:02", 35_000),
]
NOTE = Feedback(
    time="2026-11-01T11:00:00+00:00", of="s1.jsonl", handoff=1, name="compaction 1", what="missing", note="no redis"
)


def test_what_was_seen_after_each_compaction():
    seen = observed(ROWS, READINGS, [NOTE])
    assert [(s.arm, s.first_turn_tokens, s.hours_to_next, s.notes, s.handoff) for s in seen] == [
        ("inventory", 31_000, 2.5, 1, True),
        ("stock", 42_000, None, 0, False),
        ("inventory", 35_000, None, 0, False),
    ]


def test_arms_are_compared_as_they_were_drawn():
    inventory, stock = records(arms_observed(observed_frame(observed(ROWS, READINGS, [NOTE]))))
    assert inventory == {
        "design": "week", "arm": "inventory", "compactions": 2, "sessions": 2, "handoffs": 1,
        "first_turn_tokens": 33_000.0,  # the median of 31,000 and 35,000
        "hours_to_next": 2.5, "last": 1, "usd": pytest.approx(0.03), "notes": 0.5,
    }  # fmt: skip
    assert (stock["usd"], stock["hours_to_next"], stock["last"]) == (None, None, 1)


def test_no_rows_are_no_arms():
    assert records(arms_observed(observed_frame(()))) == []


def test_the_commands(tmp_path, monkeypatch, capsys, file):
    (tmp_path / "bench.toml").write_text("")
    monkeypatch.chdir(tmp_path)
    assert main(["split", "assign", str(file), "s1", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)[0]["compaction"] == 1
    assert main(["split", "import", str(lines(tmp_path / "rows.jsonl", ROW, READING, "nope"))]) == 0
    assert "rows.jsonl:3: is no JSON object" in capsys.readouterr().err
    assert main(["split", "assign", str(file), "s1", "--json"]) == 0
    (next_,) = json.loads(capsys.readouterr().out)
    assert (next_["compaction"], next_["chain"]) == (2, {"compactions": 1, "handoffs": 1})
    assert main(["split", "assign", str(file), "s1", "--compactions", "3"]) == 0
    assert main(["split", "table", "--json"]) == 0
    told = capsys.readouterr()
    assert "observations" in told.err
    assert main(["split", "table", "--rows"]) == 0
    assert "inventory" in capsys.readouterr().out
    assert main(["split", "table", "--design", "other"]) == 0
    assert "no row of a split" in capsys.readouterr().err
