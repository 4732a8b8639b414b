"""The form in JupyterLab, driven without a browser: every click is in key.yaml, nothing is lost, nothing is markup."""

import shutil
import subprocess
import sys

import pytest
from fixture_files import write_fixture
from runs import NOTEBOOKS

from bench.keys import Patterns, read_key
from bench.reviewing.form import ReviewForm, review_key


@pytest.fixture
def folder(tmp_path):
    return write_fixture(tmp_path / "small")


def key_of(folder):
    return {a.id: a for a in read_key(folder / "key.yaml")[0].atoms}


def statuses(folder):
    return {id_: a.status for id_, a in key_of(folder).items()}


def test_the_form_opens_at_the_first_drafted_atom_with_the_transcript_beside_it(folder):
    form = ReviewForm(folder)
    assert form.where.value == 0 and "a1</b> drafted · 1 of 3 · 3 still drafted" in form.heading.value
    assert "message 4, person" in form.source.value and "Stop: no Redis" in form.source.value
    assert form.every.value == "redis"


def test_accepting_writes_and_goes_on_and_a_new_form_goes_on_there(folder):
    form = ReviewForm(folder)
    form.accept.click()
    assert statuses(folder) == {"a1": "reviewed", "a2": "drafted", "a3": "drafted"}
    assert form.where.value == 1
    again = ReviewForm(folder)  # as after a kernel's end
    assert again.where.value == 1 and "2 still drafted" in again.heading.value


def test_what_was_typed_goes_into_the_key_with_the_acceptance(folder):
    form = ReviewForm(folder)
    form.text.value, form.some.value, form.tag.value = "Redis was ruled out.", "rule[sd]? out", "decision"
    form.importance.value = "okay"
    form.accept.click()
    atom = key_of(folder)["a1"]
    assert (atom.text, atom.tag, atom.importance) == ("Redis was ruled out.", "decision", "okay")
    assert atom.accept == Patterns(("redis",), ("rule[sd]? out",))
    assert atom.stale and atom.status == "reviewed"


def test_an_edit_that_the_transcript_does_not_carry_is_told_and_keeps_the_typed_words(folder):
    form = ReviewForm(folder)
    before = key_of(folder)
    form.every.value = "kafka"
    form.accept.click()
    assert "does not carry that" in form.told.value and form.every.value == "kafka"
    assert key_of(folder) == before and form.where.value == 0


def test_dropping_and_undoing(folder):
    form = ReviewForm(folder)
    form.drop.click()
    assert "a1" not in statuses(folder)
    form.back.click()
    assert form.accept.disabled and "dropped" in form.heading.value
    form.undo.click()
    assert statuses(folder)["a1"] == "drafted" and not form.accept.disabled
    form.undo.click()
    assert "nothing to undo" in form.told.value


def test_any_atom_can_be_gone_to(folder):
    form = ReviewForm(folder)
    form.where.value = 2
    assert "a3</b>" in form.heading.value
    form.skip.click()
    assert form.where.value == 2
    form.back.click()
    assert "a2</b>" in form.heading.value


def test_markup_of_a_transcript_stays_text(tmp_path):
    messages = [{"role": "user", "content": "Use <script>alert(1)</script> and \x1b[31mRedis."}]
    key = """\
version: 1
atoms:
  - {id: a1, tag: state, text: 'Redis <b>is</b> used.', importance: okay, by: user, at: [0], accept: {all: [redis]}}
"""
    form = ReviewForm(write_fixture(tmp_path / "x", key=key, messages=messages))
    assert "<script" not in form.source.value and "&lt;script&gt;" in form.source.value
    assert "\x1b" not in form.source.value


def test_the_last_acceptance_says_that_all_is_reviewed(folder):
    form = ReviewForm(folder)
    for _ in range(3):
        form.accept.click()
    assert "all are reviewed" in form.heading.value
    assert set(statuses(folder).values()) == {"reviewed"}


def test_a_key_without_atoms_says_what_to_do(tmp_path):
    form = ReviewForm(write_fixture(tmp_path / "x", key="version: 1\natoms: []\n"))
    assert "bench key draft" in form.heading.value


def test_the_notebook_runs_under_papermill(folder, tmp_path):
    shutil.copy(NOTEBOOKS / "review_key.ipynb", tmp_path / "review_key.ipynb")
    command = ["papermill", "review_key.ipynb", "out.ipynb", "-p", "fixture", str(folder)]
    done = subprocess.run(
        [sys.executable, "-m", *command], cwd=tmp_path, capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert "application/vnd.jupyter.widget-view+json" in (tmp_path / "out.ipynb").read_text()


def test_a_fixture_is_found_by_its_folder(folder):
    assert len(review_key(str(folder)).children) == 2
