"""The gate: an arm fails only where every replicate says so; runs that measured different things are not compared."""

import json
import re
import subprocess
from pathlib import Path

import msgspec
import pytest
import yaml
from loopback import say
from pages import blocks
from runs import grades, output, write_run

from bench.analysis.gate import CANNOT_TELL, FAIL, PASS, gate
from bench.analysis.recall import run_recall
from bench.cli import main
from bench.forks.runfile import ArmMark, FixtureMark, encode_run_file
from bench.frames import frame, records
from bench.rows import GradeRow

PAGE = Path(__file__).parent.parent / "docs" / "ci-gate.md"


def recalls(runs, **more):
    """`run_recall` of {fixture: {arm: [letters, …]}}."""
    rows = [
        row
        for fixture, arms in runs.items()
        for arm, letters in arms.items()
        for n, one in enumerate(letters, 1)
        for row in grades(one, arm, fixture, n, **more)
    ]
    return run_recall(frame(rows, GradeRow))


def one_arm(new, old, limit=-3.0):
    """The line of an arm with those runs, {fixture: [letters, …]}; ten atoms, so that a letter is 10 points."""
    sides = [recalls({f: {"a": runs} for f, runs in side.items()}) for side in (new, old)]
    (line,) = records(gate(*sides, limit))
    return line


SEVEN, EIGHT, NINE, TEN = ("C" * n + "L" * (10 - n) for n in (7, 8, 9, 10))


@pytest.mark.parametrize(
    ("new", "old", "least_change_most", "verdict"),
    [
        # every new run is at least 10 below every old one
        ([SEVEN, EIGHT], [NINE, TEN], (-30, -20, -10), FAIL),
        # one new run is as good as one old one
        ([SEVEN, NINE], [NINE, TEN], (-30, -15, 0), CANNOT_TELL),
        ([NINE, TEN], [NINE, TEN], (-10, 0, 10), CANNOT_TELL),
        ([TEN, TEN], [TEN, TEN], (0, 0, 0), PASS),
        ([NINE, TEN], [SEVEN, EIGHT], (10, 20, 30), PASS),
        # other numbers of runs are no trouble
        ([SEVEN], [EIGHT, NINE, TEN], (-30, -20, -10), FAIL),
    ],
)
def test_every_replicate_must_say_so(new, old, least_change_most, verdict):
    line = one_arm({"f1": new}, {"f1": old})
    assert (line["least"], line["change"], line["most"]) == pytest.approx(least_change_most)
    assert line["verdict"] == verdict
    assert (line["n"], line["baseline_n"], line["fixtures"]) == (len(new), len(old), 1)


def test_fixtures_are_averaged_each_at_its_own_extremes():
    # f1: 70, 80 against 90, 100: -30 to -10; f2: 100 against 100, 90: 0 to 10; means -15 and 0
    line = one_arm({"f1": [SEVEN, EIGHT], "f2": [TEN, TEN]}, {"f1": [NINE, TEN], "f2": [TEN, NINE]})
    # mean change: f1 75 - 95 = -20, f2 100 - 95 = 5
    assert (line["least"], line["change"], line["most"]) == pytest.approx((-15, -7.5, 0))
    assert (line["verdict"], line["fixtures"]) == (CANNOT_TELL, 2)


@pytest.mark.parametrize(("limit", "verdict"), [(-10, PASS), (-9.9, FAIL), (-30, PASS), (0, FAIL), (None, None)])
def test_a_fall_of_exactly_the_limit_is_not_below_it(limit, verdict):
    # 0.7 - 0.8 is -0.10000000000000009: the rounding of a float must not decide
    assert one_arm({"f1": [SEVEN]}, {"f1": [EIGHT]}, limit)["verdict"] == verdict


@pytest.mark.parametrize(("model", "warned"), [("local", True), ("none", False)])
def test_one_run_of_a_model_says_that_chance_is_not_ruled_out(model, warned):
    new, old = (recalls({"f1": {"a": [letters]}}, model=model) for letters in (SEVEN, TEN))
    (line,) = records(gate(new, old, -3.0))
    assert line["verdict"] == FAIL
    assert line["why"].endswith("chance is not ruled out") == warned


def test_an_arm_that_the_baseline_does_not_have_cannot_be_judged():
    lines = records(gate(recalls({"f1": {"a": [TEN], "b": [TEN]}}), recalls({"f1": {"a": [TEN]}}), -3.0))
    assert [(r["arm"], r["verdict"], r["change"]) for r in lines] == [("a", PASS, 0.0), ("b", CANNOT_TELL, None)]


OLD = {"f1": {"a": [NINE, TEN], "b": [NINE, NINE]}, "f2": {"a": [NINE, TEN], "b": [TEN, TEN]}}
NEW = {"f1": {"a": [SEVEN, EIGHT], "b": [NINE, NINE]}, "f2": {"a": [SEVEN, SEVEN], "b": [TEN, TEN]}}


@pytest.fixture
def runs(tmp_path, monkeypatch):
    """A project with two runs, `old` and `new`, of which arm `a` has fallen."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bench.toml").write_text("version = 1\n")
    return [write_run(tmp_path / "results" / name, made) for name, made in (("old", OLD), ("new", NEW))]


@pytest.mark.usefixtures("runs")
def test_a_line_an_arm_and_status_1_where_one_failed(capsys):
    assert main(["compare", "new", "--baseline", "old", "--fail-below", "-3"]) == 1
    # a: f1 70, 80 against 90, 100; f2 70, 70 against 90, 100: least (-30 - 30) / 2, most (-10 - 20) / 2
    assert capsys.readouterr().out.splitlines() == [
        "fail         a: -22.5 points, n 4 against 4 on 2 fixtures;"
        " every replicate says so: between -30.0 and -15.0, all below -3",
        "pass         b: 0.0 points, n 4 against 4 on 2 fixtures;"
        " every replicate says so: between 0.0 and 0.0, none below -3",
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
    assert (line["name"], line["verdict"], line["change"], line["most"]) == ("a", "fail", -22.5, -15.0)


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
    fixtures = made.fixtures | {"f3": FixtureMark(folder="f3", transcript_sha256="t", key_sha256="k")}
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
        (with_another_fixture, "has no fixture 'f3', which the other run has"),
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
    assert "on 1 fixture;" in capsys.readouterr().out


@pytest.mark.usefixtures("runs")
@pytest.mark.parametrize(
    ("argv", "says"),
    [
        (["new", "--fail-below", "-3"], "--fail-below needs a run to hold this one against"),
        (["new", "--baseline", "new"], "the baseline is this run itself"),
        (["new", "nobody", "--baseline", "old"], "has no arm 'nobody'; its arms are a, b"),
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
