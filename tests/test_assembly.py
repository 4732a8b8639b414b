"""A handoff as the next window receives it: order, sizes, and parts that fail alone."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sessions import harness, says, transcript, user

from bench.arms.model import Arm, ArmFile, Ceiling
from bench.handoff.assemble import assemble
from bench.handoff.lineage import Lineage, lineage_line
from bench.handoff.pins import render_pins
from bench.rows import OutputRow

SESSION = transcript(user("Use port 8443."), says("Done."), harness("A task ended."), user("x" * 400))


def prompt(**settings):
    return Arm(label="mine", settings=ArmFile(**settings), text="Hand over.")


def test_a_reply_stands_alone_without_its_scratchpad():
    handoff = assemble("<analysis>hm</analysis>\n<summary>The port.</summary>", prompt(), SESSION)
    assert (handoff.text, handoff.summary) == ("The port.", "The port.")
    assert handoff.parts == (("summary", "The port."),)
    assert (handoff.summary_chars, handoff.analysis_chars) == (9, 2)
    assert (handoff.pins, handoff.pinned_chars, handoff.trimmed_turns) == (None, None, None)  # does not apply
    assert not handoff.over_ceiling
    assert handoff.parts_failed is None


def test_lineage_then_summary_then_pins():
    lineage = Lineage(session="ab", n=2, prev=1)
    handoff = assemble("The port.", prompt(pins=True), SESSION, lineage=lineage)
    pins = render_pins(["Use port 8443.", "x" * 400])
    assert [name for name, _ in handoff.parts] == ["lineage", "summary", "pins"]
    assert handoff.text == "\n\n".join([lineage_line(lineage), "The port.", pins])
    assert (handoff.pins, handoff.pins_skipped, handoff.trimmed_turns) == (2, 1, 0)
    assert handoff.pinned_chars == len(pins)


def test_pins_of_a_session_without_typed_turns_are_a_measured_zero():
    handoff = assemble("The port.", prompt(pins=True), transcript(says("Done.")))
    assert (handoff.text, handoff.pins, handoff.pinned_chars) == ("The port.", 0, 0)


@pytest.mark.parametrize("kind", ["full", "window", "extract", "replay", "tail", "command"])
def test_a_text_that_no_model_wrote_is_taken_as_it_is(kind):
    text = "User:\nwhat does <analysis>x</analysis> in <summary> do?"
    handoff = assemble(text + "\n", Arm(label="mine", settings=ArmFile(kind=kind)), SESSION)
    assert (handoff.text, handoff.analysis_chars) == (text, None)


def test_long_turns_give_way_under_the_ceiling_and_the_summary_never_does():
    arm = prompt(pins=True, ceiling=Ceiling(chars=600))
    handoff = assemble("s" * 100, arm, SESSION)
    assert handoff.text.startswith("s" * 100 + "\n\n")
    assert "Use port 8443." in handoff.text
    assert "[message 2 of the user, 400 characters, is left out for its size]" in handoff.text
    assert "xxxx" not in handoff.text
    assert (handoff.trimmed_turns, handoff.pins, handoff.over_ceiling) == (1, 2, False)
    assert len(handoff.text) <= 600
    large = assemble("s" * 700, arm, SESSION)
    assert large.over_ceiling
    assert "s" * 700 in large.text


def test_the_ceiling_follows_the_next_window():
    arm = prompt(ceiling=Ceiling(fraction=0.5, cap_tokens=1000))
    assert assemble("x", arm, SESSION, window=1000).ceiling_chars == 2000  # 1000 x 0.5 x 4
    assert assemble("x", arm, SESSION, window=9000).ceiling_chars == 4000  # the cap
    assert assemble("x", prompt(), SESSION).ceiling_chars == 400_000


def test_without_a_reply_the_pins_still_stand():
    handoff = assemble(None, prompt(pins=True), SESSION)
    assert "Use port 8443." in handoff.text
    assert (handoff.summary_chars, handoff.parts_failed) == (None, "summary")


def test_a_reply_that_was_all_scratchpad_leaves_an_empty_summary():
    handoff = assemble("<analysis>hm</analysis>", prompt(), SESSION)
    assert (handoff.text, handoff.summary_chars, handoff.analysis_chars) == ("", 0, 2)


def test_a_part_that_fails_costs_the_others_nothing(monkeypatch):
    def broken(_turns):
        raise RuntimeError("no fence\x1b")

    monkeypatch.setattr("bench.handoff.assemble.render_pins", broken)
    handoff = assemble("The port.", prompt(pins=True), SESSION, lineage=Lineage(session="ab", n=1))
    assert handoff.text.endswith("The port.")
    assert handoff.parts_failed == "pins"
    assert handoff.failures[0].reason == r"RuntimeError: no fence\x1b"
    assert (handoff.pins, handoff.pinned_chars) == (None, None)


def test_a_part_that_is_not_built_yet_is_named_on_the_row():
    handoff = assemble("The port.", prompt(parts=("ledger", "summary", "state")), SESSION)
    assert (handoff.text, handoff.parts_failed) == ("The port.", "ledger,state")


def test_sizes_are_columns_of_the_row():
    sizes = assemble("The port.", prompt(pins=True), SESSION).sizes()
    assert set(sizes) <= set(OutputRow.__struct_fields__)
    assert sizes["handoff_tokens"] == -(-sizes["handoff_chars"] // 4)


@settings(max_examples=80, deadline=None)
@given(st.text(max_size=60), st.lists(st.text(max_size=80), max_size=5), st.integers(1, 900))
def test_a_handoff_is_within_its_ceiling_or_says_that_it_is_not(reply, turns, chars):
    arm = prompt(pins=True, ceiling=Ceiling(chars=chars))
    handoff = assemble(reply, arm, transcript(*map(user, turns)))
    assert handoff.over_ceiling == (len(handoff.text) > chars)
    assert handoff.summary in handoff.text
    assert handoff.parts_failed is None
