"""What a report says and holds; how it behaves in a browser is `test_report_browser.py`."""

import json
import re
from xml.etree import ElementTree

import pytest
from fixture_files import write_project
from runs import output, project, write_run

from bench.cli import main
from bench.disputing.making import dispute
from bench.disputing.records import FILE
from bench.fixtures import load_fixture
from bench.plots.figure import new_figure
from bench.plots.style import tip
from bench.report import figures
from bench.report.data import gather
from bench.report.details import run_fixtures
from bench.report.highlight import Span, located, pieces
from bench.report.svg import inline
from bench.report.write import report_html, write_report
from bench.runs.index import open_run
from benchmarks.made_run import run_of


@pytest.fixture(scope="module", autouse=True)
def one_figure():
    """One figure a page: the browser's tests look at a page with all, and `test_plots.py` at each of them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(figures, "DRAWINGS", figures.DRAWINGS[:1])
        yield


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """Fixture small; two prompt arms of two replicates, and the transcript itself."""
    root = write_project(tmp_path_factory.mktemp("report") / "project")
    fixture = load_fixture(root / "fixtures" / "small")
    texts = {
        "inventory": ["We ruled out Redis.\nMAX_RETRIES = 5\n", "We ruled out Redis.\n"],
        "short": ["MAX_RETRIES = 5\n", "Nothing of note.\n"],
        "full": ["\n".join(m.text for m in fixture.transcript.messages)],
    }
    kinds = {"inventory": "prompt", "short": "prompt", "full": "full"}
    return open_run(run_of(root / "results" / "tiny", {"small": fixture}, kinds, {"small": texts}).root)


@pytest.fixture(scope="module")
def page(run):
    return gather(run)


@pytest.fixture(scope="module")
def html(run, page):
    return report_html(run, page)[1]


def words(html):
    """The page's words, one blank between them."""
    return " ".join(re.sub(r"<(style|script)\b.*?</\1>|<[^>]*>", " ", html, flags=re.DOTALL).split())


@pytest.mark.parametrize(
    ("text", "spans", "cut"),
    [
        ("abcdef", [], [("abcdef", "")]),
        ("abcdef", [Span(2, 4, "a1", "carried")], [("ab", ""), ("cd", "a1"), ("ef", "")]),
        # two that overlap: the middle belongs to both
        (
            "abcdef",
            [Span(0, 4, "a1", "carried"), Span(2, 6, "a2", "stale")],
            [("ab", "a1"), ("cd", "a1 a2"), ("ef", "a2")],
        ),
        # the same words in two passes are one mark
        ("abc", [Span(0, 3, "a1", "carried"), Span(0, 3, "a1", "carried")], [("abc", "a1")]),
        ("", [], []),
    ],
)
def test_a_text_is_cut_where_evidence_begins_and_ends(text, spans, cut):
    found = pieces(text, spans)
    assert [(p.text, p.atoms) for p in found] == cut
    assert "".join(p.text for p in found) == text


def test_an_old_or_wrong_value_outranks_a_carried_one_in_the_same_words():
    (piece,) = pieces("abc", [Span(0, 3, "a1", "carried"), Span(0, 3, "a2", "wrong")])
    assert piece.verdict == "wrong"


def test_evidence_stands_where_it_is_quoted_first_and_nowhere_when_it_is_not_there():
    quotes = [("a1", "carried", "redis"), ("a2", "carried", "kafka"), ("a3", "wrong", None)]
    spans = located("no redis, no redis", quotes)
    assert spans == [Span(3, 8, "a1", "carried")]


def test_the_verdict_comes_first_then_figures_arms_atoms_outputs_details(html):
    headings = re.findall(r"<h2>(.*?)</h2>", html)
    assert headings == ["Verdict", "Figures", "Arms", "Atoms", "Outputs", "Details of the run"]
    # inventory carries a1 (weight 1 of 3) twice and a2 once: (2/3 + 1/3) / 2; short a2 once: (1/3 + 0) / 2
    assert "inventory carries 50.0 points of 100. Of the one other arm, controls aside, 1 cannot be told apart" in html
    text = words(html)
    assert "cannot tell short from inventory on these facts: -33.3 points" in text
    assert "One fixture: this speaks of its atoms only" in text
    assert re.search(r"inventory prompt claude-sonnet-5-5 2 1 50\.0 0\.0 100\.0 33\.3 33\.3 66\.7 ", text)


def test_an_atom_says_who_carried_it_and_where_it_comes_from(page):
    atoms = page.atoms
    assert [(a.id, [(c.name, c.told, c.level) for c in a.arms]) for a in atoms] == [
        ("a3", [("inventory", "0/2", "none"), ("short", "0/2", "none"), ("full", "1/1", "all")]),
        ("a1", [("inventory", "2/2", "all"), ("short", "0/2", "none"), ("full", "1/1", "all")]),
        ("a2", [("inventory", "1/2", "some"), ("short", "1/2", "some"), ("full", "1/1", "all")]),
    ]
    assert [(s.message, s.author) for s in atoms[1].sources] == [(4, "person")]


def test_the_details_name_hashes_versions_prices_and_estimates(run, html):
    text = words(html)
    mark = run.store.run_json().fixtures["small"]
    for said in (
        "sweep sweeps/made.toml", "seed 7", "started 2026-11-01 00:00 UTC", mark.key_sha256[:12],
        mark.transcript_sha256[:12], "lexical", "A rate limiter",
        "claude-sonnet-5-5 from 2026-10-07 2 10 0.1 2.5 4 from 2026-10-07",
        "Sizes called tokens are characters / 4, everywhere.",
    ):  # fmt: skip
        assert said in text, said


