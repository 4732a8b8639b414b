"""Batches whose id was never noted: found again by the account's list where it can tell, and counted where not."""

import asyncio
import math
import os
import random
import time
from datetime import UTC, datetime

import pytest
from conftest import CANARY_KEY
from fakes import project
from killing import Killer
from loopback import failed, say

from bench.calls.batch_size import BatchLimits
from bench.calls.journal import Batched, Handing, read_journal
from bench.calls.outside import Outside
from bench.calls.pricing import Pricing
from bench.calls.retry import RetryPolicy
from bench.forks.run import run_sweep
from bench.forks.store import Store
from bench.pricetable import built_in
from bench.transcripts.model import Usage

MESSAGES = [{"role": "user", "content": "Please mend the flaky test. " + "It fails now and then. " * 100}]
QUICK = Outside(
    sleep=lambda seconds: asyncio.sleep(min(seconds, 0.01)),
    retry=RetryPolicy(first_s=0.0, most_s=0.0, retry_after_most_s=0.0),
)
MOMENTS = 50 if os.environ.get("BENCH_SOAK") else 3
BEFORE, AFTER = "bench.models.claude.MessagesModel.submit", "bench.calls.ledger.Ledger.sent"
"""Called right before the server gets a batch, and right after, to note its id."""


@pytest.fixture(scope="module")
def killer():
    with Killer() as one:
        yield one


def killed(killer, tmp_path, at, *, replicates=2):
    path = project(tmp_path, messages=MESSAGES, sweep=f"replicates = {replicates}")
    assert killer.run(path, batch=True, at=at)
    return path


def sizes(server):
    return [len(batch.items) for batch in server.batches.values()]


def events(tmp_path, kind):
    return [e for e in read_journal(tmp_path / "results/s/journal.jsonl") if isinstance(e, kind)]


@pytest.mark.parametrize("batch", [True, False])
def test_a_batch_that_was_sent_and_never_noted_is_found_and_nothing_is_paid_twice(
    tmp_path, claude_server, killer, batch
):
    server = claude_server(say("A handoff."))
    path = killed(killer, tmp_path, AFTER)
    assert (sizes(server), len(events(tmp_path, Handing)), events(tmp_path, Batched)) == ([1], 1, [])
    summary = run_sweep(path, outside=QUICK, grade=False, batch=batch)
    assert (summary.exit_status, summary.outcomes, summary.money.possibly_calls) == (0, {"handoff": 4}, 0)
    assert (sizes(server), len(server.requests)) == (([1, 3], 0) if batch else ([1], 3))
    calls = Store(summary.folder).calls()
    assert sum(c.output_tokens for c in calls) == server.billed.output
    assert sum(c.cache_write_1h_tokens for c in calls) == server.billed.cache_write_1h


def test_a_batch_of_the_same_size_of_somebody_else_is_not_taken_for_it(tmp_path, claude_server, killer):
    server = claude_server(say("A handoff."))
    killed(killer, tmp_path, BEFORE)
    other = project(tmp_path / "other", messages=MESSAGES, sweep="replicates = 1", arms={"short": "Say it."})
    run_sweep(other, outside=QUICK, grade=False, batch=True)  # the same request, in a batch of one, too
    summary = run_sweep(tmp_path / "sweeps/s.toml", outside=QUICK, grade=False, batch=True)
    assert (summary.exit_status, sizes(server)) == (0, [1, 1, 3])
    assert not {e.batch_id for e in events(tmp_path, Batched)} & {"msgbatch_1"}
    assert summary.money.possibly_calls == 1


def test_what_no_batch_holds_may_have_been_billed_and_is_asked_again(tmp_path, claude_server, killer):
    server = claude_server(say("A handoff."))
    path = killed(killer, tmp_path, BEFORE)
    assert sizes(server) == []
    summary = run_sweep(path, outside=QUICK, grade=False, batch=True)
    assert (summary.exit_status, sizes(server)) == (0, [1, 3])
    (lost,) = Store(summary.folder).failed_calls()
    assert (lost.outcome, lost.billing) == ("aborted", "batch")
    assert lost.detail == "the process died while it handed this in, and no batch of the account holds it"
    assert summary.money.possibly_usd == lost.possibly_billed_usd > 0
    assert [f for f in tmp_path.rglob("*") if f.is_file() and CANARY_KEY.encode() in f.read_bytes()] == []


