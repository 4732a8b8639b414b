"""Looking back into stored handoffs: sections, pages, search, notes and the atoms drafted of them."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from claude_sessions import answer, boundary, result, user, written
from hypothesis import given
from hypothesis import strategies as st

from bench.cli import main
from bench.errors import BenchError
from bench.field.feedback import atom_yaml, drafted_atom, feedback_path, noted, read_feedback, write_feedback
from bench.field.searching import search
from bench.field.stored import SECTIONS, look_up, open_shelf, page
from bench.keys import read_key
from bench.project import Project

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
SUMMARY = "This session is being continued from a previous conversation.\nsrc/limits.py returns 429.\nMAX_BURST is 40."
EDIT = {"type": "tool_use", "id": "t1", "name": "Edit", "input": {"file_path": "src/limits.py", "new_string": "429"}}


@pytest.fixture
def file(tmp_path) -> Path:
    """A session with one compaction: four messages before it, its summary, and one after."""
    return written(
        tmp_path,
        user("u1", None, "never use redis for the limiter, keep it in memory"),
        answer("a1", "u1", "I edit src/limits.py.", EDIT, id="m1"),
        result("r1", "a1", "t1", "src/limits.py updated"),
        answer("a2", "r1", "The limiter returns 429 now.", id="m2"),
        boundary("b", "a2"),
        user("s", "b", SUMMARY, isCompactSummary=True),
        answer("a3", "s", "I go on.", id="m3"),
    )


@pytest.fixture
def run(tmp_path, monkeypatch) -> Path:
    """A run without a model, in a new project that is the working directory."""
    folder = tmp_path / "mine"
    assert main(["init", str(folder)]) == 0
    monkeypatch.chdir(folder)
    Path("sweeps/look.toml").write_text('fixtures = ["quickstart"]\narms = ["window-1k", "nothing"]\n')
    assert main(["run", "look", "--no-grade"]) == 0
    return folder / "results" / "look"


def test_a_session_s_compactions_are_stored_handoffs(file):
    shelf = open_shelf(str(file))
    (stored,) = shelf.stored()
    assert (stored.number, stored.chars, stored.tokens) == (1, len(SUMMARY), -(-len(SUMMARY) // 4))
    assert look_up(shelf)[1] == SUMMARY
    assert "src/limits.py" in look_up(shelf, 1, "ledger")[1]
    assert "keep it in memory" in look_up(shelf, 1, "state")[1]
    assert look_up(shelf, 1, "transcript")[1].startswith("User:\nnever use redis")


def test_a_run_s_outputs_are_stored_handoffs(run):
    shelf = open_shelf("look")
    stored = shelf.stored()
    assert [s.name for s in stored] == ["quickstart/window-1k"]  # the arm 'nothing' hands nothing up
    text = look_up(shelf, 1)[1]
    assert text == next((run / "outputs/quickstart/window-1k").rglob("*.md")).read_text()
    assert open_shelf(str(run)).stored() == stored
    assert look_up(shelf, 1, "transcript")[1]


@pytest.mark.parametrize(
    ("number", "section", "told"),
    [(2, "full", "there is no handoff 2"), (0, "full", "there is no handoff 0"), (1, "commitments", "it has full, ")],
)
def test_what_is_not_stored_is_refused_with_what_is(number, section, told, file):
    with pytest.raises(BenchError, match=told):
        look_up(open_shelf(str(file)), number, section)


def test_a_page_says_its_lines_its_cost_and_where_it_goes_on():
    text = "\n".join(f"line {i}" for i in range(1, 1001))
    first = page(text)
    assert (first.first, first.last, first.lines, first.following) == (1, 400, 1000, 401)
    assert first.tokens == -(-len(first.text) // 4)
    last = page(text, 801)
    assert (last.text.splitlines()[-1], last.following) == ("line 1000", None)
    with pytest.raises(BenchError, match="1000 lines"):
        page(text, 1001)


@given(st.text(alphabet="ab\n", max_size=40), st.integers(1, 5))
def test_the_pages_of_a_text_are_the_text(text, limit):
    first, lines = 1, []
    while first is not None:
        one = page(text, first, limit)
        lines += one.text.split("\n")
        first = one.following
    assert "\n".join(lines) == "\n".join(text.splitlines())


def test_a_pattern_is_sought_in_handoffs_and_transcripts(file):
    shelf = open_shelf(str(file))
    found = search(shelf, "429|redis")
    assert [(h.section, h.line) for h in found.hits][:2] == [("full", 2), ("transcript", 2)]
    for hit in found.hits:
        assert look_up(shelf, hit.handoff, hit.section)[1].splitlines()[hit.line - 1].strip() == hit.text
    assert (len(search(shelf, "429|redis", 1).hits), search(shelf, "429|redis", 1).total) == (1, found.total)
    assert search(shelf, "REDIS").total == 0
    assert search(shelf, "REDIS", ignore_case=True).total == 1
    with pytest.raises(BenchError, match="does not compile"):
        search(shelf, "(")


def test_a_note_is_kept_beside_the_run_or_in_the_project(run, file):
    project = Project(run.parent.parent)
    assert feedback_path(open_shelf("look"), None) == run / "feedback.jsonl"
    path = feedback_path(open_shelf(str(file)), project)
    assert path == project.results / "feedback" / "session.jsonl"
    with pytest.raises(BenchError, match="bench init"):
        feedback_path(open_shelf(str(file)), None)


def test_notes_are_appended_and_read_back(file, tmp_path):
    shelf = open_shelf(str(file))
    notes = [noted(shelf, shelf.stored()[0], text, NOW) for text in ("no redis", "the file")]
    path = tmp_path / "results/feedback/s.jsonl"
    for note in notes:
        write_feedback(path, note)
    assert read_feedback(path) == tuple(notes)
    path.write_text(path.read_text() + "{}\n")
    with pytest.raises(BenchError, match=r"s\.jsonl:3: is no note"):
        read_feedback(path)
    for text, message in (("  ", ()), ("x", (9,))):
        with pytest.raises(BenchError):
            noted(shelf, shelf.stored()[0], text, NOW, messages=message)


def test_a_note_becomes_an_atom_that_its_source_carries(file, tmp_path):
    shelf = open_shelf(str(file))
    note = noted(shelf, shelf.stored()[0], "redis must not be used for the limiter", NOW, tag="constraint")
    atom = drafted_atom(note, shelf.transcript(1))
    assert (atom.at, atom.by, atom.tag, atom.status) == ((0,), "user", "constraint", "drafted")
    path = tmp_path / "key.yaml"
    path.write_text("version: 1\natoms:\n" + atom_yaml(atom))
    assert read_key(path)[0].atoms == (atom,)


def test_a_note_in_words_that_were_never_said_is_no_atom(file):
    shelf = open_shelf(str(file))
    with pytest.raises(BenchError, match="too few words"):
        drafted_atom(noted(shelf, shelf.stored()[0], "kubernetes ingress", NOW), shelf.transcript(1))


def test_the_commands_print_and_note(run, file, capsys):
    assert main(["handoffs", "list", str(file)]) == 0
    assert "compaction 1" in capsys.readouterr().out
    assert main(["handoffs", "show", str(file), "--from", "2", "--limit", "1"]) == 0
    shown = capsys.readouterr()
    assert shown.out == "src/limits.py returns 429.\n"
    assert "lines 2 to 2 of 3" in shown.err and "--from 3 goes on" in shown.err
    assert main(["handoffs", "search", str(file), "memory", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["total"] == 1
    assert main(["handoffs", "feedback", "look", "the limiter is gone", "--wrong"]) == 0
    assert main(["handoffs", "feedback", str(file), "never use redis for the limiter", "--draft"]) == 0
    assert capsys.readouterr().out.startswith("  - id: f1\n")
    assert main(["handoffs", "feedback", "look", "--json"]) == 0
    (note,) = json.loads(capsys.readouterr().out)
    assert (note["of"], note["what"], note["name"]) == ("look", "wrong", "quickstart/window-1k")
    assert set(note) >= {"time", "handoff", "note"}
    assert (run / "feedback.jsonl").exists()


def test_escape_codes_of_a_session_do_not_reach_the_terminal(tmp_path, capsys):
    file = written(
        tmp_path,
        user("u1", None, "go"),
        answer("a1", "u1", "ok", id="m1"),
        boundary("b", "a1"),
        user("s", "b", "This session is being continued \x1b[2Jred", isCompactSummary=True),
        answer("a3", "s", "I go on.", id="m3"),
    )
    for argv in (["show", str(file)], ["search", str(file), "red"]):
        assert main(["handoffs", *argv]) == 0
        assert "\x1b" not in capsys.readouterr().out


def test_sections_are_those_of_the_format():
    assert SECTIONS == ("full", "summary", "ledger", "state", "commitments", "transcript")
