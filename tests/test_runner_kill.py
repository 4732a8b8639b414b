"""A run that is killed loses nothing that was answered and asks for nothing twice that is on disk."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest
from fakes import project
from loopback import say

from bench.forks.outside import Outside
from bench.forks.retry import RetryPolicy
from bench.forks.run import run_sweep
from bench.forks.store import Store

MESSAGES = [{"role": "user", "content": "Please mend the flaky test. " + "It fails now and then. " * 100}]
CHILD = "import sys; from bench.forks.run import run_sweep; run_sweep(sys.argv[1], grade=False)"
COMMAND = "import sys; from bench.cli import main; sys.exit(main())"
CELLS = 24  # 2 arms x 12 replicates


def killed_after(path, server, requests):
    """Start the sweep in a process of its own and kill it once the server has seen that many requests."""
    child = subprocess.Popen([sys.executable, "-c", CHILD, str(path)], cwd=path.parent)
    try:
        until = time.monotonic() + 60
        while len(server.requests) < requests and child.poll() is None:
            assert time.monotonic() < until, "the child asked too little"
            time.sleep(0.002)
    finally:
        child.send_signal(signal.SIGKILL)
        assert child.wait() == -signal.SIGKILL


@pytest.mark.parametrize("requests", [1, 9])
def test_a_killed_run_goes_on_with_exactly_what_is_missing(tmp_path, claude_server, requests):
    server = claude_server(say("A handoff.", headers_after=0.02, first_token_after=0.02))
    path = project(tmp_path, messages=MESSAGES, sweep="replicates = 12\nconcurrency = 4")
    killed_after(path, server, requests)
    asked_before = len(server.requests)
    store = Store(tmp_path / "results/s")
    events = [json.loads(line) for line in store.journal.read_text().splitlines()]
    answered = {e["reply_sha256"] for e in events if e["event"] == "finished"}
    kept = {sha for sha in answered if store.reply_path(sha).exists()}
    summary = run_sweep(path, outside=Outside(retry=RetryPolicy(first_s=0.01)), grade=False)
    assert summary.exit_status == 0
    assert len(store.rows()) == CELLS
    assert len(server.requests) - asked_before == CELLS - len(kept)
    # every token on the server's bill is in a call of ours, or in one that says it may have been billed
    calls = store.calls()
    ours = sum(c.output_tokens or 0 for c in calls if c.usd_api is not None)
    unseen = [c for c in calls if c.usd_api is None]
    assert len(calls) >= len(server.requests)
    assert server.billed.output <= ours + 3 * len(unseen)  # "A handoff." is 3 tokens
    assert ours <= server.billed.output
    assert summary.money.possibly_calls == len(unseen)
    assert all(c.possibly_billed_usd > 0 and c.detail == "the process that asked is gone" for c in unseen)


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
