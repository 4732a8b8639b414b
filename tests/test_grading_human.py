"""Blind sheets for people: what is written, what comes back, and what is wrong with it."""

import csv
import json

import pytest
from fixture_files import KEY_YAML, write_fixture
from judging import Written

from bench.errors import BenchError
from bench.fixtures import load_fixture
from bench.grading.graders import grader_folder
from bench.grading.human_grades import read_human
from bench.grading.run import grade_run, read_grades
from bench.sweepfile import GraderSpec

HUMAN = GraderSpec(kind="human")
TEXT = "<!-- handoff: session=3f9c n=1 prev=none -->\nBy zebra: the user\n ruled out Redis. It runs on Kubernetes."


@pytest.fixture
def fixture(tmp_path):
    return load_fixture(write_fixture(tmp_path / "fixtures" / "small"))


@pytest.fixture
def run(tmp_path):
    return Written(tmp_path / "run", {"zebra": TEXT})


def sheets(run, fixture, spec=HUMAN):
    """The run's sheets, written; by file name, and what the grader says of them."""
    (result,) = grade_run(run, (spec,), 7, {"small": fixture})
    return sorted((run.grades_dir / grader_folder(spec) / "sheets").glob("*.csv")), result


def lines(path):
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def fill(path, said, extra=(), delimiter=","):
    """The table with verdict and evidence by id, and further lines."""
    rows = lines(path)
    for row in rows:
        row["verdict"], row["evidence"] = said.get(row["id"], ("", ""))
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0], delimiter=delimiter)
        writer.writeheader()
        writer.writerows([*rows, *({**dict.fromkeys(rows[0], ""), **row} for row in extra)])
    return path


SAID = {"a1": ("carried", "ruled out Redis"), "a2": ("Absent ", ""), "a3": ("", ""), "n1": ("carried", "Kubernetes")}


def read(run, fixture, *paths, spec=HUMAN):
    return read_human(run, spec, 7, {"small": fixture}, paths)


def test_a_sheet_holds_the_text_and_every_statement_and_no_arm(run, fixture):
    (path,), result = sheets(run, fixture)
    rows = lines(path)
    assert sorted((r["kind"], r["id"]) for r in rows) == [
        ("atom", "a1"), ("atom", "a2"), ("atom", "a3"), ("never", "n1"),
    ]  # fmt: skip
    (a1,) = [r for r in rows if r["id"] == "a1"]
    assert (a1["stale_if"], a1["wrong_if"]) == ("use redis for the rate limiter", "redis is chosen")
    assert {(r["verdict"], r["evidence"]) for r in rows} == {("", "")}
    for written in path.parent.iterdir():
        assert b"zebra" not in written.read_bytes() and b"session=" not in written.read_bytes()
    assert path.with_suffix(".md").read_text() == "By […]: the user\n ruled out Redis. It runs on Kubernetes."
    assert (result.exit_status, len(result.missing)) == (0, 1)
    assert result.skipped.startswith("1 sheets wait in ") and "1 of them new" in result.skipped


def test_a_filled_sheet_becomes_a_grade(run, fixture):
    (path,), _ = sheets(run, fixture)
    free = {"output": path.stem, "kind": "free", "statement": "It is done.", "evidence": ""}
    result = read(run, fixture, fill(path, SAID, [free]))
    assert (result.made, result.missing, result.missing_verdicts, result.exit_status) == (1, (), 1, 0)
    grades, inventions = read_grades(run)
    assert [(g.atom, g.verdict, g.score, g.evidence, g.evidence_found) for g in grades] == [
        ("a1", "carried", 1.0, "ruled out Redis", True),
        ("a2", "absent", 0.0, None, None),
        ("a3", None, None, None, None),  # left empty: missing
    ]
    assert {(g.grader, g.grader_model, g.inventions_known) for g in grades} == {("human", None, True)}
    assert [(i.never, i.text, i.evidence) for i in inventions] == [
        ("n1", "The deploy target is Kubernetes.", "Kubernetes"), ("free-1", "It is done.", None),
    ]  # fmt: skip
    assert sheets(run, fixture)[1].skipped is None, "nothing waits any more"


def test_a_table_of_a_spreadsheet_with_semicolons_is_read(run, fixture):
    (path,), _ = sheets(run, fixture)
    assert read(run, fixture, fill(path, SAID, delimiter=";")).made == 1


def test_never_entries_without_a_verdict_are_not_known_to_be_absent(run, fixture):
    (path,), _ = sheets(run, fixture)
    read(run, fixture, fill(path, SAID | {"n1": ("", "")}))
    grades, inventions = read_grades(run)
    assert ({g.inventions_known for g in grades}, inventions) == ({False}, [])


