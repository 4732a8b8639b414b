"""Figures of what is not known: differences, frontier, noise, distance, chains. Judged by what they draw and say."""

from functools import cache
from itertools import pairwise

import pytest
from runs import graded, grades, outputs_of
from test_plots import KINDS, TWO, shown, table

from bench.analysis.arms.frontier import frontier_table
from bench.analysis.atoms.by_distance import by_distance, by_distractors, by_times_said
from bench.analysis.atoms.survival import survival
from bench.analysis.comparing.compare import compare
from bench.analysis.noise import noise_split
from bench.analysis.units import named
from bench.frames import frame
from bench.plots import chain_survival, differences, frontier_map, noise_bars
from bench.plots.counts import DISTANCE, DISTRACTORS, TIMES_SAID, count_curves
from bench.plots.save import png
from bench.plots.style import TIP
from bench.rows import GradeRow

LETTERS = {"f0": ("CCCCL", "CLLLL"), "f1": ("CCCLL", "CLLLL"), "f2": ("CCCCL", "CCLLL"), "f3": ("CCCLL", "LLLLL")}
FOUR = {
    fixture: {"inventory": [first], "short": [second], "full": ["CCCCC"], "nothing": ["LLLLL"]}
    for fixture, (first, second) in LETTERS.items()
}
FOUR_KINDS = {"inventory": "prompt", "short": "prompt", "full": "full", "nothing": "nothing"}


@cache
def four():
    return compared(FOUR)


def compared(runs, first="inventory"):
    both = compare(graded(runs), (first, "local", 1, 0))
    return named(both)


def tips(figure):
    from matplotlib.artist import Artist

    return sorted(a.get_gid().removeprefix(TIP) for a in figure.findobj(Artist) if (a.get_gid() or "").startswith(TIP))


def test_a_difference_is_drawn_with_its_interval_and_says_what_it_comes_to():
    figure = differences(four(), FOUR_KINDS)
    # short less inventory, by fixture: -60, -40, -40, -60; mean -50, sd 11.547, t(3) 3.182: 50 ± 18.4
    assert tips(figure) == ["short: -50.0 (-68.4 to -31.6)"]
    said = shown(figure)
    assert "Difference in recall to inventory" in said
    assert any("transcripts like these" in words for words in said)
    assert any(words.endswith("control that nobody would ship): full, nothing.") for words in said)
    lines = [line.get_xdata() for line in figure.axes[0].lines]
    assert any(list(xs) == pytest.approx([-68.37, -31.63], abs=0.01) for xs in lines)
    assert figure.axes[0].get_xlim()[0] == -figure.axes[0].get_xlim()[1]


def test_a_difference_without_an_interval_says_why():
    figure = differences(compared({"f1": {"inventory": ["CCLL"], "short": ["CLLL"]}}), FOUR_KINDS)
    assert "short: -25.0, no interval" in tips(figure)
    assert any(words.startswith("No interval: ") for words in shown(figure))


def test_a_difference_that_may_be_chance_is_dashed_and_says_so():
    runs = {f"f{n}": {"a": [a], "b": [b]} for n, (a, b) in enumerate([("CCL", "CLL"), ("CLL", "CCL"), ("CCL", "LLL")])}
    figure = differences(compared(runs, "a"), {"a": "prompt", "b": "prompt"})
    assert tips(figure)[0].endswith(", cannot tell")
    assert any(line.is_dashed() for line in figure.axes[0].lines)


def test_the_frontier_has_a_cross_an_arm_and_its_chance_beside_its_name():
    runs = {"inventory": [("CCLL", 0.02), ("CCCL", 0.04)], "short": [("CLLL", 0.01), ("CCLL", 0.012)]}
    points = frontier_table(table(runs), "carry", draws=200)
    figure = frontier_map(points, {"inventory": "prompt", "short": "prompt"}, "carry", basis="over 40 turns")
    by_name = points.set_index("name")
    for name in runs:
        chance = f"{100 * by_name.at[name, 'chance_on_frontier']:.0f} %"
        assert f"{name} {chance}" in shown(figure)
    upright = [list(line.get_ydata()) for line in figure.axes[0].lines if len(set(line.get_xdata())) == 1]
    low, high = by_name.loc["inventory", ["recall_low", "recall_high"]]
    assert any(ys == pytest.approx([100 * low, 100 * high]) for ys in upright)
    assert figure.axes[0].get_xlabel() == "USD to carry the handoff through the next window\nover 40 turns"


def test_what_the_frontier_cannot_draw_is_named():
    runs = TWO | {"nothing": [("LLLL", 0.0)], "window-4k": [("CCCC", None)], "full": [("CCCC", 2.0)]}
    kinds = KINDS | {"inventory": "prompt", "short": "prompt"}
    said = shown(frontier_map(frontier_table(table(runs), "carry", draws=200), kinds))
    assert "At 0 USD, with recall: nothing (0.0)." in said
    assert "Not drawn: window-4k (cost unknown)." in said


