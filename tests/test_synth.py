"""Synthetic fixtures: the same bytes for a seed, an exact key, factors that are true, sizes that are met."""

import csv
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.checks import check_fixture
from bench.cli import main
from bench.errors import BenchError
from bench.fixtures import load_fixture
from bench.synth import SCENARIOS, Request, planned, write_synthetic

FILES = ("transcript.jsonl", "key.yaml", "fixture.yaml", "factors.csv")


def made(folder, **changes):
    request = {"scenario": "web-shop", "turns": 12, "atoms": 30, "seed": 1, **changes}
    return write_synthetic(Request(**request), folder)


def factors(folder):
    with (folder / "factors.csv").open() as file:
        return {row["atom"]: row for row in csv.DictReader(file)}


def test_the_same_seed_gives_the_same_bytes_and_another_one_others(tmp_path):
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        made(tmp_path / name, seed=seed)
    a, b, c = ([(tmp_path / n / f).read_bytes() for f in FILES] for n in "abc")
    assert a == b
    assert all(x != y for x, y in zip(a, c, strict=True))


@given(
    scenario=st.sampled_from(sorted(SCENARIOS)),
    turns=st.integers(3, 40),
    atoms=st.integers(1, 90),
    seed=st.integers(0, 10**6),
)
@settings(max_examples=8, deadline=None)
def test_every_key_passes_the_check(tmp_path_factory, scenario, turns, atoms, seed):
    folder = tmp_path_factory.mktemp("synth") / "made"
    written = made(folder, scenario=scenario, turns=turns, atoms=atoms, seed=seed)
    assert check_fixture(folder) == []
    assert len(written.key.atoms) == atoms == len(factors(folder))


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_a_session_holds_superseded_rejected_and_never_said_facts(tmp_path, scenario):
    key = made(tmp_path / "x", scenario=scenario).key
    assert any(a.stale for a in key.atoms) and any(a.tag == "rejected" for a in key.atoms)
    assert len(key.never) == 4
    assert len({a.tag for a in key.atoms}) >= 9


def test_a_superseded_value_is_said_before_the_change_and_never_after_it(tmp_path):
    made(tmp_path / "x", turns=30)
    fixture = load_fixture(tmp_path / "x")
    texts = [m.text for m in fixture.transcript.messages]
    for atom in (a for a in fixture.key.atoms if a.stale):
        old = [i for i, text in enumerate(texts) if re.search(atom.stale[0].match, text)]
        assert old and max(old) < atom.stale[0].until == atom.at[0]


def test_the_factors_are_true(tmp_path):
    made(tmp_path / "x", turns=30)
    fixture = load_fixture(tmp_path / "x")
    messages, rows = fixture.transcript.messages, factors(tmp_path / "x")
    for atom in fixture.key.atoms:
        row = rows[atom.id]
        assert int(row["distance_messages"]) == len(messages) - 1 - atom.at[-1]
        if row["kind"] != "ask":
            assert int(row["distance_tokens"]) == sum(m.tokens for m in messages[atom.at[-1] :])
            assert int(row["repetitions"]) == len(atom.at)
    assert {row["repetitions"] for row in rows.values()} == {"1", "2", "3"}
    assert {row["distractors"] for row in rows.values()} == {"0", "1", "2", ""}
    far = sorted(int(row["distance_messages"]) for row in rows.values())
    assert far[0] == 0 and far[-1] > 0.8 * len(messages)


@pytest.mark.parametrize("tokens", [2_000, 20_000, 1_000_000])
def test_a_size_that_is_asked_for_is_met_within_a_fifth(tmp_path, tokens):
    turns = max(4, tokens // 5000)
    written = made(tmp_path / "x", turns=turns, atoms=6, tokens=tokens)
    assert abs(written.tokens - tokens) < tokens / 5


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"scenario": "nope"}, "no scenario 'nope'; there are web-shop"),
        ({"turns": 2}, "at least 3 turns"),
        ({"atoms": 0}, "at least 3 turns and 1 atom"),
        ({"atoms": 1000}, "1000 atoms are more than the words of 'web-shop' make"),
    ],
)
def test_what_cannot_be_made_is_told_and_leaves_nothing(tmp_path, changes, told):
    with pytest.raises(BenchError, match=told):
        made(tmp_path / "x", **changes)
    assert list(tmp_path.iterdir()) == []


def test_a_filled_folder_is_left_alone(tmp_path):
    made(tmp_path / "x")
    with pytest.raises(BenchError, match="is there already"):
        made(tmp_path / "x", seed=2)


def test_no_word_of_a_scenario_is_taken_for_one_of_its_options():
    for scenario in SCENARIOS.values():
        words = " ".join(
            (*scenario.components, *scenario.verbs, *scenario.nouns, *scenario.code, *scenario.reasons, scenario.test)
        )
        assert [o for o in scenario.options if re.search(rf"\b{o}\b", words)] == []
        assert len(set(scenario.options)) == len(scenario.options)


def test_a_plan_is_laid_without_writing_anything(tmp_path):
    assert len(planned(Request("build-tool", 5, 10, 1)).planted) == 9
    assert list(tmp_path.iterdir()) == []


def test_the_command_makes_the_fixture_and_listing_stays_as_it_was(tmp_path, monkeypatch, capsys):
    (tmp_path / "bench.toml").write_text("version = 1\n")
    monkeypatch.chdir(tmp_path)
    words = ["fixtures", "synth", "--scenario", "build-tool", "--turns", "5", "--atoms", "8", "--seed", "4"]
    assert main(words) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "next: bench check fixtures/build-tool-4"
    assert main(["fixtures"]) == 0
    assert "build-tool-4" in capsys.readouterr().out
    assert main([*words[:3], "nope", *words[4:]]) == 2


def test_a_size_below_what_the_turns_take_is_said_and_one_below_a_token_refused(tmp_path, capsys):
    argv = ["fixtures", "synth", "--scenario", "web-shop", "--turns", "6", "--atoms", "3", "--seed", "1"]
    assert main([*argv, "--to", str(tmp_path), "--tokens", "50"]) == 0
    out, err = capsys.readouterr()
    assert ", 3 atoms\n" in out and err.startswith("--tokens fills a session up; these turns alone take 1,")
    assert main([*argv, "--to", str(tmp_path), "--tokens", "2000", "--name", "x"]) == 0
    assert capsys.readouterr().err == ""
    assert main([*argv, "--to", str(tmp_path), "--tokens", "-1", "--name", "y"]) == 2
    assert capsys.readouterr().err == "--tokens takes a number of 1 or more\n"
