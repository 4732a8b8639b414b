"""Server-side compaction as an arm: on demand, with and without our instructions, billed by its passes."""

import asyncio

import pytest
from fakes import PAID, FakeModel, outside, project
from loopback import Behaviour, compacted, failed, say

from bench.calls.outside import Outside
from bench.calls.retry import RetryPolicy
from bench.errors import BenchError
from bench.forks.run import plan_sweep, run_sweep
from bench.forks.store import Store

MESSAGES = [
    {"role": "user", "content": "Please mend the flaky test. " + "It fails now and then. " * 100},
    {"role": "assistant", "content": "I will look at it."},
]
QUICK = Outside(retry=RetryPolicy(first_s=0.01, most_s=0.02))
OWN, OURS = 'kind = "server"\n', 'kind = "server"\nserver = {instructions = "short"}\n'


def with_arms(root, own, **options):
    (root / "prompts").mkdir(parents=True, exist_ok=True)
    for label, text in own.items():
        (root / f"prompts/{label}.toml").write_text(text)
    usual = {"arms": {"short": "Say it short."}, "messages": MESSAGES}
    return project(root, more_arms=tuple(own), **(usual | options))


@pytest.mark.parametrize(
    ("arm", "typed", "asked"),
    [
        (OWN, "", {"type": "summarize"}),
        (OURS, "", {"type": "summarize", "instructions": "Say it short."}),
        (OURS, "Keep numbers.", None),  # both, see below
    ],
)
def test_the_conversation_is_sent_as_it_is_and_the_instructions_beside_it(tmp_path, claude_server, arm, typed, asked):
    server = claude_server(compacted("The summary."))
    path = with_arms(tmp_path, {"theirs": arm}, sweep=f'instructions = "{typed}"' if typed else "")
    summary = run_sweep(path, outside=QUICK, grade=False, arms=["theirs"])
    (request,) = server.requests
    assert request.headers["anthropic-beta"] == "compact-2026-09-04"
    if asked is None:
        assert request.body["compaction"]["instructions"].startswith("Say it short.\n\n")
        assert request.body["compaction"]["instructions"].endswith("\n\nKeep numbers.")
    else:
        assert request.body["compaction"] == asked
    assert [m["role"] for m in request.body["messages"]] == ["user", "assistant"]
    assert request.body["messages"][-1]["content"][-1]["cache_control"]["ttl"] == "5m"
    (row,) = Store(summary.folder).rows()
    assert (row.outcome, row.kind, row.stop_reason) == ("handoff", "server", "compaction")
    assert Store(summary.folder).handoff_text(row) == Store(summary.folder).summary_text(row) == "The summary."


def test_usage_is_the_sum_of_its_passes(tmp_path, claude_server):
    server = claude_server(compacted("The summary."))
    path = with_arms(tmp_path, {"theirs": OWN}, sweep="replicates = 3")
    summary = run_sweep(path, outside=QUICK, grade=False, arms=["theirs"])
    calls = Store(summary.folder).calls()
    for name, billed in vars(server.billed).items():
        assert sum(getattr(c, f"{name}_tokens") for c in calls) == billed
    assert server.billed.output == 3 * 3  # "The summary." is 12 characters
    assert all(c.usd_api > 0 for c in calls)
    assert (summary.cache.writes, summary.cache.reads) == (1, 2)


@pytest.mark.parametrize(
    ("behaviour", "outcome"),
    [
        (compacted(None), "no-summary"),
        (compacted(""), "no-summary"),
        (Behaviour(), "no-summary"),  # nothing at all, and another stop reason
        (Behaviour(stop_reason="max_tokens"), "no-summary"),
        (Behaviour(stop_reason="refusal"), "refused"),
        (compacted("<analysis>hm</analysis>"), "empty"),
    ],
)
def test_what_comes_without_a_summary_is_priced_and_says_so(tmp_path, claude_server, behaviour, outcome):
    claude_server(behaviour)
    summary = run_sweep(with_arms(tmp_path, {"theirs": OWN}), outside=QUICK, grade=False, arms=["theirs"])
    (row,) = Store(summary.folder).rows()
    assert (row.outcome, row.usd_api is not None, summary.exit_status) == (outcome, True, 0)


