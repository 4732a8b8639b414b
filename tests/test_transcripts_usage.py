"""Usage and cost of a session: every answer once, each counter as its harness means it, priced by its own day."""

import json
from datetime import date
from pathlib import Path

import pytest
from claude_sessions import answer, jsonl, record, user, written
from harness_sessions import (
    CODEX,
    codex_count,
    codex_line,
    codex_says,
    copilot,
    document,
    pi_answer,
    pi_header,
    pi_user,
    put,
)

from bench.cli import main
from bench.prices import cost
from bench.spending import NO_DAY, NO_MODEL, NO_USAGE, spending, total
from bench.transcripts import read_all
from bench.transcripts.model import Usage
from bench.transcripts.usage import uses

MODEL = "claude-opus-4-5-20251101"
DAY = "2026-01-06T10:00:00Z"


def told(
    uuid: str,
    parent: str | None,
    text: str,
    id: str | None,
    output: int,
    *,
    day: str = DAY,
    model: str = MODEL,
    **usage: int,
):
    """A fragment of an answer with its counters."""
    line = answer(uuid, parent, text, id=id, output=output, timestamp=day)
    line["message"]["model"] = model
    line["message"]["usage"] |= usage
    return line


def sums(path: Path) -> list[tuple[object, ...]]:
    return [(r.day and r.day.isoformat(), r.model, r.answers, r.input, r.output) for r in spending(path)]


def test_fragments_of_an_answer_count_once_as_the_one_with_the_largest_output(tmp_path):
    path = written(
        tmp_path,
        user("u1", None, "go"),
        told("a1", "u1", "one", "m1", 1, input_tokens=99),
        told("a2", "a1", "two", "m1", 30, input_tokens=7),
        told("a3", "a2", "three", "m1", 2, input_tokens=99),
        user("u2", "a3", "more"),
        told("b1", "u2", "four", "m2", 5),
    )
    # 7 of the record with 30, not 99 + 7 + 99; the second answer's 10
    assert sums(path) == [("2026-01-06", MODEL, 2, 17, 35)]


def test_an_answer_that_stands_again_in_a_side_conversation_counts_once(tmp_path):
    copy = told("p1", None, "of a subagent", "m9", 40)
    progress = record(
        "progress", "g1", "a1",
        data={"type": "agent_progress", "agentId": "x", "message": {"type": "assistant", "message": copy["message"]}},
    )  # fmt: skip
    path = written(
        tmp_path,
        user("u1", None, "go"),
        told("a1", "u1", "one", "m1", 5),
        progress,
        progress,
        {**told("s1", None, "of a subagent", "m9", 8), "isSidechain": True, "agentId": "x"},
    )
    (use,) = [u for u in uses(read_all(path)) if u.day]
    (copied,) = [u for u in uses(read_all(path)) if not u.day]
    # the copy is first and has the larger count; a progress record's message has no time of its own
    assert (use.answers, copied.answers, copied.beside, copied.usages[0].output) == (1, 1, 1, 40)


def test_rewound_branches_were_paid_for_as_well(tmp_path):
    path = put(
        tmp_path,
        pi_header(),
        pi_user("u1", None, "go"),
        pi_answer("a1", "u1", "rewound"),
        pi_answer("a2", "u1", "kept"),
    )
    (row,) = spending(path)
    # two answers of 10 + 100 + 20 in and 5 out
    assert (row.answers, row.beside, row.input, row.cache_read, row.cache_write_5m, row.output) == (
        2,
        1,
        20,
        200,
        40,
        10,
    )


def test_a_row_for_each_model_on_each_day_with_that_day_s_price(tmp_path):
    path = written(
        tmp_path,
        user("u1", None, "go"),
        told("a1", "u1", "one", "m1", 1000, day="2026-01-06T23:59:59Z"),
        told("a2", "a1", "two", "m2", 1000, day="2026-01-07T00:00:01Z"),
        told("a3", "a2", "three", "m3", 1000, day="2026-01-07T00:00:01Z", model="claude-haiku-4-5-20251001"),
    )
    rows = spending(path)
    assert [(r.day.isoformat(), r.model) for r in rows] == [
        ("2026-01-06", MODEL), ("2026-01-07", "claude-haiku-4-5-20251001"), ("2026-01-07", MODEL),
    ]  # fmt: skip
    for row in rows:
        priced = cost(Usage(input=10, output=1000), row.model, row.day)
        assert row.usd_api == priced.usd_api and row.usd_api is not None and row.reason is None
    assert total(rows).usd_api == pytest.approx(sum(r.usd_api for r in rows))


def test_what_is_not_known_is_null_with_a_reason(tmp_path):
    nameless = told("a2", "a1", "two", "m2", 10)
    del nameless["message"]["model"]
    timeless = told("a3", "a2", "three", "m3", 10)
    del timeless["timestamp"]
    silent = told("a4", "a3", "four", "m4", 10, model="claude-opus-4-6")
    del silent["message"]["usage"]
    path = written(
        tmp_path, user("u1", None, "go"), told("a1", "u1", "1", "m1", 10, model="new-1"), nameless, timeless, silent
    )
    rows = spending(path)
    reasons = {r.model if r.day else "timeless": r.reason for r in rows}
    assert reasons == {
        "new-1": "no price of 'new-1' in the table", None: NO_MODEL, "timeless": NO_DAY, "claude-opus-4-6": NO_USAGE,
    }  # fmt: skip
    assert all(r.usd_api is r.usd_subscription is r.cache_read_waived_usd is None for r in rows)
    quiet = next(r for r in rows if r.model == "claude-opus-4-6")
    assert (quiet.answers, quiet.untold, quiet.input, quiet.output) == (1, 1, None, None)
    whole = total(rows)
    assert (whole.output, whole.untold, whole.usd_api, whole.reason) == (30, 1, None, "4 of 4 rows have no price")


