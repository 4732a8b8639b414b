"""'bench import': a session becomes a fixture folder, whole or not at all; and a key as YAML."""

import hashlib
import json
from pathlib import Path

import pytest
from claude_sessions import answer, boundary, jsonl, result, user, written
from hypothesis import given, settings
from hypothesis import strategies as st

from bench import importing
from bench.checks import check_fixture
from bench.cli import main
from bench.errors import BenchError
from bench.fixtures import load_fixture
from bench.importing import import_session
from bench.keys import Atom, Key, Never, Patterns, Stale, read_key
from bench.keywriting import to_yaml
from bench.transcripts import read

RULE = "Never use Redis in the gateway service, whatever the limiter needs."
COMPACTED = [
    user("u1", None, "write the limiter"),
    answer("a1", "u1", "written", id="m1"),
    boundary("b1", "a1"),
    user("c1", "b1", "so far: the limiter", isCompactSummary=True),
    user("u2", "c1", RULE),
    answer("a2", "u2", ("t1", "Bash"), id="m2"),
    result("r1", "a2", "t1"),
    boundary("b2", "r1"),
    user("c2", "b2", "so far: the limiter without Redis", isCompactSummary=True),
    user("u3", "c2", "and document it"),
]


@pytest.fixture
def session(tmp_path) -> Path:
    return written(tmp_path, *COMPACTED)


def texts(folder: Path) -> list[str]:
    return [m.text for m in read(folder / "transcript.jsonl").messages]


@pytest.mark.parametrize(
    ("options", "messages", "stock"),
    [
        ({}, ["so far: the limiter", RULE, '{"n":1}', "done"], "so far: the limiter without Redis"),
        ({"at": 2}, ["so far: the limiter", RULE, '{"n":1}', "done"], "so far: the limiter without Redis"),
        ({"at": 1}, ["write the limiter", "written"], "so far: the limiter"),
        (
            {"at": 2, "whole": True},
            ["write the limiter", "written", "so far: the limiter", RULE, '{"n":1}', "done"],
            "so far: the limiter without Redis",
        ),
    ],
)
def test_the_fixture_holds_what_the_model_saw_at_the_compaction(session, tmp_path, options, messages, stock):
    made = import_session(session, to=tmp_path / "out", name="real", **options)
    assert texts(made.folder) == messages
    assert (made.folder / "replays" / "stock.md").read_text() == stock


def test_of_several_sessions_the_one_that_holds_the_leaf_is_taken(tmp_path, capsys):
    path = written(
        tmp_path,
        user("u1", None, "first", sessionId="one"), answer("a1", "u1", "yes", id="m1", sessionId="one"),
        user("u2", None, "second", sessionId="two"), answer("a2", "u2", "no", id="m2", sessionId="two"),
    )  # fmt: skip
    assert main(["import", str(path), "--to", str(tmp_path), "--name", "x"]) == 0
    assert "1 more session of the file left aside; --leaf takes one by" in capsys.readouterr().out
    made = import_session(path, leaf="a2", name="y", to=tmp_path)
    assert [m.text for m in made.transcript.messages] == ["second", "no"]
    assert main(["import", str(path), "--to", str(tmp_path), "--name", "z", "--leaf", "a9"]) == 2
    assert "holds no record 'a9' to be a leaf" in capsys.readouterr().err


def test_the_whole_past_keeps_its_earlier_compactions(session, tmp_path):
    made = import_session(session, to=tmp_path, name="real", at=2, whole=True)
    assert [(c.at, c.summary) for c in read(made.folder / "transcript.jsonl").compactions] == [
        (2, "so far: the limiter")
    ]


def test_a_session_without_a_compaction_is_taken_to_its_end_and_has_no_stock_summary(tmp_path):
    made = import_session(written(tmp_path, *COMPACTED[:2]), to=tmp_path, name="real")
    assert texts(made.folder) == ["write the limiter", "written"]
    assert not (made.folder / "replays").exists()


