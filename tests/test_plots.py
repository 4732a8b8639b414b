"""Figures, judged by what they are given to draw and by what they say, never by pixels."""

import tomllib

import pytest
from runs import NOTEBOOKS, graded, grades, output

from bench.analysis.arms.output_table import output_table
from bench.analysis.arms.pareto import arm_points
from bench.analysis.atoms.lost import atom_arms
from bench.analysis.units import CONTROLS
from bench.errors import BenchError
from bench.frames import frame, records
from bench.plots import lost_atoms_map, recall_vs_cost, save, spread_strips
from bench.plots.axes import plain
from bench.plots.figure import new_figure
from bench.plots.labels import Label, place_labels
from bench.plots.recall_vs_cost import drawable, is_log
from bench.plots.save import png, svg
from bench.plots.style import SLOTS, styles
from bench.plots.style import drawable as words
from bench.rows import GradeRow, OutputRow

KINDS = {"window-4k": "window", "full": "full", "nothing": "nothing", "tail": "tail"}


def table(runs, **costs):
    """`output_table` of {arm: [(letters, cost to carry), …]} on one fixture; kinds by name, prompts otherwise."""
    outputs, rows = [], []
    for arm, replicates in runs.items():
        kind = KINDS.get(arm, "prompt")
        model = "local" if kind == "prompt" else "none"
        for i, (letters, usd) in enumerate(replicates, 1):
            outputs.append(output(arm, replicate=i, kind=kind, model=model, carry_usd=usd, **costs))
            rows += grades(letters, arm, replicate=i, model=model)
    return output_table(frame(outputs, OutputRow), frame(rows, GradeRow))


def shipped_arms(sweep):
    """The arms of a shipped sweep, controls aside."""
    given = tomllib.loads((NOTEBOOKS.parent / "sweeps" / f"{sweep}.toml").read_text())["arms"]
    return tuple(arm for arm in given if arm not in CONTROLS and not arm.startswith("tail"))


TWO = {"inventory": [("CCLL", 0.02), ("CCCL", 0.04)], "short": [("CLLL", 0.01)]}


def shown(figure):
    """Every word of a figure, tick labels included."""
    from matplotlib.text import Text

    return [t.get_text() for t in figure.findobj(Text) if t.get_text()]


def test_an_arm_is_drawn_at_the_mean_of_its_runs():
    arms, notes = drawable(table(TWO), "carry")
    inventory = next(a for a in arms if a.name == "inventory")
    assert inventory.runs == [(0.02, 50.0), (0.04, 75.0)]
    assert inventory.mean == pytest.approx((0.03, 62.5))
    assert notes == []


def test_what_costs_nothing_or_an_unknown_sum_is_said_under_the_axis():
    runs = TWO | {"nothing": [("LLLL", 0.0)], "window-4k": [("CCCC", None)]}
    arms, notes = drawable(table(runs), "carry")
    assert {a.name for a in arms} == {"inventory", "short", "nothing"}
    assert notes == [
        "At 0 USD: nothing.",
        "Not drawn, cost unknown: window-4k (no [carry] in the sweep, or no price for its model).",
    ]
    assert set(notes) <= set(shown(recall_vs_cost(table(runs), "carry")))


def test_the_reason_of_an_unknown_price_is_the_rows_own():
    rows = [output("a", usd_api=None, usd_reason="no price for model x"), output("b", usd_api=0.1)]
    both = output_table(frame(rows, OutputRow), graded({"f1": {"a": ["C"], "b": ["C"]}}))
    assert drawable(both, "write")[1] == ["Not drawn, cost unknown: a (no price for model x)."]


def test_an_arm_of_which_nothing_was_graded_is_named():
    rows = [output("a"), output("b", outcome="refused", handoff_tokens=None)]
    both = output_table(frame(rows, OutputRow), graded({"f1": {"a": ["C"]}}))
    assert drawable(both, "tokens")[1] == ["Not drawn, no handoff ranked: b (1 refused)."]
    assert "No handoff ranked: b." in shown(spread_strips(both))


def test_the_frontier_leaves_out_what_is_no_choice_and_what_is_beaten():
    runs = TWO | {
        "full": [("CCCC", 0.03)],
        "nothing": [("LLLL", 0.0)],
        "tail": [("CLLL", 0.02)],
        "window-4k": [("CCLL", 0.015)],
    }
    on = {p["name"]: p["on_frontier"] for p in records(arm_points(table(runs), "carry"))}
    # short (0.01, 25), window (0.015, 50), inventory (0.03, 62.5); the tail costs more than short and carries no more
    assert on == {"inventory": True, "short": True, "window-4k": True, "tail": False, "full": False, "nothing": False}