def test_the_noise_split_has_a_bar_a_source_that_is_told_and_a_reason_for_the_others():
    split = noise_split(
        graded(
            {"f1": {"a": ["CCLL", "CLLL"], "b": ["CCCL", "CCLL"]}, "f2": {"a": ["LLCC", "LCLL"], "b": ["CCCC", "CLCC"]}}
        )
    )
    figure = noise_bars(split)
    told = split.dropna(subset=["share"])
    widths = {round(p.get_width(), 6) for p in figure.axes[0].patches}
    assert widths == {round(100 * float(s), 6) for s in told["share"]}
    assert sum("not told" in words for words in shown(figure)) == len(split) - len(told) > 0
    assert any(words.startswith("Not told. ") for words in shown(figure))


def test_recall_by_distance_has_a_line_an_arm_over_the_bins_that_hold_atoms():
    verdicts = graded({"f1": {"a": ["CCLL"], "full": ["CCCC"]}})
    places = verdicts[["fixture", "atom"]].drop_duplicates().assign(distance_tokens=[10, 500, 5_000, 300_000])
    figure = count_curves(by_distance(verdicts, places), DISTANCE, {"a": "prompt", "full": "full"})
    axes = figure.axes[0]
    assert [t.get_text() for t in axes.get_xticklabels()] == [
        "under 1k\n2 atoms",
        "4k to 16k\n1 atom",
        "256k or more\n1 atom",
    ]
    assert tips(figure) == ["a: 100.0, 0.0, 0.0", "full: 100.0, 100.0, 100.0"]


def test_without_a_fixture_the_figure_of_distance_says_why_it_is_empty():
    verdicts = graded({"f1": {"a": ["C"]}})
    nowhere = verdicts[["fixture", "atom"]].assign(distance_tokens=[None]).astype({"distance_tokens": "Int64"})
    figure = count_curves(by_distance(verdicts, nowhere), DISTANCE, {"a": "prompt"})
    assert any(words.startswith("Nothing to draw: no fixture stands") for words in shown(figure))
    assert png(figure).startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("of", "by", "ticks"),
    [
        (TIMES_SAID, by_times_said, ["1\n2 atoms", "4 or more\n1 atom"]),
        (DISTRACTORS, by_distractors, ["1\n2 atoms", "7\n1 atom"]),
    ],
)
def test_recall_by_a_number_of_each_fact_has_a_line_an_arm(of, by, ticks):
    verdicts = graded({"f1": {"a": ["CLL"], "full": ["CCC"]}})
    counts = verdicts[["fixture", "atom"]].drop_duplicates().assign(**{of.column: [1, 1, 7]})
    figure = count_curves(by(verdicts, counts), of, {"a": "prompt", "full": "full"})
    assert [t.get_text() for t in figure.axes[0].get_xticklabels()] == ticks
    assert tips(figure) == ["a: 50.0, 0.0", "full: 100.0, 100.0"]
    none = count_curves(by(verdicts, counts.iloc[:0]), of, {"a": "prompt"})
    assert any(words.startswith("Nothing to draw: ") for words in shown(none)) and png(none).startswith(b"\x89PNG")


def test_a_chain_is_a_line_of_means_over_what_the_facts_went_through():
    rows = [*grades("CCCC", "a"), *grades("CCLLCC", "a", chain_step=2), *grades("CLLLCLCC", "a", chain_step=3)]
    left = survival(frame(rows, GradeRow))
    figure = chain_survival(left.assign(name=left["arm"]), {"a": "prompt"})
    # once: 4/4, 2/2, 2/2; twice: 2/4 and 1/2; three times: 1/4
    assert tips(figure) == ["a: 100.0, 50.0, 25.0"]
    assert [t.get_text() for t in figure.axes[0].get_xticklabels()] == ["1", "2", "3"]


def test_the_same_arm_has_the_same_colour_in_every_figure():
    from bench.analysis.atoms.lost import atom_arms
    from bench.plots import lost_atoms_map, spread_strips
    from bench.plots.style import styles

    ink = styles(FOUR_KINDS)["short"].ink
    verdicts, outputs = graded(FOUR), outputs_of(FOUR)
    for figure in (
        differences(four(), FOUR_KINDS),
        lost_atoms_map(atom_arms(verdicts), outputs.assign(kind=outputs["arm"].map(FOUR_KINDS))),
        spread_strips(table(TWO)),
    ):
        labels = [t for axes in figure.axes for t in (*axes.get_yticklabels(), *axes.get_xticklabels())]
        assert {t.get_color() for t in labels if t.get_text() == "short"} == {ink}


def test_names_at_the_ends_of_lines_do_not_overlap():
    verdicts = graded({"f1": {f"arm-{n}": ["C"] for n in range(12)}})
    places = verdicts[["fixture", "atom"]].drop_duplicates().assign(distance_tokens=[10])
    figure = count_curves(by_distance(verdicts, places), DISTANCE, {f"arm-{n}": "prompt" for n in range(12)})
    heights = sorted(t.get_position()[1] for t in figure.axes[0].texts)
    assert len(heights) == 12 and min(b - a for a, b in pairwise(heights)) > 5
    assert heights[0] > 0
