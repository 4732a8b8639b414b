"""Graders against people: labels read, figures by hand, weights fitted and read, a judge asked, and what is told."""

import json
import math

import numpy as np
import pytest
from judging import QUOTES, answered
from small_run import write_small_run

from bench.analysis.graders.calibration import Judged, calibration
from bench.calibration.fit import FOLDS, PENALTIES, Row, best_penalty, fit, fit_rows, folds, logistic, rows_of
from bench.calibration.labels import Unit, read_labels
from bench.cli import main
from bench.errors import BenchError
from bench.grading.overlap import FIGURES
from bench.grading.weights import read_weights, shipped, told

JUDGE = "claude-opus-5-5"


def judged(carried, label, document="d1", unanimous=True, number=False):
    return Judged(document, carried, label, unanimous, number)


def test_accuracy_kappa_precision_and_recall_are_those_worked_by_hand():
    units = [
        *[judged(True, True)] * 4, judged(True, False), judged(False, True, "d2", unanimous=False),
        *[judged(False, False, "d2", number=True)] * 2, judged(True, None), judged(None, True),
    ]  # fmt: skip
    found = calibration(units)
    assert (found.tied, found.missing, found.documents, found.all.n) == (1, 1, 2, 8)
    assert found.all.accuracy == pytest.approx(6 / 8)
    chance = (5 * 5 + 3 * 3) / 64  # both say carried 5 of 8 times
    assert found.all.kappa == pytest.approx((6 / 8 - chance) / (1 - chance))
    assert (found.precision, found.recall) == (pytest.approx(4 / 5), pytest.approx(4 / 5))
    assert (found.unanimous.n, found.unanimous.accuracy) == (7, pytest.approx(6 / 7))
    assert (found.numbers.n, found.numbers.accuracy, found.numbers.kappa) == (2, 1.0, None)


def test_the_interval_takes_a_documents_units_as_one_cluster():
    right = {"d1": [1, 1, 1, 0], "d2": [1, 0], "d3": [1, 1, 1]}
    units = [judged(True, bool(r), d) for d, rs in right.items() for r in rs]
    # mean 7/9; residual sums: d1 3 - 4 x 7/9 = -1/9, d2 1 - 14/9 = -5/9, d3 3 - 21/9 = 6/9
    cr1 = math.sqrt((1 + 25 + 36) / 81) / 9 * math.sqrt(3 / 2)
    half = 4.302653 * cr1  # t of 2 degrees of freedom
    low, high = calibration(units).interval
    assert (low, high) == (pytest.approx(7 / 9 - half, abs=1e-6), pytest.approx(min(7 / 9 + half, 1)))
    assert calibration(units[:4]).interval is None
    assert calibration([]).all.accuracy is None


def test_the_logistic_fit_finds_the_weights_that_made_the_labels():
    rng = np.random.default_rng(7)
    x = rng.normal(size=(20000, 2))
    y = (rng.random(20000) < 1 / (1 + np.exp(-(0.5 + 2 * x[:, 0] - x[:, 1])))).astype(float)
    assert logistic(x, y, 1e-6) == pytest.approx([0.5, 2, -1], abs=0.08)
    assert abs(logistic(x, y, 1.0)[1]) < 0.5  # a penalty shrinks


def test_the_fit_aims_at_the_share_of_the_people_who_found_the_unit():
    """Units whose figures do not tell them apart: 2 of 3 people thrice and 1 of 3 once are 7/12 of the votes, although
    3 of the 4 labels say 1; a tie counts as the half that it is, and a label without votes as itself."""

    def row(label, *votes):
        return Row("d", Unit(unit_id=1, text="t", label=label, votes=votes), (0.5,) * len(FIGURES))

    def found(*rows):
        return fit_rows(rows, 0.01).probability((0.5,) * len(FIGURES))

    most = (row(1, 1, 1, 0), row(1, 1, 0, 1), row(1, 0, 1, 1), row(0, 1, 0, 0))
    assert found(*most) == pytest.approx(7 / 12, abs=1e-5)
    assert found(row(None, 1, 1, 0, 0), row(1)) == pytest.approx(3 / 4, abs=1e-5)


def lines(documents=12, texts=4):
    """Labelled texts of which people found a unit where the text says it."""
    facts = ["The limiter keeps buckets in Postgres.", "The client retries timeouts.", "Tests run every night."]
    topics = ["The limiter is new.", "The client is old.", "Tests are dull."]
    for d in range(documents):
        for t in range(texts):
            said = [(t + i + d) % 3 != 0 for i in range(3)]
            text = " ".join(f if there else near for f, near, there in zip(facts, topics, said, strict=True))
            units = [
                {"unit_id": i, "text": f, "votes": [int(s)] * 3, "label": int(s)}
                for i, (f, s) in enumerate(zip(facts, said, strict=True))
            ]
            yield {"doc_id": f"d{d}", "system": f"s{t}", "summary": text, "units": units}


@pytest.fixture
def labels(tmp_path):
    path = tmp_path / "labels.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines()))
    return path


def test_a_document_is_in_one_fold_and_every_document_in_some():
    names = [f"d{i}" for i in range(23)]
    dealt = folds(names, FOLDS)
    assert sorted(d for fold in dealt for d in fold) == sorted(names)


