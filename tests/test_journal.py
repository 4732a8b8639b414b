"""The journal and the ledger over it: nothing announced is lost, and several processes share one budget."""

import subprocess
import sys

import msgspec
import pytest
from fakes import PAID, attempt, reply
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.calls.call_rows import answered_call, failed_call
from bench.calls.journal import Finished, Journal, Started, read_journal
from bench.calls.ledger import Ledger
from bench.calls.locks import Lock
from bench.calls.pricing import Pricing
from bench.models.protocol import Count
from bench.pricetable import built_in
from bench.transcripts.model import Usage

from datetime import date  # isort: skip

PRICING = Pricing(built_in(), date(2026, 11, 30))
COUNT = Count(1000, "counted")


def ledger(path, budget=1.0):
    return Ledger(Journal(path), budget, lambda: "2026-11-30T12:00:00Z")


def start(book, sha="a" * 64, worst=0.4, group="f/m"):
    return book.start(sha, ["cell"], group, worst)


def finish(book, call_id, sha="a" * 64, output=1000):
    answer = reply(usage=Usage(input=0, output=output), started_at="2026-11-30T12:00:00Z")
    call = answered_call(call_id, PAID, "cell", answer, COUNT, "handoff", PRICING)
    return book.finish(call, answer, COUNT, sha, "ctx")


def test_a_call_is_in_the_journal_before_it_is_made(tmp_path):
    book = ledger(tmp_path / "j")
    _, call_id = start(book)
    (event,) = read_journal(tmp_path / "j")
    assert isinstance(event, Started)
    assert (event.call_id, event.worst_usd, event.cells) == (call_id, 0.4, ("cell",))
    assert call_id == "a" * 16 + "-1"


def test_the_budget_is_shared_through_the_file(tmp_path):
    one, two = ledger(tmp_path / "j"), ledger(tmp_path / "j")
    _, call_id = start(one, worst=0.7)
    verdict, none = start(two, worst=0.7)
    assert (verdict.answer, none) == ("stop", None)
    finish(one, call_id, output=10_000)  # 0.1 USD
    verdict, _ = start(two, worst=0.7)
    assert verdict.answer == "start"
    assert two.guard.spent_usd == pytest.approx(0.1)
    assert start(one, worst=0.7)[0].answer == "stop"


def test_a_reply_is_known_to_all_by_its_hash_and_without_its_text(tmp_path):
    one, two = ledger(tmp_path / "j"), ledger(tmp_path / "j")
    finish(one, start(one)[1])
    two.refresh()
    found = two.answered["a" * 64]
    assert (found.reply.text, found.count, found.call.output_tokens) == ("", COUNT, 1000)


def test_calls_of_one_reply_are_numbered_on_across_processes(tmp_path):
    one, two = ledger(tmp_path / "j"), ledger(tmp_path / "j")
    ids = [start(book, worst=0.0)[1] for book in (one, two, one)]
    assert [i[-2:] for i in ids] == ["-1", "-2", "-3"]
    assert one.calls_of["a" * 64] == 3


def test_what_a_dead_process_left_in_flight_is_found_by_who_takes_its_group_over(tmp_path):
    dead = ledger(tmp_path / "j")
    _, call_id = start(dead)
    start(dead, "b" * 64, worst=0.1, group="g/m")
    heir = ledger(tmp_path / "j")
    assert [s.call_id for s in heir.abandoned("f/m")] == [call_id]
    assert heir.guard.committed_usd == pytest.approx(0.5)
    heir.attempt(failed_call(call_id, PAID, "cell", attempt("aborted"), 0.4, PRICING))
    assert heir.abandoned("f/m") == []
    assert (heir.guard.possibly_usd, heir.guard.committed_usd) == (0.4, pytest.approx(0.5))


