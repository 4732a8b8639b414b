"""The gate: an arm fails only where its interval says so; runs that measured different things are not compared."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import msgspec
import pytest
import yaml
from loopback import say
from pages import blocks
from runs import graded, output, write_run

from bench.analysis.comparing.gate import CANNOT_TELL, FAIL, PASS, gate
from bench.cli import main
from bench.forks.runfile import ArmMark, FixtureMark, encode_run_file
from bench.forks.store import Store
from bench.frames import records
from bench.runs.index import build_index

PAGE = Path(__file__).parent.parent / "docs" / "ci-gate.md"


def one_arm(new, old, limit=-3.0, **more):
    """The line of an arm with those runs, {fixture: [letters, …]}; ten atoms, so that a letter is 10 points."""
    sides = [graded({f: {"a": runs} for f, runs in side.items()}, **more) for side in (new, old)]
    (line,) = records(gate(*sides, limit))
    return line


FIVE, SIX, SEVEN, EIGHT, NINE, TEN = ("C" * n + "L" * (10 - n) for n in range(5, 11))


@pytest.mark.parametrize(
    ("new", "old", "change", "ends", "verdict"),
    [
        # 75 - 95; s^2 50 and 50, SE = sqrt(50/2 + 50/2) = 7.0711, df 2, t 4.30265: -20 -+ 30.4243
        ([SEVEN, EIGHT], [NINE, TEN], -20, (-50.4243, 10.4243), CANNOT_TELL),
        # 55 - 95; s^2 100/3 each, SE = sqrt(2 x 100/3 / 4) = 4.0825, df 6, t 2.44691: -40 -+ 9.9895
        ([FIVE, SIX] * 2, [NINE, TEN] * 2, -40, (-49.9895, -30.0105), FAIL),
        # the same turned round
        ([NINE, TEN] * 2, [FIVE, SIX] * 2, 40, (30.0105, 49.9895), PASS),
        # 95 - 95, SE as above
        ([NINE, TEN] * 2, [NINE, TEN] * 2, 0, (-9.9895, 9.9895), CANNOT_TELL),
    ],
)
def test_with_one_fixture_the_interval_is_over_runs(new, old, change, ends, verdict):
    line = one_arm({"f1": new}, {"f1": old})
    assert line["change"] == pytest.approx(change)
    assert (line["low"], line["high"]) == pytest.approx(ends, abs=1e-3)
    assert (line["verdict"], line["target"]) == (verdict, "these facts")
    assert (line["n"], line["baseline_n"], line["fixtures"]) == (len(new), len(old), 1)


@pytest.mark.parametrize(
    ("limit", "verdict"),
    [(-3, FAIL), (-30, FAIL), (-30.02, CANNOT_TELL), (-49, CANNOT_TELL), (-50, PASS), (None, None)],
)
def test_it_fails_only_where_the_upper_end_is_below_the_limit(limit, verdict):
    # -49.99 to -30.01, as above
    line = one_arm({"f1": [FIVE, SIX] * 2}, {"f1": [NINE, TEN] * 2}, limit)
    assert line["verdict"] == verdict


def test_with_several_fixtures_the_interval_is_over_fixtures():
    # f1 75 - 95 = -20, f2 70 - 100 = -30, f3 70 - 95 = -25: mean -25, sd 5, SE 5 / sqrt(3) = 2.88675, t(2) 4.30265
    new = {"f1": [SEVEN, EIGHT], "f2": [SEVEN, SEVEN], "f3": [SEVEN]}
    line = one_arm(new, {"f1": [NINE, TEN], "f2": [TEN, TEN], "f3": [NINE, TEN]})
    assert line["change"] == pytest.approx(-25)
    assert (line["low"], line["high"]) == pytest.approx((-37.4207, -12.5793), abs=1e-3)
    assert (line["verdict"], line["target"], line["fixtures"]) == (FAIL, "transcripts like these", 3)
    assert line["why"] == "95 % interval -37.4 to -12.6 on transcripts like these, all of it below -3"


def test_what_holds_of_these_facts_only_is_told_and_does_not_fail():
    # f1 55 - 95 = -40, f2 55 - 65 = -10: mean -25, sd 21.213, SE 15, t(1) 12.706: past +-100 points, where it is cut
    # over runs: SE^2 = 4 x (100/3 / 4) / 2^2 = 8.3333, SE 2.88675, df 12, t 2.17881: -25 -+ 6.2897
    new = {"f1": [FIVE, SIX] * 2, "f2": [FIVE, SIX] * 2}
    line = one_arm(new, {"f1": [NINE, TEN] * 2, "f2": [SIX, SEVEN] * 2})
    assert (line["low"], line["high"], line["verdict"]) == (-100, 100, CANNOT_TELL)
    assert (line["these_low"], line["these_high"]) == pytest.approx((-31.2897, -18.7103), abs=1e-3)
    assert line["why"].endswith("; on these facts, from run to run, it is -31.3 to -18.7")


@pytest.mark.parametrize(
    ("new", "old", "why"),
    [
        ([SEVEN], [TEN], "one run a fixture"),
        ([SEVEN, EIGHT], [TEN], "one run a fixture"),
        ([SEVEN, SEVEN], [TEN, TEN], "all runs of an arm are alike"),
    ],
)
def test_without_an_interval_it_cannot_be_told(new, old, why):
    line = one_arm({"f1": new}, {"f1": old})
    assert (line["verdict"], line["low"], line["high"]) == (CANNOT_TELL, None, None)
    assert line["why"].startswith(f"no interval: {why}")


@pytest.mark.parametrize(("limit", "verdict"), [(-10, PASS), (-9.9, FAIL), (-30, PASS), (0, FAIL), (None, None)])
def test_of_an_arm_without_a_model_the_change_is_exact(limit, verdict):
    # 0.7 - 0.8 is -0.10000000000000009: the rounding of a float must not decide
    line = one_arm({"f1": [SEVEN]}, {"f1": [EIGHT]}, limit, model="none")
    assert (line["verdict"], line["change"], line["low"]) == (verdict, -10, None)
    assert line["why"].startswith("exact on these facts")
    # over several fixtures as well: (-10 + 0) / 2
    both = one_arm({"f1": [SEVEN], "f2": [TEN]}, {"f1": [EIGHT], "f2": [TEN]}, limit, model="none")
    assert (both["change"], both["target"]) == (-5, "these facts")


def test_under_a_judge_an_arm_without_a_model_varies_by_its_gradings():
    line = one_arm({"f1": [SEVEN]}, {"f1": [TEN]}, model="none", grader="judge-m")
    assert (line["verdict"], line["why"]) == (
        CANNOT_TELL,
        "no interval: one run a fixture: how much of it is chance cannot be said",
    )


def test_an_arm_that_the_baseline_does_not_have_cannot_be_judged():
    sides = [graded({"f1": arms}, model="none") for arms in ({"a": [TEN], "b": [TEN]}, {"a": [TEN]})]
    lines = records(gate(*sides, -3.0))
    assert [(r["arm"], r["verdict"], r["change"]) for r in lines] == [("a", PASS, 0.0), ("b", CANNOT_TELL, None)]


OLD = {
    "f1": {"a": [NINE, TEN], "b": [NINE, NINE]},
    "f2": {"a": [NINE, TEN], "b": [TEN, TEN]},
    "f3": {"a": [NINE, TEN], "b": [TEN, NINE]},
}
NEW = {
    "f1": {"a": [SEVEN, EIGHT], "b": [NINE, NINE]},
    "f2": {"a": [SEVEN, SEVEN], "b": [TEN, TEN]},
    "f3": {"a": [SEVEN, SEVEN], "b": [TEN, TEN]},
}


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """A project with two runs, `old` and `new`, of which arm `a` has fallen, and their tables."""
    folder = tmp_path_factory.mktemp("gate") / "project"
    for name, made in (("old", OLD), ("new", NEW)):
        build_index(write_run(folder / "results" / name, made))
    (folder / "bench.toml").write_text("version = 1\n")
    return folder


@pytest.fixture
def runs(written, tmp_path, monkeypatch):
    """A copy of it to work in and to change, and its runs."""
    folder = tmp_path / "project"
    shutil.copytree(written, folder)  # times are kept, so that the tables are still those of the files
    monkeypatch.chdir(folder)
    return [Store(folder / "results" / name) for name in ("old", "new")]


@pytest.mark.usefixtures("runs")
def test_a_line_an_arm_and_status_1_where_one_failed(capsys):
    assert main(["compare", "new", "--baseline", "old", "--fail-below", "-3"]) == 1
    # a: -20, -25, -25: mean -23.33, sd 2.8868, SE 1.6667, t(2) 4.30265: -+ 7.171
    # b: 0, 0, 5: mean 1.67, the same SE; over runs: only f3 varies, by s^2 50: SE = sqrt(50 / 2) / 3 = 1.6667, df 1
    assert capsys.readouterr().out.splitlines() == [
        "fail         a: -23.3 points, n 6 against 6 on 3 fixtures;"
        " 95 % interval -30.5 to -16.2 on transcripts like these, all of it below -3",
        "cannot tell  b: +1.7 points, n 6 against 6 on 3 fixtures;"
        " 95 % interval -5.5 to +8.8 on transcripts like these, and -3 lies in it;"
        " on these facts, from run to run, it is -19.5 to +22.8",
    ]


@pytest.mark.usefixtures("runs")
@pytest.mark.parametrize(
    ("argv", "status"),
    [
        (["new", "b", "--baseline", "old", "--fail-below", "-3"], 0),  # the arm that fell is not asked for
        (["new", "--baseline", "old", "--fail-below", "-40"], 0),
        (["new", "--baseline", "old"], 0),  # without a limit nothing can fail
        (["new", "--baseline", "results/old", "--fail-below=-3"], 1),
        (["old", "--baseline", "new", "--fail-below", "-3"], 0),  # a rise is no fall
    ],
)
def test_the_status_is_1_only_for_an_arm_that_failed(argv, status):
    assert main(["compare", *argv]) == status


@pytest.mark.usefixtures("runs")
def test_json_of_the_gate_has_every_figure(capsys):
    assert main(["compare", "new", "a", "--baseline", "old", "--fail-below", "-3", "--json"]) == 1
    (line,) = json.loads(capsys.readouterr().out)
    assert (line["name"], line["verdict"], line["target"]) == ("a", "fail", "transcripts like these")
    assert (line["change"], line["low"], line["high"]) == pytest.approx((-23.3333, -30.5044, -16.1623), abs=1e-3)


def test_of_an_edited_arm_the_newest_version_counts(runs, capsys):
    _, new = runs
    made = new.run_json()
    marks = (*made.arms["a"], ArmMark(label="a@3f9c", kind="prompt", version_sha256="3f9c"))
    new.run_file.write_bytes(encode_run_file(msgspec.structs.replace(made, arms=made.arms | {"a": marks})))
    assert main(["compare", "new", "a", "--baseline", "old"]) == 2  # its cells were not run
    assert "a on f1: 2 of 2 cells are no handoff (2 not run)" in capsys.readouterr().err.replace(" · local", "")


def without_a_row(store):
    store.output_path(output("b", "f2", 2), ".json").unlink()


def refused(store):
    row = output("b", "f2", 2, outcome="refused", run="new")
    store.output_path(row, ".json").write_bytes(msgspec.json.encode(row))


def with_fixture(**changes):
    def change(store):
        made = store.run_json()
        mark = msgspec.structs.replace(made.fixtures["f2"], **changes)
        fixtures = made.fixtures | {"f2": mark}
        store.run_file.write_bytes(encode_run_file(msgspec.structs.replace(made, fixtures=fixtures)))

    return change


def with_another_fixture(store):
    made = store.run_json()
    fixtures = made.fixtures | {"f4": FixtureMark(folder="f4", transcript_sha256="t", key_sha256="k")}
    store.run_file.write_bytes(encode_run_file(msgspec.structs.replace(made, fixtures=fixtures)))


def without_arm_b(store):
    made = store.run_json()
    arms = {"a": made.arms["a"]}
    store.run_file.write_bytes(encode_run_file(msgspec.structs.replace(made, arms=arms)))


def graded_with(old, new, only=""):
    """Rewrite a member of the grades' files."""

    def change(store):
        for path in store.grades_dir.glob("*/p1/*.json"):
            text = path.read_text()
            if only in text:
                path.write_text(text.replace(old, new))

    return change


