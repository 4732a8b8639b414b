"""A sweep from its file to its rows, over a model in the test's process."""

import asyncio
import json
import threading
import time

import pytest
from fakes import PAID, TEXT, FakeModel, answering, attempt, outside, project, reply
from runs import output

from bench.errors import BenchError
from bench.forks.building import mean_size
from bench.forks.progress import Silent
from bench.forks.resolve import Overrides, resolve
from bench.forks.run import RunInterrupted, plan_sweep, run_sweep
from bench.forks.store import Store
from bench.models.protocol import ModelMissing
from bench.pricetable import built_in, load_prices
from bench.sweeps.run import refresh_tails
from bench.transcripts.model import Usage


def rows(summary):
    return {(r.fixture, r.arm, r.model, r.replicate): r for r in Store(summary.folder).rows()}


def test_every_cell_gets_a_row_a_handoff_and_its_parts(tmp_path):
    model = FakeModel()
    summary = run_sweep(project(tmp_path, sweep="replicates = 2"), outside=outside(model))
    assert summary.exit_status == 0
    assert summary.outcomes == {"handoff": 4}  # 2 arms x 2 replicates
    store = Store(summary.folder)
    assert [(r.arm, r.replicate) for r in store.rows()] == [
        ("inventory", 1), ("inventory", 2), ("short", 1), ("short", 2),
    ]  # fmt: skip
    for row in store.rows():
        assert store.handoff_text(row) == store.summary_text(row) == TEXT
        assert row.context_sha256 == model.asked[0].context.sha256
        assert (row.context_mode, row.effort, row.thinking, row.attempts) == ("native", "high", "adaptive", 1)
        assert row.subagent_ran_this_turn is False
        assert row.handoff_chars == len(TEXT)
    folder = tmp_path / "results/s/outputs/f1/inventory" / PAID
    assert sorted(p.name for p in folder.iterdir()) == [
        f"s1-k0-r0{n}{suffix}" for n in (1, 2) for suffix in (".json", ".md", ".parts.json")
    ]


def test_one_fork_goes_alone_until_its_first_content_event(tmp_path):
    model = FakeModel(latency_s=0.001)
    run_sweep(project(tmp_path, sweep="replicates = 4\nconcurrency = 8"), outside=outside(model))
    assert model.log[:2] == [("start", 0), ("first", 0)]
    assert [what for what, _ in model.log[2:9]].count("start") == 7  # then all the others at once
    assert model.most_in_flight == 8


def test_each_staleness_has_a_context_of_its_own_and_warms_it_first(tmp_path):
    model = FakeModel(latency_s=0.001)
    summary = run_sweep(project(tmp_path, sweep="replicates = 3\nstale_by = [0, 2]"), outside=outside(model))
    by_context = {}
    for number, request in enumerate(model.asked):
        by_context.setdefault(request.context.sha256, []).append(number)
    assert sorted(map(len, by_context.values())) == [6, 6]
    for first, *others in by_context.values():
        assert model.log.index(("first", first)) < min(model.log.index(("start", n)) for n in others)
    assert (summary.cache.writes, summary.cache.reads) == (2, 10)
    stale = {r.stale_by: r.context_sha256 for r in Store(summary.folder).rows()}
    assert stale[0] != stale[2]


def test_six_arms_and_eight_replicates_cost_one_write_and_47_reads(tmp_path):
    arms = {f"arm-{n}": f"Instruction number {n}." for n in range(6)}
    summary = run_sweep(project(tmp_path, arms=arms, sweep="replicates = 8"), outside=outside(FakeModel()))
    use = summary.cache
    assert (use.calls, use.writes, use.reads) == (48, 1, 47)
    assert use.input_usd == pytest.approx(use.floor_usd)  # nothing was left to gain
    assert any("1 writes, 47 reads in 48 forks" in line for line in summary.lines())


