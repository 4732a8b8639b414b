"""`bench run`: plans, runs, grades, rebuilds the tables, and says how it went by its exit status."""

import errno
import json
import os

import pytest
from fakes import PAID, project
from loopback import overloaded, say

from bench.calls.outside import Outside
from bench.calls.retry import RetryPolicy
from bench.cli import main
from bench.runs.index import open_run


@pytest.fixture
def controls(tmp_path, monkeypatch):
    """A project whose sweep needs no model: the whole transcript, and nothing."""
    (tmp_path / "prompts").mkdir()
    (tmp_path / "prompts/full.toml").write_text('kind = "full"\n')
    (tmp_path / "prompts/nothing.toml").write_text('kind = "nothing"\n')
    project(tmp_path, arms={}, more_arms=("full", "nothing"), models=())
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.usefixtures("controls")
def test_a_sweep_by_name_is_run_graded_and_indexed(capsys):
    assert main(["run", "s"]) == 0
    out, err = capsys.readouterr()
    assert out.splitlines() == [
        "s: 2 of 2 cells done (2 handoff), in results/s", "arm table: bench table results/s",
    ]  # fmt: skip
    assert "f1/none  2/2 done" in err
    run = open_run("s")
    scores = run.grades.groupby("arm")["score"].mean()
    assert (scores["full"], scores["nothing"]) == (1.0, 0.0)
    assert main(["run", "s"]) == 0
    assert "2 were there before" in capsys.readouterr().out


def test_no_grade_leaves_grading_for_later(controls):
    assert main(["run", "s", "--no-grade", "--run", "bare"]) == 0
    assert not (controls / "results/bare/grades").exists()
    assert (controls / "results/bare/outputs.parquet").exists()


def test_a_dry_run_prints_the_plan_and_writes_nothing(controls, capsys):
    assert main(["run", "s", "--dry-run"]) == 0
    out = capsys.readouterr().out
    assert out.splitlines()[-1] == "2 cells, 0 of them done; 0 forks to ask"
    assert main(["run", "s", "--dry-run", "--json"]) == 0
    lines = json.loads(capsys.readouterr().out)
    assert [(line["arm"], line["outcome"], line["worst_usd"]) for line in lines] == [
        ("full", "no model", 0.0), ("nothing", "no model", 0.0),
    ]  # fmt: skip
    assert not (controls / "results").exists()


def test_a_dry_run_shows_staleness_and_batches(tmp_path, claude_server, monkeypatch, capsys):
    server = claude_server(say("A handoff."))
    words = "Please mend the flaky test. " * 100
    project(tmp_path, messages=[{"role": role, "content": words} for role in ("user", "assistant", "user")])
    monkeypatch.chdir(tmp_path)
    assert main(["run", "s", "--dry-run"]) == 0
    assert not {"stale_by", "billing"} & set(capsys.readouterr().out.split())
    assert main(["run", "s", "--dry-run", "--stale-by", "0,2", "--batch"]) == 0
    head, *lines = capsys.readouterr().out.splitlines()
    columns = head.split()
    shown = [dict(zip(columns, line.split(), strict=False)) for line in lines[:4]]
    assert [(line["arm"], line["stale_by"]) for line in shown] == [(a, k) for k in "02" for a in ("inventory", "short")]
    assert {line["billing"] for line in shown} == {"batch"}
    assert main(["run", "s", "--dry-run", "--stale-by", "0,2", "--batch", "--json"]) == 0
    plan = json.loads(capsys.readouterr().out)
    assert {(line["stale_by"], line["billing"]) for line in plan} == {(0, "batch"), (2, "batch")}
    assert (server.requests, server.batches) == ([], {})


def test_overrides_pick_a_part_of_the_grid(controls, capsys):
    assert (
        main(["run", "sweeps/s.toml", "--arms", "full", "--run", "part", "--results-dir", "elsewhere", "--json"]) == 0
    )
    told = json.loads(capsys.readouterr().out)
    assert (told["cells"], told["outcomes"], told["exit_status"]) == (1, {"handoff": 1}, 0)
    assert (controls / "elsewhere/part/run.json").exists()


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ('"full"', '"fulll"', "sweeps/s.toml:{}: prompts: no arm 'fulll'; did you mean 'full'?"),
        ('["f1"]', '["f9"]', "sweeps/s.toml:{}: fixtures: no fixture 'f9'"),
    ],
)
def test_an_entry_that_names_nothing_is_told_with_the_sweeps_file_and_line(controls, capsys, old, new, says):
    path = controls / "sweeps/s.toml"
    lines = path.read_text().replace(old, new).splitlines(keepends=True)
    path.write_text("".join(lines))
    line = next(n for n, text in enumerate(lines, 1) if new in text)
    assert main(["run", "s"]) == 2
    assert capsys.readouterr().err.startswith(says.format(line))


