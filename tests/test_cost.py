"""What arms cost, which are on the frontier, and what became of every cell."""

import pytest
from runs import graded, output

from bench.analysis.arms.cost import arm_cost, output_cost, per_carried
from bench.analysis.arms.pareto import dominates, frontier
from bench.analysis.arms.sizes import sizes
from bench.analysis.arms.states import cell_states, not_handoff
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