def test_the_folder_is_a_fixture_that_names_no_path(session, tmp_path):
    made = import_session(session, to=tmp_path, name="real")
    fixture = load_fixture(made.folder)
    about = fixture.about
    assert (about.source, about.licence, about.language, about.split) == ("session.jsonl", "unknown", "und", "dev")
    assert about.sha256 == hashlib.sha256((made.folder / "transcript.jsonl").read_bytes()).hexdigest()
    assert about.tokens == fixture.transcript.tokens
    assert fixture.key == made.key
    # the rule is the last thing typed before the compaction, so it is drafted as the last request, once
    assert [(a.tag, a.at) for a in fixture.key.atoms if "Redis" in a.text] == [("ask", (1,))]
    assert str(tmp_path) not in (made.folder / "fixture.yaml").read_text()


def test_a_request_body_keeps_its_system_prompt_and_tools(tmp_path):
    path = tmp_path / "body.json"
    tools, messages = [{"name": "X", "input_schema": {}}], [{"role": "user", "content": "go"}]
    path.write_text(json.dumps({"system": "Be brief.", "tools": tools, "messages": messages}))
    made = import_session(path, to=tmp_path, name="real")
    assert load_fixture(made.folder).system == "Be brief."
    assert json.loads((made.folder / "tools.json").read_text()) == [{"name": "X", "input_schema": {}}]


def test_tools_in_another_form_become_definitions_and_one_without_a_schema_stays_out(tmp_path):
    function = {"name": "run", "description": "Runs it.", "parameters": {"type": "object"}, "strict": True}
    tools = [{"type": "function", "function": function}, {"type": "web_search_20250305", "name": "web_search"}, 3]
    path = tmp_path / "body.json"
    for recorded, kept in (
        (tools, [{"name": "run", "description": "Runs it.", "input_schema": {"type": "object"}}]),
        ([{"name": "web_search"}], None),
    ):
        path.write_text(json.dumps({"tools": recorded, "messages": [{"role": "user", "content": "Never use npm."}]}))
        made = import_session(path, to=tmp_path, name=f"of-{len(recorded)}")
        assert check_fixture(made.folder) == []
        written_tools = made.folder / "tools.json"
        assert (json.loads(written_tools.read_text()) if written_tools.exists() else None) == kept


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"at": 3}, "there is no compaction 3: the session has 2"),
        ({"at": 0}, "there is no compaction 0: the session has 2"),
        ({"name": "a/b"}, "no plain name"),
        ({"name": ".."}, "no plain name"),
        ({"name": "full"}, "is there already"),
    ],
)
def test_what_cannot_be_made_is_told_and_leaves_nothing(session, tmp_path, options, told):
    out = tmp_path / "out"
    (out / "full").mkdir(parents=True)
    (out / "full" / "x").write_text("mine")
    with pytest.raises(BenchError, match=told):
        import_session(session, to=out, **options)
    assert [p.name for p in out.rglob("*")] == ["full", "x"]


