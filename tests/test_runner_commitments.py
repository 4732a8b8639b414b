"""The commitments pass inside a run: a call of its own, shared by who needs the same bytes, failing alone."""

import json

import pytest
from fakes import PAID, TEXT, FakeModel, attempt, outside, project, reply

from bench.calls.journal import Finished, read_journal
from bench.errors import BenchError
from bench.forks.plan_table import plan_lines
from bench.forks.run import plan_sweep, run_sweep
from bench.forks.store import Store
from bench.runs.index import planned_cells

OTHER = "claude-haiku-4-5"
ASKS = "Find what was promised."
ROW = 'UNKEPT | T1 | "I will run the tests." | no run after it'
PART = 'parts = ["summary", "commitments"]'


def made(tmp_path, *, sweep="", arms=None, **more):
    """A project whose arms ask for commitments; `plain` does not, and shares the fork of `both`."""
    usual = {"plain": "List all.", "both": f"+++\n{PART}\n+++\nList all."}
    path = project(tmp_path, arms=arms or usual, sweep=sweep, **more)
    (tmp_path / "prompts" / "_commitments.md").write_text(ASKS + "\n")
    return path


def answers(request, _n, *, passes=reply(ROW), forks=reply()):
    return passes if request.instruction == ASKS else forks


def asked(model):
    return [("pass" if r.instruction == ASKS else "fork") for r in model.asked]


def by_arm(summary):
    return {r.arm: r for r in Store(summary.folder).rows() if r.replicate == 1}


def test_arms_that_need_the_same_bytes_share_a_pass_and_each_replicate_has_its_own(tmp_path):
    arms = {"plain": "List all.", "both": f"+++\n{PART}\n+++\nList all."}
    arms["more"] = '+++\nparts = ["commitments", "summary", "ledger"]\n+++\nList all.'
    model = FakeModel(answers)
    summary = run_sweep(made(tmp_path, arms=arms, sweep="replicates = 2"), outside=outside(model))
    assert sorted(asked(model)) == ["fork"] * 2 + ["pass"] * 2  # six cells
    assert summary.outcomes == {"handoff": 6}
    store, rows = Store(summary.folder), by_arm(summary)
    assert store.handoff_text(rows["plain"]) == TEXT
    for label in ("both", "more"):
        text = store.handoff_text(rows[label])
        assert TEXT in text and '- "I will run the tests.": no run after it' in text
        assert store.parts(rows[label]).commitments.findings[0].quote == "I will run the tests."
    calls = {c.purpose: c for c in reversed(store.calls())}  # the first replicate's: it wrote the caches
    assert sorted(c.purpose for c in store.calls()) == ["commitments"] * 2 + ["fork"] * 2
    assert (
        rows["both"].commitments_usd
        == rows["more"].commitments_usd
        == max(c.usd_api for c in store.calls() if c.purpose == "commitments")
    )
    assert rows["both"].usd_api == rows["plain"].usd_api == calls["fork"].usd_api  # the fork's alone
    assert rows["plain"].commitments_usd is None
    assert rows["both"].commitments_chars == store.parts(rows["both"]).sizes["commitments_chars"] > 0
    assert summary.cache.calls == 2  # forks
    assert summary.money.spent_usd == pytest.approx(sum(c.usd_api for c in store.calls()))


def test_the_pass_is_asked_over_what_was_said_by_its_own_instruction_and_settings(tmp_path):
    model, small = FakeModel(answers), FakeModel(answers, OTHER)
    sweep = f'commitments = {{model = "{OTHER}", max_tokens = 700, effort = "low"}}'
    summary = run_sweep(made(tmp_path, sweep=sweep), outside=outside(model, small))
    (request,) = small.asked
    assert (request.instruction, request.max_tokens, request.effort) == (ASKS, 700, "low")
    assert request.context.mode == "rendered"
    assert b"what the assistant said" in request.context.body and ASKS.encode() not in request.context.body
    assert asked(model) == ["fork"]
    assert Store(summary.folder).parts(by_arm(summary)["both"]).commitments.model == OTHER
    run = Store(summary.folder).run_json()
    assert (run.models, run.commitments_models) == ({PAID: PAID}, {OTHER: OTHER})
    assert {r.model for r in planned_cells(Store(summary.folder))} == {PAID}


def test_what_an_arm_says_of_its_pass_outranks_the_sweep(tmp_path):
    arms = {"both": f"+++\n{PART}\ncommitments = {{max_tokens = 300}}\n+++\nList all."}
    model = FakeModel(answers)
    run_sweep(
        made(tmp_path, arms=arms, sweep='commitments = {max_tokens = 700, effort = "low"}'), outside=outside(model)
    )
    assert [(r.max_tokens, r.effort) for r in model.asked if r.instruction == ASKS] == [(300, "low")]


