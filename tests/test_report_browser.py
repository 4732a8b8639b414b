"""The report as a reader meets it: in a real browser, by mouse and keyboard, on a phone, in the dark, under attack."""

from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

import pytest
from browser import CONTRAST, Watched, chromium
from hostile import ARM, MARKUP, hostile_run

from bench.disputing.making import dispute
from bench.report import write_report
from bench.report.data import gather
from bench.report.narrow import narrower
from bench.report.page import render
from bench.report.write import report_html
from bench.runs.index import open_run

pytestmark = pytest.mark.browser
NARROW = "narrow.html"
"""Beside the report: the page of the same run as it is where it has little room."""
DESK = {"viewport": {"width": 1280, "height": 900}}


@pytest.fixture(scope="module")
def browser():
    with chromium() as started:
        yield started


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    store = hostile_run(tmp_path_factory.mktemp("report") / "project")
    dispute(store.root, "a2", "inventory/r02", verdict="absent", note=f"only named {MARKUP}", fixture="twin")
    run = open_run(store.root)
    path = write_report(run)
    page = gather(run)
    (path.parent / NARROW).write_text(
        report_html(run, page, len(render(list(narrower(page))[1], []).encode()) + 500)[1]
    )
    return path.as_uri()


@pytest.fixture
def visit(browser, report):
    """Opens the report; at the end of the test it must have asked for nothing, said nothing and run nothing."""
    opened = []

    def open_page(**options):
        watched = Watched(browser, **(DESK | options))
        watched.page.goto(report)
        opened.append(watched)
        return watched.page

    yield open_page
    for watched in opened:
        ran = watched.page.evaluate("window.ran")
        watched.page.close()
        assert (watched.said, ran) == ([], None)
        assert {url.split("#")[0] for url in watched.requests} == {report}


def shown(page, selector):
    """Texts of the elements that can be seen."""
    return [e.inner_text() for e in page.locator(selector).all() if e.is_visible()]


def test_the_page_loads_nothing_and_runs_nothing_that_is_planted(visit):
    page = visit()
    for details in page.locator(".atoms summary").all():
        details.click()
    for side in ("left", "right"):
        options = page.locator(f"#{side} option").evaluate_all("all => all.map(o => o.value)")
        for value in options:
            page.select_option(f"#{side} select", value)
    assert page.locator("img, iframe, object, a[href^='javascript' i]").count() == 0
    assert page.locator("script").count() == 2
    assert page.title() == "tiny · handoff-bench"
    text = page.inner_text("body")
    assert "<script>window.ran=1</script><img src=x onerror=window.ran=1>" in text
    assert 'href="javascript:window.ran=1"' in text


def test_every_figure_of_the_run_is_there_with_its_title_and_tooltips(visit):
    page = visit()
    names = page.locator("figure").evaluate_all("all => all.map(f => f.id)")
    assert names == ["recall-vs-carry", "differences", "spread", "frontier", "noise", "lost-atoms", "distance"]
    titles = page.locator("figure svg > title").all_text_contents()
    assert titles[0] == "Recall against the cost of carrying the handoff" and len(titles) == len(names)
    assert "inventory: recall 50.0, 4 runs" in page.locator("#recall-vs-carry g > title").all_text_contents()
    assert page.locator("figure [style]").count() == 0


def test_markup_that_slipped_through_would_neither_run_nor_load(browser, report):
    watched = Watched(browser)
    watched.page.goto(report)
    watched.page.evaluate(
        """() => {
          const img = `<img src="https://example.invalid/x.png" onerror="window.ran=1">`;
          document.body.insertAdjacentHTML("beforeend", img);
          document.body.append(Object.assign(document.createElement("script"), {textContent: "window.ran=1"}));
        }"""
    )
    watched.page.wait_for_timeout(100)
    assert watched.page.evaluate("window.ran") is None
    assert watched.blocked == ["https://example.invalid/x.png csp"]
    assert any("Content Security Policy" in line for line in watched.said)
    watched.page.close()


