"""A run that is killed loses nothing that was answered and asks for nothing twice that is on disk."""

import os
import random
import signal
import subprocess
import sys
import time

import pytest
from bills import check_nothing_is_lost
from fakes import TEXT, FakeModel, outside, project
from killing import Killer
from loopback import say

from bench.forks.run import run_sweep
from bench.forks.store import Store

MESSAGES = [{"role": "user", "content": "Please mend the flaky test. " + "It fails now and then. " * 100}]
COMMAND = "import sys; from bench.cli import main; sys.exit(main())"
CELLS = 12  # 2 arms x 6 replicates


MOMENTS = 100 if os.environ.get("BENCH_SOAK") else 10


@pytest.mark.parametrize("moments", [pytest.param(MOMENTS, marks=pytest.mark.soak if MOMENTS == 100 else ())])
def test_a_run_killed_at_any_moment_goes_on_with_exactly_what_is_missing(tmp_path, claude_server, moments):
    server = claude_server(say("A handoff.", headers_after=0.01, first_token_after=0.01, token_gap=0.002))
    chance = random.Random(7)
    with Killer() as killer:
        assert not killer.run(sweep_in(tmp_path / "whole"), 60.0)  # loads what is left to load
        began = time.monotonic()
        assert not killer.run(sweep_in(tmp_path / "again"), 60.0)
        whole_s = time.monotonic() - began
        killed = 0
        for n in range(moments):
            path = sweep_in(tmp_path / f"killed-{n}")
            first = len(server.requests)
            killed += killer.run(path, chance.uniform(0, whole_s))
            server.settle()
            check_nothing_is_lost(path, server, first, CELLS)
    assert killed > moments / 2


def sweep_in(root):
    return project(root, messages=MESSAGES, sweep="replicates = 6\nconcurrency = 4")


def test_an_interrupted_command_exits_130_with_all_answers_on_disk(tmp_path, claude_server):
    server = claude_server(say("A handoff.", headers_after=0.05))
    path = project(tmp_path, messages=MESSAGES, sweep="replicates = 12\nconcurrency = 2")
    child = subprocess.Popen(
        [sys.executable, "-c", COMMAND, "run", str(path), "--no-grade"],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env={**os.environ}, cwd=tmp_path,
    )  # fmt: skip
    until = time.monotonic() + 60
    while len(server.requests) < 6:
        assert time.monotonic() < until and child.poll() is None
        time.sleep(0.002)
    child.send_signal(signal.SIGINT)
    out, _ = child.communicate(timeout=60)
    assert child.returncode == 130
    assert "stopped: interrupted" in out
    store = Store(tmp_path / "results/s")
    assert len(store.rows()) >= 3
    assert {c.outcome for c in store.failed_calls()} <= {"aborted"}


@pytest.mark.parametrize("at", ["bench.forks.passes.Passes.answered", "bench.forks.concluding.Desk.outputs"])
def test_a_commitments_pass_that_was_answered_before_the_kill_is_not_asked_again(tmp_path, claude_server, at):
    server = claude_server(say('UNKEPT | T1 | "I will mend it." | no run after it'))
    arms = {n: f'+++\nparts = ["summary", "commitments"]\n+++\nPrompt {n}.' for n in ("a", "b")}
    talk = [*MESSAGES, {"role": "assistant", "content": "I will mend it."}, {"role": "user", "content": "ok"}]
    path = project(tmp_path, arms=arms, messages=talk, sweep="concurrency = 1")
    (tmp_path / "prompts/_commitments.md").write_text("Find what was promised.")
    with Killer() as killer:
        assert killer.run(path, at=at)
        server.settle()
        assert server.requests
        assert not killer.run(path)
    passes = [a for a in server.requests if "Find what was promised." in str(a.body)]
    assert len(passes) == 1
    assert [r.parts_failed for r in Store(tmp_path / "results/s").rows()] == [None, None]


@pytest.mark.parametrize("left", [None, b"", b"We ruled"], ids=["gone", "empty", "cut"])
def test_a_reply_that_is_not_whole_any_more_is_no_answer(tmp_path, left):
    model = FakeModel()
    path = project(tmp_path, arms={"short": "Say it."}, sweep="replicates = 2")
    store = Store(tmp_path / "results/s")
    first = run_sweep(path, outside=outside(model), grade=False)
    one, other = store.rows()
    for row in (one, other):
        store.output_path(row, ".json").unlink()  # killed before the row was written
    if left is None:
        store.reply_path(one.reply_sha256).unlink()
    else:
        store.reply_path(one.reply_sha256).write_bytes(left)
    again = run_sweep(path, outside=outside(model), grade=False)
    assert (len(model.asked), again.outcomes) == (3, {"handoff": 2})  # the other's reply is whole: not asked again
    assert {store.handoff_text(row) for row in store.rows()} == {TEXT}
    assert again.money.spent_usd > first.money.spent_usd  # both of its answers were paid for