def ungraded(store):
    next(store.grades_dir.glob("*/p1/*.json")).unlink()


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (without_a_row, "b · local on f2: 1 of 2 cells are no handoff (1 not run)"),
        (refused, "b · local on f2: 1 of 2 cells are no handoff (1 refused)"),
        (with_fixture(transcript_sha256="other"), "the transcript of fixture 'f2' is not the baseline's"),
        (with_another_fixture, "has no fixture 'f4', which the other run has"),
        (without_arm_b, "has no arm 'b', which the baseline has"),
        (graded_with('"k-f2"', '"other"'), "not graded with the same answer keys as 'old' (f2)"),
        (graded_with('"grader_sha256":"g"', '"grader_sha256":"h"'), "not graded by the same version of each grader"),
        (graded_with('"scope":"handoff"', '"scope":"summary"'), "not graded by the same graders, models and scopes"),
        (ungraded, "1 handoffs and 0 atoms of others have no verdict by lexical on the handoff"),
        (graded_with('"verdict":"absent"', '"verdict":null', "k-f1"), "have no verdict by lexical on the handoff"),
    ],
)
def test_runs_that_did_not_measure_the_same_are_one_line_and_status_2(runs, capsys, change, says):
    change(runs[1])
    assert main(["compare", "new", "--baseline", "old", "--fail-below", "-3"]) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.count("\n") == 1
    assert says in err


