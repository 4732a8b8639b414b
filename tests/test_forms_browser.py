"""The two forms in JupyterLab as a person uses them: by key and by click, closed and opened again, under attack."""

import csv
import io
import json
import shutil
import time
from urllib.request import Request, urlopen

import pytest
from browser import CONTRAST, Watched, chromium
from fixture_files import KEY_YAML, MESSAGES, write_fixture
from hostile import BREAK_OUT, LINK
from labs import PATIENCE_MS, lab, opened, page_of, run_all, set_parameters, set_theme
from runs import project

from bench.fixtures import load_fixture
from bench.keys import read_key
from bench.runs.index import open_run
from benchmarks.made_run import made_run

pytestmark = [pytest.mark.slow, pytest.mark.browser]
ARMS = {"zebra-arm": ("prompt", 0.7), "okapi-arm": ("prompt", 0.4)}
HOSTILE = f"Stop: no Redis, we ruled out Redis. {BREAK_OUT}{LINK}\x1b[31mred\u202eevil"


@pytest.fixture(scope="module")
def browser():
    with chromium() as started:
        yield started


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    root = project(tmp_path_factory.mktemp("forms") / "p")
    key = KEY_YAML.replace("text: MAX_RETRIES is 5.", f"text: 'MAX_RETRIES is 5. {BREAK_OUT}'")
    messages = [*MESSAGES[:4], {"role": "user", "content": HOSTILE}, *MESSAGES[5:]]
    write_fixture(root / "fixtures" / "small", key=key, messages=messages)
    made_run(root / "results" / "tiny", {"small": load_fixture(root / "fixtures" / "small")}, ARMS, 1)
    return root


@pytest.fixture(scope="module")
def address(folder):
    set_parameters(folder / "notebooks" / "grade_by_hand.ipynb", {"run": "tiny"})
    with lab(folder, "review_key", fixture="small") as started:
        yield started


@pytest.fixture
def visit(browser, address):
    """Opens a notebook, runs it and gives the page with the form; nothing of the transcript may have run in it."""
    pages = []

    def open_notebook(name, width=1400):
        page = opened(Watched(browser, viewport={"width": width, "height": 900}).page, page_of(address, name))
        pages.append(page)
        run_all(page)
        page.locator(".hb-form").wait_for()
        page.wait_for_function("document.activeElement.classList.contains('hb-form')")
        return page

    yield open_notebook
    for page in pages:
        if not page.is_closed():
            assert page.evaluate("window.ran") is None
            page.close()


def until(page, selector, text):
    page.locator(f".hb-form {selector}").filter(has_text=text).wait_for()


def press(page, key, selector, text):
    """Press a key and wait for what it brings."""
    page.keyboard.press(key)
    until(page, selector, text)


def atoms(folder):
    return {a.id: a for a in read_key(folder / "fixtures/small/key.yaml")[0].atoms}


def cells(page):
    return page.locator(".jp-NotebookPanel .jp-Notebook .jp-Cell").count()


def test_a_key_is_reviewed_with_one_key_an_atom_and_nothing_is_lost(visit, folder):
    write_fixture(folder / "aside", key=(folder / "fixtures/small/key.yaml").read_text())
    page = visit("review_key")
    had = cells(page)
    until(page, ".hb-progress", "1 of 3 · 3 still drafted")
    assert "message 4, person" in page.inner_text(".hb-named h4")
    assert BREAK_OUT in page.inner_text(".hb-reading") and r"\x1b[31mred\u202eevil" in page.inner_text(".hb-reading")
    assert page.locator(".hb-form :is(img, script, a)").count() == 0
    assert page.inner_text(".hb-reading mark") == "ruled out Redis"
    press(page, "a", ".hb-title", "a2")
    assert atoms(folder)["a1"].status == "reviewed" and BREAK_OUT in page.input_value('[data-field="text"]')
    press(page, "d", ".hb-title", "a3")
    assert set(atoms(folder)) == {"a1", "a3"}
    press(page, "u", ".hb-title", "a2")
    assert set(atoms(folder)) == {"a1", "a2", "a3"}

    # typed, retagged, weighed, accepted from within a field; keys in a field are letters
    page.keyboard.press("e")
    page.keyboard.press("Control+a")
    page.keyboard.type("MAX_RETRIES is 5: add and drop")
    page.keyboard.press("Escape")
    page.keyboard.press("t")
    page.keyboard.type("iden")
    page.keyboard.press("Escape")
    page.keyboard.press("i")
    press(page, "b", ".hb-told", "not in the key yet")  # going on would lose it
    page.keyboard.press("e")
    page.keyboard.press("End")
    page.keyboard.type(".")
    press(page, "Control+Enter", ".hb-title", "a3")
    atom = atoms(folder)["a2"]
    assert (atom.text, atom.tag, atom.importance) == ("MAX_RETRIES is 5: add and drop.", "identifier", "vital")
    assert atom.status == "reviewed"

    # an edit that the transcript does not carry is refused, and the typed words stay
    page.fill('[data-field="every"]', "kafka")
    page.get_by_role("button", name="Accept").click()
    until(page, ".hb-told.hb-bad", "does not carry that")
    assert page.input_value('[data-field="every"]') == "kafka" and atoms(folder)["a3"].status == "drafted"
    page.locator(".hb-title").click()
    press(page, "u", ".hb-told", "typed is taken back")

    # closed without saving, opened again: it goes on where it stopped
    assert cells(page) == had
    page.close()
    page = visit("review_key")
    until(page, ".hb-progress", "3 of 3 · 1 still drafted")
    page.get_by_label("go to").select_option(label="● a1 The user ruled out Redis for the rate limiter.")
    until(page, ".hb-status", "reviewed")
    press(page, "s", ".hb-title", "a2")
    press(page, "s", ".hb-title", "a3")
    page.get_by_role("button", name="Accept").click()
    until(page, ".hb-told", "now 'bench key check small'")
    assert {a.status for a in atoms(folder).values()} == {"reviewed"}
    run_all(page)  # a cell that is run again shows the same
    until(page, ".hb-progress", "all are reviewed")
    shutil.copy(folder / "aside" / "key.yaml", folder / "fixtures/small/key.yaml")


