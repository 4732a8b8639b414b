"""The budget cut over records: estimate, projection, both rules, and the parity budget."""

import json
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.arms.projection import HIDDEN_TOKENS, projected
from bench.arms.records import Record, estimate
from bench.arms.window import cut_exact, cut_seed, parity_budget, request_overhead

RULES = [cut_seed, cut_exact]


def message(id_, tokens):
    return Record(kind="message", id=id_, chars=4 * tokens)


def hidden(id_, *ids):
    return Record(kind="hidden", id=id_, ids=ids)


def checkpoint(id_, tokens, *ids):
    return Record(kind="checkpoint", id=id_, chars=4 * tokens, ids=ids)


def compaction(id_, tokens, first_kept=None):
    return Record(kind="compaction", id=id_, chars=4 * tokens, first_kept=first_kept or id_)


def hundreds(n, prefix="e"):
    return [message(f"{prefix}{i}", 100) for i in range(n)]


@pytest.mark.parametrize(
    ("record", "tokens"),
    [
        (Record(kind="message", id="a", chars=401), 101),  # ceil(401 / 4)
        (Record(kind="custom_message", id="a", chars=400), 100),
        (Record(kind="branch_summary", id="a", chars=1), 1),
        (Record(kind="checkpoint", id="a", chars=8), 2),
        (Record(kind="compaction", id="a", chars=9), 3),
        (Record(kind="hidden", id="a", chars=400), 0),
        (Record(kind="other", id="a", chars=400), 0),
        (Record(kind="message", id="a"), 0),
    ],
)
def test_a_record_is_estimated_by_its_own_text(record, tokens):
    assert estimate(record) == tokens


@pytest.mark.parametrize(
    ("why", "branch", "tokens"),
    [
        ("nothing takes nothing", [], 0),
        ("messages add up", hundreds(3), 300),
        ("a hidden record takes a marker", [*hundreds(2), hidden("h", "e0")], HIDDEN_TOKENS + 100),
        ("a covered record takes nothing, its checkpoint counts once", [*hundreds(2), checkpoint("k", 50, "e0")], 150),
        ("covered beats hidden", [*hundreds(1), hidden("h", "e0"), checkpoint("k", 5, "e0", "h")], 5),
        ("a checkpoint may be covered itself", [checkpoint("k", 50), checkpoint("l", 5, "k")], 5),
        ("a compaction drops all before what it kept", [*hundreds(3), compaction("c", 50, "e2")], 150),
        ("a compaction may keep nothing", [*hundreds(3), compaction("c", 50), message("z", 1)], 51),
        ("the newest compaction decides", [*hundreds(2), compaction("b", 70, "e0"), compaction("c", 50, "e1")], 220),
        ("a marker that was dropped marks nothing", [hidden("h", "z"), compaction("c", 50), message("z", 7)], 57),
    ],
)
def test_projection(why, branch, tokens):
    assert projected(branch) == tokens, why


# the worked examples of the rule's own tests
AMID = [*hundreds(50), message("big", 5000), *hundreds(49, "f")]
HIDDEN = [
    *(message(f"e{i}", 10_000) for i in range(20)),
    hidden("h", *(f"e{i}" for i in range(20))),
    *hundreds(20, "f"),
]
COVERED = [*hundreds(2), checkpoint("k0", 50, "e0", "e1"), *hundreds(2, "f")]
COMPACTED = [*hundreds(2), compaction("c0", 50), *hundreds(2, "f")]


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize(
    ("branch", "budget", "cut"),
    [
        (hundreds(10), 1000, None),  # 10 x 100, the bound is inclusive
        (hundreds(10), 999, 1),
        (hundreds(20), 1000, 10),
        (AMID, 5500, 51),  # 49 x 100 = 4,900; with the big one 9,900
        (HIDDEN, 2100, 10),  # 20 x 100 + 10 markers x 10 = 2,100: 31 of 41 stay
        (COVERED, 250, None),  # 2 x 100 + 50, the covered ones free
        (COVERED, 249, 3),
        (COMPACTED, 300, None),  # 2 x 100 + 50
        (COMPACTED, 150, 4),
        (hundreds(5), 0, 4),  # the newest record always stays
        ([], 0, None),
    ],
)
def test_both_rules_cut_alike(rule, branch, budget, cut):
    assert rule(branch, budget) == cut