def test_the_same_files_give_the_same_page(run, html):
    assert report_html(run, gather(run))[1] == html


def test_outputs_without_room_are_linked_and_first_replicates_come_first(run, page, html):
    assert len(re.findall("<article", html)) == 5 and '"here": false' not in html
    first = [o for o in page.outputs if o.replicate == 1 and not o.full]
    small = len(html.encode()) - 500
    narrowed, less = report_html(run, page, small)
    assert len(less.encode()) <= small
    kept = re.findall(r'<article id="(o\d+)"', less)
    assert {o.id for o in first} <= set(kept) and next(o.id for o in page.outputs if o.full) not in kept
    assert "outputs/small/full/none/s1-k0-r01.md" in less
    gone = 5 - len(kept)
    assert narrowed.left_out == (f"the texts of {gone} handoffs: they are linked as files",)
    assert f"Left out, so that this page stays below 3 MB: the texts of {gone} handoffs" in words(less)


def test_a_report_elsewhere_links_back_into_the_runs_folder(run, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["report", str(run.root), "--to", "out/page.html"]) == 0
    assert capsys.readouterr().out == "out/page.html\n"
    html = (tmp_path / "out/page.html").read_text()
    (link,) = re.findall(r'href="([^"]*run\.json)"', html)
    assert (tmp_path / "out" / link).resolve() == (run.root / "run.json").resolve()


def test_a_run_that_is_not_graded_says_so_and_shows_its_outputs(tmp_path):
    store = write_run(tmp_path / "p/results/tiny", {"f1": {"a": ["C"]}}, rows=[output("a", outcome="refused")])
    (store.root.parent.parent / "bench.toml").write_text("version = 1\n")
    html = write_report(open_run(store.root)).read_text()
    assert "Nothing in this run is graded yet" in html
    assert re.findall(r"<h2>(.*?)</h2>", html) == ["Verdict", "Arms", "Outputs", "Details of the run"]
    assert "1 refused" in words(html)


def test_a_run_whose_handoffs_were_all_cut_off_compares_nothing(tmp_path):
    folder = project(tmp_path / "p")
    write_run(folder / "results/tiny", {"f1": {"a": ["C"]}}, rows=[output("a", outcome="truncated")])
    assert "No handoff of this run is graded and ranked" in write_report(open_run(folder / "results/tiny")).read_text()


def test_a_fixture_that_is_gone_or_changed_is_told(tmp_path):
    root = write_project(tmp_path / "project")
    fixture = load_fixture(root / "fixtures" / "small")
    store = run_of(root / "results/tiny", {"small": fixture}, {"short": "prompt"}, {"small": {"short": ["no redis"]}})
    key = root / "fixtures/small/key.yaml"
    key.write_text(key.read_text() + "# a note\n")
    run = open_run(store.root)
    assert run_fixtures(run)[1] == ["small: its key has changed since the run; atoms have no text and no source here."]
    (root / "fixtures/small").rename(root / "elsewhere")
    html = write_report(run).read_text()
    assert "the run&#39;s fixture &#39;small&#39; is gone" in html and "text not known here" in html


def test_a_figure_has_no_style_of_its_own_and_says_what_its_points_are():
    figure = new_figure(3, 2)
    axes = figure.add_axes((0.1, 0.1, 0.8, 0.8))
    tip(axes.scatter([1], [2], color="#0072B2"), "inventory: <b> 2")
    root = ElementTree.fromstring(inline(figure, "one", "A title & more"))
    assert not [e for e in root.iter() if "style" in e.attrib or e.tag.endswith(("}style", "}metadata"))]
    assert [e.text for e in root.iter() if e.tag.endswith("}title")] == ["A title & more", "inventory: <b> 2"]
    pointed = set(re.findall(r"url\(#([^)]+)\)|href=\"#([^\"]+)\"", ElementTree.tostring(root, encoding="unicode")))
    ids = {e.attrib["id"] for e in root.iter() if "id" in e.attrib}
    assert ids == {name for pair in pointed for name in pair if name} | {"one-title"}


def test_a_dispute_stands_at_its_atom_and_output_and_is_counted(run, page):
    said = {"verdict": "absent", "note": "<b>only</b> named\x1b[1m", "fixture": "small"}
    try:
        dispute(run.root, "a1", "inventory/r01", **said)
        html = report_html(run, gather(run))[1]
    finally:
        (run.root / FILE).unlink(missing_ok=True)
    assert "1 verdict is disputed by a person" in words(html)
    anchored = re.findall(r'<li data-fixture="small"[^>]* data-disputed><details id="([^"]+)"', html)
    assert anchored == ["small/a1"] and 'id="f-disputed"' in html
    output = next(o.id for o in page.outputs if (o.name, o.replicate) == ("inventory", 1))
    (line,) = re.findall(r'<p class="dispute".*?</p>', html)
    assert f'href="#left/{output}/a1"' in line and "disputed by a person: absent" in line
    assert "lexical: carried" in line and "&lt;b&gt;only&lt;/b&gt; named" in line
    data = json.loads(re.search(r'id="data">(.*?)</script>', html)[1])
    assert [(o["id"], len(o["disputes"])) for o in data["outputs"] if o["disputes"]] == [(output, 1)]
    assert "<b>only" not in html and "\x1b" not in html