def test_an_empty_folder_is_filled_and_a_failure_half_way_leaves_nothing(session, tmp_path, monkeypatch):
    out = tmp_path / "out"
    (out / "real").mkdir(parents=True)

    def broken(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(importing, "to_yaml", broken)
    with pytest.raises(BenchError, match="cannot be written: No space left on device"):
        import_session(session, to=out, name="real")
    assert list(out.rglob("*")) == [out / "real"]
    monkeypatch.undo()
    import_session(session, to=out, name="real")
    assert sorted(p.name for p in out.iterdir()) == ["real"]
    assert (out / "real" / "key.yaml").is_file()


def test_a_session_without_a_message_is_no_fixture(tmp_path):
    with pytest.raises(BenchError, match="holds no message, only 1 file-history-snapshot"):
        import_session(written(tmp_path, {"type": "file-history-snapshot", "snapshot": {}}), to=tmp_path)


def test_the_name_comes_from_the_file_and_the_place_from_the_project(tmp_path, monkeypatch):
    (tmp_path / "bench.toml").write_text("")
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "my session (1).jsonl"
    path.write_text(jsonl(*COMPACTED))
    made = import_session(path)
    assert made.folder.relative_to(tmp_path) == Path("fixtures/my-session-1")


def test_the_command_says_what_was_made_what_to_type_next_and_to_look_through_it(session, tmp_path, capsys):
    assert main(["import", str(session), "--at", "2", "--name", "real", "--to", str(tmp_path)]) == 0
    out, err = capsys.readouterr()
    assert "4 messages" in out and "compaction 2 of 2" in out
    assert "  replays/stock.md  the summary of the harness there\n" in out
    assert out.splitlines()[-1].startswith("next: bench check ")
    assert err.count("\n") == 1 and "look through the transcript before you share it" in err
    assert main(["import", str(session), "--name", "real", "--to", str(tmp_path)]) == 2
    assert "is there already" in capsys.readouterr().err


def test_a_session_without_anything_to_draft_says_to_write_atoms(tmp_path, capsys):
    path = written(tmp_path, user("u1", None, "ok"), answer("a1", "u1", "yes", id="m1"))
    assert main(["import", str(path), "--name", "real", "--to", str(tmp_path)]) == 0
    out = capsys.readouterr().out
    assert "0 drafted atoms" in out
    assert "  replays/stock.md  not made: the file holds no summary of the harness there\n" in out
    assert out.splitlines()[-1].startswith("next: write atoms into ")


# --- a key as YAML ----------------------------------------------------------------------------------------------------

texts_ = st.text(max_size=20)
patterns = st.text(st.characters(exclude_categories=["Cc", "Cs"]), min_size=1, max_size=12)
several = st.lists(patterns, max_size=3).map(tuple)
atoms = st.builds(
    Atom,
    id=st.sampled_from(["a1", "yes", "a-1", "12", "ä"]),
    tag=st.sampled_from(["ask", "number"]),
    text=st.text(st.characters(exclude_categories=["Cs"]), max_size=20),
    importance=st.sampled_from(["vital", "okay"]),
    by=st.sampled_from(["user", "tool"]),
    at=st.lists(st.integers(0, 99), max_size=3).map(tuple),
    accept=st.builds(Patterns, several, several),
    stale=st.lists(st.builds(Stale, patterns, st.integers(0, 99)), max_size=2).map(tuple),
    wrong=several,
    weight=st.sampled_from([1.0, 2.5, 1e-7]),
    probe=st.none() | patterns,
    status=st.sampled_from(["drafted", "reviewed"]),
)
nevers = st.builds(Never, id=st.just("n1"), text=patterns, match=several)


@given(
    st.builds(
        Key,
        version=st.just(1),
        atoms=st.lists(atoms, max_size=3).map(tuple),
        never=st.lists(nevers, max_size=2).map(tuple),
    )
)
@settings(max_examples=40, deadline=None)
def test_a_key_written_as_yaml_reads_back_equal(tmp_path_factory, key):
    path = tmp_path_factory.mktemp("key") / "key.yaml"
    path.write_text(to_yaml(key), encoding="utf-8", newline="")
    assert read_key(path)[0] == key


def test_patterns_stand_in_single_quotes():
    key = Key(version=1, atoms=(Atom(
        id="a1", tag="number", text="It's 5.", importance="okay", by="user", at=(1, 2),
        accept=Patterns(all=(r"\b5\b",), any=("don't", "x" * 120)),
    ),))  # fmt: skip
    assert to_yaml(key) == (
        "version: 1\natoms:\n  - id: a1\n    tag: number\n    text: 'It''s 5.'\n    importance: okay\n    by: user\n"
        "    at: [1, 2]\n    accept:\n      all: ['\\b5\\b']\n      any:\n        - 'don''t'\n"
        f"        - '{'x' * 120}'\n    status: drafted\n"
    )
