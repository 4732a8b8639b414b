"""Chains: where a conversation is cut, what each step stands on, what is graded there, and what is left to do."""

import msgspec
import pandas as pd
import pytest
from chains import CUTS, KEY, MESSAGES, body, lineage
from fakes import FakeModel, attempt, outside, project, reply
from fixture_files import write_fixture
from sessions import call, compacted, fixture, result, says, summary, transcript, user

import bench
from bench.chains.cuts import cuts_of
from bench.chains.windows import window_of
from bench.cli import main
from bench.errors import BenchError
from bench.field.stored import open_shelf
from bench.fixtures import load_fixture
from bench.forks.plan_table import plan_lines
from bench.forks.run import plan_sweep, run_sweep
from bench.forks.store import Store
from bench.grading.files import read_grades
from bench.runs.index import open_run
from bench.runs.stepwise import CONTEXTS_DIFFER, step_by_step
from bench.transcripts.model import Compaction

CHAIN = "chain = 3\nreplicates = 2\n"


def chained(root, *, sweep=CHAIN, **more):
    path = project(root, messages=MESSAGES, sweep=sweep, **more)
    write_fixture(root / "fixtures/f1", messages=MESSAGES, key=KEY)
    return path


def numbered(_request, n):
    return reply(f"Handoff number {n}: Ask 1, mod1 is built, flag-{n}.")


def ran(path, model, *, grade=False, **overrides):
    return run_sweep(path, outside=outside(model), grade=grade, **overrides)


def store_of(path):
    return Store(path.parent.parent / "results/s")


# where a conversation is cut


def asks(*numbers, compactions=()):
    stretches = (
        (
            user(f"Ask {n}: mend."),
            call(f"t{n}", "Bash", command="make"),
            result(f"t{n}", "built"),
            says("It is mended."),
        )
        for n in numbers
    )
    return transcript(*(m for stretch in stretches for m in stretch), compactions=compactions)


@pytest.mark.parametrize(
    ("read", "steps", "cuts"),
    [
        (asks(1, 2, 3), 1, ()),
        (asks(1, 2, 3), 3, CUTS),
        (asks(1, 2, 3), 2, (4,)),  # messages 4 and 8 are equally near to the middle: the earlier one
        (asks(1, 2, 3, compactions=(compacted(3), compacted(10))), 3, (3, 10)),  # the session's own
        (asks(1, 2, 3, compactions=(compacted(3),)), 3, CUTS),  # not as many as are needed
        (asks(1, 2, 3, compactions=(Compaction(at=3, kind="micro"),)), 2, (4,)),
        (asks(1), 2, (3,)),  # one ask alone: between a result and the answer after it
        (asks(1), 3, (1, 3)),
    ],
)
def test_a_conversation_is_cut_between_asks_at_equal_shares_or_where_it_was_compacted(read, steps, cuts):
    assert cuts_of(read, steps) == cuts


def test_what_cannot_be_cut_so_often_says_how_often_it_can():
    with pytest.raises(BenchError, match="at most chain = 3 is possible"):
        cuts_of(asks(1), 4)


def test_a_harness_summary_stands_in_no_window(tmp_path):
    first, second = asks(1).messages, asks(2).messages
    session = transcript(*first, summary("This session is being continued."), *second)
    session = msgspec.structs.replace(session, compactions=(compacted(4, summary_at=4),))
    cut = msgspec.structs.replace(fixture(tmp_path, session), cuts=cuts_of(session, 2))
    assert cut.cuts == (4,)
    said = [m.spoken for m in window_of(cut, 2, "the handoff").messages]
    assert said[:2] == ["the handoff", "Ask 2: mend."]


# what is graded


def test_a_step_is_asked_for_what_is_established_by_then_and_no_value_is_old_before_it_was_replaced(tmp_path):
    whole = load_fixture(write_fixture(tmp_path / "f", messages=MESSAGES, key=KEY))
    cut = msgspec.structs.replace(whole, cuts=CUTS)
    first, second, third = (cut.key_at(step) for step in (1, 2, 3))
    assert [a.id for a in first.atoms] == ["one"]
    assert [a.id for a in second.atoms] == ["one", "built"]  # established once the last of its messages is there
    assert [s.until for s in second.atoms[1].stale] == [2]  # message 9 is not said yet
    assert third == whole.key


# what each step stands on


