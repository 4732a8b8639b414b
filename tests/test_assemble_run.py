"""`bench assemble`: an arm's handoffs anew from the replies that a run holds, and never a call."""

import pytest
from fakes import PAID, TEXT, FakeModel, attempt, outside, project, reply
from test_runner_commitments import ASKS, PART, answers

from bench.cli import main
from bench.errors import BenchError
from bench.forks.assembling import assemble_run
from bench.forks.run import run_sweep
from bench.forks.store import Store
from bench.runs.index import build_index

ARMS = {"plain": "List all."}
ONLY = f"f1/{{}}/{PAID}/s1-k0-r0{{}}"


@pytest.fixture
def ran(tmp_path):
    """A run of `plain` with two replicates, and a world in which nobody may be asked."""
    path = project(tmp_path, arms=ARMS, sweep="replicates = 2")
    (tmp_path / "prompts/_commitments.md").write_text(ASKS)
    summary = run_sweep(path, outside=outside(FakeModel()))
    silent = FakeModel(lambda *_: pytest.fail("a model was asked"))
    return summary.folder, tmp_path / "prompts", outside(silent)


def arm(prompts, label, front, text="List all."):
    (prompts / f"{label}.md").write_text(f"+++\n{front}\n+++\n{text}" if front else text)


def row_of(folder, label, replicate=1):
    return next(r for r in Store(folder).rows() if (r.arm, r.replicate) == (label, replicate))


def test_a_new_arm_that_differs_only_in_assembly_is_built_with_the_rows_of_the_shared_reply(ran):
    folder, prompts, world = ran
    arm(prompts, "with-ledger", 'parts = ["summary", "ledger", "state"]\npins = true')
    made = assemble_run(folder, "with-ledger", outside=world)
    assert made.new == (ONLY.format("with-ledger", 1), ONLY.format("with-ledger", 2))
    assert (made.changed, made.unchanged, made.missing) == ((), (), {})
    store, new, old = Store(folder), row_of(folder, "with-ledger"), row_of(folder, "plain")
    assert store.handoff_text(new).startswith(TEXT) and "## Where things stand" in store.handoff_text(new)
    same = ("reply_sha256", "usd_api", "input_tokens", "output_tokens", "context_sha256", "attempts", "started_at")
    assert [getattr(new, name) for name in same] == [getattr(old, name) for name in same]
    assert new.cell_key != old.cell_key and new.pins == 2
    # the next start of the sweep finds it there
    path = folder.parents[1] / "sweeps/s.toml"
    path.write_text(path.read_text().replace('["plain"]', '["plain", "with-ledger"]'))
    again = run_sweep(path, outside=world)
    assert (again.done_before, again.missing) == (4, ())


def test_an_arm_whose_assembly_changed_is_a_new_version_beside_the_old_one(ran):
    folder, prompts, world = ran
    arm(prompts, "plain", "pins = true")
    made = assemble_run(folder, "plain", outside=world)
    assert made.arm.startswith("plain@") and len(made.new) == 2
    assert row_of(folder, "plain").pins is None and row_of(folder, made.arm).pins == 2


def test_what_the_benchs_own_assembly_changed_is_written_anew_in_its_place(ran, monkeypatch):
    folder, _, world = ran
    assert len(assemble_run(folder, "plain", outside=world).unchanged) == 2
    before = row_of(folder, "plain")
    from bench.forks import concluding

    assemble = concluding.assemble
    monkeypatch.setattr(concluding, "assemble", lambda text, *a, **k: assemble(f"{text} Anew.", *a, **k))
    made = assemble_run(folder, "plain", outside=world)
    assert len(made.changed) == 2
    after = row_of(folder, "plain")
    assert Store(folder).handoff_text(after) == f"{TEXT} Anew."
    assert (after.cell_key, after.ms_since_last_fork) == (before.cell_key, before.ms_since_last_fork)
    assert after.handoff_chars == before.handoff_chars + len(" Anew.")


@pytest.mark.parametrize(
    ("front", "text", "told"),
    [
        ("", "List nothing.", "the nearest, of 'plain', differs in its instruction"),
        ("max_tokens = 99", "List all.", r"differs in its settings \(max_tokens is 99 here, effort not set\)"),
        ('effort = "low"', "List all.", r"\(max_tokens is 32000 here, effort low\)"),
        (PART, "List all.", "no stored reply of a commitments pass fits"),
    ],
)
def test_where_no_reply_fits_one_line_says_what_differs(ran, front, text, told):
    folder, prompts, world = ran
    arm(prompts, "other", front, text)
    with pytest.raises(BenchError, match=told) as error:
        assemble_run(folder, "other", outside=world)
    assert "\n" not in str(error.value) and "'bench run' asks for it" in str(error.value)
    assert not any(r.arm == "other" for r in Store(folder).rows())
    assert "other" not in Store(folder).run_json().arms


