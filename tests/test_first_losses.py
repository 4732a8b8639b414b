"""First losses of a chain: curves worked by hand, the printed ones in test_chain.py."""

import json

import msgspec
import pandas as pd
import pytest
from fixture_files import write_fixture
from runs import grades, output, project, write_run

import bench
from bench.analysis.atoms.first_losses import first_losses
from bench.atomic import write_bytes
from bench.cli import main
from bench.fixtures import KEY, TRANSCRIPT, sha256_of
from bench.forks.runfile import FixtureMark, encode_run_file
from bench.frames import frame, records
from bench.rows import GradeRow
from bench.runs.atoms import atom_stretches


def test_a_curve_with_a_return_and_an_atom_that_is_seen_less_long():
    rows = [
        *grades("CCC.", chain_step=1), *grades("CLPC", chain_step=2), *grades("CCLC", chain_step=3),
    ]  # fmt: skip
    one, two, three = records(first_losses(frame(rows, GradeRow)))
    # a1 CCC, a2 CLC, a3 CPL; a4 has no verdict at step 1, which is its own: it is not followed
    told = [(r["compactions"], r["at_risk"], r["losses"]) for r in (one, two, three)]
    assert told == [
        (1, 3, 0),
        (2, 3, 1),
        (3, 2, 1),
    ]
    assert two["survival"] == pytest.approx(2 / 3) and three["survival"] == pytest.approx(1 / 3)
    assert two["se"] == pytest.approx((4 / 9 * 1 / 6) ** 0.5)
    assert (two["stay"], two["came_back"]) == (pytest.approx(2 / 3), None)
    assert (three["stay"], three["came_back"], three["reappeared"]) == (0.5, 1.0, 1)


def test_the_cuts_place_an_atom_that_its_own_step_has_no_grade_of():
    rows = [*grades("C", chain_step=2), *grades("C", chain_step=3)]
    of = frame(rows, GradeRow)
    placed = of[["fixture", "atom"]].drop_duplicates().assign(stretch=1)
    # by the first graded step it would be followed from step 2 on; by the cuts its first handoff is missing
    assert len(first_losses(of)) == 2 and len(first_losses(of, placed)) == 0


@pytest.fixture
def chain(tmp_path, monkeypatch):
    """A run of two steps over the small fixture, cut at message 4: a1 (message 4) and a3 (5) are of the second stretch,
    a2 (2) is of the first, and the first step's output has no verdict on it."""
    root = project(tmp_path / "project")
    fixture = write_fixture(root / "fixtures/f1")
    rows = [output("a", "f1", 1, chain_step=step, run="tiny", cell_key=f"s{step}") for step in (1, 2)]
    store = write_run(root / "results/tiny", {"f1": {"a": ["CCC"]}}, rows=rows)
    mark = FixtureMark(
        folder="fixtures/f1", transcript_sha256=sha256_of(fixture / TRANSCRIPT), key_sha256=sha256_of(fixture / KEY),
        cuts=(4,),
    )  # fmt: skip
    write_bytes(store.run_file, encode_run_file(msgspec.structs.replace(store.run_json(), fixtures={"f1": mark})))
    monkeypatch.chdir(root)
    return fixture


def test_an_atom_is_of_the_stretch_of_the_last_message_that_establishes_it(chain):
    found = {r["atom"]: r["stretch"] for r in records(atom_stretches(bench.open_run("tiny")))}
    assert found == {"a1": 2, "a2": 1, "a3": 2}  # a cut at 4 begins the second stretch with message 4
    key = chain / KEY
    key.write_text(key.read_text() + "# changed\n")
    assert len(atom_stretches(bench.open_run("tiny"))) == 0


def test_what_the_cuts_say_goes_before_what_was_graded_first(chain):
    # both steps have verdicts on all three; by the first graded step each would be of stretch 1
    assert chain.is_dir()
    lines = records(bench.survival_table(bench.open_run("tiny")))
    assert {(r["stretch"], r["chain_step"], r["compactions"], r["atoms"]) for r in lines} >= {
        (1, 1, 1, 1),
        (1, 2, 2, 1),
        (2, 2, 1, 2),
    }
    losses = {r["compactions"]: r["at_risk"] for r in records(bench.first_losses(bench.open_run("tiny")))}
    assert losses == {1: 3, 2: 1}  # three atoms through one compaction, the first stretch's through two


def test_the_table_by_step_gives_first_losses_too(chain, tmp_path, capsys):
    assert chain.is_dir() and main(["table", "tiny", "--by", "step", "--json"]) == 0
    lines = json.loads(capsys.readouterr().out)
    losses = [line for line in lines if line["what"] == "first losses"]
    assert [(r["compactions"], r["at_risk"], r["losses"], r["survival"]) for r in losses] == [
        (1, 3, 0, 1.0),
        (2, 1, 0, 1.0),
    ]
    assert {r["recall"] for r in lines if r["what"] == "recall"} == {1.0} and losses[0]["recall"] is None
    out = tmp_path / "steps.csv"
    assert main(["table", "tiny", "--by", "step", "--to", "csv", "--out", str(out)]) == 0
    table = pd.read_csv(out)
    assert table.loc[table["what"] == "first losses", "at_risk"].tolist() == [3, 1]
    assert main(["table", "tiny", "--by", "step", "--to", "parquet", "--out", str(tmp_path / "steps.parquet")]) == 0
    assert len(pd.read_parquet(tmp_path / "steps.parquet")) == len(lines)
    assert main(["table", "tiny", "--by", "step", "--to", "md"]) == 0
    assert "first losses" in capsys.readouterr().out