def test_each_step_stands_on_the_handoff_before_it_byte_for_byte(tmp_path):
    model = FakeModel(numbered)
    path = chained(tmp_path)
    done = ran(path, model, grade=True)
    assert done.outcomes == {"handoff": 12} and done.exit_status == 0
    store = store_of(path)
    for row in store.rows():
        handoffs = [store.handoff_text(msgspec.structs.replace(row, chain_step=n)) for n in range(1, row.chain_step)]
        expected = body(row.chain_step, handoffs[-1] if handoffs else None)
        stored = store.context_path(row.context_sha256).read_bytes()
        assert stored.endswith(b'"messages":' + expected + b"}")
        assert store.handoff_text(row).startswith(lineage(row.chain_step))
    asked = [r.context.sha256 for r in model.asked]
    assert len(set(asked)) == 1 + 2 * 4  # the first step's is shared; each arm and replicate has its own afterwards
    grades = {(g.chain_step, g.atom) for g in read_grades(store)[0]}
    assert grades == {(1, "one"), (2, "one"), (2, "built"), (3, "one"), (3, "built"), (3, "flag")}


def test_pins_and_ledger_are_those_of_the_own_window(tmp_path):
    arms = {"pinned": '+++\npins = true\nparts = ["summary", "ledger"]\n+++\nList all.'}
    path = chained(tmp_path, arms=arms, sweep="chain = 2\n")
    ran(path, FakeModel(numbered))
    store = store_of(path)
    first, second = store.rows()
    assert (first.pins, second.pins) == (1, 2)
    assert [r.target for r in store.parts(first).rows] == ["make -C mod1"]
    assert [r.target for r in store.parts(second).rows] == ["make -C mod2", "make -C mod3"]
    assert "Ask 1: mend module 1." not in store.handoff_text(second)


def test_arms_without_a_model_chain_as_well(tmp_path):
    path = chained(
        tmp_path,
        arms={"full.toml": 'kind = "full"', "nothing.toml": 'kind = "nothing"', "tail.toml": TAIL, "stock.toml": STOCK},
    )
    replays = tmp_path / "fixtures/f1/replays"
    replays.mkdir()
    (replays / "stock.md").write_text("All three modules.")
    (replays / "stock.s1.md").write_text("Ask 1 is done.")
    ran(path, FakeModel())
    store = store_of(path)
    rows = {(r.arm, r.chain_step): r for r in store.rows()}
    assert "Ask 1" in store.handoff_text(rows["full", 3]) and "Ask 3" in store.handoff_text(rows["full", 3])
    assert "Ask 2" not in store.handoff_text(rows["full", 1])
    assert store.handoff_text(rows["nothing", 3]) == lineage(3).strip()
    assert store.handoff_text(rows["stock", 1]) == lineage(1) + "Ask 1 is done."
    assert (rows["stock", 2].outcome, rows["stock", 2].detail) == (
        "nothing-to-fork",
        "no replays/stock.s2.md in fixtures/f1",
    )
    assert rows["stock", 3].detail == "step 2 gave no handoff (nothing-to-fork)"
    for step in (1, 2, 3):  # each as large as the arm that it is like is at that step, lineage aside
        text = store.handoff_text(rows["tail", step]).removeprefix(lineage(step))
        assert len(text) == pytest.approx(4 * rows["full", step].handoff_tokens, abs=200)


TAIL, STOCK = 'kind = "tail"\ntail = {like = "full"}', 'kind = "replay"\nreplay = {label = "stock"}'


# what is left to do


def test_a_chain_ends_where_a_step_gives_no_handoff_and_waits_where_it_may_still_come(tmp_path):
    def refusing(request, n):
        if request.instruction == "Say it short.":
            return reply("", stop_reason="refusal")
        if b"Handoff number" in request.context.body and not allowed:
            return attempt("api-error", "down for now")
        return numbered(request, n)

    allowed: list[int] = []
    path = chained(tmp_path, sweep="chain = 3\n")
    model = FakeModel(refusing)
    done = ran(path, model)
    rows = {(r.arm, r.chain_step): (r.outcome, r.detail) for r in store_of(path).rows()}
    assert rows == {
        ("inventory", 1): ("handoff", None),
        ("short", 1): ("refused", "the model refused"),
        ("short", 2): ("nothing-to-fork", "step 1 gave no handoff (refused)"),
        ("short", 3): ("nothing-to-fork", "step 2 gave no handoff (nothing-to-fork)"),
    }
    assert len(done.missing) == 2 and done.exit_status == 1
    assert [m.split("/")[-1] for m in done.failures] == ["s2-k0-r01"]
    allowed.append(1)
    before = len(model.asked)
    assert ran(path, model).exit_status == 0
    assert len(model.asked) - before == 2


