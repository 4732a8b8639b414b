"""'bench import --at K' of harnesses other than Claude Code: what the model saw at a compaction, and its summary."""

import pytest
from harness_sessions import (
    CODEX,
    codex_item,
    codex_line,
    codex_says,
    pi_answer,
    pi_entry,
    pi_header,
    pi_user,
    put,
)

from bench.errors import BenchError
from bench.fixtures import load_fixture
from bench.importing import import_session

PI = [
    pi_header(),
    pi_user("u1", None, "write the limiter"),
    pi_answer("a1", "u1", "written"),
    pi_user("u2", "a1", "test it"),
    pi_entry("compaction", "c1", "u2", summary="the limiter is written", firstKeptEntryId="u2", tokensBefore=900),
    pi_answer("a2", "c1", "tested"),
    pi_entry("compaction", "c2", "a2", summary="written and tested", firstKeptEntryId="a2", tokensBefore=950),
    pi_user("u3", "c2", "document it"),
]
CODEX_SESSION = [
    CODEX[0],
    codex_says("developer", "stay in the sandbox"),
    codex_says("user", "write the limiter"),
    codex_says("assistant", "written"),
    codex_line(
        "compacted",
        message="",
        replacement_history=[
            codex_says("user", "write the limiter")["payload"],
            codex_item("compaction", encrypted_content="xxx")["payload"],
        ],
    ),
    codex_says("user", "test it"),
    codex_says("assistant", "tested"),
    codex_line("compacted", message="written and tested", replacement_history=[]),
    codex_says("user", "document it"),
]
CASES = [
    (PI, 1, ["write the limiter", "written", "test it"], "the limiter is written"),
    (PI, 2, ["the limiter is written", "test it", "tested"], "written and tested"),
    # an encrypted summary is not in the file: the prompt that stayed, and what came after
    (CODEX_SESSION, 1, ["stay in the sandbox", "write the limiter", "written"], None),
    (CODEX_SESSION, 2, ["write the limiter", "test it", "tested"], "written and tested"),
]


@pytest.mark.parametrize(("lines", "at", "seen", "stock"), CASES)
def test_the_fixture_holds_what_the_model_saw_and_the_harness_s_own_summary(tmp_path, lines, at, seen, stock):
    made = import_session(put(tmp_path, *lines), at=at, to=tmp_path, name="real")
    fixture = load_fixture(made.folder)
    assert [m.text for m in fixture.transcript.messages] == seen
    replay = made.folder / "replays" / "stock.md"
    assert (replay.read_text() if replay.is_file() else None) == stock
    assert (made.at, made.compactions) == (at, 2)


def test_the_whole_past_keeps_its_compactions_and_the_system_prompt_its_file(tmp_path):
    made = import_session(put(tmp_path, *CODEX_SESSION), at=2, whole=True, to=tmp_path, name="real")
    fixture = load_fixture(made.folder)
    assert [(c.at, c.summary) for c in fixture.transcript.compactions] == [(3, None)]
    assert (fixture.system, fixture.about.harness) == ("Be good.", "codex 0.142.2")


def test_a_compaction_that_is_not_there_is_told(tmp_path):
    with pytest.raises(BenchError, match="there is no compaction 3: the session has 2"):
        import_session(put(tmp_path, *PI), at=3, to=tmp_path, name="real")