def test_a_row_has_what_its_fork_cost(tmp_path):
    usage = Usage(input=100, output=50, cache_read=1000, cache_write_5m=400)
    path = project(tmp_path, arms={"short": "Say it."}, sweep='carry = {turns = 10, model = "claude-sonnet-5-5"}')
    summary = run_sweep(path, outside=outside(FakeModel(answering(reply(usage=usage)))))
    (row,) = rows(summary).values()
    # 100 x 2 + 50 x 10 + 1000 x 0.1 + 400 x 2.5, per million
    assert row.usd_api == pytest.approx(1800e-6)
    assert row.usd_subscription == pytest.approx(1700e-6)
    assert row.cache_read_waived_usd == pytest.approx(100e-6)
    # 10 tokens (37 characters) read from cache on 10 turns at 0.1
    assert (row.handoff_tokens, row.carry_usd) == (10, pytest.approx(10 * 10 * 0.1e-6))
    assert summary.money.spent_usd == pytest.approx(1800e-6)


@pytest.mark.parametrize(
    ("answer", "outcome", "detail", "has_text"),
    [
        (reply(), "handoff", None, True),
        (reply(tool_calls=1), "handoff", "1 tool call beside the text", True),
        (reply("", tool_calls=2), "refused", "2 tool calls and no text", False),
        (reply("", stop_reason="refusal", refusal="cyber"), "refused", "the model refused: cyber", False),
        (reply(" \n"), "empty-reply", None, False),
        (reply("<analysis>hm</analysis>"), "empty", "nothing is left once the scratchpad is gone", False),
        (reply("half a", stop_reason="max_tokens"), "truncated", "max_tokens reached", True),
        (reply("half a", stop_reason=None), "truncated", "the stream ended without a stop reason", True),
        (
            reply(usage=Usage(input=3)), "mismatch", "charged for 3 prompt tokens where 136 were counted", False,
        ),
    ],
)  # fmt: skip
def test_what_came_of_a_reply(tmp_path, answer, outcome, detail, has_text):
    model = FakeModel(answering(answer))
    summary = run_sweep(project(tmp_path, arms={"short": "Say it short."}), outside=outside(model))
    (row,) = rows(summary).values()
    assert row.outcome == outcome
    assert row.detail is None if detail is None else row.detail.startswith(detail.split(" where")[0])
    assert bool(Store(summary.folder).handoff_text(row)) == has_text
    assert row.usd_api > 0  # refused work is still paid work
    assert summary.exit_status == 0


def test_an_edited_prompt_makes_new_cells_beside_the_old_and_old_text_brings_the_old_ones_back(tmp_path):
    path = project(tmp_path, arms={"short": "Say it short."})
    model = FakeModel()
    run_sweep(path, outside=outside(model))
    prompt = tmp_path / "prompts/short.md"
    prompt.write_text("Say it shorter.")
    second = run_sweep(path, outside=outside(model))
    labels = [arm for _, arm, _, _ in rows(second)]
    assert labels[0] == "short"
    assert labels[1].startswith("short@") and len(labels[1]) == len("short@3f9c")
    prompt.write_text("Say it short.")
    third = run_sweep(path, outside=outside(model))
    assert (len(model.asked), third.done_before) == (2, 1)
    marks = Store(third.folder).run_json().arms["short"]
    assert [m.label for m in marks] == labels


def test_arms_that_send_the_same_bytes_share_one_reply_and_differ_in_assembly(tmp_path):
    arms = {"plain": "List every fact.", "pinned": "+++\npins = true\n+++\nList every fact."}
    model = FakeModel()
    summary = run_sweep(project(tmp_path, arms=arms, sweep="replicates = 2"), outside=outside(model))
    assert len(model.asked) == 2  # one a replicate
    by = rows(summary)
    for n in (1, 2):
        plain, pinned = by["f1", "plain", PAID, n], by["f1", "pinned", PAID, n]
        assert plain.reply_sha256 == pinned.reply_sha256
        assert plain.handoff_chars < pinned.handoff_chars
        assert plain.usd_api == pinned.usd_api
    assert by["f1", "plain", PAID, 1].reply_sha256 != by["f1", "plain", PAID, 2].reply_sha256
    assert summary.money.spent_usd == pytest.approx(sum(by["f1", "plain", PAID, n].usd_api for n in (1, 2)))


def test_another_assembly_of_a_reply_needs_no_call(tmp_path):
    path = project(tmp_path, arms={"short": "Say it short."})
    model = FakeModel()
    run_sweep(path, outside=outside(model))
    (tmp_path / "prompts/short.md").write_text("+++\npins = true\n+++\nSay it short.")
    summary = run_sweep(path, outside=outside(model))
    assert len(model.asked) == 1
    assert [r.pins for r in rows(summary).values()] == [None, 2]