def test_of_penalties_with_as_many_wrong_verdicts_the_greatest_is_taken(labels):
    rows = rows_of(read_labels(labels))  # every penalty tells these apart; the smallest would have the least log loss
    assert best_penalty(rows, sorted({row.document for row in rows})) == max(PENALTIES)


def test_weights_are_fitted_written_and_read_back(labels, tmp_path, capsys):
    out = tmp_path / "weights.json"
    assert main(["calibrate", "--labels", str(labels), "--fit", "--out", str(out)]) == 0
    assert "100.0 % of 144 units" in capsys.readouterr().out  # 12 documents x 4 texts x 3 units, said word for word
    weights = read_weights(out)
    assert weights.fitted.documents == 12
    assert weights == fit(read_labels(labels), labels.name)  # the same again
    assert main(["calibrate", "--labels", str(labels), "--weights", str(out), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert list(found) == ["accuracy", "kappa", "interval", "n", "unanimous", "numbers"]
    assert (found["accuracy"], found["n"], found["unanimous"]["n"]) == (1.0, 144, 144)
    assert found["numbers"] == {"accuracy": None, "kappa": None, "n": 0}


def test_a_figure_outside_the_range_of_the_fit_counts_as_its_end():
    weights = shipped()
    names = list(FIGURES)
    usual = [weights.figures[n].mean for n in names]
    at = names.index("passage_length")
    end = [*usual[:at], weights.figures["passage_length"].high, *usual[at + 1 :]]
    assert weights.probability([*usual[:at], 1e6, *usual[at + 1 :]]) == weights.probability(end)
    assert 0 < weights.probability(usual) < 1


def test_what_cannot_carry_a_unit_has_no_figures(tmp_path):
    units = [
        {"unit_id": t, "text": t, "label": 0} for t in ("It retries 5 times.", "Redis is out.", "It must not log.")
    ]
    path = tmp_path / "labels.jsonl"
    path.write_text(json.dumps({"summary": "It retries 3 times and must log.", "units": units}))
    assert [row.figures for row in rows_of(read_labels(path))] == [None, None, None]  # number, words, negation


def test_too_few_documents_are_refused(tmp_path):
    path = tmp_path / "few.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines(documents=3)))
    with pytest.raises(BenchError, match=r"labels of 10 documents; few\.jsonl has 3"):
        fit(read_labels(path), path.name)


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("{", "no labelled text"),
        ('{"summary": "x"}', "either 'units' or 'unit'"),
        ('{"summary": "x", "unit": "y", "label": 2}', "no labelled text"),
        ('{"summary": "x", "units": [{"unit_id": 1, "text": "a", "label": 1}, {"unit_id": 1, "text": "b"}]}', "label"),
        (json.dumps({"summary": "x", "units": [{"unit_id": 1, "text": "a", "label": 1}] * 2}), "same unit_id"),
    ],
)  # fmt: skip
def test_a_bad_line_is_named(tmp_path, capsys, line, why):
    path = tmp_path / "bad.jsonl"
    path.write_text('{"summary": "x", "unit": "y", "label": true}\n' + line + "\n")
    assert main(["calibrate", "--labels", str(path)]) == 2
    err = capsys.readouterr().err
    assert "bad.jsonl:2: " in err and why in err


@pytest.mark.parametrize(
    "options",
    [["--grader", "judge"], ["--model", JUDGE], ["--fit"], ["--out", "x"]],
)
def test_options_that_do_not_go_together_are_refused(labels, options):
    assert main(["calibrate", "--labels", str(labels), *options]) == 2


def test_a_judge_is_held_against_people_and_paid_once(tmp_path, capsys, claude_server):
    facts = list(QUOTES)[:3]
    text = "The user ruled out Redis. MAX_RETRIES is 5."
    units = [{"unit_id": f"u{i}", "text": f, "votes": [1, 1, 1], "label": 1} for i, f in enumerate(facts)]
    path = tmp_path / "labels.jsonl"
    path.write_text(json.dumps({"doc_id": "d1", "summary": text, "units": units}) + "\n")
    server = claude_server(answered())
    asked = ["calibrate", "--labels", str(path), "--grader", "judge", "--model", JUDGE, "--no-budget", "--json"]
    for _ in range(2):
        assert main([*asked, "--folder", str(tmp_path / "judged")]) == 0
        found = json.loads(capsys.readouterr().out)
        assert (found["n"], found["accuracy"]) == (3, pytest.approx(2 / 3))  # the third statement is not in the text
        assert len([r for r in server.requests if not r.path.endswith("count_tokens")]) == 2  # atoms, inventions


def test_the_shipped_weights_say_how_far_they_agree_with_people():
    line = told(shipped())
    known = shipped().fitted
    assert f"{100 * known.all.accuracy:.1f} % of {known.all.n:,} units" in line
    assert known.documents >= 40 and known.interval[0] < known.all.accuracy < known.interval[1]


def test_a_lexical_run_that_used_the_matcher_tells_its_agreement_with_people(tmp_path, capsys):
    root = write_small_run(tmp_path / "project")
    run = str(root / "results" / "tiny")
    assert main(["grade", run]) == 0
    assert "scored matcher" not in capsys.readouterr().out  # every atom has patterns
    for name in ("small", "twin"):
        key = root / "fixtures" / name / "key.yaml"
        key.write_text(key.read_text().replace("    accept: {all: ['postgres', 'bucket']}\n", ""))
    assert main(["grade", run]) == 0
    assert told(shipped()) in capsys.readouterr().out
