"""What arms cost, which are on the frontier, and what became of every cell."""

import statistics

import pytest
from runs import graded, output
from scipy import stats

from bench.analysis.arms.cost import arm_cost, output_cost, per_carried
from bench.analysis.arms.pareto import dominates, frontier
from bench.analysis.arms.sizes import sizes
from bench.analysis.arms.states import cell_states, not_handoff
from bench.analysis.comparing.further_atom import further_atom
from bench.analysis.recall import run_recall
from bench.analysis.units import OUTPUT
from bench.frames import frame, records
from bench.rows import OutputRow


def near(value):
    return pytest.approx(value, abs=1e-12)


def cost_of(*rows, **more):
    return {r["arm"]: r for r in records(arm_cost(frame(list(rows), OutputRow), **more))}


def test_write_cost_is_the_fork_and_its_commitments_averaged_inside_fixtures_first():
    lines = cost_of(
        output("a", "f1", 1, usd_api=0.10, commitments_usd=0.02),
        output("a", "f1", 2, usd_api=0.20),
        output("a", "f2", 1, usd_api=0.40),
    )
    assert lines["a"]["usd_write"] == near(((0.12 + 0.20) / 2 + 0.40) / 2)


def test_the_subscription_basis_is_its_own_column():
    row = output("a", usd_api=0.10, usd_subscription=0.04)
    assert cost_of(row, billing="subscription")["a"]["usd_write"] == near(0.04)


def test_one_unknown_cost_makes_the_mean_unknown_and_says_why():
    lines = cost_of(
        output("a", replicate=1, usd_api=0.1),
        output("a", replicate=2, usd_api=None, usd_reason="no price for model x"),
        output("b", usd_api=0.3),
    )
    assert (lines["a"]["usd_write"], lines["a"]["usd_write_reason"]) == (None, "no price for model x")
    assert (lines["b"]["usd_write"], lines["b"]["usd_write_reason"]) == (near(0.3), None)


def test_an_arm_that_asks_no_model_costs_0_and_a_command_is_unknown_until_it_says():
    lines = cost_of(
        output("window-4k", model="none", kind="window", usd_api=None, price_row=None),
        output("pipeline", model="none", kind="command", usd_api=None, price_row=None),
    )
    assert lines["window-4k"]["usd_write"] == 0
    assert (lines["pipeline"]["usd_write"], lines["pipeline"]["usd_write_reason"]) == (None, "cost not recorded")


def test_refused_work_is_paid_work_and_a_cell_without_a_call_is_not():
    lines = cost_of(
        output("a", replicate=1, usd_api=0.1),
        output("a", replicate=2, usd_api=0.3, outcome="refused", handoff_tokens=None, carry_usd=None),
        output("a", replicate=3, usd_api=None, outcome="does-not-fit", handoff_tokens=None, carry_usd=None),
    )
    assert lines["a"]["usd_write"] == near(0.2)
    assert lines["a"]["usd_carry"] == near(0.001)  # of the one handoff there is


def test_a_cost_to_carry_that_nobody_asked_for_is_null_with_the_mend():
    lines = cost_of(output("a", carry_usd=None), output("b", outcome="empty", handoff_tokens=None, carry_usd=None))
    assert (lines["a"]["usd_carry"], lines["a"]["usd_carry_reason"]) == (
        None,
        "cost to carry not recorded; name [carry] in the sweep",
    )
    assert lines["b"]["usd_carry_reason"] == "no handoff to carry"


def per_carried_of(outputs, runs):
    lines = records(per_carried(frame(outputs, OutputRow), run_recall(graded(runs))))
    return [(r["usd_per_carried"], r["usd_per_carried_reason"]) for r in lines]


def test_cost_per_carried_atom_is_total_cost_over_total_credit():
    # 1.2 + 1.4 + 1.1 USD for 59 + 62 + 57 carried atoms
    letters = ["C" * n + "L" * (82 - n) for n in (59, 62, 57)]
    outputs = [output("a", replicate=i, usd_api=usd) for i, usd in enumerate((1.2, 1.4, 1.1), 1)]
    assert per_carried_of(outputs, {"f1": {"a": letters}}) == [(near(3.7 / 178), None)]