@pytest.mark.parametrize(
    ("costs", "log"),
    [([], False), ([0.0], False), ([0.0, 1.0], False), ([1.0, 11.9], False), ([1.0, 12.0], True), ([0, 1, 12], True)],
)
def test_the_axis_is_logarithmic_where_costs_lie_far_apart(costs, log):
    assert is_log(costs) is log


def test_a_logarithmic_axis_shows_what_costs_nothing_in_a_strip_of_its_own():
    runs = TWO | {"full": [("CCCC", 2.0)], "nothing": [("LLLL", 0.0)]}
    strip, main = sorted(recall_vs_cost(table(runs)).axes, key=lambda a: a.get_position().x0)
    assert (strip.get_xscale(), main.get_xscale()) == ("linear", "log")
    assert "nothing" in [t.get_text() for t in strip.texts]
    assert {"inventory", "short", "full"} <= {t.get_text() for t in main.texts}


@pytest.mark.parametrize("runs", [{}, {"nothing": [("LL", 0.0)]}, {"inventory": [("..", 0.1)]}])
def test_a_run_with_next_to_nothing_still_gives_every_figure(runs):
    outputs = frame([output("inventory")], OutputRow) if not runs else None
    small = output_table(outputs, graded({})) if outputs is not None else table(runs)
    for axis in ("carry", "write", "tokens"):
        assert png(recall_vs_cost(small, axis)).startswith(b"\x89PNG")
    assert png(spread_strips(small)).startswith(b"\x89PNG")


def test_a_figure_that_is_kept_and_shown_is_drawn_once_and_anew_after_a_change(tmp_path):
    figure = spread_strips(table(TWO))
    kept = save(figure, tmp_path / "spread.png").read_bytes()
    assert figure._repr_png_() == kept and png(figure) is png(figure)
    figure.axes[-1].set_title("changed")
    assert figure._repr_png_() != kept
    assert figure._repr_png_() == png(figure)


def test_every_axis_says_its_unit_in_words():
    labels = {axis: recall_vs_cost(table(TWO), axis, basis="over 40 turns").axes[-1].get_xlabel() for axis in AXES}
    assert labels == {
        "carry": "USD to carry the handoff through the next window\nover 40 turns",
        "write": "USD to write the handoff\nover 40 turns",
        "tokens": "Size of the handoff, estimated tokens (characters / 4)\nover 40 turns",
    }


AXES = ("carry", "write", "tokens")


def test_strips_show_every_run_and_its_spread_with_n():
    words_ = shown(spread_strips(table(TWO)))
    assert "2 runs, spread 25.0" in words_  # 75 - 50
    assert "1 run, no spread" in words_


def test_a_map_of_many_atoms_draws_the_most_lost_of_them_and_says_what_is_left_out():
    # a1 to a5 lost, 45 carried
    figure = lost_atoms_map(atom_arms(graded({"f1": {"a": ["L" * 5 + "C" * 45]}})), frame([output("a")], OutputRow))
    rows = [label.get_text() for label in figure.axes[0].get_yticklabels()]
    assert len(rows) == 40 and all(row.startswith("▸") for row in rows[:5]) and not rows[5].startswith("▸")
    assert figure.texts[-1].get_text() == "Left out: 10 of 50 atoms, those that the most arms carry."
    assert figure.get_size_inches()[1] < 10


def test_the_map_puts_the_most_lost_atoms_on_top_and_marks_those_that_no_arm_carried():
    table_ = graded({"f1": {"a": ["CLPS"], "b": ["CLCW"], "full": ["CCCC"]}})
    outputs = frame([output("a"), output("b"), output("full", kind="full")], OutputRow)
    axes = lost_atoms_map(atom_arms(table_), outputs).axes[0]
    assert [t.get_text() for t in axes.get_yticklabels()] == ["▸ a2 ask", "▸ a4 ask", "a3 ask", "a1 ask"]
    assert [t.get_text() for t in axes.get_xticklabels()] == ["full", "b", "a"]
    assert sorted(t.get_text() for t in axes.texts) == ["s", "w"]


def test_an_atom_without_a_verdict_is_hatched_not_white():
    axes = lost_atoms_map(atom_arms(graded({"f1": {"a": ["C."]}})), frame([output("a")], OutputRow)).axes[0]
    assert [p.get_hatch() for p in axes.patches] == ["////"]