def test_an_only_record_that_does_not_fit_stays():
    assert cut_exact(hundreds(1), 0) == 0  # null would say that it fits
    assert cut_seed(hundreds(1), 0) is None  # the walk never weighs the newest record


def test_only_the_exact_rule_pays_for_what_a_compaction_kept():
    # summary 50 + kept e1 100 + after 100 = 250
    branch = [*hundreds(2), compaction("c0", 50, "e1"), message("f0", 100)]
    assert cut_seed(branch, 200) is None  # takes 150 for all of it
    assert projected(branch) == 250
    assert cut_exact(branch, 200) == 2  # without e1: 50 + 100


def test_a_marker_may_stand_before_what_it_hides():
    branch = [hidden("h", "e0"), message("e0", 100), message("e1", 5)]
    assert projected(branch) == 15
    assert cut_exact(branch, 15) is None  # adding the marker made it fit again
    assert cut_exact(branch, 14) == 2


def test_parity_budget_leaves_what_the_request_takes_and_is_never_negative():
    tool = {"name": "Read", "description": "Reads.", "input_schema": {"a": 1}}  # 4 + 6 + 7
    assert request_overhead("x" * 24, [tool]) == 11  # ceil(41 / 4)
    assert parity_budget(1000, 11, 100) == 889
    assert parity_budget(100, 90, 11) == 0


IDS = [f"r{i}" for i in range(12)]
marks = st.lists(st.sampled_from(IDS), max_size=4).map(tuple)
records = st.tuples(
    st.sampled_from(
        ["message", "message", "custom_message", "branch_summary", "hidden", "checkpoint", "compaction", "other"]
    ),
    st.integers(0, 500),
    marks,
    st.sampled_from(IDS),
)
branches = st.lists(records, max_size=12).map(
    lambda rows: [
        Record(kind=kind, id=IDS[i], chars=chars, ids=ids if kind in ("hidden", "checkpoint") else (), first_kept=kept)
        for i, (kind, chars, ids, kept) in enumerate(rows)
    ]
)


@settings(max_examples=150, deadline=None)
@given(branches, st.integers(0, 800))
def test_the_exact_cut_is_the_longest_suffix_that_fits(branch, budget):
    fitting = [i for i in range(len(branch)) if projected(branch[i:]) <= budget]
    expected = max(len(branch) - 1, 0) if branch and not fitting else min(fitting, default=0)
    assert (cut_exact(branch, budget) or 0) == expected
    assert (cut_exact(branch, budget) is None) == (projected(branch) <= budget)


def test_the_exact_cut_walks_once():
    branch = [r for i in range(20_000) for r in (message(f"e{i}", 10), hidden(f"h{i}", f"e{i}"))]
    began = time.process_time()
    # 10 tokens a pair, hidden or not: the newest 10,000 fit, and the marker before them, which takes nothing
    assert cut_exact(branch, 100_005) == 40_000 - 20_000 - 1
    assert time.process_time() - began < 2


def text_chars(value):
    return 0 if value is None else len(value[0]) * value[1]


def record_of(row):
    ends = [row[k] for k in ("first", "last") if k in row]
    return Record(
        kind=row["kind"],
        id=row["id"],
        chars=text_chars(row.get("text") or row.get("summary")),
        ids=(*row.get("ids", ()), *row.get("covers", ()), *ends),
        first_kept=row.get("first_kept"),
    )


@pytest.mark.shared
def test_every_conformance_vector_of_the_budget_cut(shared):
    path = shared / "conformance" / "budget_cut.jsonl"
    if not path.is_file():
        pytest.skip("BENCH_SHARED holds no conformance/budget_cut.jsonl")
    cases = [json.loads(line) for line in path.read_text().splitlines()]
    assert cases
    for n, case in enumerate(cases, 1):
        branch = [record_of(row) for row in case["branch"]]
        got = (cut_seed(branch, case["budget"]), projected(branch), cut_exact(branch, case["budget"]))
        assert got == (case["cut"], case["projected"], case["exact"]), f"line {n}"