def test_other_contexts_models_and_replicates_are_named():
    from runs import output

    from bench.forks.cells import make_cell
    from bench.forks.fork import Fork
    from bench.forks.unfit import why_none

    def cell(**more):
        usual = {"fixture": "f1", "arm": "new", "kind": "prompt", "model": "m", "replicate": 1, "options": b""}
        return make_cell(**(usual | {"context_sha256": "c", "instruction_sha256": "i"} | more))

    rows = [
        output("old", model="m", context_sha256="c", instruction_sha256="i", reply_sha256="r", replicate=n)
        for n in (1, 2)
    ]

    def told(**more):
        c = cell(**more)
        fork = Fork(
            reply_sha256="x", fixture="f1", model="m", context_sha256="c", instruction="", max_tokens=9, effort=None,
            replicate=1, cells=(c,),
        )  # fmt: skip
        return why_none(fork, c, rows).split(": ", 1)[1]

    assert told(fixture="f2").startswith("no stored reply fits; the nearest, of 'old', differs in its fixture;")
    assert "differs in its model;" in told(model="n")
    assert "differs in its staleness;" in told(stale_by=4)
    assert "differs in its context;" in told(context_sha256="d")
    assert "there are only 2 replicates of 'old'" in told(replicate=3)
    assert why_none(Fork(
        reply_sha256="x", fixture="f1", model="m", context_sha256="c", instruction="", max_tokens=9, effort=None,
        replicate=1, cells=(cell(),),
    ), cell(), []).endswith("the run holds no reply of any model; 'bench run' asks for it")  # fmt: skip


def test_what_was_never_answered_is_named_and_the_rest_is_built(tmp_path):
    path = project(tmp_path, arms=ARMS, sweep="replicates = 2\nconcurrency = 1")
    model = FakeModel(lambda _r, n: reply() if n == 0 else attempt(retryable=False))
    folder = run_sweep(path, outside=outside(model)).folder
    arm(tmp_path / "prompts", "pinned", "pins = true")
    made = assemble_run(folder, "pinned", outside=outside(model))
    assert made.new == (ONLY.format("pinned", 1),)
    assert list(made.missing) == [ONLY.format("pinned", 2)]
    assert "there is only 1 replicate of 'plain'" in made.lines()[1]


def test_a_commitments_reply_serves_every_assembly_too(tmp_path):
    path = project(tmp_path, arms={"both": f"+++\n{PART}\n+++\nList all."})
    (tmp_path / "prompts/_commitments.md").write_text(ASKS)
    folder = run_sweep(path, outside=outside(FakeModel(answers))).folder
    arm(tmp_path / "prompts", "turned", 'parts = ["commitments", "summary"]')
    (tmp_path / "prompts/cut.toml").write_text(f'kind = "window"\nwindow = {{tokens = 500}}\n{PART}\n')
    world = outside(FakeModel(lambda *_: pytest.fail("a model was asked")))
    for label in ("turned", "cut"):
        assert len(assemble_run(folder, label, outside=world).new) == 1
        assert row_of(folder, label).commitments_usd == row_of(folder, "both").commitments_usd > 0
    assert Store(folder).handoff_text(row_of(folder, "turned")).endswith(TEXT)


def test_arms_without_a_model_are_built_anew_but_for_a_program(ran):
    folder, prompts, world = ran
    (prompts / "all.toml").write_text('kind = "full"\nparts = ["summary", "ledger"]\n')
    assert len(assemble_run(folder, "all", outside=world).new) == 1
    assert len(assemble_run(folder, "all", outside=world).unchanged) == 1
    (prompts / "pipe.toml").write_text('kind = "command"\ncommand = {run = ["true"]}\n')
    with pytest.raises(BenchError, match="'pipe' is a program of yours and keeps no reply"):
        assemble_run(folder, "pipe", outside=world)


def test_the_command_builds_and_its_outputs_are_graded_and_shown(ran, monkeypatch, capsys):
    folder, prompts, world = ran
    monkeypatch.setattr("bench.forks.assembling.Outside", lambda: world)
    monkeypatch.chdir(folder.parents[1])
    build_index(Store(folder))
    arm(prompts, "pinned", "pins = true")
    assert main(["assemble", "s", "--arm", "pinned"]) == 0
    assert "s: 2 handoffs of 'pinned' from stored replies: 2 new, 0 changed, 0 as they were" in capsys.readouterr().out
    assert main(["grade", "s"]) == 0
    assert main(["table", "s"]) == 0
    assert "pinned" in capsys.readouterr().out
    assert main(["assemble", "s", "--arm", "nobody"]) == 2
    assert "no arm 'nobody'" in capsys.readouterr().err
