"""A comparison of a whole run names the arms it leaves out, above all the one the others should be held against."""

import json

from runs import output, write_run

from bench.cli import main
from bench.runs.index import open_run
from bench.runs.told import show_comparison

NOTE = "stock is not compared, it has no graded handoff (nothing-to-fork: no replays/stock.md in fixtures/f1)."
FIRST = "The sweep's first arm is one of these: the others are held against inventory."


def test_an_arm_without_a_handoff_is_named_with_who_stands_in_its_place(tmp_path, capsys):
    detail = "no replays/stock.md in fixtures/f1"
    rows = [
        output("stock", kind="replay", model="none", outcome="nothing-to-fork", detail=detail),
        *(output(arm, replicate=n) for arm in ("inventory", "short") for n in (1, 2)),
    ]
    letters = {"f1": {"stock": [""], "inventory": ["CC", "CL"], "short": ["LL", "LC"]}}
    run = open_run(write_run(tmp_path / "tiny", letters, rows=rows).root)
    told = str(show_comparison(run))
    assert NOTE in told and FIRST in told
    # whoever names the arms has chosen
    assert NOTE not in str(show_comparison(run, "inventory", "short"))
    assert main(["compare", str(run.root), "--json"]) == 0
    assert all({NOTE, FIRST} <= set(line["limits"]) for line in json.loads(capsys.readouterr().out))
    assert main(["report", str(run.root)]) == 0
    assert FIRST.replace("'", "&#39;") in (run.root / "report.html").read_text()


def test_a_whole_comparison_leaves_nothing_out(tmp_path):
    letters = {"f1": {"inventory": ["CC", "CL"], "short": ["LL", "LC"]}}
    assert "is not compared" not in str(show_comparison(open_run(write_run(tmp_path / "tiny", letters).root)))