def test_a_differing_context_is_told(runs, capsys):
    for store, sha in zip(runs, ("one", "two"), strict=True):
        with_fixture(contexts={"native-k0": sha})(store)
    assert main(["compare", "new", "--baseline", "old"]) == 2
    assert "the native-k0 context of fixture 'f2' is not the baseline's" in capsys.readouterr().err


def test_where_nothing_could_be_forked_in_either_run_there_is_nothing_to_compare(runs, capsys):
    for store in runs:
        for n in (1, 2):
            row = output("b", "f2", n, outcome="nothing-to-fork", run=store.name)
            store.output_path(row, ".json").write_bytes(msgspec.json.encode(row))
    assert main(["compare", "new", "b", "--baseline", "old", "--fail-below", "-3"]) == 0
    assert "on 2 fixtures;" in capsys.readouterr().out


@pytest.mark.usefixtures("runs")
@pytest.mark.parametrize(
    ("argv", "says"),
    [
        (["new", "--fail-below", "-3"], "--fail-below needs a run to hold this one against"),
        (["new", "--baseline", "new"], "the baseline is this run itself"),
        (["new", "nobody", "--baseline", "old"], "has no arm 'nobody'; its arms are a, b"),
        (
            ["new", "--baseline", "a"],
            "--baseline takes an earlier run, 'a' is an arm; to hold its arms against 'a', name",
        ),
        (["new", "--baseline", "odl"], "no run 'odl' in it; did you mean 'old'?"),
    ],
)
def test_a_gate_that_cannot_be_is_one_line_and_status_2(argv, says, capsys):
    assert main(["compare", *argv]) == 2
    err = capsys.readouterr().err
    assert says in err and err.count("\n") == 1


