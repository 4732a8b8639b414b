"""Grading a run: incremental, blind, and read back as rows."""

from dataclasses import dataclass, field
from pathlib import Path

import msgspec
import pytest
from fixture_files import KEY_YAML, write_fixture
from runs import output

from bench.errors import BenchError
from bench.fixtures import load_fixture
from bench.grading.blind import MASK, opaque_id
from bench.grading.run import grade_run, grader_folder, read_grades
from bench.sweepfile import GraderSpec

LEXICAL = GraderSpec(kind="lexical")
SUMMARY = GraderSpec(kind="lexical", scope="summary")
LINEAGE = "<!-- handoff: session=3f9c n=1 prev=none -->\n"


@dataclass
class FakeStore:
    """A run in memory, but for its grades."""

    grades_dir: Path
    texts: dict = field(default_factory=dict)
    summaries: dict = field(default_factory=dict)
    name: str = "tiny"
    more: list = field(default_factory=list)

    @property
    def journal(self):
        return self.grades_dir.parent / "journal.jsonl"

    def rows(self):
        arms = [output(arm, fixture="small", cell_key=f"cell-{arm}") for arm in self.texts]
        return arms + self.more

    def handoff_text(self, row):
        return self.texts[row.arm]

    def summary_text(self, row):
        return self.summaries.get(row.arm, "")


@pytest.fixture
def fixture(tmp_path):
    return load_fixture(write_fixture(tmp_path / "fixtures" / "small"))


@pytest.fixture
def store(tmp_path):
    return FakeStore(
        tmp_path / "grades",
        {
            "zebra": f"{LINEAGE}By zebra: the user ruled out Redis. MAX_RETRIES is 5. It runs on Kubernetes.",
            "lion": "Use Redis for the rate limiter.",
        },
        {"zebra": "The buckets are in Postgres."},
    )


def verdicts(store, **of):
    grades, _ = read_grades(store)
    return {(g.arm, g.atom): g.verdict for g in grades if all(getattr(g, k) == v for k, v in of.items())}


def test_every_atom_of_every_output_gets_a_row(store, fixture):
    grade_run(store, (LEXICAL,), 7, {"small": fixture})
    grades, inventions = read_grades(store)
    assert [(g.arm, g.atom, g.verdict, g.score) for g in grades] == [
        ("lion", "a1", "stale", 0.0),
        ("lion", "a2", "absent", 0.0),
        ("lion", "a3", "absent", 0.0),
        ("zebra", "a1", "carried", 1.0),
        ("zebra", "a2", "carried", 1.0),
        ("zebra", "a3", "absent", 0.0),
    ]
    one = grades[3]
    assert (one.run, one.fixture, one.model, one.replicate, one.grading_pass) == ("tiny", "small", "local", 1, 1)
    assert (one.grader, one.grader_model, one.scope) == ("lexical", None, "handoff")
    assert (one.tag, one.by, one.importance, one.weight) == ("rejected", "user", "vital", 1.0)
    assert (one.evidence, one.evidence_found) == ("ruled out Redis", True)
    assert one.key_sha256 == fixture.key_sha256
    assert {g.position for g in grades if g.arm == "zebra"} == {0, 1, 2}
    assert [(i.arm, i.never, i.text, i.evidence) for i in inventions] == [
        ("zebra", "n1", "The deploy target is Kubernetes.", "Kubernetes")
    ]


def test_what_a_key_has_no_patterns_of_cannot_be_seen(store, tmp_path):
    begin, never = KEY_YAML.split("never:")
    key = begin.replace("    stale:\n      - {match: 'use redis for the rate limiter', until: 4}\n", "")
    key = key.replace("    wrong: ['redis (is|was) chosen']\n", "")
    told = set()
    for text in (KEY_YAML, key, f"{key}never:{never}"):
        changed = load_fixture(write_fixture(tmp_path / "fixtures/small", key=text))
        grade_run(store, (LEXICAL,), 7, {"small": changed})
        told |= {(g.stale_known, g.wrong_known, g.inventions_known) for g in read_grades(store)[0]}
    assert told == {(True, True, True), (False, False, False), (False, False, True)}


def test_the_files_name_no_arm(store, fixture):
    grade_run(store, (LEXICAL,), 7, {"small": fixture})
    files = sorted((store.grades_dir / "lexical" / "p1").glob("*.json"))
    assert {f.stem for f in files} == {opaque_id(7, f"cell-{arm}", 1) for arm in store.texts}
    assert all("zebra" not in f.read_text() and "lion" not in f.read_text() for f in files)
    assert "zebra" in (store.grades_dir / "lexical" / "blind.json").read_text()


def test_the_grader_sees_neither_lineage_nor_label(store, fixture, monkeypatch):
    given = []
    monkeypatch.setattr("bench.grading.lexical_grades.grade", lambda text, _key: given.append(text) or ((), ()))
    monkeypatch.setattr("bench.grading.lexical_grades.shuffled", lambda *_: [])
    grade_run(store, (LEXICAL,), 7, {"small": fixture})
    assert sorted(given)[0].startswith(f"By {MASK}: the user")
    assert not any("zebra" in text or "session=" in text for text in given)