def test_a_handoff_that_was_cut_off_opens_the_next_window_and_the_row_says_so(tmp_path):
    model = FakeModel(lambda _request, n: reply("Ask 1, mod1", stop_reason="max_tokens" if n == 0 else "end_turn"))
    path = chained(tmp_path, arms={"short": "Say it short."}, sweep="chain = 2\n")
    ran(path, model)
    first, second = store_of(path).rows()
    assert (first.outcome, second.outcome) == ("truncated", "handoff")
    assert second.detail == "opened by a handoff that was cut off"


def test_started_again_nothing_is_asked_and_an_edited_prompt_runs_its_own_steps_only(tmp_path):
    model = FakeModel(numbered)
    path = chained(tmp_path)
    ran(path, model)
    assert len(model.asked) == 12
    assert ran(path, model).done_before == 12
    assert len(model.asked) == 12
    (tmp_path / "prompts/short.md").write_text("Say it in one line.")
    ran(path, model)
    again = model.asked[12:]
    assert [r.instruction for r in again] == ["Say it in one line."] * 6
    arms = {r.arm for r in store_of(path).rows()}
    assert len(arms) == 3 and all(len([r for r in store_of(path).rows() if r.arm == a]) == 6 for a in arms)


def test_a_run_keeps_its_chain(tmp_path):
    path = chained(tmp_path)
    ran(path, FakeModel(numbered))
    with pytest.raises(BenchError, match=r"began with chain = 3.*use --run NEW for chain = 2"):
        ran(path, FakeModel(numbered), chain=2)


# the plan


