"""The two longer shipped fixtures: sound, of the size they say, and graded as a reader would grade them.

Whole handoffs stand in `shipped_handoffs/`: faithful ones, which say everything in words of their own, and inverted
ones, which name the same things and get each of them wrong.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import get_args

import msgspec
import pytest
from shipped import SHIPPED, shipped, verdict
from shipped_sentences_large import FLAKY_CI, INVENTED, KALENDER_IMPORT, TOPICS, Row
from shipped_sentences_readers import READERS

from bench.grading.lexical import grade
from bench.keys import Tag

HANDOFFS = Path(__file__).parent / "shipped_handoffs"
TABLES = {"flaky-ci": FLAKY_CI, "kalender-import": KALENDER_IMPORT}
NAMED_BY_THE_ASSISTANT = {"flaky-ci": set(), "kalender-import": {"k06"}}
"""Atoms that a person established without naming the thing: 'that would be one more dependency, so no'."""


def graded(name: str, text: str) -> dict[str, set[str]]:
    """The ids of the fixture's atoms by verdict on `text`."""
    findings, _ = grade(text, shipped(name).key)
    return {v: {f.atom for f in findings if f.verdict == v} for v in ("carried", "absent", "stale", "wrong")}


def test_the_records_form_one_chain_in_time() -> None:
    for name in TABLES:
        records = [json.loads(line) for line in (SHIPPED / name / "transcript.jsonl").read_text().splitlines()]
        assert [r["parentUuid"] for r in records] == [None, *(r["uuid"] for r in records[:-1])]
        times = [r["timestamp"] for r in records]
        assert times == sorted(times)


def test_flaky_ci_holds_what_nobody_typed() -> None:
    origins = Counter(m.origin for m in shipped("flaky-ci").transcript.messages if m.author == "harness")
    assert origins["interrupt"] >= 1
    assert origins["system-reminder"] >= 1
    assert any("<command-name>" in m.text for m in shipped("flaky-ci").transcript.messages)


@pytest.mark.parametrize(
    ("name", "stale", "wrong", "never"),
    [("flaky-ci", 6, 5, 5), ("kalender-import", 2, 2, 3)],
)
def test_a_shipped_key_has_every_kind_of_trap(name: str, stale: int, wrong: int, never: int) -> None:
    key = shipped(name).key
    assert {a.by for a in key.atoms} == {"user", "assistant", "tool"}
    assert {a.importance for a in key.atoms} == {"vital", "okay"}
    assert sum(bool(a.stale) for a in key.atoms) >= stale
    assert sum(bool(a.wrong) for a in key.atoms) >= wrong
    assert len(key.never) >= never


def test_flaky_ci_has_every_tag() -> None:
    assert {a.tag for a in shipped("flaky-ci").key.atoms} == set(get_args(Tag))