def test_an_arm_whose_program_is_missing_is_found_by_check_and_plan(controls, capsys):
    (controls / "prompts/own.toml").write_text('kind = "command"\ncommand = {run = ["no-such-program-x", "a.mjs"]}\n')
    (controls / "prompts/own2.toml").write_text('kind = "command"\ncommand = {run = ["./script"]}\n')
    (controls / "prompts/script").write_text("#!/bin/sh\n")
    (controls / "prompts/own3.toml").write_text('kind = "command"\ncommand = {run = ["sh", "gone.sh"]}\n')
    (controls / "prompts/own4.toml").write_text('kind = "command"\ncommand = {run = ["sh", "here.sh"]}\n')
    (controls / "prompts/here.sh").write_text("cat\n")
    assert main(["check"]) == 2
    out, err = capsys.readouterr()
    assert "prompts/own.toml:2: no program 'no-such-program-x' here; install it" in out + err
    assert "prompts/own2.toml:2: the program './script' may not be executed; use chmod +x" in out + err
    assert "prompts/own3.toml:2: no file 'gone.sh' beside the arm; write it" in out + err and "own4" not in out + err
    sweep = controls / "sweeps/s.toml"
    sweep.write_text(sweep.read_text().replace('"full"', '"full", "own"'))
    assert main(["run", "s", "--dry-run"]) == 0
    assert "own: no program 'no-such-program-x' here" in capsys.readouterr().out
    assert main(["run", "s", "--no-grade", "--json"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert set(told["outcomes"]) == {"handoff"} and next(iter(told["failures"].values())).startswith("api-error: ")


@pytest.mark.parametrize(
    ("argv", "says"),
    [
        (["nightly"], "sweeps/nightly.toml: no such file"),
        (["s", "--arms", "shrot"], "no arm 'shrot'"),
        (["s", "--fixtures", "f9"], "no fixture 'f9'"),
        (["s", "--run", "../x"], "run '../x' is no plain name"),
        (["s", "--replicates", "51"], "replicates = 51; 1 to 50 are possible"),
    ],
)
def test_bad_input_is_one_line_and_status_2(controls, capsys, argv, says):
    assert main(["run", *argv]) == 2
    out, err = capsys.readouterr()
    assert out == "" and says in err and len(err.splitlines()) == 1
    assert not (controls / "results").exists()


@pytest.mark.parametrize(
    ("behaviour", "budget", "status"), [(say(), "1.0", 0), (say(), "0.2", 3), (overloaded(), "1.0", 1)]
)
def test_the_exit_status_says_how_it_went(tmp_path, monkeypatch, claude_server, behaviour, budget, status):
    claude_server(behaviour)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("bench.forks.run.Outside", lambda: Outside(retry=RetryPolicy(first_s=0.01)))
    project(tmp_path, arms={"short": "+++\nmax_tokens = 24000\n+++\nSay it."}, models=(PAID,), sweep="replicates = 1")
    assert main(["run", "s", "--budget-usd", budget]) == status


def test_without_a_key_a_dry_run_estimates_and_says_so_and_a_real_one_stops(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    project(tmp_path, arms={"short": "Say it."})
    assert main(["run", "s", "--dry-run"]) == 0
    _, *lines = capsys.readouterr().out.split("\n\n")[0].splitlines()
    assert "estimated" in lines[0]
    (told,) = [line for line in lines if "nothing was counted" in line]
    assert told.startswith(f"{PAID}: nothing was counted, sizes are estimates: ")
    assert "set ANTHROPIC_API_KEY" in told
    assert main(["run", "s"]) == 2
    out, err = capsys.readouterr()
    assert (out, err.splitlines()) == ("", [told.partition("estimates: ")[2]])
    assert not (tmp_path / "results").exists()


def test_a_full_disk_is_one_line_and_what_was_paid_is_not_lost(tmp_path, claude_server, monkeypatch, capsys):
    server = claude_server(say("A handoff."))
    project(tmp_path, arms={"short": "Say it."}, sweep="replicates = 4")
    monkeypatch.chdir(tmp_path)
    write, most, journal = os.write, iter(range(4)), tmp_path / "results/s/journal.jsonl"

    def full(file, data):
        ours = journal.exists() and os.path.samestat(os.fstat(file), journal.stat())
        if ours and next(most, None) is None:
            raise OSError(errno.ENOSPC, "No space left on device")
        return write(file, data)

    with monkeypatch.context() as patch:
        patch.setattr(os, "write", full)
        assert main(["run", "s"]) == 2
    err = capsys.readouterr().err
    assert err.splitlines()[-1].startswith("No space left on device; what was done is kept")
    assert "Traceback" not in err
    assert main(["run", "s"]) == 0
    calls = open_run("s").calls
    known = set(calls["request_id"].dropna())
    unseen = [asked for asked in server.requests if asked.request_id not in known]
    assert 0 < len(unseen) <= (calls["possibly_billed_usd"] > 0).sum()  # each is counted as possibly billed
