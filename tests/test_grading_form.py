"""Grading by hand as a form, driven without a browser: every verdict is in the blind sheet, nothing tells the arm."""

import csv
import io

import pytest
from small_run import HANDOFFS, write_small_run

from bench.errors import BenchError
from bench.grading.human_form import GradingForm, grade_by_hand
from bench.grading.human_grades import human_run, read_human, sheets_folder
from bench.grading.sheet_file import SheetFile
from bench.grading.subjects import fixtures_of
from bench.runs.index import find_run, open_run
from bench.sweepfile import GraderSpec

SPEC = GraderSpec(kind="human")


@pytest.fixture
def run(tmp_path, monkeypatch):
    root = write_small_run(tmp_path / "project")
    monkeypatch.chdir(root)
    store = find_run("tiny")
    human_run(store, SPEC, 7, fixtures_of(store.run_json(), store.root))
    return store


def form(store):
    fixtures = fixtures_of(store.run_json(), store.root)
    return GradingForm(sheets_folder(store, SPEC), lambda paths: read_human(store, SPEC, 7, fixtures, paths).lines()[0])


def rows(sheet):
    return list(csv.DictReader(io.StringIO(sheet.path.read_text(encoding="utf-8-sig"), newline="")))


def fill(shown):
    for _ in range(4):  # three atoms, one never
        shown.verdict.value = "absent"
        shown.keep.click()


def test_a_verdict_is_in_the_sheet_at_once_and_a_new_form_goes_on_there(run):
    shown = form(run)
    assert shown.sheet.left == 4
    first = rows(shown.sheet)[0]["id"]
    shown.verdict.value = "absent"
    shown.keep.click()
    assert next((r["id"], r["verdict"]) for r in rows(shown.sheet)) == (first, "absent")
    again = form(run)  # as after a kernel's end
    assert (again.sheet.name, again.at, again.sheet.left) == (shown.sheet.name, 1, 3)
    again.back.click()
    assert again.verdict.value == "absent"
    again.verdict.value = "no verdict"
    again.keep.click()
    assert again.sheet.left == 4


def test_the_form_is_blind_and_shows_hostile_text_inert(run):
    shown = form(run)
    seen = ""
    for sheet in shown.sheets:
        shown.which.value = sheet.name
        seen += " ".join(str(part.value) for part in (shown.statement, shown.text, shown.told)) + str(
            shown.which.options
        )
    assert not [arm for arm in HANDOFFS if arm in seen]
    assert "\x1b" not in seen and "<script" not in seen


def test_evidence_that_is_not_in_the_text_is_refused_and_the_typed_words_stay(run):
    shown = form(run)
    before = shown.sheet.path.read_bytes()
    shown.verdict.value, shown.evidence.value = "carried", "said nowhere"
    shown.keep.click()
    assert "does not stand in the text" in shown.told.value
    assert shown.evidence.value == "said nowhere" and shown.sheet.path.read_bytes() == before
    shown.free.value = "  "
    shown.evidence.value = ""
    shown.add.click()
    assert "say what the text makes up" in shown.told.value


def test_full_sheets_become_grades_and_their_inventions(run):
    shown = form(run)
    shown.finish.click()
    assert "no sheet is full yet" in shown.told.value
    shown.free.value = "=The queue is Kafka."
    shown.add.click()
    fill(shown)
    shown.finish.click()
    assert shown.told.value == "human: 1 of 2 grades are there, 1 of them new"
    opened = open_run("tiny")
    assert opened.grades["verdict"].tolist() == ["absent"] * 3
    assert opened.inventions["text"].tolist() == ["'=The queue is Kafka."]  # inert in a spreadsheet


def test_a_line_of_the_kind_never_is_carried_or_absent(run):
    sheet = form(run).sheet
    place = next(i for i, line in enumerate(sheet.lines()) if line["kind"] == "never")
    with pytest.raises(BenchError, match="takes carried, absent"):
        sheet.set(place, "stale")


def test_a_sheet_saved_by_a_spreadsheet_with_semicolons_is_read_and_kept(run):
    path = form(run).sheet.path
    table = list(csv.reader(io.StringIO(path.read_text(encoding="utf-8-sig"), newline="")))
    out = io.StringIO()
    csv.writer(out, delimiter=";").writerows(table)
    path.write_text(out.getvalue())
    SheetFile(path).set(0, "carried")
    assert [line["verdict"] for line in SheetFile(path).lines()] == ["carried", "", "", ""]


def test_the_notebook_s_call_writes_the_sheets_where_there_are_none(tmp_path, monkeypatch):
    monkeypatch.chdir(write_small_run(tmp_path / "project"))
    assert len(grade_by_hand("tiny").children) == 2
    assert len([*sheets_folder(find_run("tiny"), SPEC).glob("*.csv")]) == 2
