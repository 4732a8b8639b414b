"""A report that would be too large is made narrower, and says what it leaves out."""

import re
from itertools import pairwise

import pytest
from fixture_files import write_fixture, write_project

from bench.cli import main
from bench.disputing.making import dispute
from bench.errors import BenchError
from bench.fixtures import load_fixture
from bench.report import figures, page, write
from bench.report.data import gather
from bench.report.narrow import narrower
from bench.report.page import render
from bench.report.write import report_html
from bench.runs.index import open_run
from benchmarks.made_run import made_run

ARMS = {f"arm-{i}": ("prompt", 0.1 * i) for i in range(6)}
REPLICATES = 20


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """240 outputs: two fixtures, six arms, twenty replicates; one of the last is disputed."""
    root = write_project(tmp_path_factory.mktemp("narrow") / "project")
    write_fixture(root / "fixtures" / "twin")
    fixtures = {name: load_fixture(root / "fixtures" / name) for name in ("small", "twin")}
    run = open_run(made_run(root / "results" / "big", fixtures, ARMS, REPLICATES).root)
    dispute(run.root, "a1", "arm-3/r20", verdict="carried", note="no", fixture="small")
    return run


@pytest.fixture(scope="module")
def whole(run):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(figures, "DRAWINGS", figures.DRAWINGS[:3])
        return gather(run)


@pytest.fixture(scope="module")
def steps(whole):
    return list(narrower(whole))


def size(one):
    return len(render(one, []).encode())


def test_what_is_worth_most_goes_last(whole, steps):
    assert [(len(s.outputs), len(s.atoms), len(s.pictures)) for s in steps] == [
        (240, 6, 3),
        (13, 6, 3),  # one of each arm and fixture, and the disputed one
        (13, 3, 3), (13, 1, 3), (13, 0, 3), (13, 0, 3),
        (13, 0, 2), (13, 0, 1), (13, 0, 0),
        (1, 0, 0),
    ]  # fmt: skip
    assert steps[0].left_out == () and steps[0].outputs == whole.outputs
    assert [atom.anchor for atom in steps[2].atoms] == [atom.anchor for atom in whole.atoms[:3]]
    assert steps[2].atoms_left_out == 3
    largest = max(whole.pictures, key=lambda picture: len(picture.svg))
    assert largest.name not in [picture.name for picture in steps[6].pictures]
    assert all(size(one) >= size(less) for one, less in pairwise(steps))


def test_the_further_replicates_are_counted_and_their_folder_is_linked(steps):
    less = steps[1]
    of_one = [o for o in less.outputs if (o.fixture, o.name) == ("small", "arm-3")]
    assert [(o.label, o.more) for o in of_one] == [("r1", 18), ("r20", 18)]
    others = [o for o in less.outputs if o not in of_one]
    assert {o.more for o in others} == {19} and all(o.file for o in others)


@pytest.mark.parametrize("step", [1, 3, 5, 7, 9])
def test_a_page_is_as_wide_as_it_has_room_and_says_what_it_lacks(run, whole, steps, step):
    most = size(steps[step]) + write.RESERVED_BYTES
    made, html = report_html(run, whole, most)
    assert len(html.encode()) <= most
    assert (len(made.outputs), len(made.atoms)) == (len(steps[step].outputs), len(steps[step].atoms))
    assert made.left_out[: len(steps[step].left_out)] == steps[step].left_out
    assert f"below 3 MB: {made.left_out[0]}" in html and re.search(r"\b240 outputs\b", html)


def test_what_is_left_out_is_told_by_kind(steps):
    assert steps[1].left_out == (
        "227 of 240 outputs: one of each arm and fixture stays, the others are files in outputs/",
    )
    assert steps[2].left_out[1:] == ("3 of 6 atoms, those that more arms carry",)
    assert steps[-1].left_out[0] == "239 of 240 outputs: what is disputed stays, the others are files in outputs/"
    assert steps[-1].left_out[2].startswith("the figures recall-vs-carry, differences, spread;")


def test_where_even_the_tables_are_too_large_an_error_says_what_to_do(run, whole):
    with pytest.raises(BenchError, match=r"bytes over 1,000 even without atoms.*put fewer fixtures or arms"):
        report_html(run, whole, 1000)


def test_the_command_writes_the_narrower_page_and_says_so_on_stderr(run, monkeypatch, capsys, tmp_path, whole, steps):
    monkeypatch.setattr(write, "gather", lambda *_: whole)
    monkeypatch.setattr(write.report_html, "__defaults__", (size(steps[1]) + write.RESERVED_BYTES,))
    assert main(["report", str(run.root), "--to", str(tmp_path / "r.html")]) == 0
    said = capsys.readouterr()
    assert said.err.startswith("the report leaves out 227 of 240 outputs: one of each arm and fixture stays")
    assert (tmp_path / "r.html").stat().st_size <= size(steps[1]) + write.RESERVED_BYTES < page.MOST_BYTES