def test_the_plan_shows_every_step_and_holds_money_for_all_of_them(tmp_path):
    path = chained(tmp_path)
    model = FakeModel(numbered)
    plan = plan_sweep(path, outside=outside(model))
    lines = {(line.arm, line.chain_step): line for line in plan_lines(plan)}
    assert len(plan.cells) == 12 and len(lines) == 6
    assert lines["short", 1].tokens_source == "counted" and lines["short", 1].outcome is None
    later = lines["short", 3]
    assert (later.tokens_source, later.outcome, later.cells) == ("estimated", "after step 2", 2)
    for line in lines.values():  # 2 USD/MTok to write the prompt at 2.5, 10 USD/MTok for 32,000 tokens of an answer
        opener = 0 if line.chain_step == 1 else 32_000 - 2_000
        most = -(-(line.prompt_tokens + opener) * 105 // 100) + 500
        assert line.worst_usd == pytest.approx(2 * (most * 2.5 + 32_000 * 10) / 1e6, rel=1e-3)
    assert plan.total("worst_usd") == pytest.approx(sum(line.worst_usd for line in lines.values()))
    assert plan.total("worst_usd") > 3 * sum(s.worst_usd for s in plan.asked) > 0


def test_the_plan_says_where_nothing_of_the_key_is_established_yet(tmp_path):
    path = chained(tmp_path)
    late = KEY[: KEY.index("  - {id: one")] + KEY[KEY.index("  - id: flag") : KEY.index("  - id: built")]
    write_fixture(tmp_path / "fixtures/f1", messages=MESSAGES, key=late)
    notes = plan_sweep(path, outside=outside(FakeModel())).notes
    assert notes == ("f1: no fact of the key is established by step 1, 2; no recall there",)


def test_what_later_steps_are_expected_to_cost_is_kept_for_them(tmp_path):
    """Six first forks of 0.081 USD at most would fit into 0.5 USD; with 0.057 USD for what follows each, three do."""
    path = chained(tmp_path, sweep=CHAIN + "budget_usd = 0.5\nmax_tokens = 8000\nconcurrency = 8\n")
    plan = plan_sweep(path, outside=outside(FakeModel(numbered)))
    first = plan.asked[0]
    assert (round(first.worst_usd, 3), round(first.later_usd, 3)) == (0.081, 0.057)
    assert first.later_usd == pytest.approx(sum(s.expected_usd for s in plan.later) / 4)
    model = FakeModel(numbered, latency_s=0.01)
    assert ran(path, model).exit_status == 0
    begun = [(what, n) for what, n in model.log if n < 4]
    flying = [sum({"start": 1, "end": -1}.get(what, 0) for what, _ in begun[: i + 1]) for i in range(len(begun))]
    assert max(flying) == 3


def test_passes_of_later_steps_are_in_the_plan_once_for_all_that_share_them(tmp_path):
    """Two arms share a pass a step and replicate: one is asked now, and two later; of arms without a model as well."""
    parts = 'parts = ["summary", "commitments"]'
    arms = {"long": f"+++\n{parts}\n+++\nList all.", "short": f"+++\n{parts}\n+++\nSay it short."}
    arms |= {"full.toml": f'kind = "full"\n{parts}'}
    path = chained(tmp_path, arms=arms, sweep="chain = 3\n")
    (tmp_path / "prompts/_commitments.md").write_text("What was promised?")
    model = FakeModel(lambda _request, n: reply(f"Handoff number {n}."))
    plan = plan_sweep(path, outside=outside(model))
    later = [s for s in plan.later if s.fork.is_pass]
    assert (plan.told, plan.told_later) == ("2 forks and 1 commitments pass", "4 forks and 2 commitments passes")
    lines = {(line.arm, line.chain_step): line for line in plan_lines(plan)}
    assert lines["(commitments pass)", 3].outcome == "after step 2"
    ran(path, model)
    asked = [r.context for r in model.asked if r.instruction == "What was promised?"]
    assert len(asked) == 3
    assert {s.fork.context_sha256 for s in later} == {context.sha256 for context in asked[1:]}


def test_the_bill_of_a_chain_lies_between_the_least_and_the_most_of_its_plan(tmp_path):
    path = chained(tmp_path)
    plan = plan_sweep(path, outside=outside(FakeModel(numbered)))
    billed = ran(path, FakeModel(numbered)).billed_usd
    assert 0 <= plan.total("low_usd") <= billed <= plan.total("worst_usd")


# tables


def test_arms_are_compared_step_by_step_and_the_tables_say_so(tmp_path, capsys):
    """`full` carries all at each step, `nothing` nothing: 100 points at every step, and never one step by another."""
    arms = {"full.toml": 'kind = "full"', "nothing.toml": 'kind = "nothing"'}
    path = chained(tmp_path, arms=arms, sweep="chain = 2\n")
    ran(path, FakeModel(), grade=True)
    run = open_run(tmp_path / "results/s")
    table = bench.compare(run, "full", "nothing")
    assert table["name"].tolist() == [f"{arm} · step {step}" for step in (1, 2) for arm in ("full", "nothing")]
    assert table["difference"].isna().tolist() == [True, False] * 2
    assert table["difference"].dropna().tolist() == [-100.0] * 2
    assert main(["table", str(run.root)]) == 0
    assert CONTEXTS_DIFFER in capsys.readouterr().out


def test_arms_named_with_their_step_are_compared_as_asked():
    ranked = pd.DataFrame({"arm": ["a", "a", "b"], "chain_step": [1, 2, 2]})
    ranked = ranked.assign(name=[f"{arm} · step {step}" for arm, step in ranked.itertuples(index=False)])

    def asked(part, arms):
        return pd.DataFrame({"names": [part["name"].tolist()], "arms": [list(arms)]})

    def told(*arms):
        return step_by_step(ranked, arms, asked).to_numpy().tolist()

    assert told() == [[["a · step 1"], []], [["a · step 2", "b · step 2"], []]]
    assert told("b", "a") == [[["a · step 2", "b · step 2"], ["b", "a"]]]  # at step 1 there is no b
    assert told("a · step 1", "a · step 2") == [[ranked["name"].tolist(), ["a · step 1", "a · step 2"]]]


def test_what_is_left_of_a_stretch_is_told_step_by_step(tmp_path, monkeypatch, capsys):
    """Each handoff tells only its own ask, so that of the first stretch's atom nothing is left after the second."""

    def own(_request, n):
        return reply(f"Handoff number {n}: Ask {n + 1}, mod{n + 1} is built, flag-{n + 1}.")

    path = chained(tmp_path, arms={"short": "Say it short."}, sweep="chain = 3\n")
    ran(path, FakeModel(own), grade=True)
    table = bench.survival_table(open_run(tmp_path / "results/s"))
    left = {(line.stretch, line.chain_step): line.recall for line in table.itertuples()}
    assert left == {(1, 1): 1.0, (1, 2): 0.0, (1, 3): 0.0, (2, 2): 1.0, (2, 3): 0.0, (3, 3): 1.0}
    monkeypatch.chdir(tmp_path)
    assert main(["table", "s", "--by", "step"]) == 0
    told = " ".join(capsys.readouterr().out.split())
    # three atoms after their first compaction, all there; of the two seen after a second none is left, and none returns
    assert "1 3 0 100.0 0.0" in told and "2 2 2 0.0 0.0 0.0" in told


def test_a_look_back_into_a_chain_shows_the_session_as_it_stood_then(tmp_path):
    path = chained(tmp_path, arms={"full.toml": 'kind = "full"'}, sweep="chain = 3\n")
    ran(path, FakeModel())
    shelf = open_shelf(str(tmp_path / "results/s"))
    assert [len(shelf.transcript(n).messages) for n in (1, 2, 3)] == [4, 8, 12]
    assert [shelf.conversation(n) for n in (1, 3)] == ["f1 until step 1", "f1 until step 3"]