def test_terminal_codes_and_bidirectional_controls_are_shown(visit):
    page = visit()
    page.select_option("#left select", label="inventory r2 · 66.7")
    text = page.inner_text("#left .reading")
    assert r"\x1b[31mred\u202eevil\u2066" in text
    assert not set("\x1b\u202e\u2066") & set(page.content())


def test_filters_leave_what_fits(visit):
    page = visit()
    assert len(shown(page, ".atoms > li")) == 6
    page.select_option("#f-fixture", "small")
    assert len(shown(page, ".atoms > li")) == 3
    page.select_option("#f-tag", "number")
    (atom,) = shown(page, ".atoms > li")
    assert "MAX_RETRIES is 5." in atom and page.inner_text("#f-shown") == "1 of 6 atoms"
    assert page.locator("#left optgroup").evaluate_all("all => all.map(g => g.label)") == ["small"]
    page.click("#f-arms summary")
    page.uncheck(f'#f-arms input[value="{ARM}"]')
    assert page.inner_text("#f-count") == "(3 of 4)"
    assert len(shown(page, "#arms tbody tr")) == 3
    assert all(ARM not in text for text in shown(page, ".chip") + shown(page, ".verdicts li"))
    page.click("#f-none")
    assert shown(page, "#arms tbody tr") == [] and "No output fits" in page.inner_text("#left .facts")
    page.click("#f-all")
    assert len(shown(page, "#arms tbody tr")) == 4


def test_only_what_a_person_disputes_is_left_where_that_is_asked(visit):
    page = visit()
    page.get_by_label("disputed only").focus()
    page.keyboard.press("Space")
    (atom,) = shown(page, ".atoms > li")
    assert "twin a2" in atom and "disputed" in atom and page.inner_text("#f-shown") == "1 of 6 atoms"
    options = page.locator("#left option, #right option").all_inner_texts()
    assert [o.split(" · ")[0] for o in options] == ["inventory r2", "inventory r2"]
    line = f"a2 disputed by a person: absent; only named {MARKUP}"
    assert page.inner_text("#left p.disputed") == line
    page.locator(".atoms summary").filter(visible=True).click()
    told = page.locator(".atoms .dispute").filter(visible=True)
    assert "disputed by a person: absent" in told.inner_text() and MARKUP in told.inner_text()
    told.get_by_role("link").click()
    assert page.evaluate("document.activeElement.dataset.atoms") == "a2"
    page.select_option("#f-fixture", "small")  # holds beside the other filters
    assert shown(page, ".atoms > li") == [] and "No output fits" in page.inner_text("#left .facts")
    page.get_by_label("disputed only").uncheck()
    assert len(shown(page, ".atoms > li")) == 3 and not page.locator("#left p.disputed").is_visible()


def test_an_evidence_link_leads_from_the_atom_to_its_words_in_the_handoff(visit):
    page = visit()
    atom = page.locator('.atoms details[id="small/a1"]')
    atom.locator("summary").click()
    lines = atom.locator(".said-in li")
    assert [line.split("\n")[0] for line in lines.all_inner_texts()] == [
        "stale", "absent", "carried", "carried", "carried", "absent",
    ]  # fmt: skip
    assert lines.last.inner_text().endswith("nothing r1")  # it has no text to lead to
    line = lines.filter(has_text="inventory r2")
    line.get_by_role("link", name="show", exact=True).click()
    marked = page.locator("#left mark.here")
    assert "ruled out" in marked.inner_text()
    assert page.evaluate("document.activeElement.dataset.atoms") == "a1"
    assert page.locator("#left select option:checked").inner_text().startswith("inventory r2")
    line.get_by_role("link", name="show right").click()
    page.locator("#right mark.here").wait_for()


