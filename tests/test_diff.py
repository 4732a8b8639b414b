"""`bench diff`: what the second arm lost and gained, with passages; versions of one prompt from end to end."""

import json
from pathlib import Path

import pytest
from fakes import FakeModel, outside, project, reply
from runs import graded, write_run

from bench.analysis.atoms.diff import ALIKE, GAINED, LOST, diff, passages, points
from bench.cli import main
from bench.errors import BenchError
from bench.forks.run import run_sweep
from bench.forks.runfile import ArmMark
from bench.frames import records
from bench.runs.versions import version_label


def changes(runs, before="a", after="b", **more):
    table = diff(graded(runs, **more), before, after)
    return {(r["fixture"], r["atom"]): r["change"] for r in records(table)}


@pytest.mark.parametrize(
    ("before", "after", "change"),
    [
        (["C"], ["L"], LOST),
        (["L"], ["C"], GAINED),
        (["C", "C"], ["C", "L"], LOST),  # in fewer runs
        (["C", "L"], ["C"], GAINED),  # 1 of 2 and 1 of 1: shares, not counts
        (["C"], ["P"], LOST),  # a half is less than a whole
        (["C", "L"], ["P"], ALIKE),  # (1 + 0) / 2 and 0.5
        (["W"], ["S"], ALIKE),  # neither carries it
        ([["C", "L"]], [["C", "C"]], GAINED),  # two passes over one run: 0.5 and 1
    ],
)
def test_an_atom_is_lost_where_a_smaller_share_of_runs_carries_it(before, after, change):
    assert changes({"f1": {"a": before, "b": after}}) == {("f1", "a1"): change}


def test_only_atoms_and_fixtures_that_both_have_a_verdict_on_are_compared():
    runs = {"f1": {"a": ["C."], "b": ["LC"]}, "f2": {"a": ["CC"]}}
    assert changes(runs) == {("f1", "a1"): LOST}


def test_points_are_weighted_over_atoms_and_averaged_over_fixtures():
    # f1: a1 (weight 3) lost, a2 (1) kept: -75; f2: a1 kept, a2 gained: +25; mean -25
    runs = {"f1": {"a": ["CC"], "b": ["LC"]}, "f2": {"a": ["CL"], "b": ["CC"]}}
    assert points(diff(graded(runs, weights=[3, 1]), "a", "b")) == pytest.approx(-25)


def test_an_arm_without_a_model_is_held_against_each_model_of_the_other():
    import pandas as pd

    tail = graded({"f1": {"a": ["CL"]}}, model="none")
    asked = [graded({"f1": {"b": [letters]}}, model=model) for model, letters in (("m1", "CC"), ("m2", "LL"))]
    lines = records(diff(pd.concat([tail, *asked]), "a", "b"))
    assert [(r["model"], r["atom"], r["change"]) for r in lines] == [
        ("m1", "a1", ALIKE), ("m1", "a2", GAINED), ("m2", "a1", LOST), ("m2", "a2", ALIKE),
    ]  # fmt: skip


def test_ways_of_grading_are_not_mixed():
    import pandas as pd

    table = pd.concat(
        [graded({"f1": {"a": ["C"], "b": [b]}}, scope=s) for s, b in (("handoff", "C"), ("summary", "L"))]
    )
    assert [(r["scope"], r["change"]) for r in records(diff(table, "a", "b"))] == [
        ("handoff", ALIKE),
        ("summary", LOST),
    ]


def test_passages_are_the_words_behind_the_verdicts_first_arm_first():
    import pandas as pd

    said = [graded({"f1": {arm: ["C"]}}, evidence=words) for arm, words in (("b", "new words"), ("a", "old words"))]
    silent = graded({"f1": {"c": ["L"]}})
    lines = records(passages(pd.concat([*said, silent]), "a", "b"))
    assert [(r["arm"], r["evidence"]) for r in lines] == [("a", "old words"), ("b", "new words")]


