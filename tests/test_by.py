"""Recall by what an atom is: who said it, how far from the end, how often; and what a chain of compactions leaves."""

import json

import msgspec
import pandas as pd
import pytest
from fixture_files import MESSAGES, write_fixture
from runs import graded, project, write_run

from bench.analysis.atoms.by_distance import by_distance, by_distractors, by_times_said
from bench.analysis.atoms.by_speaker import by_speaker
from bench.analysis.atoms.survival import by_compactions, stretches, survival
from bench.atomic import write_bytes
from bench.cli import main
from bench.cli.table import BY
from bench.fixtures import KEY, TRANSCRIPT, sha256_of
from bench.forks.runfile import FixtureMark, encode_run_file
from bench.frames import records
from bench.runs.atoms import atom_places
from bench.runs.index import open_run
from bench.runs.told import TABLES_BY
from bench.runs.words import matrix


def near(value):
    return pytest.approx(value, abs=1e-9)


def places(lines):
    return pd.DataFrame(lines, columns=["fixture", "atom", "distance_tokens", "times_said"])


def test_recall_by_speaker_is_a_mean_over_fixtures_that_have_such_atoms():
    table = graded({"f1": {"a": ["CL", "LL"]}, "f2": {"a": ["CC"]}})
    table["by"] = ["user", "tool", "user", "tool", "user", "user"]
    found = {r["by"]: (r["recall"], r["fixtures"], r["n"]) for r in records(by_speaker(table))}
    # user: f1 (1 + 0) / 2, f2 2 / 2; tool: f1 only
    assert found == {"user": (near(0.75), 2, 3), "tool": (0, 1, 2)}


def test_recall_by_distance_bins_the_tokens_after_the_last_mention():
    at = places([("f1", "a1", 0, 1), ("f1", "a2", 999, 1), ("f1", "a3", 1000, 1), ("f1", "a4", 300_000, 1)])
    found = records(by_distance(graded({"f1": {"a": ["CLCL"]}}), at))
    assert [(r["from_tokens"], r["to_tokens"], r["recall"], r["atoms"]) for r in found] == [
        (0, 1000, 0.5, 2), (1000, 4000, 1, 1), (256_000, None, 0, 1),
    ]  # fmt: skip


def test_an_atom_without_a_place_is_left_out():
    at = places([("f1", "a1", 5, 1), ("f1", "a2", None, None)])
    (line,) = records(by_distance(graded({"f1": {"a": ["CLC"]}}), at))
    assert (line["recall"], line["atoms"]) == (1, 1)


def test_recall_by_how_often_it_was_said_counts_four_and_more_together():
    at = places([("f1", "a1", 0, 1), ("f1", "a2", 0, 4), ("f1", "a3", 0, 9)])
    found = records(by_times_said(graded({"f1": {"a": ["LCL"]}}), at))
    assert [(r["times_said"], r["recall"], r["atoms"]) for r in found] == [(1, 0, 1), (4, 0.5, 2)]


def test_recall_by_near_misses_is_of_facts_that_can_have_some():
    planted = pd.DataFrame(
        {"fixture": ["f1"] * 4, "atom": ["a1", "a2", "a3", "a4"], "distractors": pd.array([0, 2, 2, None], "Int64")}
    )
    found = records(by_distractors(graded({"f1": {"a": ["CLCC"]}}), planted))
    assert [(r["distractors"], r["recall"], r["atoms"]) for r in found] == [(0, 1, 1), (2, 0.5, 2)]


def test_only_made_up_fixtures_tell_of_near_misses(folder, capsys):
    assert main(["table", "tiny", "--by", "distractors"]) == 2
    assert "no fixture of it tells of near misses" in capsys.readouterr().err
    path = folder / "fixtures/f1/factors.csv"
    path.write_text("atom,kind,distractors\na1,number,0\na2,superseded,2\na3,ask,\n")
    assert main(["table", "tiny", "--by", "distractors"]) == 0
    told = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["0", "1", "100.0", "100.0"] in told and ["2", "1", "0.0", "100.0"] in told  # a carries a1 and not a2
    path.write_text("atom,kind,distractors\na1,number,0\na2,superseded,many\n")
    assert main(["table", "tiny", "--by", "distractors"]) == 2
    assert "factors.csv:3: a line has an atom and its distractors" in capsys.readouterr().err


def chained():
    """a1 and a2 of the first stretch; a3 of the second; step 2 loses a1."""
    first, second = graded({"f1": {"a": ["CC"]}}), graded({"f1": {"a": ["LCC"]}}, chain_step=2)
    return pd.concat([first, second], ignore_index=True)