def test_an_overbilling_of_an_earlier_start_stops_this_one_no_more(tmp_path):
    before = ledger(tmp_path / "j", budget=5.0)
    _, over = finish(before, start(before, worst=0.001)[1], output=10_000)
    assert over is not None
    assert start(before)[0].answer == "stop"
    assert start(ledger(tmp_path / "j", budget=5.0))[0].answer == "start"


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 400))
def test_a_line_that_a_dying_process_left_unfinished_costs_only_itself(tmp_path_factory, kept):
    path = tmp_path_factory.mktemp("torn") / "j"
    book = ledger(path, budget=None)
    first = start(book)[1]
    start(book, "b" * 64)
    whole = path.read_bytes()
    at = whole.index(b"\n") + 1
    path.write_bytes(whole[: min(len(whole), at + kept)])
    heir = ledger(path, budget=None)
    finish(heir, first)
    events = read_journal(path)
    assert isinstance(events[0], Started) and isinstance(events[-1], Finished)
    assert len(events) == (3 if at + kept >= len(whole) - 1 else 2)


def test_a_lock_is_held_by_one_and_says_by_whom(tmp_path):
    mine, other = Lock(tmp_path / "l"), Lock(tmp_path / "l")
    assert mine.take() and mine.take()
    assert not other.take()
    assert other.owner.startswith("process ") and " on " in other.owner
    mine.release()
    assert other.take()


def test_a_lock_dies_with_its_process(tmp_path):
    code = (
        "import os, sys; from pathlib import Path; from bench.calls.locks import Lock;"
        "print(Lock(Path(sys.argv[1])).take(), flush=True); os.kill(os.getpid(), 9)"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "l")], capture_output=True, text=True, check=False
    )
    assert (ended.stdout, ended.returncode) == ("True\n", -9)
    assert Lock(tmp_path / "l").take()


def test_events_hold_no_key(tmp_path):
    book = ledger(tmp_path / "j")
    finish(book, start(book)[1])
    for line in (tmp_path / "j").read_bytes().splitlines():
        assert set(msgspec.json.decode(line)) <= {
            "event", "call_id", "reply_sha256", "cells", "group", "worst_usd", "at", "pid", "host",
            "call", "reply", "count", "context_sha256", "reply_bytes",
        }  # fmt: skip


def test_a_fork_keeps_its_grading_and_a_grader_may_spend_what_is_kept(tmp_path):
    book = ledger(tmp_path / "j")
    _, call_id = book.start("a" * 64, ["cell"], "f/m", 0.3, grading_worst_usd=0.6, grading_usd=0.4)
    assert book.guard.committed_usd == pytest.approx(0.9)
    finish(book, call_id)  # 0.01 USD
    assert (book.guard.kept_usd, book.guard.committed_usd) == (0.4, pytest.approx(0.41))
    assert start(book, "b" * 64, worst=0.7)[0].answer == "stop"
    grader = Ledger(Journal(tmp_path / "j"), 1.0, lambda: "now", grades=True)
    _, judged = start(grader, "c" * 64, worst=0.7, group="grades/judge")
    answer = reply(usage=Usage(input=0, output=10_000), started_at="2026-11-30T12:00:00Z")
    grader.graded(answered_call(judged, PAID, "cell", answer, COUNT, "graded", PRICING))  # 0.1 USD
    book.refresh()
    assert book.guard.spent_usd == grader.guard.spent_usd == pytest.approx(0.11)
    assert book.guard.kept_usd == pytest.approx(0.3)
    assert grader.abandoned("grades/judge") == []


def test_nothing_is_kept_for_what_cannot_be_graded(tmp_path):
    book = ledger(tmp_path / "j")
    _, call_id = book.start("a" * 64, ["cell"], "f/m", 0.3, grading_worst_usd=0.6, grading_usd=0.4)
    book.attempt(failed_call(call_id, PAID, "cell", attempt("api-error", billed="no"), 0.3, PRICING))
    assert book.guard.committed_usd == 0.0
