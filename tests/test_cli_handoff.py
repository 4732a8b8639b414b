"""`bench handoff` and `bench window` on session files."""

import json

import pytest
from sessions import call, result, says, transcript, user

from bench.cli import main
from bench.transcripts.write import to_jsonl

WORKED = transcript(
    user("Use port 8443."),
    call("t1", "Write", file_path="/app/a.py", content="port = 8443\n"),
    result("t1", "done"),
    says("Done."),
)


@pytest.fixture
def session(tmp_path):
    path = tmp_path / "session.jsonl"
    path.write_text(to_jsonl(WORKED), encoding="utf-8")
    return path


def test_the_handoff_of_a_session_is_printed(session, capsys):
    assert main(["handoff", str(session)]) == 0
    out, err = capsys.readouterr()
    assert out.startswith("## What the tools did\n")
    assert '- Last request: "Use port 8443."' in out
    assert "wrote a summary" in err  # the session was never compacted
    assert main(["handoff", str(session), "--parts", "state", "--pins"]) == 0
    out, err = capsys.readouterr()
    assert out.startswith("## Where things stand\n")
    assert "~~~\nUse port 8443.\n~~~" in out
    assert err == ""


def test_restored_files_come_from_the_transcript_or_a_folder(session, tmp_path, capsys):
    assert main(["handoff", str(session), "--parts", "state", "--restore"]) == 0
    assert "     1\tport = 8443" in capsys.readouterr().out
    assert main(["handoff", str(session), "--parts", "state", "--from", str(tmp_path)]) == 0
    assert "     1\tport = 8443" in capsys.readouterr().out  # the session says no directory, so none is looked up
    assert main(["handoff", str(session), "--from", str(tmp_path / "no")]) == 2
    assert "is no folder" in capsys.readouterr().err


def test_what_kept_files_from_coming_back_is_told(tmp_path, capsys):
    path = tmp_path / "session.jsonl"
    edit = call("t1", "Edit", file_path="/app/a.py", old_string="1", new_string="2")
    path.write_text(to_jsonl(transcript(user("Mend it."), edit, result("t1", "done"))), encoding="utf-8")
    assert main(["handoff", str(path), "--parts", "state", "--restore"]) == 0
    told = "no file was restored: the transcript holds the text of none that a file tool touched; --from DIR reads them"
    assert capsys.readouterr().err.strip() == told
    path.write_text(to_jsonl(WORKED), encoding="utf-8")
    assert main(["handoff", str(path), "--parts", "state", "--restore", "--window", "10"]) == 0
    assert "no file was restored: /app/a.py: needs " in capsys.readouterr().err


def test_json_has_sizes_rows_and_restores(session, capsys):
    assert main(["handoff", str(session), "--parts", "ledger", "--restore", "--json"]) == 0
    got = json.loads(capsys.readouterr().out)
    assert [part["name"] for part in got["parts"]] == ["ledger", "restored"]
    assert got["ledger_chars"] == got["parts"][0]["chars"]
    assert got["rows"][0]["writes"] == ["/app/a.py"]
    assert got["restores"]["files"][0]["came"] == "transcript"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--parts", "commitments"], "the part 'commitments' needs a model"),
        (["--parts", "ledgers"], "the part 'ledgers' is unknown; --parts takes summary, ledger, state"),
        (["--parts", ","], "--parts names no part"),
        (["--at", "1"], "there is no compaction 1"),
        (["--session", "2"], "there is no session 2"),
    ],
)
def test_a_wrong_option_is_told_in_one_line(session, capsys, options, words):
    assert main(["handoff", str(session), *options]) == 2
    err = capsys.readouterr().err
    assert words in err
    assert err.count("\n") == 1


def test_the_window_of_a_session_without_usage_has_dashes(session, capsys):
    assert main(["window", str(session)]) == 0
    out, err = capsys.readouterr()
    assert out.split("\n")[1].split()[:4] == ["1", "fresh", "0", "0"]
    assert "keeps no usage" in err
    assert main(["window", str(session), "--json"]) == 0
    got = json.loads(capsys.readouterr().out)
    assert got["readings"][0]["tokens"] is None
    assert got["weights"] == []


@pytest.mark.shared
def test_every_real_session_has_a_handoff(shared, capsys):
    folder = shared / "transcripts" / "claude-code"
    if not folder.is_dir():
        pytest.skip("BENCH_SHARED holds no transcripts/claude-code")
    for path in sorted(folder.glob("*.jsonl")):
        for options in (["--parts", "ledger,state"], ["--parts", "ledger,state", "--pins", "--restore", "--json"]):
            assert main(["handoff", str(path), *options]) == 0, path.name
            out, err = capsys.readouterr()
            assert "failed" not in err, path.name
            assert out or "nothing to hand over" in err, path.name
            assert "\x1b" not in out, path.name