def test_hostile_text_in_an_atom_draws_as_text():
    cells = atom_arms(graded({"f1": {"a": ["C"]}}))
    texts = cells[["fixture", "atom"]].assign(text="cost $x^ is \\frac{ \x1b[31m 漢")
    figure = lost_atoms_map(cells, frame([output("a")], OutputRow), texts)
    (label,) = {t for t in shown(figure) if "cost" in t}
    assert label == r"a1 ask: cost $x^ is \frac{ \x1b[31m □"
    assert png(figure) and svg(figure)


def test_words_the_font_lacks_become_boxes():
    assert words("naïve → 漢\n字") == "naïve → □ □"


def test_shipped_arms_can_all_be_told_apart_also_in_grey():
    look = styles(dict.fromkeys(SLOTS, "prompt"))
    assert len({(s.colour, s.marker) for s in look.values()}) == len(SLOTS)
    assert len({s.marker for arm, s in look.items() if SLOTS[arm] < 6}) == 6


@pytest.mark.parametrize(
    "arms",
    [
        *(shipped_arms(name) for name in ("quickstart", "no-model", "chain")),
        ("stock", "window-4k", "extract-1k"),  # the README's first sweep
        ("inventory", "nine-sections", "short", "window-1k", "window-4k", "window-16k", "extract-1k", "stock"),
    ],
)
def test_arms_that_are_compared_share_neither_colour_nor_marker(arms):
    look = list(styles(dict.fromkeys(arms, "prompt")).values())
    assert len({s.colour for s in look}) == len({s.marker for s in look}) == len(look)


def test_an_arm_has_the_same_look_whatever_else_is_drawn():
    few = styles({"inventory": "prompt", "mine": "prompt"})
    many = styles(dict.fromkeys(("inventory", "mine", "short", "nine-sections"), "prompt"))
    assert few["inventory"] == many["inventory"]
    assert few["mine"] == many["mine"]


def test_a_version_keeps_its_arms_colour_and_has_a_mark_of_its_own():
    look = styles({"inventory": "prompt", "inventory@3f9c": "prompt"})
    assert look["inventory"].colour == look["inventory@3f9c"].colour
    assert look["inventory"].marker != look["inventory@3f9c"].marker


def test_controls_are_hollow_and_grey():
    look = styles({"full": "full", "nothing": "nothing", "tail-like-inventory": "tail", "inventory": "prompt"})
    assert [look[n].hollow for n in ("full", "nothing", "tail-like-inventory", "inventory")] == [True] * 3 + [False]


def test_labels_of_crowded_points_do_not_overlap():
    figure = new_figure(6, 4)
    axes = figure.add_axes((0.1, 0.1, 0.85, 0.85))
    axes.set(xlim=(0, 10), ylim=(0, 10))
    labels = [Label(f"an arm's name {i}", 5 + 0.1 * i, 5, "#000000") for i in range(9)]
    place_labels(axes, labels, [])
    boxes = [t.get_window_extent() for t in axes.texts]
    assert not [(a, b) for i, a in enumerate(boxes) for b in boxes[:i] if a.overlaps(b)]
    inside = axes.get_window_extent()
    assert all(inside.x0 <= b.x0 and b.x1 <= inside.x1 for b in boxes)


@pytest.mark.parametrize(
    ("value", "text"),
    [(0, "0"), (0.00002, "0.00002"), (0.5, "0.5"), (1000, "1000"), (16000, "16k"), (12_500, "12.5k"), (1e6, "1000k")],
)
def test_ticks_have_no_exponents(value, text):
    assert plain(value) == text


def test_figures_are_saved_whole_as_png_and_svg_with_equal_bytes_for_equal_data(tmp_path):
    for name, magic in (("a.png", b"\x89PNG"), ("a.svg", b"<?xml")):
        first = save(recall_vs_cost(table(TWO)), tmp_path / name).read_bytes()
        assert first.startswith(magic)
        assert save(recall_vs_cost(table(TWO)), tmp_path / name).read_bytes() == first
    assert b"inventory" in (tmp_path / "a.svg").read_bytes()
    with pytest.raises(BenchError, match=r"saved as \.png or \.svg"):
        save(recall_vs_cost(table(TWO)), tmp_path / "a.gif")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.png", "a.svg"]


def test_a_figure_shows_itself_in_a_notebook():
    assert recall_vs_cost(table(TWO))._repr_png_().startswith(b"\x89PNG")
