"""The arm table: every figure against one worked by hand, in frames, in words, and as the commands print them."""

import json
import re

import pytest
from fakes import FakeModel, answering, outside, reply
from fakes import project as fork_project
from runs import output, project, write_run

from bench.cli import main
from bench.forks.run import run_sweep
from bench.frames import records
from bench.runs.arm_words import arm_notes
from bench.runs.index import open_run
from bench.runs.view import arm_table, fixture_table, gradings, lost, recall, spread, tag_table
from bench.runs.words import in_words, points, signed, usd

# 2 fixtures; inventory twice on each, short once on f1, refused on f2; a window without a model; one planned, not run
RUNS = {
    "f1": {"inventory": ["CCLS", "CCCL"], "short": ["CLLW"], "window-4k": ["CCCC"]},
    "f2": {"inventory": ["CL", "CC"], "short": [], "window-4k": ["PP"]},
}
ROWS = [
    output("inventory", "f1", 1, usd_api=0.10, carry_usd=0.04, handoff_tokens=100),
    output("inventory", "f1", 2, usd_api=0.20, carry_usd=0.06, handoff_tokens=200),
    output("inventory", "f2", 1, usd_api=0.40, carry_usd=0.08, handoff_tokens=300),
    output("inventory", "f2", 2, usd_api=0.40, carry_usd=0.08, handoff_tokens=300),
    output("short", "f1", 1, usd_api=0.05, carry_usd=0.01, handoff_tokens=50),
    output("short", "f2", 1, usd_api=0.07, carry_usd=None, handoff_tokens=None, outcome="refused"),
    output("window-4k", "f1", kind="window", model="none", usd_api=None, handoff_tokens=900, carry_usd=None),
    output("window-4k", "f2", kind="window", model="none", usd_api=None, handoff_tokens=900, carry_usd=None),
]


