"""The part `commitments` of a handoff: what a pass brought, or why there is none; the rest stands either way."""

import pytest
from sessions import says, transcript, user

from bench.arms.model import Arm, ArmFile
from bench.contexts.commitments import commitments_context, input_room
from bench.handoff.assemble import Failure, assemble
from bench.handoff.commitments import HEADING, INPUT_CHARS, commitments_input, newest_lines
from bench.handoff.commitments_pass import commitments_of

SESSION = transcript(user("Use port 8443."), says("I will run the tests."))
ARM = Arm(label="mine", settings=ArmFile(parts=("summary", "commitments", "ledger")), text="Hand over.")


def came(reply: str, stop_reason="end_turn", max_tokens=4000):
    return commitments_of(reply, stop_reason, max_tokens, model="m", reply_sha256="r", usd_api=0.25)


def test_what_a_pass_found_stands_in_the_arms_order_with_its_size_and_cost():
    found = came('UNKEPT | T1 | "I will run the tests." | no run after it')
    handoff = assemble("The port is 8443.", ARM, SESSION, commitments=found)
    assert [name for name, _ in handoff.parts][:2] == ["summary", "commitments"]
    part = dict(handoff.parts)["commitments"]
    assert part.startswith(HEADING)
    assert '- "I will run the tests.": no run after it' in part
    assert (handoff.commitments_chars, handoff.sizes()["commitments_usd"]) == (len(part), 0.25)
    assert handoff.parts_failed is None


@pytest.mark.parametrize(
    ("commitments", "why"),
    [
        (None, "no model was asked for it"),
        (came("Here is what I think of it."), "no line of the reply is a row"),
    ],
)
def test_a_pass_that_brought_nothing_costs_its_part_and_no_other(commitments, why):
    handoff = assemble("The port is 8443.", ARM, SESSION, commitments=commitments)
    assert handoff.failures == (Failure("commitments", why),)
    assert (handoff.parts_failed, handoff.commitments_chars) == ("commitments", None)
    assert handoff.text.startswith("The port is 8443.")


def test_a_pass_that_found_nothing_is_a_measured_zero():
    handoff = assemble("The port.", ARM, SESSION, commitments=came("UNKEPT | T0 | NONE | nothing found"))
    assert (handoff.commitments_chars, handoff.parts_failed) == (0, None)


def test_a_reply_that_was_cut_keeps_its_rows_and_says_so():
    cut = came('UNKEPT | T1 | "a b c" | not done\nUNKEPT | T4 | "d e', "max_tokens")
    assert [f.quote for f in cut.findings] == ["a b c"]
    assert (cut.hit_cap, cut.failed) == ("stop reason", None)


def test_the_pass_is_asked_over_the_same_bytes_again_and_its_fence_stands_in_no_text():
    messages = SESSION.messages
    first, again = (commitments_context(messages, INPUT_CHARS) for _ in range(2))
    assert first.context.sha256 == again.context.sha256
    assert first.context.mode == "rendered"
    assert b"I will run the tests." in first.context.body and b"Use port 8443." in first.context.body
    assert commitments_context(SESSION.messages[:1], INPUT_CHARS) is None  # the assistant said nothing


def test_the_input_keeps_to_its_room_and_drops_the_oldest_first():
    messages = [m for i in range(40) for m in (user(f"ask {i} " + "u" * 90), says(f"turn {i} " + "x" * 90))]
    text = commitments_input(messages, fence="#f", budget=2000)
    assert len(text) <= 2000
    assert "turn 39" in text and "ask 39" in text and "turn 3 " not in text and "ask 3 " not in text
    assert "earlier turns are left out" in text and "earlier lines are left out" in text


def test_a_small_window_leaves_less_room():
    assert input_room(None, 4000, "x") == INPUT_CHARS
    assert input_room(8000, 1000, "x" * 400) == (8000 - 1000 - 100) * 3
    assert input_room(1000, 4000, "x") == 0
    assert newest_lines("a\nb\nc", 5) == "a\nb\nc"
    assert newest_lines("\n".join(["x" * 30] * 9), 70) == "\n".join(["[8 earlier lines are left out]", "x" * 30])
