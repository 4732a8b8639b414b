"""Where the work stands at the end of a conversation."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from sessions import call, result, says, transcript, user

from bench.handoff.calls import calls_of
from bench.handoff.state import HEADING, render_state, state_of
from bench.handoff.todo_list import Item, todo_list

SESSION = [
    user("Start."),
    call("t1", "Bash", command="npm test 2>&1 | tail -9"),
    result("t1", "FAIL a.test.js"),
    call("t2", "Edit", file_path="/app/src/a.js", old_string="a", new_string="b"),
    result("t2", "done"),
    call("t3", "Bash", command="git status"),
    result("t3", "On branch fix/port\nnothing to commit"),
    call(
        "t4", "TodoWrite", todos=[{"content": "port", "status": "completed"}, {"content": "docs", "status": "pending"}]
    ),
    result("t4", "ok"),
    user("Now the\ndocs."),
    says("Yes."),
]


def stated(*messages, **session):
    t = replace(transcript(*messages), **session)
    return state_of(t, calls_of(t.messages))


def told(*messages, **session):
    return render_state(stated(*messages, **session)).split("\n")[4:]


def test_the_state_is_read_off_the_end():
    assert told(*SESSION, cwd="/app", branch="main") == [
        '- Last request: "Now the docs."',
        "- Directory: `/app`; branch: `main`",
        "- Last failing command: `npm test` at message 1 of 11, which printed: FAIL a.test.js"
        " (it has not gone through since)",
        "- Files being edited, the last one first; …/ is the directory:",
        "  - `…/src/a.js`: written once, last at message 3 of 11",
        "",
        "### To do (1 open of 2)",
        "- [pending] docs",
    ]


def test_what_the_transcript_does_not_say_is_said_to_be_missing():
    assert told(says("Hello.")) == [
        "- Last request: not recorded",
        "- Directory: not recorded; branch: not recorded",
        "- Last failing command: none",
        "- Files being edited: none was written",
    ]


def test_a_branch_that_was_not_recorded_is_read_off_what_git_printed():
    assert stated(*SESSION).branch == "fix/port"
    assert "branch: `fix/port` (as git printed it at message 5)" in "\n".join(told(*SESSION))


@pytest.mark.parametrize(
    ("later", "mended"),
    [("npm test 2>&1 | tail -40", True), ("npm test", True), ("npm run lint", False)],
)
def test_a_failure_is_mended_once_the_same_command_goes_through(later, mended):
    failure = stated(*SESSION, call("t9", "Bash", command=later), result("t9", "ok")).failure
    assert (failure.command, failure.mended) == ("npm test", mended)


def test_refusals_and_commands_that_only_look_are_no_failing_command():
    looked = [call("t1", "Bash", command="cat x"), result("t1", "Exit code 1", is_error=True)]
    refused = [
        call("t2", "Bash", command="make"),
        result("t2", "The user doesn't want to proceed with this tool use.", True),
    ]
    assert stated(*looked, *refused).failure is None


def test_a_slash_command_is_told_as_it_was_typed():
    typed = "<command-message>loop</command-message>\n<command-name>/loop</command-name>"
    typed += "\n<command-args>keep  going</command-args>"
    assert told(user(typed))[0] == '- Last request: "/loop keep going"'


def test_a_list_kept_item_by_item_ends_as_its_updates_say():
    calls = calls_of([
        call("t1", "TaskCreate", subject="port", description="long"),
        result("t1", "Task #1 created successfully: port"),
        call("t2", "TaskCreate", subject="docs"),
        result("t2", "Task #2 created successfully: docs"),
        call("t3", "TaskUpdate", taskId="1", status="completed"),
        result("t3", "ok"),
        call("t4", "TaskUpdate", taskId="2", status="in_progress"),
        result("t4", "no such task", is_error=True),
        call("t5", "TaskUpdate", taskId="9", status="completed"),
        result("t5", "ok"),
    ])  # fmt: skip
    assert todo_list(calls) == (Item("port", "completed"), Item("docs"))


@pytest.mark.parametrize("todos", [None, "x", [1, {"status": "pending"}, {"content": 3}], []])
def test_a_list_in_another_form_is_no_list(todos):
    assert todo_list(calls_of([call("t", "TodoWrite", todos=todos), result("t", "ok")])) == ()


def test_items_in_progress_come_first_and_a_list_that_is_done_is_one_line():
    todos = [{"content": "b", "status": "pending"}, {"content": "a", "status": "in_progress"}]
    assert told(call("t", "TodoWrite", todos=todos), result("t", "ok"))[-2:] == ["- [in progress] a", "- [pending] b"]
    done = [{"content": "b", "status": "completed"}]
    assert "- To do: nothing is open, its one item is done" in told(
        call("t", "TodoWrite", todos=done), result("t", "ok")
    )


ITEMS = st.lists(
    st.builds(Item, st.text("ab ", min_size=1, max_size=300), st.sampled_from(["pending", "done", "x" * 50]))
)


@settings(max_examples=80, deadline=None)
@given(ITEMS, st.text(max_size=900), st.integers(0, 2500))
def test_the_state_never_exceeds_its_budget(items, request, budget):
    state = replace(stated(*SESSION, cwd="/app"), items=tuple(items), request=request)
    text = render_state(state, budget=budget)
    assert len(text) <= budget
    assert not text or text.startswith(HEADING)
