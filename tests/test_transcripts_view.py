"""What the model saw at a compaction, and a conversation as plain text."""

import pytest

from bench.errors import BenchError
from bench.transcripts.model import (
    Author,
    Compaction,
    Image,
    Message,
    Other,
    Text,
    Thinking,
    ToolResult,
    ToolUse,
    Transcript,
)
from bench.transcripts.render import render
from bench.transcripts.view import CLEARED, seen_at, whole_until


def said(text: str, author: Author = "person") -> Message:
    return Message(role="assistant" if author == "assistant" else "user", author=author, blocks=(Text(text),))


#                  0    1    2     3    4    5     6    7
WORDS = ("a0", "a1", "a2", "S1", "b1", "b2", "S2", "c1")
T = Transcript(
    format="x",
    messages=tuple(said(w, "compaction" if w[0] == "S" else "person") for w in WORDS),
    compactions=(
        Compaction(at=3, summary="S1", summary_at=3, preserved=(2,)),
        Compaction(at=6, summary="S2", summary_at=6),
    ),
)


@pytest.mark.parametrize(
    ("k", "seen", "whole"),
    [
        (1, "a0 a1 a2", "a0 a1 a2"),
        (2, "S1 a2 b1 b2", "a0 a1 a2 S1 b1 b2"),  # the summary, what was preserved, all after
        (None, "S2 c1", "a0 a1 a2 S1 b1 b2 S2 c1"),
    ],
)
def test_what_the_model_saw_at_a_compaction(k, seen, whole):
    assert " ".join(m.spoken for m in seen_at(T, k).messages) == seen
    assert " ".join(m.spoken for m in whole_until(T, k).messages) == whole


def test_a_view_is_a_plain_conversation_and_the_whole_keeps_its_earlier_compactions():
    assert seen_at(T, 2).compactions == ()
    assert seen_at(seen_at(T, 2)) == seen_at(T, 2)
    assert whole_until(T, 2).compactions == T.compactions[:1]
    assert seen_at(whole_until(T, 2)).messages == seen_at(T, 2).messages


def test_a_compaction_without_a_summary_leaves_only_what_came_after():
    t = Transcript(format="x", messages=T.messages[:5], compactions=(Compaction(at=3),))
    assert [m.spoken for m in seen_at(t).messages] == ["S1", "b1"]


@pytest.mark.parametrize(("k", "told"), [(0, "there is no compaction 0"), (3, "no compaction 3: the session has 2")])
def test_a_compaction_that_is_not_there_is_an_error(k, told):
    with pytest.raises(BenchError, match=told):
        seen_at(T, k)
    with pytest.raises(BenchError, match=told):
        whole_until(T, k)


def test_results_that_were_cleared_are_no_longer_seen_and_do_not_count_as_compactions():
    call = Message(role="assistant", author="assistant", blocks=(ToolUse("t1", "Read", "{}"),))
    result = Message(role="user", author="tool", blocks=(ToolResult("t1", (Text("long"),)),))
    t = Transcript(
        format="x",
        messages=(call, result, said("more")),
        compactions=(Compaction(at=2, kind="micro", cleared=("t1",)),),
    )
    assert seen_at(t).messages[1].text == CLEARED
    assert whole_until(t).messages[1].text == "long"
    with pytest.raises(BenchError, match="the session has none"):
        seen_at(t, 1)


def test_a_conversation_as_plain_text():
    messages = (
        said("fix it"),
        Message(
            role="assistant", author="assistant",
            blocks=(Thinking("hm"), Text("Looking."), ToolUse("t1", "Bash", '{"command":"ls"}')),
        ),
        Message(
            role="user", author="tool", blocks=(ToolResult("t1", (Text("x" * 30), Image("image/png", "AA==")), True),)
        ),
        Message(role="user", author="harness", origin="interrupt", blocks=(Text("[Request interrupted by user]"),)),
        Message(role="user", author="compaction", blocks=(Text("so far"),)),
        Message(role="assistant", author="assistant", blocks=(Thinking("only"),)),
        Message(role="user", author="person", blocks=(Other("file", '{"path":"a.py"}'), Image("image/png"))),
    )  # fmt: skip
    assert render(messages, 10) == (
        "User:\nfix it\n\n"
        'Assistant:\nLooking.\n[call Bash] {"command":"ls"}\n\n'
        "[result of Bash, failed] xxxxxxxxxx [cut: 20 of 30 characters] [1 image(s) left out]\n\n"
        "Harness (interrupt):\n[Request interrupted by user]\n\n"
        "Summary of what came before:\nso far\n\n"
        'User:\n[file] {"path":"a [cut: 5 of 15 characters]\n[image/png left out]\n'
    )


def test_nothing_renders_to_nothing():
    assert render((), 10) == ""