def test_after_a_crash_exactly_the_missing_cells_are_asked(tmp_path):
    path = project(tmp_path, sweep="replicates = 5\nconcurrency = 1")
    broken = FakeModel(answering(*[reply()] * 4, RuntimeError("a bug")))
    with pytest.raises(RuntimeError, match="a bug"):
        run_sweep(path, outside=outside(broken))
    store = Store(tmp_path / "results/s")
    done = {(r.arm, r.replicate) for r in store.rows()}
    assert len(done) == 4
    model = FakeModel()
    summary = run_sweep(path, outside=outside(model))
    assert (len(model.asked), summary.done_before, summary.exit_status) == (6, 4, 0)
    # the call that broke may have been billed, and says so
    assert summary.money.possibly_calls == 1
    assert summary.money.possibly_usd > 0
    assert [c.outcome for c in store.failed_calls()] == ["aborted"]


def test_failed_calls_are_tried_again_paid_for_and_kept(tmp_path):
    failing = (
        attempt(detail="529", billed="no"),
        attempt(detail="dropped", usage=Usage(input=10)),
        attempt("timeout", detail="too slow"),
    )
    model = FakeModel(answering(*failing, reply()))
    summary = run_sweep(project(tmp_path, arms={"short": "Say it."}), outside=outside(model))
    (row,) = rows(summary).values()
    assert (row.outcome, row.attempts, len(model.asked)) == ("handoff", 4, 4)
    failed = Store(summary.folder).failed_calls()
    assert [(c.outcome, c.detail, c.usd_api) for c in failed] == [
        ("api-error", "529", 0.0), ("api-error", "dropped", None), ("timeout", "too slow", None),
    ]  # fmt: skip
    assert failed[1].input_tokens == 10
    assert summary.money.possibly_usd == pytest.approx(2 * failed[1].possibly_billed_usd)
    assert len({c.call_id for c in Store(summary.folder).calls()}) == 4


def test_a_fork_that_is_given_up_leaves_its_cells_missing_for_the_next_start(tmp_path):
    path = project(tmp_path, arms={"short": "Say it."})
    model = FakeModel(answering(attempt(detail="down")))
    summary = run_sweep(path, outside=outside(model))
    assert summary.exit_status == 1
    assert len(model.asked) == 5  # the most calls for one fork
    assert summary.lines()[1] == "missing: 1 cells; start the sweep again to run just these"
    assert "api-error: down" in summary.lines()[2]
    assert run_sweep(path, outside=outside(FakeModel())).exit_status == 0


def test_a_refusal_that_never_heals_stops_the_whole_run(tmp_path):
    model = FakeModel(answering(attempt(detail="bad key", billed="no", retryable=False, stop_run=True)))
    summary = run_sweep(project(tmp_path, sweep="replicates = 4"), outside=outside(model))
    assert len(model.asked) == 1
    assert summary.stopped == f"{PAID}: bad key"
    assert (summary.exit_status, len(summary.missing)) == (1, 8)


def test_the_budget_stops_a_run_which_more_money_finishes(tmp_path):
    # worst case of a call: (1.05 x ~130 + 500 tokens) x 2.5 + 32000 x 10 per million = about 0.3216
    path = project(tmp_path, arms={"short": "Say it."}, sweep="replicates = 5\nbudget_usd = 0.33\nconcurrency = 1")
    full = Usage(input=100, output=16_000)  # 0.16 a call
    model = FakeModel(answering(reply(usage=full)))
    first = run_sweep(path, outside=outside(model))
    assert (len(model.asked), first.exit_status, len(first.missing)) == (1, 3, 4)
    assert "is taken" in first.stopped
    assert first.money.spent_usd <= 0.33
    second = run_sweep(path, outside=outside(model), budget_usd=10.0)
    assert (len(model.asked), second.exit_status) == (5, 0)


def test_a_bill_above_its_reservation_stops_launching_and_is_named(tmp_path):
    path = project(tmp_path, arms={"short": "Say it."}, sweep="replicates = 3\nconcurrency = 1")
    model = FakeModel(answering(reply(usage=Usage(input=10_000_000, output=1))))
    summary = run_sweep(path, outside=outside(model))
    assert len(model.asked) == 1
    assert "more than the $0.32" in summary.stopped
    assert summary.exit_status == 3