@pytest.mark.parametrize(
    ("passes", "why", "priced"),
    [
        (attempt(detail="no", retryable=False), "api-error: no", False),
        (reply("I see nothing wrong."), "no line of the reply is a row", True),
        (reply("", stop_reason="refusal"), "refused: the model refused", True),
    ],
)
def test_a_pass_that_fails_costs_its_part_and_the_summary_stands(tmp_path, passes, why, priced):
    model = FakeModel(lambda r, n: answers(r, n, passes=passes))
    summary = run_sweep(made(tmp_path), outside=outside(model))
    store, row = Store(summary.folder), by_arm(summary)["both"]
    assert summary.exit_status == 0
    assert (row.outcome, row.parts_failed, store.handoff_text(row)) == ("handoff", "commitments", TEXT)
    assert store.parts(row).failures[0].reason == why
    assert (row.commitments_usd is not None) == priced
    again = run_sweep(tmp_path / "sweeps/s.toml", outside=outside(model))
    assert again.done_before == 2 and len(model.asked) == 2


def test_a_pass_that_does_not_fit_its_model_is_not_asked(tmp_path):
    model, small = FakeModel(answers), FakeModel(answers, OTHER, window=50)
    path = made(tmp_path, sweep=f'commitments = {{model = "{OTHER}"}}')
    summary = run_sweep(path, outside=outside(model, small))
    row = by_arm(summary)["both"]
    assert small.asked == []
    assert (row.parts_failed, row.commitments_usd) == ("commitments", 0.0)
    assert "exceed the window of 50" in Store(summary.folder).parts(row).failures[0].reason


def test_a_model_of_a_pass_that_is_not_here_leaves_its_cells_for_later(tmp_path):
    from bench.models.protocol import ModelMissing

    model = FakeModel(answers)
    path = made(tmp_path, sweep=f'commitments = {{model = "{OTHER}"}}')
    first = run_sweep(path, outside=outside(model, missing={OTHER: ModelMissing("not here")}))
    assert set(by_arm(first)) == {"plain"} and first.skipped == {OTHER: "not here"}
    second = run_sweep(path, outside=outside(model, FakeModel(answers, OTHER)))
    assert set(by_arm(second)) == {"plain", "both"}
    assert asked(model) == ["fork"]  # the reply of the first start serves


def test_a_start_that_ends_between_pass_and_fork_asks_only_what_is_missing(tmp_path):
    broken = FakeModel(lambda r, n: answers(r, n, forks=attempt(retryable=False)))
    path = made(tmp_path)
    first = run_sweep(path, outside=outside(broken))
    assert sorted(asked(broken)) == ["fork", "pass"] and len(first.missing) == 2
    model = FakeModel(answers)
    second = run_sweep(path, outside=outside(model))
    assert asked(model) == ["fork"] and second.missing == ()
    assert by_arm(second)["both"].commitments_chars > 0


def test_a_start_that_ends_between_fork_and_pass_keeps_the_fork(tmp_path):
    """The pass's money is gone: the arm that does without it has its output, the other waits for the next start."""
    bad = attempt(detail="spend limit", retryable=False, stop_run=True)
    path = made(tmp_path, sweep="concurrency = 2")
    broken = FakeModel(lambda r, n: answers(r, n, passes=bad), latency_s=0.01)
    first = run_sweep(path, outside=outside(broken))
    assert set(by_arm(first)) == {"plain"} and first.missing == (f"f1/both/{PAID}/s1-k0-r01",)
    model = FakeModel(answers)
    second = run_sweep(path, outside=outside(model))
    assert asked(model) == ["pass"] and second.missing == ()


@pytest.mark.parametrize("budget", [0.0, 0.05, 0.4, 0.5])
def test_passes_are_under_the_cap_with_everything_else(tmp_path, budget):
    path = made(tmp_path, sweep=f"replicates = 3\nbudget_usd = {budget}")
    summary = run_sweep(path, outside=outside(FakeModel(answers)))
    assert summary.money.spent_usd <= budget
    assert bool(summary.missing) == (summary.exit_status == 3)
    if budget == 0.0:
        assert len(summary.missing) == 6


def test_an_arm_without_a_model_is_built_for_each_reply_of_its_pass(tmp_path):
    arms = {"cut.toml": f'kind = "window"\nwindow = {{tokens = 500}}\n{PART}\n', "plain": "List all."}
    model = FakeModel(answers)
    summary = run_sweep(made(tmp_path, arms=arms, sweep="replicates = 2"), outside=outside(model))
    rows = [r for r in Store(summary.folder).rows() if r.arm == "cut"]
    assert [(r.model, r.replicate, r.kind, r.deterministic) for r in rows] == [
        (PAID, 1, "window", False), (PAID, 2, "window", False),
    ]  # fmt: skip
    assert [(r.usd_api, r.usage_source, r.commitments_usd > 0) for r in rows] == [(0.0, None, True)] * 2
    assert sorted(asked(model)) == ["fork"] * 2 + ["pass"] * 2
    again = run_sweep(tmp_path / "sweeps/s.toml", outside=outside(model))
    assert (again.done_before, len(model.asked)) == (4, 4)
    planned = [(r.arm, r.model, r.replicate) for r in planned_cells(Store(summary.folder))]
    assert planned == [(label, PAID, n) for label in ("cut", "plain") for n in (1, 2)]


