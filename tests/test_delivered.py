"""What is handed up where forks fail: a stored handoff, the harness's own summary, or nothing; counted by hand."""

import msgspec
import pandas as pd
import pytest
from fakes import FakeModel, outside, project, reply
from fixture_files import write_fixture
from runs import grades, output

import bench
from bench.analysis.arms.delivered import delivered, delivered_arms
from bench.analysis.arms.states import cell_states
from bench.cli import main
from bench.frames import frame
from bench.rows import GradeRow, OutputRow

PLAN = ["fixture", "arm", "model", "chain_step", "stale_by", "replicate", "kind"]
RUN = [
    # fixture, replicate, stale_by, outcome, verdicts
    ("f1", 1, 0, "handoff", "CCCL"),  # 3/4
    ("f1", 2, 0, "refused", None),
    ("f1", 2, 12, "handoff", "CCLL"),  # the fresher of two stored ones: 2/4
    ("f1", 2, 40, "handoff", "CLLL"),
    ("f2", 1, 0, "mismatch", None),
    ("f2", 1, 12, "refused", None),  # a stored one that is none
    ("f2", 2, 0, "handoff", "CCCC"),
    ("f3", 1, 0, "empty", None),
    ("f3", 1, 61, "too-stale", None),
]


def tables(rows=RUN, *, own="CLLL"):
    outputs = [
        output("inventory", fixture, n, stale_by=k, outcome=outcome, cell_key=f"{fixture}-{n}-{k}")
        for fixture, n, k, outcome, _ in rows
    ]
    graded = [
        row
        for fixture, n, k, _, letters in rows
        if letters
        for row in grades(letters, "inventory", fixture, n, stale_by=k)
    ]
    if own:  # the harness's own summary of f2: 1/4
        outputs.append(output("stock", "f2", 1, kind="replay", model="none", cell_key="own"))
        graded += grades(own, "stock", "f2", 1, model="none")
    outputs = frame(outputs, OutputRow)
    return cell_states(outputs[PLAN], outputs), outputs, frame(graded, GradeRow)


def lines_of(rows=RUN, *, own="CLLL", **more):
    cells, outputs, graded = tables(rows, own=own)
    found = delivered(cells, outputs, graded, **more)
    mine = found[found["arm"] == "inventory"]
    return {
        (line.fixture, line.replicate): (line.state, line.delivered, line.behind, line.recall)
        for line in mine.itertuples()
    }


def test_each_cell_is_handed_the_best_that_there_is():
    found = lines_of()
    assert found["f1", 1] == ("handoff", "fork", 0, 0.75)
    assert found["f1", 2] == ("refused", "stored", 12, 0.5)
    assert found["f2", 1][:2] == ("mismatch", "harness's own") and found["f2", 1][3] == 0.25
    assert found["f2", 2] == ("handoff", "fork", 0, 1.0)
    assert found["f3", 1][:2] == ("empty", "nothing") and found["f3", 1][3] == 0.0


def test_the_mean_is_the_hand_counted_one():
    """f1: (3/4 + 2/4) / 2 = 0.625. f2: (1/4 + 1) / 2 = 0.625. f3: 0. All: 1.25 / 3 = 0.41667.

    Answered forks alone: f1 0.75, f2 1, so 0.875; the pipeline is 45.83 points below.
    """
    cells, outputs, graded = tables()
    arms = delivered_arms(delivered(cells, outputs, graded), graded, outputs)
    (line,) = arms[arms["arm"] == "inventory"].to_dict("records")
    assert [line[way] for way in ("cells", "fork", "stored", "harness's own", "nothing")] == [5, 2, 1, 1, 1]
    assert line["delivered_recall"] == pytest.approx(1.25 / 3)
    assert line["answered_recall"] == pytest.approx(0.875)
    assert line["difference"] == pytest.approx(100 * (1.25 / 3 - 0.875))


def test_an_own_summary_that_is_not_graded_is_delivered_with_a_recall_that_is_not_known():
    cells, outputs, graded = tables(own=None)
    found = delivered(cells, outputs, graded, ["f2"])
    line = found[(found["fixture"] == "f2") & (found["replicate"] == 1)].iloc[0]
    assert line["delivered"] == "harness's own" and line["recall"] is not None and line.isna()["recall"]
    assert delivered(cells, outputs, graded)["delivered"].tolist().count("nothing") == 2


def test_a_cut_off_handoff_counts_as_failed_unless_it_is_ranked():
    rows = [("f1", 1, 0, "truncated", "CCLL"), ("f1", 1, 12, "handoff", "CLLL")]
    assert lines_of(rows, own=None) == {("f1", 1): ("truncated", "stored", 12, 0.25)}
    assert lines_of(rows, own=None, with_truncated=True) == {("f1", 1): ("truncated", "fork", 0, 0.5)}


def test_a_cell_that_was_never_run_is_no_failure():
    cells, outputs, graded = tables([("f1", 1, 0, "handoff", "CC")], own=None)
    missing = cells.assign(replicate=2, state="not run")
    found = delivered(pd.concat([cells, missing]), outputs, graded)
    assert found["replicate"].tolist() == [1]


# through a run's files


@pytest.fixture
def refused_once(tmp_path):
    def answer(request, _n):
        if request.instruction == "Say it short." and b"Postgres" in request.context.body:
            return reply("", stop_reason="refusal")
        return reply()

    path = project(tmp_path, sweep="stale_by = [0, 2]\n")
    write_fixture(tmp_path / "fixtures/f1")
    bench.run_sweep(path, outside=outside(FakeModel(answer)))
    return tmp_path / "results/s"


def test_bench_table_delivered_tells_it_of_a_run(refused_once, capsys):
    """`short` is refused at the end and was answered two messages earlier: a1 and a2 of three atoms, 66.7 points."""
    assert main(["table", str(refused_once), "--delivered"]) == 0
    out = capsys.readouterr().out
    assert "s: handed up where the fork failed" in out
    cell = next(line for line in out.splitlines() if line.startswith("f1 ") and "refused" in line)
    assert cell.split()[-3:] == ["stored", "2", "66.7"]
    assert main(["table", str(refused_once), "--delivered", "--json"]) == 0
    told = msgspec.json.decode(capsys.readouterr().out)
    short = next(arm for arm in told["arms"] if arm["arm"] == "short")
    assert (short["stored"], short["answered_recall"]) == (1, None)
    assert short["delivered_recall"] == pytest.approx(2 / 3)
    assert bench.delivered_table(bench.open_run(refused_once)).shape[0] == 2
