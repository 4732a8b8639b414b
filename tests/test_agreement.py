"""Agreement, checked against published examples and arithmetic by hand."""

import json
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from runs import graded, grades, write_run

from bench.analysis.graders.run_agreement import atom_flips, between_graders, between_passes
from bench.analysis.statistics.agreement import (
    agreement,
    cohen_kappa,
    flip_rate,
    krippendorff_alpha,
    pairwise_disagreement,
    unanimous,
)
from bench.cli import main
from bench.frames import frame, records
from bench.rows import GradeRow
from bench.runs.agreement import agreements, show_agreement
from bench.runs.index import open_run

LPC = ("L", "P", "C")


def letters(text):
    """C carried, P partial, L lost, '.' not graded."""
    return [None if letter == "." else letter for letter in text]


def table(rows):
    """Two lists of ratings with those counts in a cross table."""
    a = [i for i, row in enumerate(rows) for n in row for _ in range(n)]
    return a, [j for row in rows for j, n in enumerate(row) for _ in range(n)]


def test_two_graders_on_an_ordered_scale():
    a, b = letters("CCLPCLCCPLCL"), letters("CCLCCLCPPLLL")
    assert agreement(a, b) == 0.75  # 9 of 12
    assert cohen_kappa(a, b) == pytest.approx(0.6)
    assert cohen_kappa(a, b, weights="linear", order=LPC) == pytest.approx(0.6571428571428573)
    assert cohen_kappa(a, b, weights="quadratic", order=LPC) == pytest.approx(0.7)


def test_the_worked_example_of_cohens_kappa():
    a, b = table([[20, 5], [10, 15]])
    assert agreement(a, b) == 0.7
    assert cohen_kappa(a, b) == pytest.approx(0.4)  # (0.7 - 0.5) / (1 - 0.5)


def test_a_grader_against_people():
    a, b = table([[52, 6], [4, 20]])
    assert agreement(a, b) == pytest.approx(0.8780487804878049)  # 72 of 82
    assert cohen_kappa(a, b) == pytest.approx(0.7124824684431977)


@pytest.mark.parametrize(
    ("passes", "nominal", "ordinal"),
    [
        (["CCLPC.LC", "CCLPCLLC", "CLLCC.PC", "...PCLLC"], 0.6422018348623852, 0.7398461263195563),
        (["CCC", "CCC"], None, None),  # one verdict only: nothing chance could get wrong
        (["CCL"], None, None),  # nothing is graded twice
        (["C.", ".L"], None, None),
        (["CL", "CL"], 1.0, 1.0),
    ],
)
def test_alpha_over_passes_with_gaps(passes, nominal, ordinal):
    raters = [letters(p) for p in passes]
    assert krippendorff_alpha(raters) == (nominal if nominal is None else pytest.approx(nominal))
    found = krippendorff_alpha(raters, level="ordinal", order=LPC)
    assert found == (ordinal if ordinal is None else pytest.approx(ordinal))


def test_the_published_example_of_krippendorffs_alpha():
    """Krippendorff 2011, section D: four observers, twelve units."""
    four = [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3],
        [None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None],
    ]
    assert krippendorff_alpha(four) == pytest.approx(0.743421052631579)
    assert krippendorff_alpha(four, level="ordinal", order=(1, 2, 3, 4, 5)) == pytest.approx(0.8153875037548814)


def test_flips_of_three_passes():
    passes = [letters(p) for p in ("CCLCLCCL", "CCLCCCCL", "CLLCLCCL")]
    # two of eight atoms waver, each in two of three pairs: (2/3 + 2/3) / 8
    assert pairwise_disagreement(passes) == pytest.approx(0.16666666666666666)
    assert unanimous(passes) == 0.75


@pytest.mark.parametrize(
    ("ratings", "rate"), [("CC", 0.0), ("CL", 1.0), ("CCL", 2 / 3), ("C.C", 0.0), ("C.", None), ("", None)]
)
def test_a_flip_is_a_pair_of_passes_that_differ(ratings, rate):
    assert flip_rate(letters(ratings)) == (rate if rate is None else pytest.approx(rate))


def test_what_cannot_be_computed_is_none():
    assert (agreement([], []), cohen_kappa([], [])) == (None, None)
    assert (agreement([None], ["C"]), cohen_kappa([None], ["C"])) == (None, None)
    assert (agreement("CCCC", "CCCC"), cohen_kappa("CCCC", "CCCC")) == (1.0, None)
    assert (pairwise_disagreement([["C"]]), unanimous([["C"]])) == (None, None)


