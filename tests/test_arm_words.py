"""The arm table and the costs beside a comparison as people read them: how wide, and what is told of one run."""

import json
import re

import pytest
from runs import output, project, write_run
from scipy import stats
from scipy.stats import binomtest

from bench.cli import main
from bench.frames import records
from bench.runs.index import open_run
from bench.runs.view import arm_table, recall


def near(value):
    return pytest.approx(value, abs=1e-9)


def test_the_arm_table_is_no_wider_than_100_columns(tmp_path, monkeypatch, capsys):
    """With long labels, a long model, every kind of gap and a cost in small print."""
    monkeypatch.chdir(project(tmp_path / "project"))
    arms = ("nine-sections-and-pins", "tail-like-inventory", "inventory")
    runs = {f: {a: ["CCSWP", "CCCL."] for a in arms} for f in ("f1", "f2")}
    more = {"model": "claude-sonnet-5-5", "usd_api": 0.00123456, "carry_usd": 0.000123456, "handoff_tokens": 12_345}
    rows = [
        output(a, f, r, **more | {"usd_api": 0.00123456 * (r + len(f + a))})
        for f in runs for a in arms for r in (1, 2)
    ]  # fmt: skip
    write_run(tmp_path / "project/results/tiny", runs, rows=rows, replicates=3)
    assert main(["table", "tiny"]) == 0
    tables = capsys.readouterr().out.split("\n\n")[:-1]
    assert len(tables) == 3 and max(len(line) for part in tables for line in part.splitlines()) <= 100


def test_one_run_in_all_has_the_interval_of_its_atoms(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(project(tmp_path / "project"))
    write_run(tmp_path / "project/results/tiny", {"f1": {"a": ["C" * 7 + "L" * 3], "b": ["CCCLL", "CCLLL"]}})
    lines = {r["arm"]: r for r in records(arm_table(open_run("tiny")))}
    low, high = binomtest(7, 10).proportion_ci(0.95, "wilson")
    assert (lines["a"]["atoms_low"], lines["a"]["atoms_high"]) == (near(low), near(high))
    assert (lines["b"]["atoms_low"], lines["a"]["recall_low"]) == (None, None)
    assert main(["table", "tiny"]) == 0
    told = "one run in all, 95 % by its atoms alone (how runs vary is not in it): a 39.7 to 89.2"
    assert told in capsys.readouterr().out.splitlines()
    # of every run, from Python: 3 of 5
    third = records(recall(open_run("tiny")))[1]
    assert (third["atoms_low"], third["atoms_high"]) == near(tuple(binomtest(3, 5).proportion_ci(0.95, "wilson")))


def test_costs_of_atoms_stand_beside_a_comparison(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(project(tmp_path / "project"))
    counts = {"a": ((2, 3), (3, 2), (2, 2)), "b": ((7, 8), (8, 8), (8, 7))}
    cents = {"a": ((0.10, 0.12), (0.11, 0.12), (0.10, 0.10)), "b": ((0.30, 0.33), (0.32, 0.33), (0.34, 0.30))}
    runs = {f"f{i}": {a: ["C" * n + "L" * (9 - n) for n in of[i]] for a, of in counts.items()} for i in range(3)}
    rows = [
        output(a, f"f{i}", r, run="tiny", usd_api=cents[a][i][r - 1])
        for i in range(3) for a in counts for r in (1, 2)
    ]  # fmt: skip
    write_run(tmp_path / "project/results/tiny", runs, rows=rows, replicates=2)
    assert main(["compare", "tiny", "a", "b", "--json"]) == 0
    first, other = json.loads(capsys.readouterr().out)
    assert first["costs"]["usd_per_carried"]["mean"] == near(0.65 / 14)
    atom = other["costs"]["usd_per_carried"]
    assert (atom["mean"], atom["n"], atom["target"]) == (near(1.92 / 46), 6, "transcripts like these")
    more = [[sum(of["b"][i]) / 2 - sum(of["a"][i]) / 2 for i in range(3)] for of in (cents, counts)]
    assert other["usd_per_more"] == near(sum(more[0]) / sum(more[1])) and first["usd_per_more"] is None
    for r in (other["usd_per_more_low"], other["usd_per_more_high"]):
        apart = [c - r * n for c, n in zip(*more, strict=True)]
        assert stats.ttest_1samp(apart, 0).pvalue == pytest.approx(0.05, abs=1e-9)
    assert main(["compare", "tiny", "a", "b"]) == 0
    told = capsys.readouterr().out
    assert "; each further atom costs 0.0397 USD to write (95 % interval 0.0" in told  # 0.635 / 16
    assert re.search(r"(?m)^USD an atom +b +6 +0.0417 ", told)
