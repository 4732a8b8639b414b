"""Compactions that only cleared tool results: 'bench transcript' and 'bench import' tell one story of them."""

import json

import pytest
from claude_sessions import answer, record, result, user, written

from bench.cli import main

LONG = "x" * 4000


@pytest.fixture
def session(tmp_path):
    call = {"type": "tool_use", "id": "t1", "name": "Read", "input": {"file_path": "a.py"}}
    return written(
        tmp_path,
        user("u1", None, "Please read the parser module."),
        answer("a1", "u1", call, id="m1"),
        result("r1", "a1", "t1", LONG),
        record(
            "system", "b1", "r1", subtype="microcompact_boundary",
            microcompactMetadata={"trigger": "auto", "compactedToolIds": ["t1"]},
        ),
        user("u2", "b1", "Now go on with the tokenizer."),
    )  # fmt: skip


def test_both_commands_say_how_large_it_was_and_what_was_seen_of_it(session, tmp_path, capsys):
    assert main(["transcript", "--json", str(session)]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["tokens"] - facts["tokens_seen"] == 1000 - 9  # the note in its place has 33 characters
    assert main(["transcript", str(session)]) == 0
    told = capsys.readouterr().out
    whole, seen = (f"{facts[name]:,}" for name in ("tokens", "tokens_seen"))
    assert f"{whole} in the main line, {seen} of it seen by the model at the end" in told
    assert "compactions  0 full, 1 micro (1 tool results cleared, nothing summed up)" in told
    assert main(["import", str(session), "--to", str(tmp_path / "f"), "--name", "f"]) == 0
    made = capsys.readouterr().out
    assert f"4 messages, {seen} tokens, up to its end" in made
    assert f"of 4 messages, {whole} tokens in the session's main line; compactions 0 full, 1 micro" in made


def test_a_micro_compaction_has_no_number_to_import_at(session, tmp_path, capsys):
    assert main(["import", str(session), "--at", "1", "--to", str(tmp_path / "f")]) == 2
    assert "there is no compaction 1: the session has none" in capsys.readouterr().err