@pytest.mark.parametrize(
    ("models", "sweep", "overrides", "says"),
    [
        ((PAID,), "budget_usd = 1.0", {"no_budget": True}, None),
        (("http://127.0.0.1:9#m",), "", {}, "no price is known for 'http://127.0.0.1:9#m'"),
        (("http://127.0.0.1:9#m",), "", {"no_budget": True}, None),
        (("local",), "", {}, None),
    ],
)
def test_money_is_settled_before_the_first_call(tmp_path, models, sweep, overrides, says):
    model = FakeModel(name=models[0])
    path = project(tmp_path, models=models, sweep=sweep)
    if says is None:
        assert run_sweep(path, outside=outside(model), **overrides).exit_status == 0
        return
    with pytest.raises(BenchError, match=says):
        run_sweep(path, outside=outside(model), **overrides)
    assert model.asked == []
    assert not (tmp_path / "results").exists()


def test_a_paid_model_without_a_budget_is_refused(tmp_path):
    path = project(tmp_path)
    path.write_text(path.read_text().replace("budget_usd = 100.0\n", ""))
    with pytest.raises(BenchError, match="has no budget_usd; set it, or use --no-budget"):
        run_sweep(path, outside=outside(FakeModel()))


def test_without_its_model_a_sweep_goes_on_and_says_so_in_one_line(tmp_path):
    (tmp_path / "prompts").mkdir()
    (tmp_path / "prompts/full.toml").write_text('kind = "full"\n')
    path = project(tmp_path, models=("local", PAID), more_arms=("full",))
    missing = {"local": ModelMissing("no local model: 'make setup' installs it")}
    summary = run_sweep(path, outside=outside(FakeModel(), missing=missing))
    assert summary.exit_status == 0
    assert [line for line in summary.lines() if "local" in line] == [
        "skipped local: no local model: 'make setup' installs it"
    ]
    assert {model for _, _, model, _ in rows(summary)} == {PAID, "none"}


def test_arms_without_a_model_are_built_once_and_a_tail_takes_the_size_of_its_arm(tmp_path):
    (tmp_path / "prompts").mkdir()
    for label, text in {
        "full": 'kind = "full"', "nothing": 'kind = "nothing"', "tail": 'kind = "tail"\ntail = {like = "short"}',
    }.items():  # fmt: skip
        (tmp_path / f"prompts/{label}.toml").write_text(text + "\n")
    path = project(tmp_path, arms={"short": "Say it."}, more_arms=("full", "nothing", "tail"), sweep="replicates = 3")
    without = run_sweep(path, outside=outside(FakeModel()), arms=["full", "nothing", "tail"])
    tail = rows(without)["f1", "tail", "none", 1]
    assert tail.outcome == "nothing-to-fork"
    assert (tail.deterministic, tail.usd_api) == (True, 0.0)
    summary = run_sweep(path, outside=outside(FakeModel()))
    by = rows(summary)
    assert len(by) == 3 + 3
    tail = by["f1", "tail", "none", 1]
    assert tail.outcome == "handoff"
    assert 0 < tail.handoff_tokens <= by["f1", "short", PAID, 1].handoff_tokens
    assert by["f1", "nothing", "none", 1].handoff_tokens == 0  # a measured zero
    again = run_sweep(path, outside=outside(FakeModel()))
    assert rows(again)["f1", "tail", "none", 1].started_at == tail.started_at  # not built again


def test_after_all_models_have_run_a_tail_takes_the_mean_over_them(tmp_path):
    (tmp_path / "prompts").mkdir()
    (tmp_path / "prompts/tail.toml").write_text('kind = "tail"\ntail = {like = "short"}\n')
    other = "claude-haiku-5-5"
    path = project(tmp_path, arms={"short": "Say it."}, more_arms=("tail",), models=(PAID, other))
    small, large = FakeModel(answering(reply("x" * 40))), FakeModel(answering(reply("x" * 400)), other)
    # as `bench sweep` does it: a group a model, arms without a model with the first
    run_sweep(path, outside=outside(small), models=[PAID])
    summary = run_sweep(path, outside=outside(large), models=[other], arms=["short"])
    assert rows(summary)["f1", "tail", "none", 1].handoff_tokens <= 10
    refresh_tails(resolve(path, Overrides()), Overrides())
    assert 10 < rows(summary)["f1", "tail", "none", 1].handoff_tokens <= 55  # (10 + 100) / 2
    assert Store(summary.folder).run_json().sweep.models == (PAID, other)