@pytest.mark.parametrize("moments", [pytest.param(MOMENTS, marks=pytest.mark.soak if MOMENTS == 50 else ())])
def test_killed_at_any_moment_every_item_is_fetched_once_or_counted_as_possibly_billed(
    tmp_path, claude_server, killer, moments
):
    server = claude_server(say("A handoff."), batch_polls=0)
    chance, prices = random.Random(5), Pricing(built_in(), datetime.now(UTC).date(), billing="batch")
    began = time.monotonic()
    assert not killer.run(project(tmp_path / "whole", messages=MESSAGES, sweep="replicates = 3"), batch=True)
    whole_s = time.monotonic() - began
    for n in range(moments):
        server.cache.entries.clear()
        path, first = project(tmp_path / f"{n}", messages=MESSAGES, sweep="replicates = 3"), len(server.batches)
        killer.run(path, chance.uniform(0, whole_s), batch=True)
        server.settle()
        summary = run_sweep(path, outside=QUICK, grade=False, batch=True)
        calls = Store(summary.folder).calls()
        assert (summary.exit_status, len(Store(summary.folder).rows())) == (0, 6)
        items = [a for batch in [*server.batches.values()][first:] for a in batch.items.values()]
        answered = [c for c in calls if c.usage_source == "reported"]
        assert len(answered) == 6
        assert 0 <= len(items) - len(answered) <= summary.money.possibly_calls
        billed = math.fsum(prices.cost(Usage(**vars(a.billed)), a.body["model"]).usd_api for a in items)
        most = summary.money.spent_usd + summary.money.possibly_usd
        assert summary.money.spent_usd <= billed + 1e-9 <= most + 2e-9


def test_a_batch_that_was_taken_before_the_connection_broke_is_waited_for(tmp_path, claude_server):
    server = claude_server(say("A handoff."), batch_faults=["drop"])
    path = project(tmp_path, messages=MESSAGES, sweep="replicates = 2")
    summary = run_sweep(path, outside=QUICK, grade=False, batch=True)
    assert (summary.exit_status, sizes(server), summary.money.possibly_calls) == (0, [1, 3], 0)


@pytest.mark.parametrize(
    ("fault", "status", "batches", "told"),
    [
        (failed(429, "rate_limit_error"), 0, [1, 3], None),
        (failed(413, "request_too_large", "too large"), 1, [1, 2], "api-error: 413 request_too_large: too large"),
        (failed(401, "authentication_error", "bad key"), 1, [], "aborted"),
    ],
)
def test_a_batch_that_is_refused_is_tried_again_or_given_up(tmp_path, claude_server, fault, status, batches, told):
    server = claude_server(say("A handoff."), batch_faults=[fault])
    path = project(tmp_path, messages=MESSAGES, sweep="replicates = 2")
    summary = run_sweep(path, outside=QUICK, grade=False, batch=True)
    assert (summary.exit_status, sizes(server)) == (status, batches)
    assert summary.money.possibly_calls == 0
    if told == "aborted":
        assert "bad key" in summary.stopped
    elif told:
        assert list(summary.failures.values()) == [told]


def test_a_batch_is_split_at_the_limits_and_every_part_is_noted(tmp_path, claude_server):
    server = claude_server(say("A handoff."))
    path = project(tmp_path, messages=MESSAGES, sweep="replicates = 6")
    few = Outside(sleep=QUICK.sleep, batch=BatchLimits(requests=4))
    summary = run_sweep(path, outside=few, grade=False, batch=True)
    assert (summary.exit_status, sizes(server)) == (0, [1, 4, 4, 3])
    assert sorted(len(e.calls) for e in events(tmp_path, Batched)) == [1, 3, 4, 4]


def test_a_batch_is_split_by_its_bytes_as_they_are_sent(tmp_path, claude_server):
    server = claude_server(say("A handoff."))
    path = project(tmp_path, messages=MESSAGES, sweep="replicates = 4", arms={"long": 'Say "it". ü ' * 500})
    limit = 25_000
    small = Outside(sleep=QUICK.sleep, batch=BatchLimits(bytes=limit))
    summary = run_sweep(path, outside=small, grade=False, batch=True)
    assert (summary.exit_status, sizes(server)) == (0, [1, 2, 1])
    assert all(size <= limit for size in server.batch_bytes)


@pytest.mark.parametrize(("replicates", "batches", "marked"), [(1, [2], False), (2, [1, 3], True)])
def test_one_request_goes_first_only_where_an_entry_for_the_hour_pays(
    tmp_path, claude_server, replicates, batches, marked
):
    """Two prompts at the full price cost 2; written for the hour and read once, 2 + 0.05."""
    server = claude_server(say("A handoff."))
    path = project(tmp_path, messages=MESSAGES, sweep=f"replicates = {replicates}")
    summary = run_sweep(path, outside=QUICK, grade=False, batch=True)
    assert (summary.exit_status, sizes(server)) == (0, batches)
    asked = [a for batch in server.batches.values() for a in batch.items.values()]
    assert {"cache_control" in str(a.body) for a in asked} == {marked}
    assert (server.billed.cache_write_1h > 0) == marked
    assert summary.cache.input_usd == pytest.approx(summary.cache.floor_usd)
    assert summary.misses == ()