def test_two_handoffs_stand_beside_each_other_and_tell_what_only_one_carries(visit):
    page = visit()
    page.select_option("#left select", label="inventory r2 · 66.7")
    page.select_option("#right select", label=f"{ARM} r1 · 33.3")
    left, right = (page.locator(f"#{side}").bounding_box() for side in ("left", "right"))
    assert left["y"] == right["y"] and left["x"] + left["width"] < right["x"]
    assert page.inner_text("#left .only") == "Carried only here: a1, a2"
    assert page.inner_text("#right .only") == "Carried only here: a3"
    assert "recall 33.3" in page.inner_text("#right .facts")
    assert page.locator("#right mark.stale").count() == 1
    page.click("#left .on")
    first = page.inner_text("#left mark.here")
    page.click("#left .on")
    assert page.inner_text("#left mark.here") != first


def test_an_address_can_be_kept_and_opened(browser, report):
    watched = Watched(browser, **DESK)
    watched.page.goto(f"{report}#left/o5/a2")
    assert "MAX_RETRIES" in watched.page.inner_text("#left mark.here")
    watched.page.close()


def test_a_narrow_page_links_the_folder_of_the_replicates_that_it_does_not_list(browser, report):
    watched = Watched(browser, **DESK)
    watched.page.goto(report.replace("report.html", NARROW))
    assert "3 of 12 outputs: one of each arm and fixture stays" in watched.page.inner_text("header .note")
    watched.page.select_option("#left select", label="inventory r1 · 33.3")
    assert "1 further replicate in outputs/small/inventory/" in watched.page.inner_text("#left .facts")
    folder = watched.page.locator("#left .facts a").evaluate("e => e.href")
    assert len(list(Path(url2pathname(urlsplit(folder).path)).glob("*.md"))) == 2
    assert watched.said == []
    watched.page.close()


def test_everything_can_be_reached_by_keyboard(visit):
    page = visit()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.locator('.atoms details[id="small/a2"] summary').focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    while page.evaluate("document.activeElement.textContent") != "show":
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_function("document.activeElement.tagName === 'MARK'")
    page.locator("#left select").focus()
    for wanted in ("previous evidence", "next evidence"):
        page.keyboard.press("Tab")
        while page.evaluate("document.activeElement.tagName") == "A":
            page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.textContent") == wanted
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "reading"


@pytest.mark.parametrize("width", [390, 320])
def test_a_phone_needs_no_sideways_scrolling(visit, width):
    page = visit(viewport={"width": width, "height": 800})
    page.locator(".atoms summary").first.click()
    assert page.evaluate("document.documentElement.scrollWidth") == width
    left, right = (page.locator(f"#{side}").bounding_box() for side in ("left", "right"))
    assert left["y"] + left["height"] < right["y"]
    table = page.locator("#arms .scroll")
    table.evaluate("e => { e.scrollLeft = e.scrollWidth; }")
    assert table.evaluate("e => e.scrollLeft") > 0
    name, frame = table.locator("tbody th").first.bounding_box(), table.bounding_box()
    assert abs(frame["x"] - name["x"]) <= 1 and name["width"] < width / 2  # whose line it is stays in sight


WORDS = [
    "h1", ".sub", "nav a", ".lead", ".note", "figcaption", ".chip", ".chip.none", ".chip.all", ".chip i", ".meta",
    "#left pre", "#left mark", "#right mark.stale", "select", "thead th", "dt", ".meta b.disputed",
]  # fmt: skip


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_words_stand_out_from_their_ground(visit, scheme):
    page = visit(color_scheme=scheme)
    page.select_option("#left select", label="inventory r2 · 66.7")
    page.select_option("#right select", label=f"{ARM} r1 · 33.3")
    assert [(s, round(c, 1)) for s, c in page.evaluate(CONTRAST, WORDS) if c < 4.5] == []
    grounds = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (grounds == "rgb(253, 253, 251)") is (scheme == "light")


def test_print_leaves_out_what_paper_cannot_do(visit):
    page = visit()
    page.emulate_media(media="print")
    assert not page.locator("#filters").is_visible() and not page.locator("nav").is_visible()
    assert page.locator("#left .reading").evaluate("e => e.scrollHeight <= e.clientHeight + 1")