def test_of_an_arm_that_restores_the_summary_is_the_reply_without_the_request(tmp_path):
    (tmp_path / "prompts").mkdir()
    (tmp_path / "prompts/_restore.md").write_text("Name the files to open again.")
    asks = f"{TEXT}\n\n<restore-files>\nsrc/limit.ts | all | the limiter\n</restore-files>"
    settings = 'restore = true\nparts = ["summary", "ledger"]'
    arms = {"both": f"+++\n{settings}\n+++\nSay it.", "rest": "+++\nrestore = true\nparts = ['ledger']\n+++\nSay it."}
    summary = run_sweep(project(tmp_path, arms=arms), outside=outside(FakeModel(answering(reply(asks)))))
    store = Store(summary.folder)
    for row in store.rows():
        assert store.summary_text(row) == TEXT
        assert "restore-files" not in store.handoff_text(row)
        parts = store.parts(row)
        assert [(r.name, r.target) for r in parts.rows] == [("Read", "src/limit.ts")]
        assert [f.path for f in parts.restores.files] == ["src/limit.ts"]
        assert parts.restores.source == row.restore_source == "model"


def test_the_projects_own_prices_are_in_rows_plan_and_run_json(tmp_path):
    name = "http://127.0.0.1:9#m"
    (tmp_path / "prices.toml").write_text(
        f'version = 1\nextends = true\n[[row]]\nmodel = "{name}"\n'
        "usd = {input = 1.0, output = 2.0, cache_read = 0.5, cache_write_5m = 1.5, cache_write_1h = 3.0}\n"
    )
    path = project(
        tmp_path, arms={"short": "Say it."}, models=(name,), sweep=f'carry = {{turns = 1000000, model = "{name}"}}'
    )
    model = FakeModel(answering(reply(usage=Usage(input=100, output=10, cache_read=40, cache_write_5m=20))), name)
    (sized,) = plan_sweep(path, outside=outside(model)).asked
    # (1.05 x count + 500 tokens, rounded up) x 1.5, the dearest class, + 32000 x 2, per million
    assert sized.worst_usd == pytest.approx((-(-105 * sized.count.tokens // 100) + 500) * 1.5e-6 + 32000 * 2e-6)
    summary = run_sweep(path, outside=outside(model))
    (row,) = rows(summary).values()
    assert (row.usd_api, row.price_row) == (pytest.approx((100 + 10 * 2 + 40 * 0.5 + 20 * 1.5) * 1e-6), name)
    assert row.carry_usd == pytest.approx(10 * 0.5)  # 10 tokens, read a million times
    assert Store(summary.folder).run_json().prices_sha256 == load_prices(tmp_path).sha256 != built_in().sha256


@pytest.mark.parametrize(
    ("outputs", "size"),
    [
        ([], None),
        ([("handoff", 100), ("handoff", 201)], 150),  # 150.5, to even
        ([("handoff", 100), ("truncated", 9)], 100),
        ([("truncated", 9), ("truncated", 11)], 10),  # no whole one
        ([("refused", None)], None),
    ],
)
def test_the_size_of_a_tail_is_the_mean_of_its_arms_handoffs(outputs, size):
    rows = [output(replicate=n, outcome=o, handoff_tokens=t) for n, (o, t) in enumerate(outputs, 1)]
    others = [output("short", handoff_tokens=9), output(fixture="f2", handoff_tokens=9)]
    assert mean_size([*rows, *others], "f1", "inventory") == size


def test_a_changed_transcript_is_another_run_and_a_changed_key_is_not(tmp_path):
    path = project(tmp_path, arms={"short": "Say it."})
    run_sweep(path, outside=outside(FakeModel()))
    key = tmp_path / "fixtures/f1/key.yaml"
    key.write_text(key.read_text().replace("okay", "vital"))
    assert run_sweep(path, outside=outside(FakeModel())).done_before == 1
    transcript = tmp_path / "fixtures/f1/transcript.jsonl"
    transcript.write_text(transcript.read_text() + '{"role": "user", "content": "One more thing."}\n')
    with pytest.raises(BenchError, match=r"transcript of fixture 'f1' has changed.*--run NEW"):
        run_sweep(path, outside=outside(FakeModel()))
    assert run_sweep(path, outside=outside(FakeModel()), run="new").exit_status == 0


def test_another_context_mode_is_another_run(tmp_path):
    path = project(tmp_path, arms={"short": "Say it."})
    run_sweep(path, outside=outside(FakeModel()))
    path.write_text(path.read_text() + 'context = "rendered"\n')
    with pytest.raises(BenchError, match=r"made from another request.*--run NEW"):
        run_sweep(path, outside=outside(FakeModel()))


@pytest.mark.parametrize(
    ("lines", "says"),
    [
        ("chain = 0", "chain = 0; 1 to 20 compactions in a row are possible"),
        ("chain = 9", "fixture 'f1': the conversation cannot be cut for a chain of 9; at most chain = 5 is possible"),
        ('chain = 2\nstale_by = "policy"', "looks at a whole session; use numbers in a chain"),
        ("replicates = 0", "replicates = 0; 1 to 50 are possible"),
        ("concurrency = 0", "concurrency = 0; it must be above 0"),
        ('fixtures = ["f1", "f1"]', "names 'f1' twice in fixtures"),
        ("stale_by = [0, 0]", "stale_by must list different numbers from 0 on"),
        ('graders = [{kind = "lexical", passes = 3}]', "s.toml:6: passes = 3; the lexical grader is deterministic"),
        ('graders = [{kind = "judge"}]', "a judge is a model; name it"),
        ('models = ["gpt"]', "model 'gpt' is none of the forms"),
    ],
)
def test_what_cannot_run_is_said_before_anything_runs(tmp_path, lines, says):
    path = project(tmp_path)
    name = lines.split(" ")[0]
    kept = [line for line in path.read_text().splitlines() if not line.startswith(f"{name} ")]
    path.write_text("\n".join([*kept, lines]))
    with pytest.raises(BenchError, match=says.replace("(", r"\(")):
        run_sweep(path, outside=outside(FakeModel()))


def test_outcomes_that_need_no_call(tmp_path):
    path = project(tmp_path, arms={"short": "Say it."}, sweep="stale_by = [0, 2, 6, 61]")
    model = FakeModel(window=32_100)  # 32,000 for the answer leave 100 for a prompt of about 130
    summary = run_sweep(path, outside=outside(model))
    outcomes = {r.stale_by: (r.outcome, r.usd_api) for r in Store(summary.folder).rows()}
    assert outcomes == {
        0: ("does-not-fit", 0.0), 2: ("handoff", outcomes[2][1]), 6: ("nothing-to-fork", 0.0), 61: ("too-stale", 0.0),
    }  # fmt: skip
    assert len(model.asked) == 1
    assert summary.exit_status == 0


def test_precomputed_handoffs_cannot_honour_instructions_and_controls_need_not(tmp_path):
    (tmp_path / "prompts").mkdir()
    (tmp_path / "prompts/stock.toml").write_text('kind = "replay"\nreplay = {label = "stock"}\n')
    (tmp_path / "prompts/nothing.toml").write_text('kind = "nothing"\n')
    path = project(
        tmp_path, arms={"short": "Say it."}, more_arms=("stock", "nothing"),
        sweep='instructions = "Keep the numbers."\nstale_by = [0, 2]',
    )  # fmt: skip
    model = FakeModel()
    summary = run_sweep(path, outside=outside(model))
    outcomes = {(r.arm, r.stale_by): r.outcome for r in Store(summary.folder).rows()}
    assert outcomes == {
        ("short", 0): "handoff", ("short", 2): "instructed", ("stock", 0): "instructed", ("nothing", 0): "handoff",
    }  # fmt: skip
    assert model.asked[0].instruction.endswith("Keep the numbers.")


def test_a_dry_run_asks_and_writes_nothing(tmp_path):
    model = FakeModel()
    plan = plan_sweep(project(tmp_path, sweep="replicates = 3"), outside=outside(model))
    assert (len(plan.asked), model.asked) == (6, [])
    assert len(model.counted) == 2  # one a different prompt
    assert not (tmp_path / "results").exists()
    low, expected, worst = (plan.total(f"{which}_usd") for which in ("low", "expected", "worst"))
    bill = run_sweep(project(tmp_path, sweep="replicates = 3"), outside=outside(model)).money.spent_usd
    assert low <= bill <= worst
    assert low <= expected <= worst


def test_works_inside_a_running_event_loop(tmp_path):
    path = project(tmp_path, arms={"short": "Say it."})

    async def notebook_cell():
        return run_sweep(path, outside=outside(FakeModel()))

    assert asyncio.run(notebook_cell()).exit_status == 0


def test_a_run_leaves_no_thread_behind(tmp_path):
    run_sweep(project(tmp_path), outside=outside(FakeModel()))
    assert [t.name for t in threading.enumerate() if t.name.startswith("bench")] == []


def test_run_json_says_what_a_run_was_made_from(tmp_path):
    summary = run_sweep(project(tmp_path, sweep="replicates = 2\nseed = 11"), outside=outside(FakeModel()))
    run = json.loads((summary.folder / "run.json").read_text())
    assert (run["run"], run["seed"], run["sweep"]["replicates"], run["sweep_file"]) == ("s", 11, 2, "sweeps/s.toml")
    assert run["models"] == {PAID: PAID}
    assert run["fixtures"]["f1"]["folder"] == "fixtures/f1"
    (context,) = (summary.folder / "contexts").iterdir()
    assert run["fixtures"]["f1"]["contexts"] == {"native-k0": context.stem}
    for sha256 in (
        run["fixtures"]["f1"]["transcript_sha256"], run["fixtures"]["f1"]["key_sha256"], run["prices_sha256"],
        run["arms"]["short"][0]["prompt_sha256"], run["arms"]["short"][0]["instruction_sha256"],
    ):  # fmt: skip
        assert len(sha256) == 64
    assert set(run["versions"]) == {"bench", "anthropic", "python"}


def test_an_interrupt_gives_up_what_is_in_flight_and_keeps_what_was_answered(tmp_path):
    import _thread

    path = project(tmp_path, sweep="replicates = 3\nconcurrency = 1")

    class Slow(FakeModel):
        async def ask(self, request, *, timeout_s, on_first):
            if len(self.asked) == 3:
                _thread.interrupt_main()
                await asyncio.sleep(60)
            return await super().ask(request, timeout_s=timeout_s, on_first=on_first)

    with pytest.raises(RunInterrupted) as stop:
        run_sweep(path, outside=outside(Slow()))
    summary = stop.value.summary
    assert (summary.exit_status, summary.outcomes, len(summary.missing)) == (130, {"handoff": 3}, 3)
    assert [c.outcome for c in Store(summary.folder).failed_calls()] == ["aborted"]
    assert run_sweep(path, outside=outside(FakeModel())).exit_status == 0


def test_an_interrupt_ends_a_program_of_the_users_too(tmp_path):
    import _thread

    (tmp_path / "prompts").mkdir()
    (tmp_path / "prompts/pipe.toml").write_text('kind = "command"\ncommand = {run = ["sleep", "60"]}\n')
    path = project(tmp_path, arms={}, more_arms=("pipe",), models=())

    class Pressing(Silent):
        def begin(self, *_):
            threading.Timer(0.3, _thread.interrupt_main).start()  # the program has started by then, or is about to

    began = time.monotonic()
    with pytest.raises(RunInterrupted) as stop:
        run_sweep(path, outside=outside(), progress=Pressing())
    assert time.monotonic() - began < 30
    assert stop.value.summary.failures == {"f1/pipe/none/s1-k0-r01": "aborted: interrupted; killed"}


def test_a_paid_answer_is_in_a_file_before_the_journal_calls_it_finished(tmp_path, monkeypatch):
    from bench.calls.ledger import Ledger

    seen, finish = [], Ledger.finish

    def watched(self, call, reply, count, reply_sha256, *rest):
        path = tmp_path / "results/s/replies" / f"{reply_sha256}.md"
        seen.append(path.read_text() if path.exists() else None)
        return finish(self, call, reply, count, reply_sha256, *rest)

    monkeypatch.setattr(Ledger, "finish", watched)
    run_sweep(project(tmp_path), outside=outside(FakeModel()))
    assert seen == [TEXT, TEXT]  # 2 arms, one replicate each