ARMS = {
    "inventory": tuple(
        ArmMark(label=label, kind="prompt", version_sha256=sha)
        for label, sha in (("inventory", "aa11"), ("inventory@bb22", "bb22cc"), ("inventory@aa33", "aa33dd"))
    ),
    "short": (ArmMark(label="short", kind="prompt", version_sha256="ee"),),
}


@pytest.mark.parametrize(
    ("name", "label"),
    [
        ("inventory", "inventory"),
        ("inventory@old", "inventory"),
        ("inventory@new", "inventory@aa33"),
        ("inventory@bb22", "inventory@bb22"),
        ("inventory@aa11", "inventory"),  # the first version carries no digits, but has a hash
        ("inventory@bb", "inventory@bb22"),
        ("short@new", "short"),
    ],
)
def test_a_version_has_a_name(name, label):
    assert version_label(ARMS, name) == label


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("inventry", "no arm 'inventry'; did you mean 'inventory'?"),
        ("zzz@old", "no arm 'zzz'; its arms are inventory, short"),
        ("inventory@ff", "no version 'inventory@ff'"),
        ("inventory@aa", "several versions 'inventory@aa'"),
        ("inventory@", "no version 'inventory@'"),
    ],
)
def test_a_name_without_one_version_is_refused(name, says):
    with pytest.raises(BenchError, match=says.replace("?", r"\?")):
        version_label(ARMS, name)


ANSWERS = {
    "List every fact.": "We ruled out Redis.",
    "List every number.": "MAX_RETRIES is 5, in Postgres the buckets.",
}


@pytest.fixture
def edited(tmp_path, monkeypatch):
    """A run whose prompt was edited between two starts; what each of them asked."""
    arms = {"inventory": "List every fact.", "short": "Say it short."}
    path = project(tmp_path, arms=arms, sweep="replicates = 2")
    monkeypatch.chdir(tmp_path)
    model = FakeModel(lambda request, _n: reply(ANSWERS.get(request.instruction, "Nothing.")))
    run_sweep(path, outside=outside(model))
    first = len(model.asked)
    (tmp_path / "prompts/inventory.md").write_text("List every number.")
    run_sweep(path, outside=outside(model))
    return first, [r.instruction for r in model.asked[first:]]


def test_after_an_edit_only_the_changed_cells_run(edited):
    first, again = edited
    assert first == 4  # 2 arms x 2 replicates
    assert again == ["List every number."] * 2


@pytest.mark.usefixtures("edited")
def test_two_versions_of_a_prompt_are_told_apart_atom_by_atom(capsys):
    assert main(["diff", "s", "inventory@old", "inventory@new"]) == 0
    lines = capsys.readouterr().out.splitlines()
    newest = lines[0].split(" -> ")[1].split(" · ")[0]
    assert newest.startswith("inventory@") and len(newest) == len("inventory@3f9c")
    assert lines == [
        f"inventory -> {newest} · claude-sonnet-5-5: graded by lexical on the handoff",
        "1 atoms lost, 2 gained, 0 alike; +33.3 points of recall",  # of 3 atoms
        "instruction: 16 -> 18 characters (+2)",  # the earlier text stands in the run only
        "  @@ -1 +1 @@",
        "  -List every fact.",
        "  +List every number.",
        "",
        "f1",
        "  lost    a1 (rejected, vital) 2 of 2 -> 0 of 2 runs: The user ruled out Redis for the rate limiter.",
        "          inventory run 1, carried: ruled out Redis",
        "          inventory run 2, carried: ruled out Redis",
        "  gained  a2 (number, okay) 0 of 2 -> 2 of 2 runs: MAX_RETRIES is 5.",
        f"          {newest} run 1, carried: MAX_RETRIES is 5",
        f"          {newest} run 2, carried: MAX_RETRIES is 5",
        "  gained  a3 (promise, okay) 0 of 2 -> 2 of 2 runs: The assistant will keep the buckets in Postgres.",
        f"          {newest} run 1, carried: Postgres the buckets",
        f"          {newest} run 2, carried: Postgres the buckets",
    ]


