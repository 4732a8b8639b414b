"""What will be asked and what it may cost, before anything is paid."""

import pytest
from fakes import PAID, FakeModel, answering, outside, project, reply

from bench.contexts.caching import cacheable_tokens
from bench.contexts.native import Repairs
from bench.contexts.repaired import repairs_in_words
from bench.errors import BenchError
from bench.forks.arm_versions import label_of, registered
from bench.forks.plan_table import plan_lines
from bench.forks.resolve import find_sweep, overrides_of
from bench.forks.run import plan_sweep, run_sweep
from bench.forks.runfile import ArmMark
from bench.transcripts.model import Usage

LONG = [
    {"role": "user", "content": "x" * 40_000},
    {"role": "assistant", "content": "y" * 400},
]


def planned(path, *models, **overrides):
    return plan_sweep(path, outside=outside(*models), **overrides)


def test_the_first_fork_of_a_group_is_expected_to_write_and_the_others_to_read(tmp_path):
    path = project(tmp_path, arms={"short": "i" * 400}, sweep="replicates = 3", messages=LONG)
    first, *rest = planned(path, FakeModel()).asked
    # 40,400 characters and the 2 of an empty list of tools: 10,101 tokens of context, 100 of instruction
    assert (first.count.tokens, first.count.source, first.cached_tokens) == (10_201, "counted", 10_101)
    # 2,000 tokens out at 10; the context written at 2.5, then read at 0.1; the instruction at 2: USD per million
    assert first.expected_usd == pytest.approx((10_101 * 2.5 + 100 * 2 + 20_000) * 1e-6)
    for sized in rest:
        assert sized.expected_usd == pytest.approx((10_101 * 0.1 + 100 * 2 + 20_000) * 1e-6)
        # worst: 1.05 x 10,201 + 500 tokens at the dearest class, and every token of the answer
        assert sized.worst_usd == pytest.approx((11_212 * 2.5 + 32_000 * 10) * 1e-6)


def test_the_bill_lies_between_low_and_worst_and_the_input_within_five_percent(tmp_path):
    path = project(tmp_path, sweep="replicates = 4", messages=LONG)
    plan = planned(path, FakeModel())
    summary = run_sweep(path, outside=outside(FakeModel()))
    assert plan.total("low_usd") <= summary.money.spent_usd <= plan.total("worst_usd")
    assert summary.cache.input_usd == pytest.approx(plan.total("expected_input_usd"), rel=0.05)


def test_arms_that_share_a_reply_are_priced_once(tmp_path):
    arms = {"plain": "Same.", "pinned": "+++\npins = true\n+++\nSame."}
    plan = planned(project(tmp_path, arms=arms), FakeModel())
    lines = {line.arm: line for line in plan_lines(plan)}
    assert len(plan.asked) == 1
    assert lines["plain"].worst_usd > 0
    assert lines["pinned"].worst_usd == 0


def test_a_plan_names_what_needs_no_call(tmp_path):
    (tmp_path / "prompts").mkdir()
    (tmp_path / "prompts/full.toml").write_text('kind = "full"\n')
    path = project(tmp_path, arms={"short": "Say it."}, more_arms=("full",), sweep="stale_by = [0, 61]")
    lines = plan_lines(planned(path, FakeModel()))
    assert [(line.arm, line.model, line.cells, line.outcome) for line in lines] == [
        ("short", PAID, 1, None), ("short", PAID, 1, "too-stale"), ("full", "none", 1, "no model"),
    ]  # fmt: skip


def test_a_plan_leaves_out_what_is_done_and_knows_replies_on_disk(tmp_path):
    path = project(tmp_path, sweep="replicates = 2")
    run_sweep(path, outside=outside(FakeModel()))
    plan = planned(path, FakeModel())
    assert (plan.asked, plan.done, len(plan.cells)) == ((), 4, 4)
    (tmp_path / "prompts/short.md").write_text("+++\npins = true\n+++\nSay it short.")
    plan = planned(path, FakeModel())
    assert [len(f.cells) for f in plan.answered] == [1, 1]
    assert plan.asked == ()


def test_an_answer_is_no_longer_than_the_model_can_write_nor_the_sweep_allows(tmp_path):
    model = FakeModel(max_output=500)
    path = project(tmp_path, arms={"short": "Say it.", "long": "+++\nmax_tokens = 100\n+++\nTell it all."})
    assert {s.fork.max_tokens for s in planned(path, model).asked} == {500, 100}
    path.write_text(path.read_text() + "max_tokens = 200\n")
    assert {s.fork.max_tokens for s in planned(path, model).asked} == {200, 100}


