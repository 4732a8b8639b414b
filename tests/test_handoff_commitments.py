"""The commitments pass: what goes in, what its reply says, how it is rendered."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sessions import call, harness, result, says, user

from bench.handoff.commitments import (
    HEADING,
    Finding,
    assistant_turns,
    commitments_input,
    judged,
    render_commitments,
    tool_index,
    typed_index,
)

SESSION = [
    user("Fix the\nport."),
    says("I will run the tests."),
    call("t1", "Bash", command="ls"),
    result("t1", "a"),
    harness("A task ended."),
    says(" Done. "),
]


def test_the_pass_gets_what_was_said_what_was_run_and_what_was_typed():
    assert assistant_turns(SESSION) == "[T1]\nI will run the tests.\n\n[T5]\nDone."
    assert tool_index(SESSION) == "T2 | Bash | ls"
    assert typed_index(SESSION) == "T0 | Fix the port."
    given = commitments_input(SESSION, fence="#7f3a")
    assert given.count("#7f3a") == 6  # three sections, fenced above and below
    assert "T2 | Bash | ls\n#7f3a end" in given


def test_oldest_turns_go_first_and_the_text_says_so():
    turns = [says(f"turn {i} " + "x" * 40) for i in range(9)]
    text = assistant_turns(turns, 150)
    assert text.startswith("[7 earlier turns are left out]\n\n[T7]\nturn 7")  # 30 + 2 x (52 + 2) = 138
    assert "turn 8" in text
    assert assistant_turns([says("y" * 9000)], 100).startswith("[T0]\nyyy")  # the newest is clipped, not dropped
    assert "[8 earlier" in assistant_turns(turns, 60)
    assert "turn 8" in assistant_turns(turns, 60)
    assert len(assistant_turns([says("y" * 9000)])) == 6000 + len("[T0]\n")


@settings(max_examples=80, deadline=None)
@given(st.lists(st.text(max_size=60).map(says), max_size=8), st.integers(0, 200))
def test_the_turns_never_exceed_their_budget(turns, budget):
    assert len(assistant_turns(turns, budget)) <= budget


REPLY = """UNKEPT | T12 | "I will run the migration." | no run after T9
corrected | T14 | The port is 80 | it is 8443 | see T20
Unanswered | t3 | "cat a | wc -l?" | never answered
UNKEPT | T15 | NONE | nothing
UNKEPT | T30 | "Which region?" | no
UNANSWERED | T30 | which  region | no answer
OTHER | T1 | x | y
a line of prose"""


def test_a_reply_is_rows_each_sentence_once_under_its_narrowest_kind():
    assert judged(REPLY, 4000).findings == (
        Finding("unkept", 12, "I will run the migration.", "no run after T9"),
        Finding("corrected", 14, "The port is 80", "it is 8443 | see T20"),
        Finding("unanswered", 3, "cat a | wc -l?", "never answered"),  # bars inside a quotation are its own
        Finding("unanswered", 30, "which  region", "no answer"),
    )


@pytest.mark.parametrize(
    ("reply", "max_tokens", "stop_reason", "hit"),
    [
        ("UNKEPT | T1 | a | b", 1000, None, None),
        ("UNKEPT | T1 | a | b\nThat is all.", 1000, None, None),  # a line of prose is no row
        ("UNKEPT | T1 | a | b\nUNKEPT | T4 | cut he", 1000, None, "row cut off"),
        ("UNKEPT | T1 | a | ", 1000, None, "row cut off"),
        ("x" * 36, 10, None, "length"),  # 36 characters are 0.9 x 10 tokens x 4
        ("x" * 35, 10, None, None),
        ("UNKEPT | T1 | a | b", 1000, "max_tokens", "stop reason"),
        ("", 1000, None, None),
    ],
)
def test_whether_a_reply_stopped_at_its_cap(reply, max_tokens, stop_reason, hit):
    assert judged(reply, max_tokens, stop_reason).hit_cap == hit


def test_findings_are_told_by_kind():
    text = render_commitments([Finding("unkept", 1, "I will.", "not run"), Finding("corrected", 2, "80", "")])
    assert text.split("\n")[4:] == [
        "### Promised, and nothing shows that it was done (1)",
        '- "I will.": not run',
        "",
        "### Said, and later taken back or corrected (1)",
        '- "80"',
    ]
    assert render_commitments([]) == ""


ROWS = st.lists(
    st.builds(
        Finding,
        st.sampled_from(["unkept", "corrected", "unanswered"]),
        st.integers(0, 99),
        st.text("ab ", max_size=30),
        st.text("ab ", max_size=30),
    ),
    max_size=20,
)


@settings(max_examples=80, deadline=None)
@given(ROWS, st.integers(0, 1200))
def test_findings_never_exceed_their_budget_and_the_oldest_go_first(findings, budget):
    text = render_commitments(findings, budget=budget)
    assert len(text) <= budget
    assert not text or text.startswith(HEADING)
    if len(text) and (whole := render_commitments(findings, budget=10**6)) != text:
        assert "older ones are left out" in text
        assert len(whole) > budget


@settings(max_examples=100, deadline=None)
@given(st.lists(st.sampled_from(["UNKEPT", "corrected", "|", " | ", "T4", '"', "none", "\n", "x"])))
def test_parsing_a_reply_never_raises(pieces):
    got = judged("".join(pieces), 100)
    assert len({f.quote for f in got.findings}) == len(got.findings)