def test_cost_per_carried_atom_has_the_limits_at_which_a_t_test_turns():
    # one fixture: its runs; 12, 15 and 11 cents for 6, 8 and 5 atoms
    cents, carried = [0.12, 0.15, 0.11], [6, 8, 5]
    runs = {"f1": {"a": ["C" * n + "L" * (8 - n) for n in carried]}}
    outputs = [output("a", replicate=i, usd_api=usd) for i, usd in enumerate(cents, 1)]
    (line,) = records(per_carried(frame(outputs, OutputRow), run_recall(graded(runs))))
    assert line["usd_per_carried"] == near(0.38 / 19) and line["usd_per_carried_target"] == "these facts"
    for r in (line["usd_per_carried_low"], line["usd_per_carried_high"]):
        apart = [usd - r * n for usd, n in zip(cents, carried, strict=True)]
        assert stats.ttest_1samp(apart, 0).pvalue == pytest.approx(0.05, abs=1e-9)
    # three fixtures: their totals
    runs = {f"f{i}": {"a": ["C" * n + "L" * (8 - n)]} for i, n in enumerate(carried)}
    outputs = [output("a", f"f{i}", usd_api=usd) for i, usd in enumerate(cents)]
    (over,) = records(per_carried(frame(outputs, OutputRow), run_recall(graded(runs))))
    assert over["usd_per_carried_target"] == "transcripts like these"
    assert over["usd_per_carried_low"] == near(line["usd_per_carried_low"])


@pytest.mark.parametrize(
    ("cents", "letters", "why"),
    [
        ([0.1], ["CC"], "one run"),
        ([0.0, 0.0], ["CC", "CL"], "nothing was paid"),
        ([0.1, 0.1], ["CC", "CC"], "all runs are alike"),
        ([0.1, 0.2], ["LL", "CC"], "the atoms it carries differ too much from one fixture or run to the next"),
    ],
)
def test_a_cost_per_atom_without_an_interval_says_why(cents, letters, why):
    outputs = [output("a", replicate=i, usd_api=usd) for i, usd in enumerate(cents, 1)]
    (line,) = records(per_carried(frame(outputs, OutputRow), run_recall(graded({"f1": {"a": letters}}))))
    assert (line["usd_per_carried_low"], line["usd_per_carried_no_interval"]) == (None, why)


def further(runs, costs):
    """`further_atom` of b against a; `costs` are USD of each run by fixture and arm."""
    rows = [
        output(arm, fixture, i, usd_api=usd)
        for fixture, arms in costs.items()
        for arm, of in arms.items()
        for i, usd in enumerate(of, 1)
    ]
    found = further_atom(frame(rows, OutputRow), run_recall(graded(runs)), ("a", "local", 1, 0))
    (line,) = records(found)
    return [line[c] for c in ("usd_per_more", "usd_per_more_low", "usd_per_more_high")]


def carried(**arms):
    return {arm: ["C" * n + "L" * (9 - n) for n in counts] for arm, counts in arms.items()}


def test_a_further_atom_costs_the_ratio_of_paired_differences():
    counts = {"f1": (2, 6), "f2": (3, 8), "f3": (1, 5), "f4": (4, 7)}
    runs = {f: carried(a=[a], b=[b]) for f, (a, b) in counts.items()}
    usd = {"f1": (0.10, 0.30), "f2": (0.12, 0.35), "f3": (0.08, 0.30), "f4": (0.11, 0.24)}
    ratio, *limits = further(runs, {f: {"a": [a], "b": [b]} for f, (a, b) in usd.items()})
    more = [b - a for a, b in usd.values()], [b - a for a, b in counts.values()]
    assert ratio == near(sum(more[0]) / sum(more[1]))  # 0.78 / 16
    for r in limits:
        apart = [c - r * n for c, n in zip(*more, strict=True)]
        assert stats.ttest_1samp(apart, 0).pvalue == pytest.approx(0.05, abs=1e-9)


def test_on_one_fixture_the_runs_of_both_arms_vary():
    a, b = ([2, 3, 2], [0.10, 0.12, 0.11]), ([6, 7, 7], [0.30, 0.33, 0.31])
    ratio, *limits = further({"f1": carried(a=a[0], b=b[0])}, {"f1": {"a": a[1], "b": b[1]}})
    assert ratio == near((0.94 / 3 - 0.33 / 3) / (20 / 3 - 7 / 3))
    for r in limits:  # two groups of cost - r * carried, at the fewer degrees of freedom
        groups = [[c - r * n for n, c in zip(*side, strict=True)] for side in (a, b)]
        se = sum(statistics.variance(g) / 3 for g in groups) ** 0.5
        t = (statistics.fmean(groups[1]) - statistics.fmean(groups[0])) / se
        assert 2 * stats.t.sf(abs(t), 2) == pytest.approx(0.05, abs=1e-9)
    one_run = further({"f1": carried(a=[2], b=[6])}, {"f1": {"a": [0.1], "b": [0.3]}})
    alike = further({"f1": carried(a=[2, 3], b=[3, 2])}, {"f1": {"a": [0.1, 0.2], "b": [0.3, 0.2]}})
    assert one_run == alike == [None, None, None]