@pytest.mark.parametrize(
    ("said", "extra", "told"),
    [
        (
            {"a2": ("caried", "")},
            {},
            "has the verdict 'caried'; one of carried, partial, absent, stale, wrong; did you",
        ),
        ({"n1": ("stale", "")}, {}, "has the verdict 'stale'; one of carried, absent"),
        ({"a1": ("carried", "ruled out MySQL")}, {}, "quotes what does not stand in the text"),
        ({}, {"id": "a9", "kind": "atom"}, "names the atom 'a9', which the key has not"),
        ({}, {"id": "a1", "kind": "atom"}, "gives 'a1' a second verdict"),
        ({}, {"id": "a1", "kind": "atoms"}, "is of kind 'atoms'; atom, never or free"),
        ({}, {"kind": "free"}, "is of kind free and states nothing"),
        ({}, {"output": "0" * 16, "kind": "atom"}, f"is of output '{'0' * 16}', which this run has not"),
    ],
)
def test_a_bad_line_is_named_and_nothing_is_graded(run, fixture, said, extra, told):
    (path,), _ = sheets(run, fixture)
    order = [r["id"] for r in lines(path)]
    at = 2 + order.index(next(iter(said))) if said else 6
    extra = [{"output": path.stem, "verdict": "carried", **extra}] if extra else []
    with pytest.raises(BenchError) as refused:
        read(run, fixture, fill(path, SAID | said, extra))
    assert f"{path.name}:{at}: " in str(refused.value) and told in str(refused.value)
    assert read_grades(run) == ([], [])


def test_every_bad_line_is_named_at_once(run, fixture):
    (path,), _ = sheets(run, fixture)
    with pytest.raises(BenchError) as refused:
        read(run, fixture, fill(path, {"a1": ("x", ""), "a2": ("y", "")}))
    assert str(refused.value).count("\n") == 1


def test_a_file_that_is_no_sheet_is_refused(run, fixture, tmp_path):
    sheets(run, fixture)
    other = tmp_path / "other.csv"
    other.write_text("name,age\n")
    with pytest.raises(BenchError, match=r"other.csv:1: has no column output, kind, id, verdict, evidence"):
        read(run, fixture, other)


def test_what_a_person_wrote_is_never_overwritten(run, fixture, tmp_path):
    (path,), _ = sheets(run, fixture)
    fill(path, SAID)
    before = path.read_bytes()
    assert "0 of them new" in sheets(run, fixture)[1].skipped
    assert path.read_bytes() == before
    key = KEY_YAML.replace("'reject']", "'reject', 'vetoed']")
    changed = load_fixture(write_fixture(tmp_path / "fixtures" / "small", key=key))
    with pytest.raises(BenchError, match="is of an older text or key"):
        read(run, changed, path)
    paths, _ = sheets(run, changed)
    assert len(paths) == 2 and before in [p.read_bytes() for p in paths]


def test_a_statement_cannot_run_in_a_spreadsheet(run, tmp_path):
    key = KEY_YAML.replace("text: MAX_RETRIES is 5.", "text: '=HYPERLINK(\"http://x\")'")
    hostile = load_fixture(write_fixture(tmp_path / "hostile", key=key))
    (path,), _ = sheets(run, hostile)
    assert all(not cell.startswith(("=", "+", "-", "@")) for row in lines(path) for cell in row.values())


def test_several_people_are_several_passes(run, fixture):
    spec = GraderSpec(kind="human", passes=2)
    paths, _ = sheets(run, fixture, spec)
    result = read(run, fixture, *(fill(p, SAID) for p in paths), spec=spec)
    assert (result.made, {g.grading_pass for g in read_grades(run)[0]}) == (2, {1, 2})


def test_the_command_writes_and_reads(tmp_path, monkeypatch, capsys):
    from fakes import FakeModel, outside, project

    from bench.cli import main
    from bench.forks.run import run_sweep

    run_sweep(project(tmp_path, arms={"short": "Say it short."}), outside=outside(FakeModel()))
    monkeypatch.chdir(tmp_path)
    assert main(["grade", "s", "--human"]) == 0
    assert "waiting human: 1 sheets wait in results/s/grades/human/sheets" in capsys.readouterr().out
    (path,) = (tmp_path / "results/s/grades/human/sheets").glob("*.csv")
    assert main(["grade", "s", "--read", str(path)]) == 2
    assert "say --human as well" in capsys.readouterr().err
    assert main(["grade", "s", "--human", "--read", str(fill(path, {"a1": ("carried", "ruled out Redis")}))]) == 0
    assert main(["agreement", "s", "--json"]) == 0
    (line,) = json.loads(capsys.readouterr().out.partition("\n{")[2].join(["{", ""]))["graders"]
    assert (line["grader"], line["other"], line["pairs"], line["missing"]) == ("human", "lexical", 3, 2)
