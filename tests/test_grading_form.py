"""Grading by hand as a form, driven without a browser: every verdict is in the blind sheet, nothing tells the arm."""

import csv
import io
import json

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


def shown(form):
    return form.widget.shown


def seen(form):
    """Everything that the page holds."""
    return json.dumps(shown(form), ensure_ascii=False) + form.widget.told.get("text", "")


def fill(form):
    for _ in range(4):  # three atoms, one never
        form.widget.do("absent")


def test_a_verdict_is_in_the_sheet_at_once_and_a_new_form_goes_on_there(run):
    first = form(run)
    assert shown(first)["progress"] == "4 left here · 0 of 2 texts done"
    id_ = rows(first.sheet)[0]["id"]
    first.widget.do("absent")
    assert next((r["id"], r["verdict"]) for r in rows(first.sheet)) == (id_, "absent")
    again = form(run)  # as after a kernel's end
    assert (again.sheet.name, again.at, again.sheet.left) == (first.sheet.name, 1, 3)
    again.widget.do("back")
    assert [a["name"] for a in shown(again)["rows"][0] if a["chosen"]] == ["absent"]
    again.widget.do("clear")
    assert again.sheet.left == 4


def test_undo_gives_the_verdict_back_that_was_there(run):
    one = form(run)
    one.widget.do("absent")
    one.widget.do("back")
    one.widget.do("carried")
    one.widget.do("undo")
    assert (rows(one.sheet)[0]["verdict"], one.at) == ("absent", 0)
    one.widget.do("undo")
    assert (rows(one.sheet)[0]["verdict"], one.sheet.left) == ("", 4)
    one.widget.do("undo")
    assert "nothing to undo" in one.widget.told["text"]


def test_after_the_last_statement_of_a_text_the_next_one_comes(run):
    one = form(run)
    first = one.sheet.name
    fill(one)
    assert one.sheet.name != first and "another text" in one.widget.told["text"]
    fill(one)
    assert "make grades" in one.widget.told["text"]


def test_the_form_is_blind_to_its_end_and_shows_hostile_text_inert(run):
    one = form(run)
    told = seen(one)
    for sheet in one.sheets:
        one.widget.do("go", to=sheet.name)
        told += seen(one)
    one.widget.do("nothing")
    told += seen(one)
    assert not [arm for arm in HANDOFFS if arm in told]
    assert "\\u001b" not in told and "\x1b" not in told and r"\\x1b[31mIt" in told


def test_what_is_still_out_is_told_by_sheets_not_by_arms(run, monkeypatch):
    monkeypatch.chdir(run.root.parent.parent)
    widget = grade_by_hand("tiny")
    for _ in range(4):
        widget.do("absent")
    widget.do("finish")
    assert widget.told["text"] == "human: 1 of 2 grades are there, 1 of them new; the other sheets are not full yet"
    result = human_run(run, SPEC, 7, fixtures_of(run.run_json(), run.root))
    assert result.missing and not [arm for arm in HANDOFFS if arm in " ".join(result.lines())]


def test_evidence_that_is_not_in_the_text_is_refused_and_the_typed_words_stay(run):
    one = form(run)
    before, page = one.sheet.path.read_bytes(), shown(one)
    one.widget.do("carried", evidence="said nowhere")
    assert "does not stand in the text" in one.widget.told["text"] and one.widget.told["bad"]
    assert shown(one) is page and one.sheet.path.read_bytes() == before
    one.widget.do("skip", evidence="said nowhere")
    assert "give the verdict" in one.widget.told["text"] and one.at == 0
    one.widget.do("add", free="  ")
    assert "say what the text makes up" in one.widget.told["text"]


def test_what_else_was_typed_outlasts_a_verdict(run):
    one = form(run)
    one.widget.do("absent", free="The queue is Kafka.")
    assert [f["value"] for f in shown(one)["fields"]] == ["", "The queue is Kafka."]


def test_evidence_that_was_given_is_marked_in_the_text(run):
    one = form(run)
    text = one.sheet.text.split("\n")[-2 if one.sheet.text.endswith("\n") else -1]
    one.widget.do("carried", evidence=text[:20])
    one.widget.do("back")
    [part] = shown(one)["reading"]
    assert [p["text"] for p in part["pieces"] if p["marked"]] == [text[:20].strip()]


def test_full_sheets_become_grades_and_their_inventions(run):
    one = form(run)
    one.widget.do("finish")
    assert "no sheet is full yet" in one.widget.told["text"]
    one.widget.do("add", free="=The queue is Kafka.")
    fill(one)
    one.widget.do("finish")
    assert one.widget.told["text"] == "human: 1 of 2 grades are there, 1 of them new"
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
    assert grade_by_hand("tiny").shown["progress"] == "4 left here · 0 of 2 texts done"
    assert len([*sheets_folder(find_run("tiny"), SPEC).glob("*.csv")]) == 2
