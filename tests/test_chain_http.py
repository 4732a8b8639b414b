"""A chain over HTTP: contexts byte for byte on the wire, killed and gone on with, money equal to the server's."""

import json

from bills import check_nothing_is_lost, tokens
from chains import KEY, MESSAGES, body
from fakes import project
from fixture_files import write_fixture
from killing import Killer
from loopback import say

from bench.forks.run import run_sweep
from bench.forks.store import Store

ARMS = {"inventory": "List every fact.", "short": "Say it short."}
GRID = "chain = 3\nreplicates = 2\nconcurrency = 4\n"
KILLS_S = (0.2, 0.45)
"""Spread over a run: each of its three steps takes a fifth of a second on the server alone."""


def grid_in(root):
    """2 arms x 2 replicates x 3 steps: as many cells as the other kills have."""
    path = project(root, arms=ARMS, messages=MESSAGES, sweep=GRID)
    write_fixture(root / "fixtures/f1", messages=MESSAGES, key=KEY)
    return path


def answer(asked):
    return say(f"Handoff {asked.index}.", headers_after=0.05, first_token_after=0.05)


def test_a_chain_on_the_wire_is_what_its_handoffs_say_and_costs_what_the_server_billed(tmp_path, claude_server):
    server = claude_server(lambda asked: say(f"Handoff {asked.index}."), minimum_cached=0)
    summary = run_sweep(grid_in(tmp_path), grade=False)
    assert summary.outcomes == {"handoff": 12}
    store = Store(summary.folder)
    sent = {asked.request_id: asked.body for asked in server.requests}
    rows = {(r.arm, r.replicate, r.chain_step): r for r in store.rows()}
    for (arm, replicate, step), row in rows.items():
        opener = store.handoff_text(rows[arm, replicate, step - 1]) if step > 1 else None
        messages = json.loads(body(step, opener))
        messages[-1]["content"][-1]["cache_control"]["ttl"] = "5m"
        instruction = {"role": "user", "content": [{"type": "text", "text": ARMS[arm]}]}
        assert sent[row.request_id]["messages"] == [*messages, instruction]
    assert sum(c.cache_write_5m_tokens > 0 for c in store.calls()) == 1 + 8  # the first step's once, then one each
    totals = {name: sum(tokens(c)[name] for c in store.calls()) for name in vars(server.billed)}
    assert totals == vars(server.billed)


def test_a_killed_chain_goes_on_with_exactly_the_steps_that_are_missing(tmp_path, claude_server):
    server = claude_server(answer)
    killed = 0
    with Killer() as killer:
        for n, after_s in enumerate(KILLS_S):
            path = grid_in(tmp_path / f"killed-{n}")
            first = len(server.requests)
            killed += killer.run(path, after_s)
            server.settle()
            check_nothing_is_lost(path, server, first, 12)
    assert killed