@pytest.mark.usefixtures("edited")
def test_json_of_a_diff_holds_counts_sizes_and_whole_passages(capsys):
    assert main(["diff", "s", "short", "inventory", "--json"]) == 0
    (one,) = json.loads(capsys.readouterr().out)
    assert (one["lost"], one["gained"], one["alike"], one["points"]) == (0, 1, 2, pytest.approx(100 / 3))
    assert (one["before"]["label"], one["before"]["chars"], one["after"]["chars"]) == ("short", 13, 16)
    assert one["edit"] == []  # two arms, no edit of one
    (atom,) = one["atoms"]
    assert (atom["change"], atom["atom"], atom["carried_before"], atom["runs_after"]) == ("gained", "a1", 0.0, 2)
    assert atom["passages"][0] == {
        "arm": "inventory", "replicate": 1, "grading_pass": 1, "verdict": "carried", "evidence": "ruled out Redis",
    }  # fmt: skip


@pytest.mark.usefixtures("edited")
def test_a_run_without_kept_instructions_knows_only_what_stands_in_a_file(capsys):
    for path in Path("results/s/instructions").iterdir():
        path.unlink()
    assert main(["diff", "s", "inventory@old", "inventory@new"]) == 0
    assert "instruction: not known -> 18 characters" in capsys.readouterr().out.splitlines()


def test_of_a_long_edit_the_first_lines_are_shown(tmp_path, monkeypatch, capsys):
    texts = ["\n".join(f"{word} {n}" for n in range(30)) for word in ("old", "new")]
    path = project(tmp_path, arms={"plain": texts[0]})
    monkeypatch.chdir(tmp_path)
    model = FakeModel(lambda request, _n: reply("Redis rejected." if "old" in request.instruction else "Nothing."))
    run_sweep(path, outside=outside(model))
    (tmp_path / "prompts/plain.md").write_text(texts[1])
    run_sweep(path, outside=outside(model))
    assert main(["diff", "s", "plain@old", "plain@new"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[3:5] == ["  @@ -1,30 +1,30 @@", "  -old 0"]
    assert "  +new 8" in lines and "  … and 21 more lines; --json has all" in lines  # 1 + 30 + 30 lines, 40 shown


@pytest.mark.parametrize(
    ("names", "says"),
    [
        (("a@old", "a@new"), "'a' has one version in this run; edit its prompt and run the sweep again"),
        (("a", "a"), "'a' and 'a' are the same arm"),
        (("a", "nobody"), "the run has no arm 'nobody'"),
        (("a", "b"), "'a' and 'b' have no graded handoff on a common fixture"),
    ],
)
def test_what_cannot_be_compared_is_one_line_and_status_2(tmp_path, monkeypatch, capsys, names, says):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bench.toml").write_text("version = 1\n")
    write_run(tmp_path / "results/tiny", {"f1": {"a": ["C"]}, "f2": {"b": ["C"], "a": []}})
    assert main(["diff", "tiny", *names]) == 2
    err = capsys.readouterr().err
    assert says in err and err.count("\n") == 1


def test_words_of_an_output_do_not_reach_the_terminal_raw(tmp_path, monkeypatch, capsys):
    path = project(tmp_path, arms={"plain": "List.", "loud": "Shout."})
    monkeypatch.chdir(tmp_path)
    told = {"List.": "Nothing.", "Shout.": "Redis \x1b[2J rejected."}
    run_sweep(path, outside=outside(FakeModel(lambda request, _n: reply(told[request.instruction]))))
    assert main(["diff", "s", "plain", "loud"]) == 0
    out = capsys.readouterr().out
    assert "\x1b" not in out
    assert r"Redis \x1b[2J rejected" in out
