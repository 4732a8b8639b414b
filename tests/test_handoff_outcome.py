"""How a tool call ended: read off its result, its mark and its output."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sessions import call, result, says, user

from bench.handoff.calls import calls_of, subagent_ran
from bench.handoff.outcome import outcome_of
from bench.handoff.tools import deed_of, paths_written, script_of, target_of
from bench.transcripts.model import Message, ToolUse

REFUSAL = "The user doesn't want to proceed with this tool use. STOP."

# output, marked as an error, kind -> how it ended, the line that says why
OUTCOMES = [
    (None, False, "acts", "no result", ""),
    (" \n", False, "acts", "no output", ""),
    ("fine", False, "acts", "ok", ""),
    ("Exit code 1", True, "acts", "failed", "Exit code 1"),
    ("Exit code 2\n$ make\nsrc/a.c:3:1: error: bad", True, "acts", "failed", "src/a.c:3:1: error: bad"),
    ("│ hook │\n\x1b[31m✖ bad\x1b[0m", True, "acts", "failed", "✖ bad"),
    ("Rebasing (1/9)\rRebasing (2/9)\rerror: no", True, "acts", "failed", "error: no"),
    ("<tool_use_error>Not read.\nfailed: x</tool_use_error>", True, "hands back a text", "failed", "Not read."),
    (REFUSAL, True, "acts", "refused", ""),
    (f"{REFUSAL} the user said:\nuse  the\nother", True, "acts", "refused", "use the other"),
    ("Permission for this action was denied. Reason: a rule. Go on.", True, "acts", "refused", "a rule"),
    # nothing marks these, their output tells
    ("x\ngrep: a: No such file or directory", False, "looks", "reads as failed", "grep: a: No such file or directory"),
    ("--- FAIL: TestA (0.01s)", False, "acts", "reads as failed", "--- FAIL: TestA (0.01s)"),
    ("✖ one\n  error: no column", False, "acts", "reads as failed", "error: no column"),  # the cause comes first
    ("Tests: 2 failed, 3 passed", False, "acts", "reads as failed", "Tests: 2 failed, 3 passed"),
    ("> lint\nexit 1", False, "acts", "reads as failed", "exit 1"),
    # and these only speak of errors
    ("warning: LF will be replaced", False, "acts", "ok", ""),
    ("0 failed, 3 passed\nexit 0", False, "acts", "ok", ""),
    ("found an error: see below", False, "acts", "ok", ""),
    ("  12\tthrow error: x", False, "acts", "ok", ""),  # a line of a file
    ("+    raise Fatal  # fatal: x", False, "looks", "ok", ""),  # a diff
    ("import x\n# error: handled", False, "hands back a text", "ok", ""),
    ("Error: ENOENT", False, "hands back a text", "reads as failed", "Error: ENOENT"),
]


@pytest.mark.parametrize(("output", "flagged", "kind", "ended", "error"), OUTCOMES)
def test_how_a_call_ended(output, flagged, kind, ended, error):
    got = outcome_of(output, flagged=flagged, kind=kind)
    assert (got.ended, got.error) == (ended, error)


@settings(max_examples=80, deadline=None)
@given(st.none() | st.text(max_size=200), st.booleans(), st.sampled_from(["acts", "looks", "hands back a text"]))
def test_reading_an_outcome_never_raises_and_its_line_is_short(output, flagged, kind):
    got = outcome_of(output, flagged=flagged, kind=kind)
    assert len(got.error) <= 200
    assert "\n" not in got.error


@pytest.mark.parametrize(
    ("name", "arguments", "deed"),
    [
        ("Bash", {}, "shell"),
        ("exec_command", {}, "shell"),
        ("Read", {}, "read"),
        ("MultiEdit", {}, "write"),
        ("mcp__files__write_file", {}, "write"),
        ("str_replace_based_edit_tool", {"command": "view"}, "read"),
        ("str_replace_based_edit_tool", {"command": "create"}, "write"),
        ("Grep", {}, "search"),
        ("Task", {}, "subagent"),
        ("TaskCreate", {}, "other"),
    ],
)
def test_what_a_tool_does_is_told_by_its_name(name, arguments, deed):
    assert deed_of(name, arguments) == deed


def test_what_a_call_was_aimed_at():
    assert target_of({"description": "d", "command": "a\nb "}) == "a ; b"
    assert target_of({"path": " ", "pattern": "x"}) == "x"
    assert (
        target_of({"command": ["bash", "-lc", "ls -l"]}) == script_of({"command": ["bash", "-lc", "ls -l"]}) == "ls -l"
    )
    assert target_of({"commands": ["ls", "pwd"]}) == "ls ; pwd"
    assert target_of({"todos": []}) == ""
    assert paths_written({"input": "*** Add File: a/b.py\n*** Update File: c.py\n"}) == ("a/b.py", "c.py")


def test_a_call_is_joined_with_its_result():
    session = [
        call("t1", "Edit", file_path="/a.py", old_string="x", new_string="y"),
        result("t1", "<tool_use_error>no</tool_use_error>", is_error=True),
        call("t2", "Write", file_path="/b.py", content=""),
        result("t2", "written"),
        call("t3", "Bash", command="rm /b.py && touch c.py"),
    ]
    calls = calls_of(session)
    assert [(c.at, c.outcome.ended) for c in calls] == [(0, "failed"), (2, "ok"), (4, "no result")]
    assert [c.writes for c in calls] == [(), ("/b.py",), ("c.py",)]  # what failed wrote nothing
    assert calls[2].removes == ("/b.py",)


def test_arguments_that_are_no_json_are_none():
    raw = Message(role="assistant", author="assistant", blocks=(ToolUse("t", "Bash", "{oops"),))
    assert calls_of([raw])[0].arguments == {}
    listed = Message(role="assistant", author="assistant", blocks=(ToolUse("t", "Bash", json.dumps([1])),))
    assert calls_of([listed])[0].script == ""


def test_a_subagent_ran_in_this_turn_or_in_an_earlier_one():
    task = call("t", "Task", description="look")
    assert subagent_ran([user("go"), task, says("done")])
    assert not subagent_ran([task, user("go"), says("done")])
    assert subagent_ran([task])  # nobody typed: all of it is one turn
