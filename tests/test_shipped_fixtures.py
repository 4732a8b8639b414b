"""The shipped fixtures: sound, of the size they say, and graded as a reader would grade them."""

from __future__ import annotations

from collections import Counter
from typing import get_args

import pytest
from shipped import SHIPPED, shipped, verdict
from shipped_sentences import INVENTED, QUICKSTART, RATE_LIMITER, TOPICS, Row

from bench.checks import check_fixture
from bench.grading.lexical import grade
from bench.keys import Tag

SIZES = {"quickstart": (1500, 12), "rate-limiter": (8000, 40), "flaky-ci": (25_000, 82), "kalender-import": (6_000, 25)}
"""Estimated tokens and atoms that each fixture was made for."""
TOLERANCE = 0.15
"""How far the transcript may be from its size."""
NAMES = ("quickstart", "rate-limiter")
"""Those whose sentences are tested here; the longer ones have a file of their own."""


@pytest.mark.parametrize("name", SIZES)
def test_a_shipped_fixture_passes_its_own_check(name: str) -> None:
    assert check_fixture(SHIPPED / name) == []


@pytest.mark.parametrize(("name", "size"), SIZES.items())
def test_a_shipped_fixture_has_its_size(name: str, size: tuple[int, int]) -> None:
    tokens, atoms = size
    assert abs(shipped(name).transcript.tokens - tokens) <= TOLERANCE * tokens
    assert len(shipped(name).key.atoms) == atoms


@pytest.mark.parametrize("name", SIZES)
def test_every_line_of_a_shipped_session_is_read_as_one_conversation(name: str) -> None:
    session = shipped(name).transcript
    assert (session.unread, session.sides, session.compactions) == ((), (), ())
    assert session.messages[0].author == "person"
    asked = {u.id for m in session.messages for u in m.tool_uses}
    assert asked == {r.tool_use_id for m in session.messages for r in m.tool_results}


@pytest.mark.parametrize("name", SIZES)
def test_every_atom_is_reviewed_and_every_vital_one_has_a_probe(name: str) -> None:
    atoms = shipped(name).key.atoms
    assert [a.id for a in atoms if a.status != "reviewed"] == []
    assert [a.id for a in atoms if a.importance == "vital" and not a.probe] == []


def test_the_rate_limiter_has_every_tag_and_every_kind_of_trap() -> None:
    key = shipped("rate-limiter").key
    assert {a.tag for a in key.atoms} == set(get_args(Tag))
    assert {a.by for a in key.atoms} == {"user", "assistant", "tool"}
    assert {a.importance for a in key.atoms} == {"vital", "okay"}
    assert sum(bool(a.stale) for a in key.atoms) >= 4
    assert sum(bool(a.wrong) for a in key.atoms) >= 5
    assert len(key.never) >= 5


def test_quickstart_has_one_of_each_trap() -> None:
    key = shipped("quickstart").key
    assert any(a.stale for a in key.atoms)
    assert any(a.wrong for a in key.atoms)
    assert len(key.never) >= 2


@pytest.mark.parametrize("name", NAMES)
def test_facts_stand_in_every_third_of_the_session(name: str) -> None:
    fixture = shipped(name)
    third = len(fixture.transcript.messages) / 3
    assert {int(min(a.at) // third) for a in fixture.key.atoms} == {0, 1, 2}


@pytest.mark.parametrize(("atom", "expected", "text"), QUICKSTART)
def test_quickstart_is_graded_as_a_reader_would(atom: str, expected: str, text: str) -> None:
    assert verdict("quickstart", atom, text) == expected


@pytest.mark.parametrize(("atom", "expected", "text"), RATE_LIMITER)
def test_rate_limiter_is_graded_as_a_reader_would(atom: str, expected: str, text: str) -> None:
    assert verdict("rate-limiter", atom, text) == expected


@pytest.mark.parametrize(("fixture", "table"), [("quickstart", QUICKSTART), ("rate-limiter", RATE_LIMITER)])
def test_every_vital_atom_stands_in_the_table_with_paraphrases_and_near_misses(fixture: str, table: list[Row]) -> None:
    vital = {a.id for a in shipped(fixture).key.atoms if a.importance == "vital"}
    caught = Counter(atom for atom, expected, _ in table if expected == "carried")
    missed = Counter(atom for atom, expected, _ in table if expected != "carried")
    assert {a for a in vital if caught[a] < 3 or missed[a] < 2} == set()


@pytest.mark.parametrize("name", NAMES)
def test_naming_the_topics_carries_nothing(name: str) -> None:
    findings, _ = grade(TOPICS[name], shipped(name).key)
    assert [f for f in findings if f.verdict == "carried"] == []


@pytest.mark.parametrize("name", NAMES)
def test_the_persons_own_words_carry_what_the_person_established(name: str) -> None:
    fixture = shipped(name)
    typed = "\n\n".join(m.text for m in fixture.transcript.messages if m.author == "person")
    findings, inventions = grade(typed, fixture.key)
    by_user = {a.id for a in fixture.key.atoms if a.by == "user"}
    assert by_user - {f.atom for f in findings if f.verdict == "carried"} == set()
    assert inventions == ()


@pytest.mark.parametrize("name", NAMES)
def test_every_invention_of_the_key_is_found_where_it_is_stated(name: str) -> None:
    key = shipped(name).key
    _, inventions = grade(INVENTED[name], key)
    assert [i.never for i in inventions] == [n.id for n in key.never]
