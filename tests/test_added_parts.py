"""What each part adds: arms of one family by their labels, in the order of their parts, and the figure of them."""

import pytest
from runs import graded, output, write_run

from bench.analysis.arms.added_parts import added_parts, families, family
from bench.analysis.arms.output_table import output_table
from bench.errors import BenchError
from bench.frames import frame, records
from bench.plots import added_parts_lines
from bench.rows import OutputRow
from bench.runs.figures import plot_added_parts
from bench.runs.index import open_run


@pytest.mark.parametrize(
    ("label", "told"),
    [
        ("inventory", ("inventory", ())),
        ("inventory-alone", ("inventory", ("alone",))),
        ("extract-1k-ledger-commitments", ("extract-1k", ("ledger", "commitments"))),
        ("my-prompt-everything@3f9c", ("my-prompt", ("everything",))),
        ("ledger", ("ledger", ())),  # a label that is a part's name is an arm all the same
        ("state-ledger", ("state", ("ledger",))),
    ],
)
def test_a_family_is_named_by_what_stands_before_its_parts(label, told):
    assert family(label) == told


def test_families_have_two_arms_and_the_fewest_parts_first():
    labels = ["p-everything", "p-ledger-commitments", "p-alone", "q", "p-ledger", "full"]
    assert families(labels) == {"p": ["p-alone", "p-ledger", "p-ledger-commitments", "p-everything"]}
    assert families(["a-ledger", "b-ledger"]) == {}


def table(arms, **models):
    runs = {"f1": {arm: letters for arm, (letters, _) in arms.items()}}
    rows = [
        output(
            arm, replicate=n, handoff_tokens=tokens, model=models.get(arm, "m"),
            kind="full" if arm == "full" else "prompt",
        )
        for arm, (letters, tokens) in arms.items()
        for n in range(1, len(letters) + 1)
    ]  # fmt: skip
    grades = graded(runs)
    grades["model"] = [models.get(arm, "m") for arm in grades["arm"]]
    return output_table(frame(rows, OutputRow), grades)


ARMS = {
    "p-alone": (["CCLL", "CLLL"], 100),
    "p-ledger": (["CCLL", "CCLL"], 150),
    "p-ledger-commitments": (["CCCL", "CCCL"], 180),
    "p-everything": (["CCCC", "CCCC"], 400),
    "full": (["CCCC"], 900),
}


def test_each_line_says_what_is_added_and_its_means():
    lines = records(added_parts(table(ARMS)))
    assert [(x["added"], x["tokens"], x["recall"], x["runs"]) for x in lines] == [
        ("p", 100, 0.375, 2),  # (2/4 + 1/4) / 2
        ("+ ledger", 150, 0.5, 2),
        ("+ commitments", 180, 0.75, 2),
        ("everything", 400, 1.0, 2),
    ]


def test_arms_without_a_model_begin_the_line_of_each_model_of_their_family():
    arms = {"cut-ledger": (["CL"], 10), "cut-ledger-commitments": (["CC"], 20)}
    lines = records(added_parts(table(arms, **{"cut-ledger": "none"})))
    assert [(x["model"], x["added"]) for x in lines] == [("m", "+ ledger"), ("m", "+ commitments")]


def test_the_figure_draws_a_panel_a_fixture_and_names_each_step_once():
    figure = added_parts_lines(table(ARMS))
    (axes,) = figure.axes
    said = [t.get_text() for t in axes.texts]
    assert axes.get_title(loc="left") == "f1"
    assert {"p", "+ ledger", "+ commitments", "everything", "full"} <= set(said)
    line = max(axes.lines, key=lambda one: len(one.get_xdata()))
    assert list(line.get_xdata()) == [100, 150, 180, 400]
    assert list(line.get_ydata()) == [37.5, 50, 75, 100]


def test_a_part_that_changed_nothing_is_named_where_its_mark_lies():
    arms = {"p-alone": (["CL"], 100), "p-ledger": (["CL"], 100)}
    texts = [t.get_text() for t in added_parts_lines(table(arms)).axes[0].texts]
    assert "p + ledger" in texts


def test_a_run_without_such_arms_is_told(tmp_path):
    store = write_run(tmp_path / "tiny", {"f1": {"a": ["CL"], "b": ["CC"]}})
    with pytest.raises(BenchError, match="no two of its arms differ only by a part, as inventory-alone"):
        plot_added_parts(open_run(store.root))
    store = write_run(tmp_path / "more", {"f1": {"a": ["CL"], "a-ledger": ["CC"]}})
    assert len(plot_added_parts(open_run(store.root)).axes) == 1