@pytest.mark.parametrize("name", TABLES)
def test_facts_stand_in_every_third_of_the_session(name: str) -> None:
    fixture = shipped(name)
    third = len(fixture.transcript.messages) / 3
    assert {int(min(a.at) // third) for a in fixture.key.atoms} == {0, 1, 2}


@pytest.mark.parametrize("name", TABLES)
def test_a_stale_value_was_said_before_it_was_replaced(name: str) -> None:
    fixture = shipped(name)
    for atom in fixture.key.atoms:
        for old in atom.stale:
            said = msgspec.structs.replace(atom, accept=type(atom.accept)(any=(old.match,)), stale=(), wrong=())
            before = "\n\n".join(m.text for m in fixture.transcript.messages[: old.until])
            ((finding,), _) = grade(before, msgspec.structs.replace(fixture.key, atoms=(said,), never=()))
            assert finding.verdict == "carried", f"{atom.id}: {old.match} is not said before message {old.until}"


@pytest.mark.parametrize(("atom", "expected", "text"), FLAKY_CI)
def test_flaky_ci_is_graded_as_a_reader_would(atom: str, expected: str, text: str) -> None:
    assert verdict("flaky-ci", atom, text) == expected


@pytest.mark.parametrize(("atom", "expected", "text"), KALENDER_IMPORT)
def test_kalender_import_is_graded_as_a_reader_would(atom: str, expected: str, text: str) -> None:
    assert verdict("kalender-import", atom, text) == expected


@pytest.mark.parametrize(
    ("fixture", "atom", "expected", "text"), [(name, *row) for name, table in READERS.items() for row in table]
)
def test_sentences_of_readers_who_never_saw_a_pattern_are_graded_as_meant(
    fixture: str, atom: str, expected: str, text: str
) -> None:
    assert verdict(fixture, atom, text) == expected


@pytest.mark.parametrize("name", READERS)
def test_a_true_sentence_invents_nothing_and_makes_no_other_atom_wrong_or_stale(name: str) -> None:
    for _, expected, text in READERS[name]:
        if expected == "carried":
            findings, inventions = grade(text, shipped(name).key)
            assert (text, inventions) == (text, ())
            assert (text, [f.atom for f in findings if f.verdict in ("wrong", "stale")]) == (text, [])


def test_the_shipped_keys_hold_enough_traps_together() -> None:
    keys = [shipped(name).key for name in READERS]
    assert sum(bool(a.stale) for k in keys for a in k.atoms) >= 12
    assert sum(bool(a.wrong) for k in keys for a in k.atoms) >= 12
    assert sum(len(k.never) for k in keys) >= 12


@pytest.mark.parametrize(("fixture", "table"), TABLES.items())
def test_every_vital_atom_stands_in_the_table_with_paraphrases_and_near_misses(fixture: str, table: list[Row]) -> None:
    vital = {a.id for a in shipped(fixture).key.atoms if a.importance == "vital"}
    caught = Counter(atom for atom, expected, _ in table if expected == "carried")
    missed = Counter(atom for atom, expected, _ in table if expected != "carried")
    assert {a for a in vital if caught[a] < 3 or missed[a] < 2} == set()


@pytest.mark.parametrize("name", TABLES)
def test_an_atoms_own_text_carries_it(name: str) -> None:
    assert [a.id for a in shipped(name).key.atoms if verdict(name, a.id, a.text) != "carried"] == []


@pytest.mark.parametrize(
    "file",
    ["flaky-ci.prose", "flaky-ci.inventory", "kalender-import.german", "kalender-import.english"],
)
def test_a_faithful_handoff_in_other_words_carries_every_atom(file: str) -> None:
    name = file.split(".")[0]
    text = (HANDOFFS / f"{file}.md").read_text()
    assert graded(name, text)["carried"] == {a.id for a in shipped(name).key.atoms}
    assert grade(text, shipped(name).key)[1] == ()


@pytest.mark.parametrize("name", TABLES)
def test_a_handoff_that_gets_everything_wrong_carries_nothing(name: str) -> None:
    found = graded(name, (HANDOFFS / f"{name}.inverted.md").read_text())
    assert found["carried"] == set()
    assert found["stale"]
    assert found["wrong"]


@pytest.mark.parametrize("name", TABLES)
def test_naming_the_topics_carries_nothing(name: str) -> None:
    assert graded(name, TOPICS[name])["carried"] == set()


@pytest.mark.parametrize("name", TABLES)
def test_the_persons_own_words_carry_what_the_person_established(name: str) -> None:
    fixture = shipped(name)
    typed = "\n\n".join(m.text for m in fixture.transcript.messages if m.author == "person")
    by_user = {a.id for a in fixture.key.atoms if a.by == "user"}
    assert by_user - graded(name, typed)["carried"] == NAMED_BY_THE_ASSISTANT[name]
    assert grade(typed, fixture.key)[1] == ()


@pytest.mark.parametrize("name", TABLES)
def test_every_invention_of_the_key_is_found_where_it_is_stated(name: str) -> None:
    key = shipped(name).key
    _, inventions = grade(INVENTED[name], key)
    assert [i.never for i in inventions] == [n.id for n in key.never]