def written(store):
    return {p.name: p.stat().st_mtime_ns for p in (store.grades_dir / "lexical" / "p1").glob("*.json")}


def test_only_what_changed_is_graded_again(store, fixture, tmp_path):
    told = []
    grade_run(store, (LEXICAL,), 7, {"small": fixture}, lambda *of: told.append(of))
    assert told == [("lexical", 1, 2), ("lexical", 2, 2)]
    first = written(store)
    grade_run(store, (LEXICAL,), 7, {"small": fixture})
    assert written(store) == first, "nothing changed"
    store.texts["lion"] = "The user ruled out Redis."
    grade_run(store, (LEXICAL,), 7, {"small": fixture})
    changed = {name for name, time in written(store).items() if first[name] != time}
    assert changed == {f"{opaque_id(7, 'cell-lion', 1)}.json"}, "an output changed"
    assert verdicts(store)["lion", "a1"] == "carried"
    key = KEY_YAML.replace("'reject']", "'reject', 'vetoed']")
    mended = load_fixture(write_fixture(tmp_path / "fixtures" / "small", key=key))
    second = written(store)
    grade_run(store, (LEXICAL,), 7, {"small": mended})
    assert all(second[name] != time for name, time in written(store).items()), "the key changed"


def test_a_grader_of_other_rules_grades_again(store, fixture, monkeypatch):
    grade_run(store, (LEXICAL,), 7, {"small": fixture})
    first = written(store)
    monkeypatch.setattr("bench.grading.lexical_grades.lexical_sha256", lambda: "another")
    grade_run(store, (LEXICAL,), 7, {"small": fixture})
    assert all(first[name] != time for name, time in written(store).items())


def test_scopes_stay_apart(store, fixture):
    assert (grader_folder(LEXICAL), grader_folder(SUMMARY)) == ("lexical", "lexical-summary")
    grade_run(store, (LEXICAL, SUMMARY), 7, {"small": fixture})
    assert verdicts(store, scope="summary")["zebra", "a3"] == "carried"
    assert verdicts(store, scope="handoff")["zebra", "a3"] == "absent"
    assert {g.grader for g in read_grades(store)[0]} == {"lexical"}


def test_only_texts_are_graded_and_missing_grades_stay_missing(store, fixture):
    store.more = [
        output("refuser", fixture="small", outcome="refused", cell_key="r"),
        output("other", fixture="elsewhere", cell_key="e"),
    ]
    grade_run(store, (LEXICAL,), 7, {"small": fixture})
    assert {g.arm for g in read_grades(store)[0]} == {"zebra", "lion"}
    (store.grades_dir / "lexical" / "p1" / f"{opaque_id(7, 'cell-lion', 1)}.json").unlink()
    assert {g.arm for g in read_grades(store)[0]} == {"zebra"}


def test_a_verdict_that_is_missing_has_no_score(store, fixture):
    grade_run(store, (LEXICAL,), 7, {"small": fixture})
    path = next((store.grades_dir / "lexical" / "p1").glob("*.json"))
    data = msgspec.json.decode(path.read_bytes())
    data["verdicts"][0]["verdict"] = None
    path.write_bytes(msgspec.json.encode(data))
    assert [g.score for g in read_grades(store)[0] if g.verdict is None] == [None]


def test_an_output_that_is_gone_leaves_no_rows(store, fixture):
    grade_run(store, (LEXICAL,), 7, {"small": fixture})
    del store.texts["lion"]
    grade_run(store, (LEXICAL,), 7, {"small": fixture})
    assert {g.arm for g in read_grades(store)[0]} == {"zebra"}


def test_a_broken_grade_is_named(store, fixture):
    grade_run(store, (LEXICAL,), 7, {"small": fixture})
    path = next((store.grades_dir / "lexical" / "p1").glob("*.json"))
    path.write_text("{")
    with pytest.raises(BenchError, match=r"is no grade: .*delete it and run 'bench grade'"):
        read_grades(store)


@pytest.mark.parametrize(
    ("spec", "told"),
    [
        (GraderSpec(kind="human", model="local"), "the human grader asks no model; take model out"),
        (GraderSpec(kind="human", passes=21), "passes = 21; 1 to 20 are possible"),
        (GraderSpec(kind="judge"), "a judge is a model; name it"),
        (GraderSpec(kind="judge", model="gpt"), "model 'gpt' is none of the forms"),
        (LEXICAL, "names the grader lexical with scope handoff twice"),
    ],
)
def test_a_grader_that_cannot_be_is_refused_before_any_grading(store, fixture, spec, told):
    with pytest.raises(BenchError, match=told):
        grade_run(store, (LEXICAL, spec), 7, {"small": fixture})
    assert not store.grades_dir.exists()


def test_no_grades_no_rows(store):
    assert read_grades(store) == ([], [])