def test_the_harness_s_own_words_in_the_model_s_role_are_no_answers(tmp_path):
    error = {**told("a2", "u1", "API Error", "m2", 0, model="<synthetic>"), "isApiErrorMessage": True}
    assert sums(written(tmp_path, user("u1", None, "go"), told("a1", "u1", "one", "m1", 5), error)) == [
        ("2026-01-06", MODEL, 1, 10, 5)
    ]


def test_an_output_count_that_cannot_be_is_named_a_placeholder(tmp_path):
    # 400 characters are 100 estimated tokens, more than twice a count of 1; 40 are 10, at most 2 x 1 + 8
    path = written(
        tmp_path, user("u1", None, "go"), told("a1", "u1", "x" * 400, "m1", 1), told("a2", "a1", "x" * 40, "m2", 1)
    )
    (row,) = spending(path)
    assert (row.placeholders, row.output, row.answers) == (1, 2, 2)


def test_codex_counts_the_cache_in_and_repeats_itself_and_is_priced_apart(tmp_path):
    lines = [
        codex_line("turn_context", model=MODEL),
        codex_says("assistant", "x" * 8),
        codex_count(100, 100, cached=40),
    ]
    (row,) = spending(put(tmp_path, CODEX[0], *lines, lines[-1], lines[-1]))
    assert (row.input, row.cache_read, row.output) == (60, 40, 10)
    assert row.usd_api == pytest.approx(
        cost(Usage(input=60, cache_read=40, output=10), MODEL, date(2026, 1, 1)).usd_api
    )


def test_a_whole_is_taken_only_where_no_answer_tells_its_own(tmp_path):
    says = copilot("assistant.message", "e1", content="hi", model="gpt-test")
    metrics = {"gpt-test": {"requests": {"count": 1}, "usage": {"inputTokens": 90, "outputTokens": 9}}}
    ends = copilot("session.shutdown", "e2", sessionStartTime=1, modelMetrics=metrics)
    by_answer, whole = spending(put(tmp_path, says, ends))
    assert (by_answer.untold, by_answer.output, whole.untold, whole.output) == (1, None, 0, 9)
    used = copilot("assistant.usage", "e3", inputTokens=80, outputTokens=8)
    assert [r.output for r in spending(put(tmp_path, says, used, ends))] == [8]


# --- bench transcript --usage -----------------------------------------------------------------------------------------


def session(folder: Path) -> Path:
    return written(
        folder,
        user("u1", None, "go"),
        told("a1", "u1", "x" * 400, "m1", 1),
        told("a2", "a1", "two", "m2", 100, day="2026-01-07T10:00:00Z", model="new\x1b[31m-1"),
    )


def test_the_command_prints_rows_a_total_and_what_the_figures_leave_out(tmp_path, capsys):
    assert main(["transcript", "--usage", str(session(tmp_path))]) == 0
    out = capsys.readouterr().out
    lines = out.splitlines()
    assert lines[1].split()[:5] == ["day", "model", "answers", "input", "output"]
    assert lines[2].split()[:5] == ["2026-01-06", MODEL, "1", "10", "1"]
    assert lines[4].split()[:5] == ["total", "—", "2", "20", "101"]
    assert "1 of 2 rows have no price" in lines[4]
    assert "1 answer(s) whose output count is less than half" in out
    assert "\x1b" not in out


def test_json_is_an_object_for_one_file_and_a_list_for_several(tmp_path, capsys):
    path = session(tmp_path)
    assert main(["transcript", "--usage", "--json", str(path)]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["rows"][0] | {"usd_api": 0, "usd_subscription": 0} == {
        "day": "2026-01-06", "model": MODEL, "answers": 1, "untold": 0, "placeholders": 1, "beside": 0, "input": 10,
        "output": 1, "cache_read": 0, "cache_write_5m": 0, "cache_write_1h": 0, "usd_api": 0, "usd_subscription": 0,
        "cache_read_waived_usd": 0.0, "reason": None,
    }  # fmt: skip
    assert (facts["total"]["answers"], facts["forked_from"]) == (2, None)
    assert main(["transcript", "--usage", "--json", str(path), str(path)]) == 0
    assert len(json.loads(capsys.readouterr().out)) == 2


def test_a_fork_and_a_file_without_an_answer_say_so(tmp_path, capsys):
    fork = put(
        tmp_path, CODEX[0], codex_line("session_meta", id="s-0"), codex_says("assistant", "x"), name="fork.jsonl"
    )
    empty = document(tmp_path, {"messages": []})
    assert main(["transcript", "--usage", str(fork), str(empty)]) == 0
    out = capsys.readouterr().out
    assert "forked from s-0: answers copied from it are counted here as well" in out
    assert "no answer of a model" in out


@pytest.mark.parametrize("argv", [["--usage"], ["other.jsonl"]])
def test_a_leaf_goes_with_one_file_and_not_with_usage(tmp_path, capsys, argv):
    path = tmp_path / "session.jsonl"
    path.write_text(jsonl(user("u1", None, "go")))
    assert main(["transcript", "--leaf", "a1", str(path), *argv]) == 2
    assert "--leaf goes with one file" in capsys.readouterr().err
