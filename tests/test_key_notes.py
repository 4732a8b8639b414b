"""Notes that a stored handoff lacked something, offered as drafted atoms of a fixture's key."""

from datetime import UTC, datetime

import pytest
from fixture_files import write_project
from runs import output, write_run
from sessions import compacted as compaction
from sessions import says, summary, transcript, user

from bench.cli import main
from bench.errors import BenchError
from bench.field.feedback import Feedback, write_feedback
from bench.field.noted_atoms import noted_atoms
from bench.field.stored import SessionShelf, open_shelf
from bench.keys import read_key
from bench.project import Project

NOW = datetime(2026, 11, 30, tzinfo=UTC)


def note(text, handoff=1, messages=(), of="s.jsonl"):
    return Feedback(
        time=NOW.isoformat(), of=of, handoff=handoff, name="x", what="missing", note=text, messages=messages
    )


@pytest.fixture
def project(tmp_path, monkeypatch):
    root = write_project(tmp_path / "p")
    monkeypatch.chdir(root)
    return root


SESSION = transcript(
    user("Make the limiter fast."),
    says("It keeps its buckets in memory."),
    user("MAX_BURST stays at 40 tokens."),
    says("Noted."),
    summary("The limiter is fast."),
    user("go on"),
    compactions=(compaction(4, "The limiter is fast.", summary_at=4),),
)


def test_a_note_that_counts_in_the_whole_session_finds_its_message_in_the_fixture(project):
    shelf = SessionShelf(SESSION, "s.jsonl")
    path = project / "results/feedback/s.jsonl"
    write_feedback(path, note("MAX_BURST is 40", messages=(2,)))
    write_feedback(path, note("kubernetes ingress"))
    seen = transcript(*SESSION.messages[1:4])
    found = noted_atoms(shelf, Project(project), "mine", seen)
    assert [(a.id, a.at, a.text) for a in found.atoms] == [("f1", (1,), "MAX_BURST is 40")]
    assert [text for text, _ in found.refused] == ["kubernetes ingress"]


def test_handoffs_without_a_note_are_told(project):
    with pytest.raises(BenchError, match="holds no note; 'bench handoffs feedback' makes them"):
        noted_atoms(SessionShelf(SESSION, "s.jsonl"), Project(project), "mine", SESSION)


def test_the_command_takes_the_notes_on_the_fixture_s_own_handoffs(project, capsys):
    rows = [output("a", fixture="small"), output("a", fixture="other")]
    write_run(project / "results/tiny", {"small": {"a": ["C"]}, "other": {"a": ["C"]}}, rows=rows)
    path = project / "results/tiny/feedback.jsonl"
    shelf = open_shelf("tiny")
    numbers = {shelf.conversation(s.number): s.number for s in shelf.stored()}
    write_feedback(path, note("The config was read first", numbers["small"], of="tiny"))
    write_feedback(path, note("something else", numbers["other"], of="tiny"))
    assert main(["key", "draft", "small", "--merge", "--notes", "tiny"]) == 0
    shown = capsys.readouterr()
    assert "1 note(s) are on handoffs of other fixtures" in shown.err and "1 atoms drafted, 3 kept" in shown.out
    new = read_key(project / "fixtures/small/key.yaml")[0].atoms[3:]
    assert [(a.text, a.at, a.status) for a in new] == [("The config was read first", (1,), "drafted")]
    assert main(["check", "fixtures/small"]) == 0
