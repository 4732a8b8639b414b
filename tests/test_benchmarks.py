"""The benchmarks can be run and told; what they measure is never timed here."""

import json
from importlib import import_module
from random import Random

import pytest

from bench.transcripts import read
from benchmarks import BENCHMARKS
from benchmarks.__main__ import main
from benchmarks.line import at_most, exceeding, not_built, shown, within
from benchmarks.made import answer_key, claude_session, handoff, messages_session
from benchmarks.measure import Took
from benchmarks.overhead import sweep_once
from benchmarks.world import project

TOOK = Took(wall_s=2.0, cpu_s=1.0, kernel_s=0.1)


@pytest.mark.parametrize("name", [*BENCHMARKS, "peers"])
def test_every_row_has_a_module(name):
    assert callable(import_module(f"benchmarks.{name}").run)


@pytest.mark.parametrize(
    ("line", "met"),
    [
        (at_most(1.5, 1.5, "s", "w"), True),
        (at_most(1.5, 1.6, "s", "w"), False),
        (at_most(0, 1, "cents", "w"), False),
        (within(2.0, 4.0, 2.0, "peer", "s", "w", TOOK), True),  # 2.00 times the peer
        (within(2.0, 4.1, 2.0, "peer", "s", "w", TOOK), False),
        (exceeding(3.0, 30.0, 10.0, "peer", "/s", "w", TOOK), True),
        (exceeding(3.0, 29.0, 10.0, "peer", "/s", "w", TOOK), False),
        (not_built("w", "≤ 1 s", "why"), None),
    ],
)
def test_a_line_says_whether_its_promise_holds(line, met):
    assert line.met is met


def test_the_table_shows_target_ratio_and_times_and_its_notes():
    lines = [
        within(2.0, 4.0, 1.0, "peer", "s", "reading", TOOK, "so and so"),
        at_most(0, 0, "cents", "cap"),
        not_built("bootstrap", "≤ 1 s", "no intervals"),
    ]
    assert shown(lines).splitlines() == [
        "what       measured         target        ratio  met            wall s  CPU s",
        "reading         4 s  ≤ 2.00 x peer  4.00 x peer  NOT MET          2.00   1.00",
        "cap         0 cents        0 cents            —  met                 —      —",
        "bootstrap         —          ≤ 1 s            —  not built yet       —      —",
        "  reading: so and so",
        "  bootstrap: no intervals",
    ]


def test_a_tiny_table_is_built_and_told_as_json(capsys):
    names = ["grading", "reading", "bootstrap", "calibration"]
    assert main([*names, "--size", "0.01", "--json"]) in (0, 1)  # how fast it was is nobody's business here
    told = json.loads(capsys.readouterr().out)
    assert "cores" in told["machine"]
    measured = [line for line in told["lines"] if not line["absent"]]
    assert len(measured) >= 3
    assert all((line["ratio"] is None or line["ratio"] > 0) and line["met"] in (True, False) for line in measured)
    assert {line["absent"] for line in told["lines"][len(measured) :]} <= {"not built yet"}
    agreed = [line for line in measured if line["what"].startswith("offline grader against people")]
    assert [line["value"] > 0.5 for line in agreed] == [True] * 4


@pytest.mark.parametrize("make", [claude_session, messages_session])
def test_made_sessions_are_the_same_for_a_seed_and_read_without_a_lost_line(make, tmp_path):
    text = make(50_000)
    assert text == make(50_000) != make(50_000, seed=8)
    assert 50_000 <= len(text) < 70_000
    path = tmp_path / "session.jsonl"
    path.write_text(text)
    transcript = read(path)
    assert len(transcript.messages) > 10
    assert transcript.unread == ()


def test_made_handoffs_carry_some_atoms_and_lose_some():
    from bench.grading.lexical import grade

    key = answer_key(Random(1), 40)
    findings, _ = grade(handoff(Random(2), key, 4000), key)
    assert 10 < sum(f.verdict == "carried" for f in findings) < 30


def test_a_made_sweep_runs(tmp_path):
    folder = sweep_once(project(tmp_path / "project", 4), "run")
    assert len(list(folder.glob("outputs/*/*/*/*.md"))) == 4