def test_survival_has_a_line_a_step_and_stretch():
    assert stretches(chained())["stretch"].tolist() == [1, 1, 2]
    lines = records(survival(chained()))
    told = [(r["stretch"], r["chain_step"], r["compactions"], r["recall"], r["atoms"]) for r in lines]
    assert told == [(1, 1, 1, 1.0, 2), (1, 2, 2, 0.5, 2), (2, 2, 1, 1.0, 1)]
    after = {r["compactions"]: (r["recall"], r["stretches"]) for r in records(by_compactions(chained()))}
    assert after == {1: (1.0, 2), 2: (0.5, 1)}


def test_a_step_that_nobody_handed_over_may_be_named_from_outside():
    late = graded({"f1": {"a": ["LC"]}}, chain_step=2)
    known = pd.DataFrame({"fixture": ["f1", "f1"], "atom": ["a1", "a2"], "stretch": [1, 1]})
    both = pd.concat([late, graded({"f1": {"a": ["LL"]}}, chain_step=3)], ignore_index=True)
    assert [r["compactions"] for r in records(survival(both, known))] == [2, 3]


def test_one_step_shows_no_survival():
    assert len(survival(graded({"f1": {"a": ["CL"]}}))) == 0


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A project with the run `tiny` over a fixture that stands as the run found it."""
    root = project(tmp_path / "project")
    fixture = write_fixture(root / "fixtures/f1")
    store = write_run(root / "results/tiny", {"f1": {"a": ["CLC"], "b": ["CCC"]}})
    mark = FixtureMark(
        folder="fixtures/f1", transcript_sha256=sha256_of(fixture / TRANSCRIPT), key_sha256=sha256_of(fixture / KEY)
    )
    write_bytes(store.run_file, encode_run_file(msgspec.structs.replace(store.run_json(), fixtures={"f1": mark})))
    monkeypatch.chdir(root)
    return root


@pytest.mark.usefixtures("folder")
def test_places_come_from_the_key_and_the_transcript():
    last = len(MESSAGES[5]["content"][0]["text"])
    middle = len(MESSAGES[3]["content"][0]["text"]) + len(MESSAGES[4]["content"])
    found = {r["atom"]: (r["distance_tokens"], r["times_said"]) for r in records(atom_places(open_run("tiny")))}
    assert found == {"a1": (-(-last // 4), 1), "a2": (-(-(last + middle) // 4), 1), "a3": (0, 1)}


def test_a_changed_transcript_tells_no_places(folder, capsys):
    path = folder / "fixtures/f1" / TRANSCRIPT
    path.write_text(path.read_text() + "\n")
    assert len(atom_places(open_run("tiny"))) == 0
    assert main(["table", "tiny", "--by", "distance"]) == 2
    assert "no fixture stands as the run found it" in capsys.readouterr().err


@pytest.mark.usefixtures("folder")
def test_every_way_to_split_a_table_is_a_command(capsys):
    assert tuple(TABLES_BY) == BY
    told = {}
    for by in set(BY) - {"distractors"}:
        assert main(["table", "tiny", "--by", by]) == 0
        told[by] = capsys.readouterr().out
    assert "0 to 1,000      3  66.7  100.0" in told["distance"] and "user         3  66.7  100.0" in told["speaker"]
    assert "1               3  66.7  100.0" in told["times-said"] and "No chain of compactions was run" in told["step"]
    assert main(["table", "tiny", "--by", "distance", "--json"]) == 0
    assert [line["from_tokens"] for line in json.loads(capsys.readouterr().out)] == [0, 0]


def test_a_table_says_how_many_atoms_a_line_rests_on_where_arms_differ():
    frame = pd.DataFrame({"tag": ["file"] * 2, "name": ["a", "b"], "recall": [0.5, 1.0], "atoms": [4, 9]})
    (line,) = matrix(frame, "tag")
    assert {k: str(v) for k, v in line.items()} == {"tag": "file", "atoms": "4 to 9", "a": "50.0", "b": "100.0"}


def test_a_chain_has_its_table(tmp_path, monkeypatch, capsys):
    from bench.runs import told

    monkeypatch.chdir(project(tmp_path / "project"))
    write_run(tmp_path / "project/results/tiny", {"f1": {"a": ["CC"]}})
    monkeypatch.setattr(told, "TABLES_BY", {"step": lambda *_, **__: survival(chained()).assign(name="a")})
    assert main(["table", "tiny", "--by", "step"]) == 0
    assert "stretch 1, step 2      2   50.0" in capsys.readouterr().out