def test_an_arm_without_a_model_needs_one_for_its_pass(tmp_path):
    arms = {"cut.toml": f'kind = "window"\nwindow = {{tokens = 500}}\n{PART}\n'}
    with pytest.raises(BenchError, match="'cut' asks a model, and the sweep names none"):
        run_sweep(made(tmp_path, arms=arms, models=()), outside=outside())
    own = {"cut.toml": arms["cut.toml"] + f'commitments = {{model = "{OTHER}"}}\n'}
    small = FakeModel(answers, OTHER)
    summary = run_sweep(made(tmp_path, arms=own, models=()), outside=outside(small))
    assert by_arm(summary)["cut"].model == OTHER
    assert [(r.arm, r.model) for r in planned_cells(Store(summary.folder))] == [("cut", OTHER)]


def test_a_plan_names_the_passes_and_counts_their_worst_case(tmp_path):
    model = FakeModel(answers)
    plan = plan_sweep(made(tmp_path, sweep="replicates = 2"), outside=outside(model))
    lines = {line.arm: line for line in plan_lines(plan)}
    assert lines["(commitments pass)"].cells == 2
    assert lines["(commitments pass)"].worst_usd > 0
    assert plan.total("worst_usd") == pytest.approx(sum(line.worst_usd for line in lines.values()))
    assert model.asked == []


def test_an_edited_instruction_makes_a_new_version_and_only_its_passes_are_asked(tmp_path):
    model = FakeModel(answers)
    path = made(tmp_path)
    run_sweep(path, outside=outside(model))
    (tmp_path / "prompts" / "_commitments.md").write_text("Ask anew.")
    summary = run_sweep(path, outside=outside(model))
    labels = sorted({r.arm.split("@")[0] + ("@" if "@" in r.arm else "") for r in Store(summary.folder).rows()})
    assert labels == ["both", "both@", "plain"]
    assert [r.instruction for r in model.asked].count("Ask anew.") == 1 and len(model.asked) == 3


def test_nothing_said_is_nothing_to_ask(tmp_path):
    path = made(tmp_path, messages=[{"role": "user", "content": "Hello?"}])
    key = tmp_path / "fixtures/f1/key.yaml"
    key.write_text("version: 1\natoms: []\n") if key.exists() else None
    model = FakeModel(answers)
    summary = run_sweep(path, outside=outside(model), grade=False)
    row = by_arm(summary)["both"]
    assert asked(model) == ["fork"]
    assert (row.commitments_chars, row.commitments_usd, row.parts_failed) == (0, 0.0, None)


def test_the_journal_names_what_a_call_was_for(tmp_path):
    summary = run_sweep(made(tmp_path), outside=outside(FakeModel(answers)))
    store = Store(summary.folder)
    finished = [e for e in read_journal(store.journal) if isinstance(e, Finished)]
    assert {e.call.purpose for e in finished} == {"fork", "commitments"}
    assert all(store.context_path(e.context_sha256).exists() for e in finished)
    parts = json.loads(store.output_path(by_arm(summary)["both"], ".parts.json").read_text())
    assert parts["commitments"]["hit_cap"] is None


def test_each_step_of_a_chain_has_passes_of_its_own(tmp_path):
    talk = []
    for n in (1, 2):
        talk.append({"role": "user", "content": f"Ask {n}: mend module {n}."})
        talk.append({"role": "assistant", "content": f"I will mend module {n}."})
    arms = {"both": f"+++\n{PART}\n+++\nList all.", "cut.toml": f'kind = "window"\nwindow = {{tokens = 500}}\n{PART}\n'}
    model = FakeModel(answers)
    summary = run_sweep(
        made(tmp_path, arms=arms, sweep="chain = 2", messages=talk), outside=outside(model), grade=False
    )
    # what was said in a stretch is the same, whichever handoff opened it
    assert sorted(asked(model)) == ["fork"] * 2 + ["pass"] * 2
    rows = Store(summary.folder).rows()
    assert [(r.arm, r.chain_step, r.parts_failed) for r in rows] == [
        ("both", 1, None), ("both", 2, None), ("cut", 1, None), ("cut", 2, None),
    ]  # fmt: skip
    first, second = (Store(summary.folder).parts(r).commitments.reply_sha256 for r in rows[:2])
    assert first != second