def test_repairs_are_told(tmp_path):
    cut = [*LONG, {"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "Read", "input": {}}]}]
    (note,) = planned(project(tmp_path, messages=cut), FakeModel()).notes
    assert note == (
        "f1 native-k0, to be a context: 1 message is joined to the one before, of the same role;"
        " 1 call has no result on record, which its result now says"
    )


def test_every_repair_has_words():
    counts = dict.fromkeys(Repairs.__struct_fields__, 2)
    told = repairs_in_words(Repairs(**counts)).split("; ")
    assert len(told) == len(set(told)) == len(counts) and all("2 " in words for words in told)
    assert repairs_in_words(Repairs(thinking_removed=1, merged=2)) == (
        "1 thinking block is left out; 2 messages are joined to those before, of the same role"
    )
    assert repairs_in_words(Repairs()) == ""


def test_a_context_that_the_api_would_refuse_is_an_error_that_names_the_fixture(tmp_path, monkeypatch):
    monkeypatch.setattr("bench.contexts.context.MAX_BODY_BYTES", 1000)
    with pytest.raises(BenchError, match=r"f1: fixture 'f1': the API would refuse this context: .* bytes"):
        planned(project(tmp_path, messages=LONG), FakeModel())


@pytest.mark.parametrize(
    ("model", "tokens", "cached"),
    [
        (PAID, 512, 512),
        (PAID, 511, 0),
        ("claude-sonnet-5", 1023, 0),
        ("claude-haiku-4-5-20251001", 4096, 4096),
        ("bedrock:us.anthropic.claude-opus-4-6-v1:0", 4095, 0),
        ("claude-opus-4-1", 1024, 1024),
        ("local", 5000, None),
        ("http://127.0.0.1:8000#m", 5000, None),
    ],
)
def test_what_a_cache_will_hold(model, tokens, cached):
    assert cacheable_tokens(model, tokens) == cached


def mark(sha256, label):
    return ArmMark(label=label, kind="prompt", version_sha256=sha256)


@pytest.mark.parametrize(
    ("known", "sha256", "label"),
    [
        ([], "3f9c00", "inv"),
        ([("aaaa00", "inv")], "aaaa00", "inv"),
        ([("aaaa00", "inv")], "3f9c00", "inv@3f9c"),
        ([("aaaa00", "inv"), ("3f9c00", "inv@3f9c")], "3f9c00", "inv@3f9c"),
        ([("aaaa00", "inv"), ("3f9c00", "inv@3f9c")], "3f9c11", "inv@3f9c1"),  # the same first four digits
    ],
)
def test_the_first_version_of_an_arm_keeps_the_plain_label(known, sha256, label):
    versions = {"inv": tuple(mark(*k) for k in known)}
    assert label_of(versions, "inv", sha256) == label
    assert registered(versions, "inv", mark(sha256, label))["inv"][-1 if sha256 not in dict(known) else 0]


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"replicas": 2}, "unknown field `replicas`"),
        ({"replicates": "2"}, "Expected `int | null`"),
        ({"fixtures": "f1"}, "Expected `array | null`"),
    ],
)
def test_an_override_with_a_wrong_name_or_type_is_refused(changes, says):
    with pytest.raises(BenchError, match=f"cannot override the sweep so: .*{says.replace('|', '[|]')}"):
        overrides_of(**changes)


def test_overrides_take_the_place_of_what_the_file_says(tmp_path, monkeypatch):
    path = project(tmp_path, fixtures=("f1", "f2"))
    plan = planned(path, FakeModel(), fixtures=["f2"], arms=("short",), replicates=3)
    assert {(s.fork.fixture, s.fork.cells[0].arm) for s in plan.asked} == {("f2", "short")}
    assert len(plan.asked) == 3
    monkeypatch.chdir(tmp_path)
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "fixtures/f2").rename(tmp_path / "elsewhere/f2")
    plan = planned(path, FakeModel(), fixtures=["elsewhere/f2"])  # a path of the caller's
    assert plan.asked[0].fork.fixture == "f2"


def test_a_sweep_is_found_by_name_or_path(tmp_path, monkeypatch):
    path = project(tmp_path)
    monkeypatch.chdir(tmp_path)
    assert find_sweep("s").resolve() == path.resolve()
    assert find_sweep("sweeps/s.toml").resolve() == path.resolve()
    with pytest.raises(BenchError, match="is no plain name"):
        find_sweep("..")
    path.with_name("mine.toml").write_text(path.read_text())
    with pytest.raises(BenchError, match=r"mien\.toml: no such file; did you mean 'mine'\?"):
        find_sweep("mien")


def test_an_unknown_price_is_no_price(tmp_path):
    model = FakeModel(answering(reply(usage=Usage(input=10, output=10))), name="http://127.0.0.1:9#m")
    path = project(tmp_path, models=("http://127.0.0.1:9#m",))
    assert planned(path, model).total("expected_usd") is None
    summary = run_sweep(path, outside=outside(model), no_budget=True)
    assert summary.money.unpriced_calls == 2
    assert "2 calls without a known price" in str(summary)