def test_what_jupyterlab_takes_keys_for_stays_undone_in_a_form(visit):
    page = visit("review_key")
    had = cells(page)
    page.locator(".hb-title").click()
    for key in ("x", "c", "z", "m", "y", "1", "Shift+Enter", "0", "0"):
        page.keyboard.press(key)
    until(page, ".hb-reading", "message 2")  # m shows more
    assert cells(page) == had and page.locator(".jp-Dialog").count() == 0
    assert page.evaluate("document.activeElement.className") == "hb-form"


def test_a_kernel_that_was_started_anew_is_told(visit, address, folder):
    page = visit("review_key")
    base, token = address.split("/lab/")[0], address.split("token=")[1]
    ask = {"Authorization": f"token {token}"}
    with urlopen(Request(f"{base}/api/sessions", headers=ask)) as answer:
        found = [s for s in json.load(answer) if s["path"].endswith("review_key.ipynb")]
    urlopen(Request(f"{base}/api/kernels/{found[0]['kernel']['id']}/restart", method="POST", headers=ask)).close()
    before = atoms(folder)
    press(page, "a", ".hb-told.hb-bad", "The kernel does not answer")
    assert atoms(folder) == before


WORDS = [".hb-title", ".hb-status", ".hb-progress", ".hb-row button", ".hb-row kbd", ".hb-named pre", ".hb-named h4",
         ".hb-form mark", ".hb-form textarea", ".hb-form select", ".hb-field label"]  # fmt: skip


@pytest.mark.parametrize(("theme", "width"), [("JupyterLab Dark", 1400), ("JupyterLab Light", 760)])
def test_words_stand_out_and_nothing_is_cut_off(visit, folder, theme, width):
    set_theme(folder, theme)
    page = visit("review_key", width)
    assert [(s, round(c, 1)) for s, c in page.evaluate(CONTRAST, WORDS) if c < 4.5] == []
    ground = page.evaluate("getComputedStyle(document.querySelector('.hb-reading')).backgroundColor")
    assert (ground == "rgb(255, 255, 255)") is (theme == "JupyterLab Light")
    assert page.locator(".hb-form").evaluate("e => e.scrollWidth <= e.clientWidth")
    inside = "e => e.getBoundingClientRect().right <= document.querySelector('.hb-form').getBoundingClientRect().right"
    assert all(b.evaluate(inside) for b in page.locator(".hb-form button").all())


def sheets(folder):
    found = sorted((folder / "results/tiny/grades/human/sheets").glob("*.csv"))
    return [list(csv.DictReader(io.StringIO(p.read_text(encoding="utf-8-sig"), newline=""))) for p in found]


def test_outputs_are_graded_blind_and_the_grades_are_read_by_the_bench(visit, folder):
    page = visit("grade_by_hand")
    until(page, ".hb-progress", "4 left here · 0 of 2 texts done")
    seen = [page.content()]
    page.locator(".hb-reading pre").evaluate(
        "e => getSelection().setBaseAndExtent(e.firstChild, 3, e.firstChild, 22)"  # '## Where things stand'
    )
    page.keyboard.press("e")
    press(page, "c", ".hb-progress", "3 left here")
    page.get_by_role("button", name="absent").click()
    until(page, ".hb-progress", "2 left here")
    first = [(line["verdict"], line["evidence"]) for line in sheets(folder)[0][:3]]
    assert first == [("carried", "Where things stand"), ("absent", ""), ("", "")]
    press(page, "u", ".hb-progress", "3 left here")
    press(page, "a", ".hb-progress", "2 left here")
    page.close()

    page = visit("grade_by_hand")
    until(page, ".hb-status", "3 of 4")
    press(page, "a", ".hb-progress", "1 left here")
    press(page, "a", ".hb-told", "that sheet is full; this is another text")
    press(page, "g", ".hb-told", "human: 1 of 2 grades are there, 1 of them new; the other sheets are not full yet")
    seen.append(page.content())
    for left in ("3 left here", "2 left here", "1 left here"):
        press(page, "a", ".hb-progress", left)
    press(page, "a", ".hb-told", "that was the last statement")
    press(page, "g", ".hb-told", "human: 2 of 2 grades are there")
    seen.append(page.content())
    page.keyboard.press("Control+s")  # JupyterLab's own, also in a form
    path, end = folder / "notebooks" / "grade_by_hand.ipynb", time.monotonic() + PATIENCE_MS / 1000
    while "widget-view+json" not in path.read_text() and time.monotonic() < end:
        page.wait_for_timeout(100)
    seen.append(path.read_text())
    assert "widget-view+json" in seen[-1]
    assert [arm for arm in ARMS if any(arm in text for text in seen)] == []
    grades = open_run(folder / "results/tiny").grades
    human = grades[grades["grader"] == "human"]
    assert sorted(human["verdict"]) in (["absent"] * 5 + ["carried"], ["absent"] * 6)  # a never line is no atom