def near(value):
    return pytest.approx(value, abs=1e-9)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A project with the run `tiny`, which no test changes."""
    folder = project(tmp_path_factory.mktemp("table") / "project")
    write_run(folder / "results/tiny", RUNS, rows=ROWS, inventions=[("inventory", 1)], replicates=2)
    return folder


@pytest.fixture
def run(folder, monkeypatch):
    monkeypatch.chdir(folder)
    return open_run("tiny")


def test_every_figure_of_the_arm_table(run):
    table = {r["arm"]: r for r in records(arm_table(run))}
    assert list(table) == ["window-4k", "inventory", "short"]  # best recall first
    inventory = table["inventory"]
    # f1: 2/4 and 3/4; f2: 1/2 and 2/2
    assert inventory["recall"] == near(((0.5 + 0.75) / 2 + (0.5 + 1.0) / 2) / 2)
    assert (inventory["n"], inventory["fixtures"], inventory["atoms"], inventory["missing"]) == (4, 2, 6, 0)
    assert (inventory["spread"], inventory["spread_of"]) == (near((25 + 50) / 2), 2)
    assert (inventory["worst"], inventory["worst_fixture"], inventory["worst_replicate"]) == (0.5, "f1", 1)
    assert (inventory["best"], inventory["best_fixture"], inventory["best_replicate"]) == (1.0, "f2", 2)
    assert inventory["stale"] == near(((1 / 4 + 0) / 2 + 0) / 2)
    assert inventory["wrong"] == 0
    assert inventory["invented"] == near(((1 + 0) / 2 + (1 + 0) / 2) / 2)
    assert inventory["handoff_tokens"] == near((150 + 300) / 2)
    assert inventory["usd_write"] == near((0.15 + 0.40) / 2)
    assert inventory["usd_carry"] == near((0.05 + 0.08) / 2)
    assert inventory["usd_per_carried"] == near((0.1 + 0.2 + 0.4 + 0.4) / (2 + 3 + 1 + 2))
    assert (inventory["cells"], inventory["not_handoff"]) == (4, None)


def test_what_is_no_handoff_is_counted_and_costs_what_it_cost(run):
    short = {r["arm"]: r for r in records(arm_table(run))}["short"]
    assert (short["recall"], short["n"], short["fixtures"], short["wrong"]) == (0.25, 1, 1, 0.25)
    assert (short["spread"], short["spread_of"]) == (None, None)
    assert (short["cells"], short["not_handoff"]) == (4, "2 not run, 1 refused")
    assert short["usd_write"] == near((0.05 + 0.07) / 2)
    assert short["usd_per_carried"] == near((0.05 + 0.07) / 1)


def test_a_deterministic_arm_has_no_spread_and_costs_nothing_to_write(run):
    window = {r["arm"]: r for r in records(arm_table(run))}["window-4k"]
    assert (window["recall"], window["n"], window["cells"]) == (near((1 + 0.5) / 2), 2, 2)
    assert (window["spread"], window["usd_write"], window["usd_carry"]) == (None, 0, None)
    assert window["usd_carry_reason"] == "cost to carry not recorded; name [carry] in the sweep"


def test_by_fixture_each_fixture_has_a_table_of_its_own(run):
    lines = {(r["fixture"], r["arm"]): r for r in records(fixture_table(run))}
    assert lines["f1", "inventory"]["recall"] == near(0.625)
    assert lines["f2", "inventory"]["recall"] == near(0.75)
    assert (lines["f2", "short"]["recall"], lines["f2", "short"]["n"]) == (None, 0)
    assert lines["f2", "short"]["not_handoff"] == "1 not run, 1 refused"


def test_truncated_handoffs_are_ranked_only_when_asked(tmp_path, monkeypatch):
    monkeypatch.chdir(project(tmp_path / "project"))
    rows = [output("a"), output("b", outcome="truncated")]
    write_run(tmp_path / "project/results/tiny", {"f1": {"a": ["CL"], "b": ["CC"]}}, rows=rows)
    run = open_run("tiny")
    without = {r["arm"]: (r["n"], r["recall"], r["not_handoff"]) for r in records(arm_table(run))}
    assert without == {"a": (1, 0.5, None), "b": (0, None, "1 truncated")}
    asked = {r["arm"]: (r["n"], r["recall"]) for r in records(arm_table(run, with_truncated=True))}
    assert asked == {"a": (1, 0.5), "b": (1, 1.0)}


def test_a_sweep_may_rank_what_was_cut_off_and_every_table_and_figure_says_so(tmp_path, monkeypatch, capsys):
    from bench.runs.figures import plot_recall_vs_cost, plot_spread

    monkeypatch.chdir(project(tmp_path / "project"))
    rows = [output("a"), output("b", outcome="truncated"), output("b", replicate=2)]
    runs = {"f1": {"a": ["CL"], "b": ["CC", "CC"]}}
    write_run(tmp_path / "project/results/tiny", runs, rows=rows, rank_truncated=True)
    run = open_run("tiny")
    assert {r["arm"]: r["n"] for r in records(arm_table(run))} == {"a": 1, "b": 2}
    for argv in (["table", "tiny"], ["table", "tiny", "--by", "tag"], ["compare", "tiny"]):
        assert main(argv) == 0
        assert "1 handoff of 3 cut off at the cap, ranked all the same" in capsys.readouterr().out
    for figure in (plot_recall_vs_cost(run), plot_spread(run)):
        assert "Cut off, ranked all the same: b (1 of 2 runs)." in [t.get_text() for t in figure.texts]


def test_a_run_without_grades_still_tells_what_became_of_its_cells(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(project(tmp_path / "project"))
    write_run(tmp_path / "project/results/tiny", {"f1": {"a": []}}, rows=[output("a", outcome="refused")])
    (line,) = records(arm_table(open_run("tiny")))
    assert (line["grader"], line["arm"], line["n"], line["recall"], line["not_handoff"]) == (
        None, "a", 0, None, "1 refused",
    )  # fmt: skip
    assert main(["table", "tiny"]) == 0
    assert "tiny: nothing is graded yet; run 'bench grade tiny'" in capsys.readouterr().out
    assert main(["compare", "tiny"]) == 2
    assert "results/tiny: nothing in it is graded yet" in capsys.readouterr().err


def test_a_run_of_which_all_was_cut_off_has_its_table(tmp_path, monkeypatch):
    monkeypatch.chdir(project(tmp_path / "project"))
    write_run(tmp_path / "project/results/tiny", {"f1": {"a": ["C"]}}, rows=[output("a", outcome="truncated")])
    (line,) = records(arm_table(open_run("tiny")))
    assert (line["grader"], line["n"], line["recall"], line["not_handoff"]) == ("lexical", 0, None, "1 truncated")


def test_figures_that_a_grader_could_not_see_are_a_dash_with_its_reason(run):
    frame = arm_table(run)
    assert not any("could be seen" in note for note in arm_notes(frame))
    blind = frame.assign(wrong=frame["wrong"].mask(frame["arm"] == "short"))
    (note,) = [note for note in arm_notes(blind) if "could be seen" in note]
    assert note.startswith("— under wrong: none could be seen")
    assert in_words(blind[blind["arm"] == "short"], ("wrong",)) == [{"wrong": "—"}]


def test_a_cost_of_an_atom_without_an_interval_has_its_reason(run):
    frame = arm_table(run)
    why = frame["usd_per_carried_no_interval"].where(frame["arm"] != "inventory", "too uneven")
    (note,) = [n for n in arm_notes(frame.assign(usd_per_carried_no_interval=why)) if "inventory" in n]
    assert note == "an atom, no interval for inventory: too uneven"


def test_the_other_views_of_a_run(run):
    assert [tuple(g) for g in gradings(run)] == [("lexical", "handoff")]
    assert len(recall(run)) == 7
    ranges = {(r["arm"], r["fixture"]): r["range"] for r in records(spread(run))}
    assert ranges["inventory", "f1"] == near(25)
    assert [(r["tag"], r["arm"], r["recall"]) for r in records(tag_table(run)) if r["arm"] == "short"] == [
        ("ask", "short", 0.25)
    ]
    assert records(lost(run)) == []


def test_an_atom_that_no_arm_carried_comes_with_its_words(tmp_path, monkeypatch):
    import hashlib

    key = "version: 1\natoms:\n- {id: a2, tag: ask, text: Keep it short., importance: vital, by: user, at: [0]}\n"
    folder = project(tmp_path / "project", **{"fixtures/f1/key.yaml": key})
    monkeypatch.chdir(folder)
    store = write_run(folder / "results/tiny", {"f1": {"a": ["CL"], "b": ["CS"]}})
    text = store.run_file.read_text().replace('"k-f1"', f'"{hashlib.sha256(key.encode()).hexdigest()}"')
    store.run_file.write_text(text)
    (atom,) = records(lost(open_run("tiny")))
    assert (atom["atom"], atom["runs"], atom["arms"], atom["text"]) == ("a2", 2, 2, "Keep it short.")
    (folder / "fixtures/f1/key.yaml").write_text(key.replace("short", "long"))
    assert records(lost(open_run("tiny")))[0]["text"] is None  # another key than the one it was graded with


@pytest.mark.parametrize(
    ("told", "text"),
    [
        (points(0.7317), "73.2"), (points(1), "100.0"), (usd(0), "0"), (usd(0.0000123456), "0.0000123"),
        (usd(1.5), "1.50"), (usd(1234.5), "1,234.50"), (signed(6.24), "+6.2"), (signed(-0.04), "0.0"),
        (signed(-1), "-1.0"),
    ],
)  # fmt: skip
def test_figures_in_words(told, text):
    assert told == text


def test_columns_that_say_nothing_are_left_out_of_the_words(run):
    (line, *_) = in_words(arm_table(run), ["arm", "chain_step", "stale_by", "missing", "recall", "spread"])
    assert line == {"arm": "window-4k", "recall": "75.0", "spread": "—"}


def test_the_command_prints_the_table_in_words(run, capsys):
    assert run and main(["table", "tiny"]) == 0
    out = capsys.readouterr().out
    carried, taken, lacking, notes = (part.splitlines() for part in out.split("\n\n"))
    assert (carried[0], taken[0], lacking[0]) == (
        "tiny: graded by lexical on the handoff", "tiny: what a handoff takes, USD at API list prices",
        "tiny: what is missing",
    )  # fmt: skip
    told = [{line.split()[0]: line.split()[1:] for line in part[2:]} for part in (carried, taken, lacking)]
    assert carried[1].split() == [
        "arm", "n", "fixtures", "recall", "from", "to", "spread", "worst", "stale", "wrong", "invented",
    ]  # fmt: skip
    assert told[0]["inventory"] == ["4", "2", "68.8", "0.0", "100.0", "37.5", "50.0", "6.2", "0.0", "0.50"]
    # fixtures paid 0.3 and 0.8 USD for 5 and 3 carried: two so far apart say nothing of a ratio
    assert told[1]["inventory"] == ["local", "225", "0.275", "0.065", "0.138"]
    assert told[2] == {"short": ["4", "6.2", "81.2", "2", "not", "run,", "1", "refused"]}
    assert "spread: best - worst of 2 runs of a fixture, mean over fixtures" in notes


def test_the_command_prints_every_column_as_json(run, capsys):
    assert run and main(["table", "tiny", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert {r["arm"]: r["recall"] for r in rows} == {"inventory": 0.6875, "short": 0.25, "window-4k": 0.75}
    assert next(r for r in rows if r["arm"] == "short")["spread"] is None


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (["table", "tiny", "--by", "fixture"], ["tiny, fixture f1: graded by lexical", "tiny, fixture f2"]),
        (["table", "tiny", "--by", "tag"], ["tag", "ask", "68.8"]),
        (["compare", "tiny"], ["+6.2", "window-4k from inventory", "nothing", "One run a fixture (short)"]),
        (["compare", "tiny", "short", "inventory"], ["points more (+) or fewer (-) than short\n"]),
        (["index", "tiny"], ["results/tiny/grades.parquet", "results/tiny/outputs.parquet"]),
    ],
)
def test_what_the_commands_say(run, argv, words, capsys):
    assert run and main(argv) == 0
    out = capsys.readouterr().out
    assert [word for word in words if word not in out] == []


def test_compare_as_json_has_the_interval_and_its_target(run, capsys):
    assert run and main(["compare", "tiny", "inventory", "window-4k", "--json"]) == 0
    first, other = json.loads(capsys.readouterr().out)
    assert (first["name"], first["difference"], first["interval"], first["verdict"]) == ("inventory", None, None, None)
    # f1: 1 - 0.625; f2: 0.5 - 0.75; two fixtures so far apart see nothing, and no two recalls differ by more than 100
    assert other["fixture_differences"] == {"f1": near(37.5), "f2": near(-25)}
    assert (other["difference"], other["interval"], other["df"]) == (near(6.25), [-100, 100], 1)
    assert (other["target"], other["found"]) == ("transcripts like these", False)


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["compare", "tiny", "nobody"], "no graded handoff of an arm 'nobody'; there are "),
        (["table", "other"], "no run 'other' in it; runs there: tiny"),
        (["index", "./notebooks"], "notebooks: is no results folder"),
    ],
)
def test_bad_input_is_one_line_and_exit_2(run, argv, message, capsys):
    assert run and main(argv) == 2
    err = capsys.readouterr().err
    assert message in err and err.count("\n") == 1


def test_a_key_that_has_changed_since_is_named_with_what_renews_the_numbers(tmp_path, monkeypatch, capsys):
    sweep = fork_project(tmp_path, arms={"plain": "List."})
    monkeypatch.chdir(tmp_path)
    run_sweep(sweep, outside=outside(FakeModel(answering(reply("No Redis.")))))
    shown = (["table", "s"], ["table", "s", "--by", "tag"], ["compare", "s"])
    for argv in shown:
        assert main(argv) == 0
        assert "has changed" not in capsys.readouterr().out
    key = tmp_path / "fixtures/f1/key.yaml"
    key.write_text(key.read_text() + "# another\n")
    for argv in shown:
        assert main(argv) == 0
        told = "the key of fixture 'f1' has changed since these verdicts were given; 'bench grade s' renews them"
        assert told in capsys.readouterr().out, argv
    assert main(["grade", "s"]) == 0
    assert main(["table", "s"]) == 0
    assert "has changed" not in capsys.readouterr().out


def test_versions_that_the_project_no_longer_has_can_be_left_out(tmp_path, monkeypatch, capsys):
    sweep = fork_project(tmp_path, arms={"plain": "List.", "other": "Say."})
    monkeypatch.chdir(tmp_path)
    prompt = tmp_path / "prompts/plain.md"

    def again(text):
        prompt.write_text(text)
        run_sweep(sweep, outside=outside(FakeModel(answering(reply("No Redis.")))))

    def arms(*argv):
        assert main(["table", "s", "--json", *argv]) == 0
        return {line["arm"] for line in json.loads(capsys.readouterr().out)}

    for text in ("List.", "List all."):
        again(text)
    (newest,) = arms() - {"plain", "other"}
    assert arms("--latest") == arms("--latest", "--by", "tag") == {newest, "other"}
    assert main(["table", "s", "--latest"]) == 0
    told = capsys.readouterr().out
    assert "left out, since the project no longer has these versions: plain\n" in told + "\n"
    assert not re.search(r"(?m)^plain ", told)
    again("List.")  # back to the first
    assert arms("--latest") == {"plain", "other"}
    prompt.write_text("Never run.")  # the newest that was run stays
    assert arms("--latest") == {newest, "other"}


def test_an_arm_that_lacks_a_fixture_stands_last_and_says_so(run, capsys):
    table = {r["arm"]: r for r in records(arm_table(run))}
    assert (table["short"]["fixtures"], table["short"]["of_fixtures"], table["inventory"]["of_fixtures"]) == (1, 2, 2)
    assert main(["table", "tiny"]) == 0
    assert "short: 1 of 2 fixtures, not comparable" in capsys.readouterr().out


def test_gaps_leave_a_range(run, capsys):
    short = {r["arm"]: r for r in records(arm_table(run))}["short"]
    # f1: 1 of 4 and one cell not run; f2: one refused, one not run: (0.125 + 0) / 2 to (0.625 + 1) / 2
    assert (short["recall_least"], short["recall_most"], short["gaps"]) == (near(0.0625), near(0.8125), 3)
    assert main(["table", "tiny"]) == 0
    told = capsys.readouterr().out
    assert "at least" in told and "arms whose ranges overlap are not ranked by this run" in told


def test_an_arm_has_its_own_interval(run):
    inventory = {r["arm"]: r for r in records(arm_table(run))}["inventory"]
    # fixture means 0.625 and 0.75: 0.6875 -+ 12.706 * 0.0625, cut at 0 and 1
    assert (inventory["recall_low"], inventory["recall_high"]) == (0, 1)
