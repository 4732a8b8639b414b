"""The readers against real sessions of every harness and the index that names them; and what those sessions cost."""

import csv
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest

from bench.importing import import_session
from bench.spending import spending, total
from bench.transcripts import read, read_all
from bench.transcripts.view import full_compactions, seen_at

pytestmark = pytest.mark.shared

FORMATS = {"mini-swe-github-issue.traj.json": "mini-swe-agent", "gemini-cli-session.json": "gemini-cli"}
FORMATS |= {"copilot-cli-events-small.jsonl": "copilot-cli"}
"""Where the index names a family of formats, the one of the file."""
EVENTS_ALONE = {"codex-fixture-malformed.jsonl": (1, 0, 0)}
"""The index counts response items. This file holds none, so its one prompt is read from the event that tells it."""
NOT_OBJECTS = ("(not_an_object)", "(bad_line)")
"""Kinds of the index for lines that are no record: they are named as unread."""


def index(shared: Path) -> list[dict[str, str]]:
    path = shared / "transcripts" / "INDEX.tsv"
    if not path.is_file():
        pytest.skip("no transcripts under BENCH_SHARED")
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def path_of(shared: Path, row: dict[str, str]) -> Path:
    return shared / "transcripts" / row["format"] / row["name"]


def named(shared: Path, name: str) -> Path:
    return next(path_of(shared, row) for row in index(shared) if row["name"] == name)


def test_every_file_is_read_and_agrees_with_the_index(shared):
    rows = index(shared)
    assert len(rows) == 46
    for row in rows:
        sessions = read_all(path_of(shared, row))
        counts = [t.counts for t in sessions]
        found = (sum(c.user for c in counts), sum(c.assistant for c in counts), sum(c.tool_calls for c in counts))
        expected = tuple(int(row[n]) for n in ("n_user", "n_assistant", "n_tool_use"))
        assert found == EVENTS_ALONE.get(row["name"], expected), row["name"]
        assert {t.format for t in sessions} == {FORMATS.get(row["name"], row["format"])}


def test_no_record_is_lost_and_no_line_silently(shared):
    for row in index(shared):
        sessions = read_all(path_of(shared, row))
        found: Counter[str] = Counter()
        for t in sessions:
            found.update(t.records)
        expected = {kind: int(n) for kind, n in (part.rsplit("=", 1) for part in row["record_types"].split())}
        lines = sum(expected.pop(kind, 0) for kind in NOT_OBJECTS)
        if row["format"] != "anthropic-messages":
            assert found == expected, row["name"]
        assert (
            sum(u.reason.startswith("not JSON") or "not a JSON object" in u.reason for t in sessions for u in t.unread)
            == lines
        )


def test_every_result_stands_right_behind_its_call(shared):
    for row in index(shared):
        for t in read_all(path_of(shared, row)):
            called = {use.id for m in t.messages for use in m.tool_uses}
            for before, m in pairwise(t.messages):
                asked = {use.id for use in before.tool_uses}
                assert all(r.tool_use_id in asked for r in m.tool_results if r.tool_use_id in called), row["name"]


POINTS = {
    # at, tokens before, tokens after, characters of the summary, messages that stayed
    "pi-v1-two-compactions.jsonl": [(346, 175_004, None, 4_236, 66), (608, 185_014, None, 3_619, 77)],
    "pi-v3-compaction-tiny.jsonl": [(2, 19, None, 35, 2), (5, 19, None, 35, 4)],
    "codex-two-compactions.jsonl": [(111, 88_246, 13_290, None, 9), (234, 95_808, 13_682, None, 12)],
    "codex-fixture-compaction.jsonl": [(8, None, None, 589, 0)],
}


@pytest.mark.parametrize("name", POINTS)
def test_compactions_are_found_with_what_the_harness_told_of_them(shared, name):
    t = read(named(shared, name))
    assert [
        (c.at, c.tokens_before, c.tokens_after, c.summary and len(c.summary), len(c.preserved)) for c in t.compactions
    ] == POINTS[name]


@pytest.mark.parametrize("name", POINTS)
def test_each_compaction_can_be_imported(shared, tmp_path, name):
    path = named(shared, name)
    t = read(path)
    for k, point in enumerate(full_compactions(t), 1):
        made = import_session(path, at=k, to=tmp_path, name=f"k{k}")
        # names and paths in the texts are scrubbed, so only who speaks where can be compared
        assert [(m.author, m.time) for m in made.transcript.messages] == [
            (m.author, m.time) for m in seen_at(t, k).messages
        ]
        assert (made.folder / "replays" / "stock.md").is_file() == (point.summary is not None)


def test_what_codex_wrote_of_the_window_after_a_compaction_agrees_with_what_stayed(shared):
    # the harness told 95,808 tokens before its second compaction; our estimate leaves out its own prompt (21 KB),
    # the encrypted summary and the encrypted reasoning
    seen = seen_at(read(named(shared, "codex-two-compactions.jsonl")), 2)
    assert 0.85 < (seen.tokens + len(seen.system or "") // 4) / 95_808 < 1.0


def test_a_real_session_s_usage_merged_by_answer(shared):
    rows = spending(named(shared, "cc-cctrace-main.jsonl"))
    whole = total(rows)
    # summing lines instead gives 7,140 / 2,528,953 / 31,282,936 / 64,701; the first line of each answer 541 out
    assert (whole.input, whole.cache_read, whole.output, whole.answers) == (2_016, 10_172_221, 64_185, 100)
    assert whole.cache_write_5m + whole.cache_write_1h == 622_125
    # list price of the day: 5, 6.25, 0.50 and 25 USD a million: 0.010080 + 3.888281 + 5.086111 + 1.604625
    assert whole.usd_api == pytest.approx(10.589097)


def test_a_pi_session_costs_what_pi_said_it_did(shared):
    assert total(spending(named(shared, "pi-v1-two-compactions.jsonl"))).usd_api == pytest.approx(42.60, abs=0.005)


CODEX_TOTALS = {
    # the last running totals of the file: input with the cache in it, of which cached, output
    "codex-two-compactions.jsonl": (11_070_182, 10_637_312, 71_829),
    "codex-web-search.jsonl": (1_673_944, 1_450_752, 9_289),
    "codex-unanswered-calls.jsonl": (266_714, 230_656, 2_958),
    "codex-multi-agent.jsonl": (5_834_436, 5_663_488, 19_503),
    "codex-review-only.jsonl": (54_827, 6_912, 247),
}


@pytest.mark.parametrize("name", CODEX_TOTALS)
def test_codex_answers_add_up_to_its_running_totals(shared, name):
    whole = total(spending(named(shared, name)))
    assert (whole.input + whole.cache_read, whole.cache_read, whole.output) == CODEX_TOTALS[name]
    assert whole.usd_api is None and whole.reason is not None


def test_who_typed_in_a_real_codex_session(shared):
    # every event that calls a text the user's repeats an item, and all but those of another program are a person's
    typed = {"codex-two-compactions.jsonl": 10, "codex-web-search.jsonl": 4, "codex-multi-agent.jsonl": 0}
    for name, n in typed.items():
        assert sum(m.author == "person" for m in read(named(shared, name)).messages) == n, name