def test_while_it_is_not_to_be_had_it_is_asked_for_again(tmp_path, claude_server):
    busy = failed(529, "overloaded_error", error_code="compaction_unavailable")
    server = claude_server(busy, compacted())
    summary = run_sweep(with_arms(tmp_path, {"theirs": OWN}), outside=QUICK, grade=False, arms=["theirs"])
    assert (len(server.requests), summary.outcomes, summary.money.possibly_calls) == (2, {"handoff": 1}, 0)


def test_what_was_typed_reaches_our_instructions_and_never_replaces_the_servers_own(tmp_path):
    path = with_arms(tmp_path, {"own": OWN, "ours": OURS}, arms={"short": "Say it."}, sweep='instructions = "Be kind."')
    summary = run_sweep(path, outside=outside(FakeModel()), grade=False)
    rows = {r.arm: r.outcome for r in Store(summary.folder).rows()}
    assert rows == {"own": "instructed", "ours": "handoff", "short": "handoff"}


def test_a_server_arm_never_shares_the_reply_of_a_prompt_with_the_same_words(tmp_path):
    model = FakeModel()
    run_sweep(with_arms(tmp_path, {"ours": OURS}), outside=outside(model), grade=False)
    assert sorted(r.compaction for r in model.asked) == [False, True]
    assert {r.instruction for r in model.asked} == {"Say it short."}


def test_models_that_do_not_compact_have_no_cells_and_the_plan_says_so(tmp_path):
    old = "claude-haiku-4-5"
    path = with_arms(tmp_path, {"theirs": OWN}, models=(PAID, old, "local"))
    plan = plan_sweep(path, outside=outside(FakeModel(), FakeModel(name=old), FakeModel(name="local")))
    assert sorted((s.fork.model, s.fork.compaction) for s in plan.asked) == [
        (old, False), (PAID, False), (PAID, True), ("local", False),
    ]  # fmt: skip
    assert [n for n in plan.notes if "theirs" in n] == [
        f"theirs: {name} does not compact a conversation itself; no cells" for name in (old, "local")
    ]


def test_what_the_server_would_refuse_is_said_before(tmp_path):
    path = with_arms(tmp_path, {"ours": OURS}, arms={"short": "x" * 16_385})
    with pytest.raises(BenchError, match="at most 16,384 characters; 'short' makes 16,385"):
        plan_sweep(path, outside=outside(FakeModel()))


def test_in_batches_it_is_the_same_at_half_the_price_beside_prompts_of_the_same_batch(tmp_path, claude_server):
    server = claude_server(lambda asked: compacted("The summary.") if "compaction" in asked.body else say("Ours."))
    path = with_arms(tmp_path, {"theirs": OWN}, sweep="replicates = 2")
    quick = Outside(sleep=lambda seconds: asyncio.sleep(min(seconds, 0.01)))
    summary = run_sweep(path, outside=quick, grade=False, batch=True)
    assert (summary.exit_status, [len(b.items) for b in server.batches.values()]) == (0, [1, 3])
    asked = [a for b in server.batches.values() for a in b.items.values()]
    assert sum("compaction" in a.body for a in asked) == 2
    assert not any("betas" in a.body for a in asked)
    assert {a.headers.get("anthropic-beta") for a in asked if "compaction" in a.body} == {"compact-2026-09-04"}
    rows = {r.arm: r for r in Store(summary.folder).rows()}
    assert (rows["theirs"].outcome, rows["theirs"].billing, rows["theirs"].stop_reason) == (
        "handoff", "batch", "compaction",
    )  # fmt: skip
    assert Store(summary.folder).summary_text(rows["theirs"]) == "The summary."
    for name, billed in vars(server.billed).items():
        assert sum(getattr(c, f"{name}_tokens") for c in Store(summary.folder).calls()) == billed


def test_instructions_that_are_no_prompt_are_refused(tmp_path):
    path = with_arms(tmp_path, {"ours": 'kind = "server"\nserver = {instructions = "ours"}\n'})
    with pytest.raises(BenchError, match="names 'ours', which is no prompt arm"):
        plan_sweep(path, outside=outside(FakeModel()))


def test_the_count_of_a_compaction_is_that_of_its_prompt(tmp_path, claude_server):
    server = claude_server(say())
    (sized,) = plan_sweep(with_arms(tmp_path, {"theirs": OWN}), arms=["theirs"]).asked
    assert sized.count.source == "counted"
    assert "compaction" not in server.counted[0].body