@pytest.mark.parametrize("points", ["three", "nan", "inf", ""])
def test_a_limit_is_a_number(points, capsys):
    with pytest.raises(SystemExit) as stop:
        main(["compare", "new", "--baseline", "old", f"--fail-below={points}"])
    assert stop.value.code == 2
    assert "is no number of points, such as -3" in capsys.readouterr().err


def commands(text):
    """The commands of a block, without remarks."""
    return [line.split("  #")[0].strip() for line in text.splitlines() if line.strip()]


@pytest.mark.slow
def test_every_command_of_the_page_runs(tmp_path, monkeypatch, claude_server, capsys):
    server = claude_server(say("The user ruled out Redis. " * 5))
    assert main(["init", str(tmp_path / "mine")]) == 0
    monkeypatch.chdir(tmp_path / "mine")
    page = blocks(PAGE)
    sweep = next(b for b in page if b.language == "toml")
    Path(sweep.file).write_text(sweep.text)
    ran = []

    def run(command):
        if command.startswith("bench "):
            assert main(command.split()[1:]) == 0, (command, capsys.readouterr().err)
            ran.append(command)
        elif not command.startswith(("git ", "python -m pip")):
            subprocess.run(command, shell=True, check=True)

    asked = []
    for block in page:
        if block.language == "sh":
            for command in commands(block.text):
                run(command)
        elif block.language == "yaml":
            # what the pull request changes
            prompt = Path("prompts/inventory.md")
            prompt.write_text(prompt.read_text() + "\nQuote every number.\n")
            asked.append(len(server.requests))
            for step in yaml.safe_load(block.text)["jobs"]["gate"]["steps"]:
                if "run" in step:
                    run(step["run"])
            asked.append(len(server.requests))
    assert ran[0] == "bench run gate --run baseline"
    assert any(re.match(r"bench compare .*--fail-below -3", c) for c in ran)
    assert ran[-1] == "bench diff baseline inventory@old inventory@new"
    # 2 prompts x 3 replicates, twice; then only the edited prompt's 3
    assert asked == [6, 12]
    assert len(server.requests) == 15
