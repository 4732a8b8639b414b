"""Commands that say how sure a run is: bench noise and bench table --frontier, and the same from Python."""

import json

import pytest
from matplotlib.text import Text
from runs import output, project, write_run

import bench
from bench.cli import main
from bench.frames import records

RUNS = {
    "f1": {"a": ["CCLL", "CLLL"], "b": ["CCCC", "CCCL"]},
    "f2": {"a": ["CLLL", "CLLL"], "b": ["CCCL", "CCLL"]},
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = project(tmp_path_factory.mktemp("noise") / "project")
    tokens = {"a": 100, "b": 200}
    rows = [output(a, f, r, handoff_tokens=tokens[a] + r) for f, arms in RUNS.items() for a in arms for r in (1, 2)]
    write_run(folder / "results/tiny", RUNS, rows=rows)
    write_run(folder / "results/once", {"f1": {"a": ["CCLL"], "b": ["CCCC"]}})
    return folder


@pytest.fixture
def tiny(folder, monkeypatch):
    monkeypatch.chdir(folder)
    return bench.open_run("tiny")


def test_noise_says_sources_replicates_and_designs(tiny, capsys):
    assert main(["noise", tiny.name]) == 0
    told = capsys.readouterr().out
    assert "where its variation comes from" in told and "pass: one pass a run" in told
    # squared deviations in points: f1 12.5^2 * 2 twice, f2 0 and 12.5^2 * 2; over 4 degrees of freedom: SD 15.3
    assert "replicates of an arm: SD 15.3 points over all arms (4 degrees of freedom, 95 % limits 9.2 to 44.0)" in told
    assert main(["noise", tiny.name, "--json"]) == 0
    tables = json.loads(capsys.readouterr().out)
    assert list(tables) == ["sources", "designs", "reliability", "spreads", "readings", "key"]
    lines = {line["source"]: line for line in tables["sources"]}
    assert lines["pass"]["variance"] is None and lines["fixture"]["levels"] == 2


def test_controls_are_no_part_of_the_split(folder, tiny, capsys):
    more = {f: arms | {"full": ["CCCC"], "none": ["LLLL"]} for f, arms in RUNS.items()}
    rows = [output(a, f, r) for f, arms in RUNS.items() for a in arms for r in (1, 2)]
    for name, kind in (("full", "full"), ("none", "nothing")):
        rows += [output(name, f, kind=kind, model="none") for f in RUNS]
    write_run(folder / "results/controls", more, rows=rows)
    opened = bench.open_run("controls")
    told = [[(r["source"], r["levels"], r["variance"]) for r in records(bench.noise(one))] for one in (tiny, opened)]
    assert told[0] == told[1]
    assert records(bench.projections(tiny)) == records(bench.projections(opened))
    assert main(["noise", "controls"]) == 0
    assert "controls are left out: full, none" in capsys.readouterr().out
    texts = [text.get_text() for text in bench.plot_noise(opened).findobj(Text)]
    assert any(" ".join(text.split()) == "Controls, left out: full, none." for text in texts)


def test_a_run_of_controls_has_its_split(folder, monkeypatch):
    monkeypatch.chdir(folder)
    rows = [output(a, "f1", kind=kind, model="none") for a, kind in (("a", "full"), ("b", "nothing"))]
    write_run(folder / "results/floor", {"f1": {"a": ["CC"], "b": ["LL"]}}, rows=rows)
    lines = {r["source"]: r["levels"] for r in records(bench.noise(bench.open_run("floor")))}
    assert lines["arm"] == 2


def test_a_projection_is_of_the_runs_own_components(tiny):
    lines = {(r["fixtures"], r["replicates"]): r for r in records(bench.projections(tiny)) if r["passes"] == 1}
    # replicates vary by 937.5 / 4 points squared; these facts, 1 fixture, 3 replicates: sqrt(2 / 3 * 234.375)
    assert lines[1, 3]["se_these"] == pytest.approx((2 / 3 * 234.375) ** 0.5)


def test_one_replicate_gives_no_projection(folder, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    assert main(["noise", "once"]) == 0
    assert "no arm has two replicates on a fixture; nothing tells how runs vary" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("name", "model", "letters", "why"),
    [
        (
            "same",
            "local",
            ["CCLL", "CCLL"],
            "all runs of an arm on a fixture are alike; nothing tells how far the next",
        ),
        ("free", "none", ["CCLL"], "no arm asks a model: each is the same each time"),
    ],
)
def test_where_nothing_varies_no_zero_is_projected(folder, monkeypatch, capsys, name, model, letters, why):
    monkeypatch.chdir(folder)
    runs = {"f1": {"a": letters, "b": ["CCCC"] * len(letters)}}
    rows = [output(a, "f1", r, model=model, run=name) for a in "ab" for r in range(1, len(letters) + 1)]
    write_run(folder / "results" / name, runs, rows=rows)
    assert main(["noise", name]) == 0
    told = capsys.readouterr().out
    assert why in told and "what other designs would give" not in told and "SD 0.0" not in told
    assert "whether arms vary alike" not in told and "SE:" not in told
    assert main(["noise", name, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["designs"] == []


def test_whole_numbers_are_told_as_numbers(folder, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    runs = {"f1": {"a": ["CL", "CL"]}}
    write_run(folder / "results/whole", runs, rows=[output("a", "f1", r, run="whole") for r in (1, 2)])
    assert main(["noise", "whole"]) == 0
    told = capsys.readouterr().out
    # atoms are all there is: share 100 %; a1 in both runs, a2 in none
    assert "100.0\n" in told.split("source")[1] and "a    2      2        50.0         50.0      50.0       0" in told


def test_the_frontier_is_a_command(tiny, capsys):
    assert main(["table", tiny.name, "--frontier", "tokens"]) == 0
    told = capsys.readouterr().out
    assert "recall against tokens" in told and "intervals are on transcripts like these" in told
    assert main(["table", tiny.name, "--frontier", "tokens", "--json"]) == 0
    lines = {line["name"]: line for line in json.loads(capsys.readouterr().out)}
    # a costs less in every draw, b carries more in every draw: both are always on it
    assert (lines["a"]["chance_on_frontier"], lines["b"]["chance_on_frontier"]) == (1, 1)
    assert (lines["a"]["cost"], lines["b"]["cost"]) == (101.5, 201.5)


def test_a_budget_buys_an_arm(tiny):
    told = [(r["budget"], r["name"]) for r in records(bench.recall_at_budget(tiny, [50, 150, 300], "tokens"))]
    assert told == [(50, None), (150, "a"), (300, "b")]
