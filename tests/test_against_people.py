"""What people's grades say of a grader: `bench agreement` on a run that both graded, against numbers worked by hand."""

import json
import shutil

import pytest
from runs import graded, grades, project, write_run

from bench.analysis.graders.against_people import corrected_recalls, grader_errors
from bench.analysis.graders.run_agreement import between_passes
from bench.cli import main
from bench.frames import frame, records
from bench.rows import GradeRow

LEXICAL = {"f1": {"a": ["CCCCCLLLLL", "CCCCCCCCLL"]}}
PEOPLE = {"f1": {"a": ["CCCCLLPLLC", ".........."]}}


@pytest.fixture(name="_both")
def both(tmp_path, monkeypatch):
    """A run that the lexical grader graded whole, and people the first of its two outputs."""
    folder = project(tmp_path / "project")
    write_run(folder / "results/tiny", LEXICAL)
    write_run(tmp_path / "people/tiny", PEOPLE)
    theirs = folder / "results/tiny/grades/human"
    shutil.copytree(tmp_path / "people/tiny/grades/lexical", theirs)
    for path in theirs.rglob("*.json"):
        path.write_text(path.read_text().replace('"lexical"', '"human"'))
    monkeypatch.chdir(folder)


def test_the_command_corrects_an_arm_by_peoples_grades(_both, capsys):
    assert main(["agreement", "tiny"]) == 0
    told = capsys.readouterr().out
    # people call five atoms carried and the partial one not; lexical says the same of four of each five
    assert "handoff lexical 10 5 5 0.80 0.80" in " ".join(told.split())
    # lexical calls 13 of 20 carried: (0.65 + 0.8 - 1) / 0.6 = 0.75. Lee et al.: z^2 = 3.8415, smoothed
    # p = 14.92 / 23.84, se = sp = 5/7, point 0.7936, centre 0.9251, reach 0.7845
    assert "65.0  75.0 (14.1 to 100.0)" in told
    assert "supposes that these are a random sample" in told


def test_peoples_mean_credit_stands_on_the_rest_of_the_grades(_both, capsys):
    assert main(["agreement", "tiny", "--json"]) == 0
    (line,) = json.loads(capsys.readouterr().out)["people"]["corrected"]
    # y: five of 1, one of 0.5, four of 0: mean 0.55; f: mean 0.5; cov = 4/10 - 0.275 = 0.125;
    # var f of all 20 = 0.65 * 0.35 * 20/19 = 0.239474; lam = 0.125 / (2 * 0.239474) = 0.260989; mean 0.55 + 0.3 lam
    assert (line["atoms"], line["labelled"]) == (20, 10)
    assert line["people"] == pytest.approx(0.628297, abs=1e-6)
    # var(y) = 0.525 - 0.3025 = 0.2225; var(y - lam f) = 0.2225 + 0.25 lam^2 - 0.25 lam; var(u) = 0.16; tens of each
    lam = 0.125 / (2 * 0.65 * 0.35 * 20 / 19)
    reach = 1.959964 * ((0.16 * lam**2 + 0.2225 + 0.25 * lam**2 - 0.25 * lam) / 10) ** 0.5
    assert line["people_high"] - line["people"] == pytest.approx(reach, abs=1e-6)


def test_disputes_and_runs_without_people_correct_nothing():
    rows = [*grades("CCLL"), *grades("LCLL", grader="disputes")]
    assert [len(f(frame(rows, GradeRow))) for f in (grader_errors, corrected_recalls)] == [0, 0]


def test_where_people_call_all_carried_nothing_is_corrected():
    rows = [*grades("CCLL"), *grades("CC..", grader="human")]
    (line,) = records(corrected_recalls(frame(rows, GradeRow)))
    assert line["share"] == 0.5 and line["corrected"] is None
    assert [records(grader_errors(frame(rows, GradeRow)))[0][c] for c in ("sensitivity", "specificity")] == [1.0, None]


def test_whole_passes_that_are_stricter_are_told_from_single_flips():
    strict = records(between_passes(graded({"f1": {"a": [["CCCC", "LLLL"]]}}, grader="judge-x")))
    single = records(between_passes(graded({"f1": {"a": [["CCLC", "CLCC"]]}}, grader="judge-x")))
    # all four atoms flip, variance 0.5 each: predicted 4 * 0.5 / 16 = 1/8, the passes' recalls 1 and 0 vary by 1/2
    assert strict[0]["whole"] == pytest.approx(4.0)
    assert single[0]["whole"] == 0.0  # two flips that cancel: both passes recall 3 of 4