def test_nothing_carried_has_no_cost_per_atom():
    outputs = [output("a", replicate=1, usd_api=1.0), output("a", replicate=2, usd_api=1.2)]
    assert per_carried_of(outputs, {"f1": {"a": ["LL", "LL"]}}) == [(None, "nothing carried")]


def test_a_refused_run_adds_its_cost_and_no_credit():
    outputs = [output("a", replicate=1, usd_api=1.0), output("a", replicate=2, usd_api=1.0, outcome="refused")]
    assert per_carried_of(outputs, {"f1": {"a": ["CC"]}}) == [(near(2.0 / 2), None)]


def test_an_unknown_cost_gives_no_cost_per_atom():
    outputs = [output("a", usd_api=None, usd_reason="no price for model x")]
    assert per_carried_of(outputs, {"f1": {"a": ["CC"]}}) == [(None, "no price for model x")]


ARMS = {"a": (1, 0.6), "b": (2, 0.7), "c": (2.5, 0.68), "d": (4, 0.8), "e": (4, 0.75), "f": (1, 0.6), "g": (6, 0.8)}


def test_the_frontier_keeps_ties_and_drops_what_is_dominated():
    kept = [arm for arm, on in zip(ARMS, frontier(list(ARMS.values())), strict=True) if on]
    assert kept == ["a", "b", "d", "f"]


@pytest.mark.parametrize(
    ("a", "b", "yes"),
    [
        ((1, 0.6), (1, 0.6), False),  # equal
        ((1, 0.6), (2, 0.6), True),  # cheaper
        ((1, 0.7), (1, 0.6), True),  # better
        ((1, 0.6), (2, 0.7), False),
    ],
)
def test_dominates_means_no_worse_in_both_and_better_in_one(a, b, yes):
    assert dominates(a, b) is yes


def test_sizes_average_replicates_inside_fixtures_first():
    rows = [
        output("a", "f1", 1, handoff_tokens=100),
        output("a", "f1", 2, handoff_tokens=300),
        output("a", "f2", 1, handoff_tokens=600),
        output("a", "f2", 2, handoff_tokens=None, outcome="refused"),
    ]
    (line,) = records(sizes(frame(rows, OutputRow)))
    assert (line["handoff_tokens"], line["least_tokens"], line["most_tokens"]) == (near(400), 100, 600)


def planned(*rows):
    return frame(list(rows), OutputRow)[[*OUTPUT, "kind"]]


def test_every_planned_cell_has_one_state_and_the_missing_ones_are_shown():
    plan = planned(*[output("a", replicate=i) for i in (1, 2, 3)], output("b", replicate=1))
    outputs = frame([output("a", replicate=1), output("a", replicate=2, outcome="refused")], OutputRow)
    cells = cell_states(plan, outputs)
    assert len(cells) == 4
    lines = {r["arm"]: (r["cells"], r["not_handoff"]) for r in records(not_handoff(cells))}
    assert lines == {"a": (3, "1 not run, 1 refused"), "b": (1, "1 not run")}


def test_an_output_that_is_no_longer_planned_is_still_a_cell():
    cells = cell_states(planned(output("a")), frame([output("a"), output("a@3f9c")], OutputRow))
    assert [(r["arm"], r["not_handoff"]) for r in records(not_handoff(cells))] == [("a", None), ("a@3f9c", None)]


def test_the_commitments_pass_is_a_cost_to_write_and_an_unknown_one_is_not_zero():
    rows = [
        output(arm="plain", usd_api=0.5),
        output(arm="priced", usd_api=0.5, commitments_usd=0.25, commitments_chars=90),
        output(arm="lost", usd_api=0.5, parts_failed="ledger,commitments"),
        output(arm="paid-and-lost", usd_api=0.5, parts_failed="commitments", commitments_usd=0.25),
    ]
    costs = output_cost(frame(rows, OutputRow)).set_index("arm")
    assert costs["write_usd"].fillna(-1).to_dict() == {"plain": 0.5, "priced": 0.75, "lost": -1, "paid-and-lost": 0.75}
    assert costs["write_reason"].dropna().to_dict() == {"lost": "what its commitments pass cost is not known"}
