"""The files of a run: the row is last and means done; what is written is what is read back."""

import json
from pathlib import Path

import pytest
from fakes import PAID, FakeModel, outside, project
from hypothesis import given, settings
from hypothesis import strategies as st
from runs import output

from bench.arms.model import Arm, ArmFile
from bench.atomic import write_all
from bench.errors import BenchError
from bench.forks.cells import make_cell
from bench.forks.run import run_sweep
from bench.forks.store import Store, append_line, open_run
from bench.handoff.assemble import assemble
from bench.rows import CallRow
from bench.transcripts.model import Message, Text, Transcript

TRANSCRIPT = Transcript(
    format="t", messages=(Message(role="user", author="person", blocks=(Text("Please mend the flaky test."),)),)
)


def handoff(text, *, pins=False, kind="prompt"):
    return assemble(text, Arm(label="a", settings=ArmFile(kind=kind, pins=pins), text="x"), TRANSCRIPT)


def cell(**more):
    usual = {
        "fixture": "f1", "arm": "inventory", "kind": "prompt", "model": PAID, "replicate": 1, "context_sha256": "c",
        "instruction_sha256": "i", "options": b"o",
    }  # fmt: skip
    return make_cell(**(usual | more))


@pytest.mark.parametrize(
    "changed",
    [
        {"fixture": "f2"}, {"arm": "short"}, {"kind": "server"}, {"model": "local"}, {"replicate": 2}, {"stale_by": 1},
        {"chain_step": 2}, {"context_sha256": "d"}, {"instruction_sha256": "j"}, {"options": b"p"},
    ],
)  # fmt: skip
def test_a_cells_key_changes_with_everything_that_makes_its_output(changed):
    assert cell().key == cell().key
    assert cell(**changed).key != cell().key


def test_an_output_lies_under_fixture_arm_and_model(tmp_path):
    store = Store(tmp_path / "r")
    row = output(model=PAID, stale_by=2, replicate=3)
    assert store.output_path(row, ".md") == tmp_path / f"r/outputs/f1/inventory/{PAID}/s1-k2-r03.md"
    server = store.output_path(output(model="http://127.0.0.1:8000#m"), ".md")
    assert server.is_relative_to(tmp_path / "r/outputs/f1/inventory")
    assert len(server.relative_to(tmp_path / "r").parts) == 5


@settings(max_examples=40, deadline=None)
@given(st.text(), st.booleans(), st.integers(1, 50))
def test_what_is_written_is_read_back(tmp_path_factory, text, pins, replicate):
    store = Store(tmp_path_factory.mktemp("run"))
    made = handoff(text, pins=pins, kind="full")
    row = output(replicate=replicate, kind="full", model="none")
    files = store.output_files(row, made)
    assert [Path(p).suffixes[-1] for p, _ in files] == [".md", ".json", ".json"]
    assert Path(files[-1][0]) == store.output_path(row, ".json")  # the row is last
    write_all(files)
    assert store.rows() == [row]
    assert store.handoff_text(row) == made.text
    assert store.summary_text(row) == (text.strip())
    spans = {p.name: made.text[p.start : p.end] for p in store.parts(row).parts}
    assert spans == dict(made.parts)


def test_a_handoff_without_a_row_is_not_done(tmp_path):
    store = Store(tmp_path)
    write_all(store.output_files(output(), handoff("x"))[:-1])
    assert store.rows() == []
    assert store.done() == {}


def test_done_cells_are_told_by_place_for_all_or_for_one_group(tmp_path):
    store = Store(tmp_path)
    for row in (output(), output(fixture="f2"), output(model=PAID)):
        write_all(store.output_files(row, None))
    assert store.done() == {
        "f1/inventory/local/s1-k0-r01": "f1-inventory-1",
        "f2/inventory/local/s1-k0-r01": "f2-inventory-1",
        f"f1/inventory/{PAID}/s1-k0-r01": "f1-inventory-1",
    }
    assert list(store.done("f1/local")) == ["f1/inventory/local/s1-k0-r01"]


def test_clearing_an_output_leaves_no_row_behind(tmp_path):
    store = Store(tmp_path)
    one = cell()
    row = output(model=PAID)
    write_all(store.output_files(row, handoff("x")))
    store.clear_output(one)
    assert store.row_of(one) is None
    assert not list(tmp_path.rglob("*.*"))


def test_an_unread_row_is_named_with_the_mend(tmp_path):
    store = Store(tmp_path)
    path = store.output_path(output(), ".json")
    path.parent.mkdir(parents=True)
    path.write_text('{"run": 1}')
    with pytest.raises(BenchError, match=r"s1-k0-r01.json: cannot be read: .*; delete it and run the sweep again"):
        store.rows()


@pytest.mark.parametrize("what", ["missing", "empty", "no-run", "broken"])
def test_a_folder_that_is_no_run_is_said_in_one_line(tmp_path, what):
    if what != "missing":
        (tmp_path / "r").mkdir()
    if what == "broken":
        (tmp_path / "r/run.json").write_text("{}")
    if what == "no-run":
        (tmp_path / "r/other.json").write_text("{}")
    with pytest.raises(BenchError, match=r"is no results folder: it holds no run.json|is not a run's run.json"):
        open_run(tmp_path, "r")


def test_calls_are_all_that_was_asked_answered_or_not(tmp_path):
    summary = run_sweep(project(tmp_path), outside=outside(FakeModel()))
    store = Store(summary.folder)
    append_line(store.attempts, CallRow(call_id="x", purpose="fork", model=PAID, outcome="timeout", started_at="2026"))
    (store.grades_dir / "judge").mkdir(parents=True)
    judged = CallRow(call_id="j", purpose="judge", model=PAID, outcome="handoff", started_at="2027")
    append_line(store.grades_dir / "judge/calls.jsonl", judged)
    assert next(c.call_id for c in store.calls()) == "x"
    assert [c.purpose for c in store.calls()] == ["fork", "fork", "fork", "judge"]


def test_a_line_left_unfinished_costs_only_itself(tmp_path):
    store = Store(tmp_path)
    row = CallRow(call_id="x", purpose="fork", model=PAID, outcome="timeout", started_at="2026")
    append_line(store.attempts, row)
    with store.attempts.open("ab") as file:
        file.write(b'{"call_id": "half')
    append_line(store.attempts, row)
    assert store.failed_calls() == [row, row]


def test_a_run_keeps_each_context_once_and_no_text_twice_beside_the_outputs(tmp_path):
    arms = {f"arm-{n}": f"Instruction {n}." for n in range(4)}
    summary = run_sweep(project(tmp_path, arms=arms, sweep="replicates = 3"), outside=outside(FakeModel()))
    assert len(list((summary.folder / "contexts").iterdir())) == 1
    assert len(list((summary.folder / "replies").iterdir())) == 12
    journal = (summary.folder / "journal.jsonl").read_text()
    assert "ruled out Redis" not in journal
    assert all(json.loads(line) for line in journal.splitlines())