def test_weights_without_an_order_are_refused():
    with pytest.raises(ValueError, match="cohen_kappa: linear weights need the order"):
        cohen_kappa("CL", "CL", weights="linear")
    with pytest.raises(ValueError, match="krippendorff_alpha: an ordinal level needs the order"):
        krippendorff_alpha(["CL", "CL"], level="ordinal")


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.sampled_from("CPL."), st.sampled_from("CPL.")), min_size=1, max_size=30))
def test_agreement_is_symmetric_and_blind_to_the_names_of_the_verdicts(pairs):
    a, b = (letters(x) for x in zip(*pairs, strict=True))
    other = {"C": "L", "P": "C", "L": "P", None: None}
    assert cohen_kappa(a, b) == pytest.approx(cohen_kappa(b, a))
    renamed = [other[x] for x in a], [other[x] for x in b]
    for measure in (agreement, cohen_kappa, lambda x, y: krippendorff_alpha([x, y])):
        assert measure(a, b) == pytest.approx(measure(*renamed))
        assert measure(a, b) is None or measure(a, b) <= 1 + 1e-12


# frames


def test_passes_of_a_grader_are_held_against_each_other():
    table = graded({"f1": {"inventory": [["CCLC", "CLLC", "CCL."]]}}, grader="judge-x")
    (line,) = records(between_passes(table))
    # a2 flips in two of three pairs; a1 and a3 have three pairs too, a4 one, and all agree: 2 of 10
    assert (line["passes"], line["outputs"], line["atoms"], line["missing"]) == (3, 1, 4, 1)
    assert line["flip_rate"] == pytest.approx(0.2) and line["agreement"] == pytest.approx(0.8)
    assert line["unanimous"] == 0.75
    first, *_ = records(atom_flips(table))
    assert (first["atom"], first["outputs"], first["flip_rate"]) == ("a2", 1, pytest.approx(2 / 3))


def test_graders_are_held_against_each_other_on_what_both_graded():
    rows = [
        *grades("CCLL", grader="lexical"),
        *grades("CCCC", grader="lexical", replicate=2),
        *grades("CLLL", grader="judge-x"),
        *grades("CCL.", grader="judge-x", grading_pass=2),
        *grades("CCCC", grader="judge-x", scope="summary"),
    ]
    (line,) = records(between_graders(frame(rows, GradeRow)))
    assert (line["grader"], line["other"], line["scope"]) == ("judge-x", "lexical", "handoff")
    assert (line["outputs"], line["atoms"], line["pairs"], line["missing"]) == (1, 4, 8, 1)
    assert line["agreement"] == pytest.approx(6 / 7)
    # of 7 pairs judge-x says C 3 times, lexical 4: expected agreement (3 x 4 + 4 x 3) / 49
    assert line["kappa"] == pytest.approx((6 / 7 - 24 / 49) / (1 - 24 / 49))


def test_nothing_to_compare_gives_no_lines():
    table = graded({"f1": {"inventory": ["CCLC"]}})
    assert [len(f(table)) for f in (between_graders, between_passes, atom_flips)] == [0, 0, 0]
    assert len(between_graders(frame([], GradeRow))) == 0


def test_the_command_says_what_it_can(tmp_path, monkeypatch, capsys):
    (tmp_path / "bench.toml").write_text("version = 1\n")
    write_run(tmp_path / "results" / "tiny", {"f1": {"inventory": ["CCLC"]}})
    monkeypatch.chdir(tmp_path)
    assert main(["agreement", "tiny", "--atoms"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "between graders: fewer than two graded this run",
        "between passes: no grader made several",
        "atoms: no two passes differ",
    ]
    assert main(["agreement", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {
        "graders": [], "passes": [], "atoms": [], "people": {"errors": [], "corrected": []},
    }  # fmt: skip


def judged(folder, *passes):
    """A run of one output that a judge graded so in each pass."""
    write_run(folder / "tiny", {"f1": {"inventory": [passes[0]]}})
    return replace(
        open_run(str(folder / "tiny")), grades=graded({"f1": {"inventory": [list(passes)]}}, grader="judge-x")
    )


def test_passes_are_told_with_two_decimals_and_the_atoms_that_waver_most(tmp_path):
    told = str(show_agreement(judged(tmp_path, "CCLC", "CLLC", "CCL."), atoms=True))
    passes, atoms, said = told.split("\n\n")
    # 2 of 10 pairs of passes differ, both on a2: 2 of its 3
    assert passes.splitlines()[2].split()[:7] == ["judge-x", "handoff", "3", "1", "4", "1", "0.80"]
    assert [line.split() for line in atoms.splitlines()[2:]] == [["judge-x", "handoff", "f1", "a2", "ask", "1", "0.67"]]
    assert said == "between graders: fewer than two graded this run"


def test_the_table_of_atoms_says_how_many_it_leaves_out(tmp_path):
    run = judged(tmp_path, "C" * 30, "L" * 25 + "C" * 5)
    ((title, lines),) = [t for t in show_agreement(run, atoms=True).tables if t[0].startswith("atoms")]
    assert (title, len(lines), len(agreements(run).atoms)) == ("atoms, the first 20 of 25", 20, 25)
