"""One output of each arm on one fixture: on which atoms they differ, and nothing of the kind where there is more."""

import json

import pytest
from runs import graded, project, write_run
from scipy import stats

from bench.analysis.comparing.compare import compare
from bench.cli import main
from bench.frames import records

FIRST, OTHER = "CCLLLLLLLPC", "CLCCCCCCCCP"
"""Only the first carries a2 and a11; only the other a3 to a10; what one of them has in part, it does not carry."""


def test_the_atoms_that_only_one_of_two_outputs_carries():
    _, line = records(compare(graded({"f": {"a": [FIRST], "b": [OTHER]}}), ("a", "local", 1, 0)))
    assert (line["only_first"], line["only_other"], line["outputs_share"]) == (2, 8, 0.8)
    test = stats.binomtest(8, 10)
    ends = test.proportion_ci(0.95, "exact")
    assert line["outputs_p"] == pytest.approx(test.pvalue)
    assert (line["outputs_low"], line["outputs_high"]) == pytest.approx((ends.low, ends.high))


def test_an_atom_is_carried_by_most_of_the_passes():
    runs = {"f": {"a": [["CL", "CL", "LL"]], "b": [["LL", "CC", "LC"]]}}
    _, line = records(compare(graded(runs, grader="judge"), ("a", "local", 1, 0)))
    assert (line["only_first"], line["only_other"]) == (1, 1)


@pytest.mark.parametrize(
    "runs",
    [
        {"f": {"a": [FIRST, FIRST], "b": [OTHER]}},  # more runs
        {"f": {"a": [FIRST], "b": [OTHER]}, "g": {"a": [FIRST], "b": [OTHER]}},  # more fixtures
        {"f": {"a": [FIRST], "b": [OTHER]}, "g": {"a": [FIRST]}},
        {"f": {"a": [FIRST], "b": [OTHER], "c": [OTHER]}},  # more comparisons
    ],
)
def test_with_more_of_anything_atoms_are_no_units(runs):
    for line in records(compare(graded(runs), ("a", "local", 1, 0))):
        assert (line["only_first"], line["only_other"], line["outputs_p"]) == (None, None, None)


def test_the_command_says_that_it_is_about_two_outputs(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(project(tmp_path / "project"))
    write_run(tmp_path / "project/results/tiny", {"f": {"a": [FIRST], "b": [OTHER], "c": [OTHER]}})
    assert main(["compare", "tiny", "a", "b"]) == 0
    told = capsys.readouterr().out
    # binomial test of 8 in 10: 2 * 56 / 1024 = 0.109; Clopper and Pearson 44.4 to 97.5
    assert (
        "; of 11 atoms 2 are carried by a alone and 8 by b alone: b has 80 % of these (95 % interval 44 to 97 %,"
        " exact p 0.11); that is about these two outputs, not about the arms" in told
    )
    assert main(["compare", "tiny", "b", "c"]) == 0
    assert "the two outputs carry the same of 11 atoms; that is about these two outputs" in capsys.readouterr().out
    assert main(["compare", "tiny"]) == 0
    assert "two outputs, not" not in capsys.readouterr().out
    assert main(["compare", "tiny", "a", "b", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)[1]["outputs_p"] == pytest.approx(112 / 1024)
