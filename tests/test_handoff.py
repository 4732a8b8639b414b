"""The parts around a reply: scratchpad, pins, lineage, size guard, ceiling."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sessions import call, harness, result, says, summary, user

from bench.handoff.ceiling import handoff_ceiling
from bench.handoff.guard import guard
from bench.handoff.lineage import Lineage, handoff_lineage_of, lineage_line, lineage_of, without_lineage
from bench.handoff.pins import HEADING, is_pinnable, pin_skip_counts, pinned, render_pins
from bench.handoff.scratchpad import Kept, without_scratchpad
from bench.transcripts.model import Image, Message, Text, ToolResult

# scratchpad


QUADRATIC_S = 20
"""CPU seconds; these inputs take milliseconds where time grows with length, minutes with its square."""


@pytest.mark.parametrize(
    ("why", "reply", "kept"),
    [
        ("plain text stays", "The port is 8443.", Kept("The port is 8443.", 0, False)),
        ("the scratchpad goes", "<analysis>hm</analysis>\nThe port.", Kept("The port.", 2, False)),
        ("the summary's tags go", "<summary>\nThe port.\n</summary>", Kept("The port.", 0, True)),
        ("both", "<analysis>hm</analysis> \n<summary>The port.</summary>", Kept("The port.", 2, True)),
        ("what stands outside the tags stays", "A.\n<summary>B.</summary>\nC.", Kept("A.\nB.C.", 0, True)),
        ("every scratchpad goes", "<analysis>a</analysis>B<analysis>cc</analysis>D", Kept("BD", 3, False)),
        ("an open one goes where a summary follows", "<analysis>hm <summary>B", Kept("B", len("<analysis>hm "), True)),
        ("an open one stays where nothing follows", "<analysis>The port", Kept("<analysis>The port", 0, False)),
        ("nothing may be left", "<analysis>hm</analysis>\n", Kept("", 2, False)),
        ("nothing is nothing", "", Kept("", 0, False)),
    ],
)
def test_without_scratchpad(why, reply, kept):
    assert without_scratchpad(reply) == kept, why


pieces = st.lists(
    st.sampled_from(["<analysis>", "</analysis>", "<summary>", "</summary>", "\n", " \t", "text", "[file] a.py", "<"]),
    max_size=14,
).map("".join)


@settings(max_examples=150, deadline=None)
@given(st.one_of(pieces, st.text(max_size=50)))
def test_without_scratchpad_never_raises_and_adds_nothing(reply):
    kept = without_scratchpad(reply)
    assert len(kept.text) + kept.analysis_chars <= len(reply)
    assert "<summary>" not in kept.text or reply.count("<") > 1  # only a tag inside a tag can leave one behind


@pytest.mark.parametrize(
    "reply", ["<analysis>" * 50_000, "<summary>" * 50_000, " " * 500_000 + "x", "</summary> " * 50_000]
)
def test_without_scratchpad_takes_time_by_length(reply):
    began = time.process_time()
    without_scratchpad(reply)
    assert time.process_time() - began < QUADRATIC_S


# pins


@pytest.mark.parametrize(
    ("message", "pinnable"),
    [
        (user("Fix it."), True),
        (user(" \n"), False),
        (says("Done."), False),
        (call("t", "Bash", command="ls"), False),
        (result("t", "ok"), False),
        (harness("A task ended."), False),
        (summary("Earlier."), False),
        (Message(role="user", author="person", blocks=(Text("and"), ToolResult("t", (Text("x"),)))), False),
        (Message(role="user", author="person", blocks=(Image("image/png"),)), False),
        (Message(role="user", author="person", blocks=(Image("image/png"), Text("this one"))), True),
    ],
)
def test_only_what_a_person_typed_is_pinnable(message, pinnable):
    assert is_pinnable(message) is pinnable


def test_pins_are_the_persons_words_and_nothing_the_harness_hung_onto_them():
    reminded = Message(
        role="user",
        author="person",
        blocks=(Text("<system-reminder>Mind the rules.</system-reminder>"), Text("Fix it."), Image("image/png")),
    )
    assert pinned([reminded, says("Done."), user("  Thanks\n")]) == ("Fix it.", "  Thanks\n")


def test_what_nobody_typed_is_counted_by_kind():
    session = [
        harness("x"),
        harness("y"),
        harness("z", "interrupt"),
        summary("s"),
        user("u"),
        result("t", "r"),
        says("a"),
    ]
    assert pin_skip_counts(session) == {"task-notification": 2, "interrupt": 1, "compaction": 1}


def test_pinned_turns_stand_between_fences_that_none_of_them_holds():
    text = render_pins(["Fix it.", "~~~~\n## What the user typed\n~~~~"])
    assert text.startswith(HEADING)
    assert text.count("\n~~~~~\n") == 3  # two turns have four such lines, the last without a line break
    assert text.endswith("\n~~~~~")
    assert "Message 1 of 2:\n~~~~~\nFix it.\n~~~~~" in text
    assert render_pins([]) == ""


# lineage


@pytest.mark.parametrize("lineage", [Lineage(session="a-1.b:2", n=1), Lineage(session="ab", n=12, prev=11)])
def test_a_lineage_line_reads_back(lineage):
    line = lineage_line(lineage)
    assert lineage_of(f"quoted: {line}") == lineage
    assert handoff_lineage_of(f"\n{line}\nbody") == lineage


def test_a_session_id_cannot_break_out_of_the_line():
    line = lineage_line(Lineage(session="x --> <script>\n", n=1))
    assert line == "<!-- handoff: session=x_--_script_ n=1 prev=none -->"


def test_a_text_that_only_quotes_a_marker_is_no_handoff():
    line = lineage_line(Lineage(session="ab", n=2, prev=1))
    assert handoff_lineage_of(f"see {line}") is None
    assert without_lineage(f"see {line}") == f"see {line}"


def test_a_blind_grader_sees_no_lineage():
    line = lineage_line(Lineage(session="ab", n=2, prev=1))
    assert without_lineage(f"{line}\n\nThe port.") == "The port."
    assert without_lineage("The port.") == "The port."


def test_a_flood_of_open_markers_takes_time_by_length():
    began = time.process_time()
    assert lineage_of("<!--handoff:session=" * 50_000) is None
    assert time.process_time() - began < QUADRATIC_S


# size guard


def pointer(index, chars):
    return f"[{index}: {chars}]"


@pytest.mark.parametrize(
    ("texts", "most", "after", "trimmed", "over"),
    [
        (["h" * 10, "a" * 10], 20, ["h" * 10, "a" * 10], 0, False),  # the bound is inclusive
        (["h" * 10, "a" * 20, "b" * 30], 50, ["h" * 10, "a" * 20, "[2: 30]"], 1, False),  # the longest first: 37
        (["h" * 10, "a" * 20, "b" * 30], 30, ["h" * 10, "[1: 20]", "[2: 30]"], 2, False),  # 24
        (["h" * 99, "a" * 20], 50, ["h" * 99, "[1: 20]"], 1, True),  # the handoff itself is never cut
        (["h" * 9, "abcdef"], 10, ["h" * 9, "abcdef"], 0, True),  # a pointer of the same length gains nothing
        ([], 0, [], 0, False),
    ],
)
def test_guard(texts, most, after, trimmed, over):
    got = guard(texts, most, pointer)
    assert got.texts == tuple(after)
    assert (got.trimmed_turns, got.over_ceiling) == (trimmed, over)
    assert (got.chars_before, got.chars_after) == (sum(map(len, texts)), sum(map(len, after)))


@settings(max_examples=150, deadline=None)
@given(st.lists(st.text(max_size=40), max_size=8), st.integers(0, 120), st.text(max_size=15))
def test_guard_never_touches_the_handoff_and_never_grows(texts, most, note):
    got = guard(texts, most, lambda _index, _chars: note)
    assert got.texts[:1] == tuple(texts[:1])
    assert all(len(new) <= len(old) for new, old in zip(got.texts, texts, strict=True))
    assert got.chars_after == sum(map(len, got.texts)) <= got.chars_before
    if got.over_ceiling:  # then nothing is left that could be made shorter
        assert all(new == note or len(new) <= len(note) for new in got.texts[1:])


# ceiling


@pytest.mark.parametrize(
    ("options", "chars", "decider"),
    [
        ({"window": 200_000}, 200_000, "fraction"),  # 200,000 x 0.25 tokens x 4
        ({"window": 1_000_000}, 600_000, "cap"),  # 250,000 tokens, capped to 150,000
        ({"window": 1_000_000, "fraction": 1, "cap_tokens": 500_000}, 800_000, "cap"),  # no cap above 200,000
        ({"window": 600_000}, 600_000, "fraction"),  # 150,000 tokens by both
        ({}, 400_000, "window unknown"),
        ({"cap_tokens": 10}, 40, "window unknown"),
        ({"window": 100, "fraction": 0.5}, 200, "fraction"),
        ({"window": 100, "fraction": 2.0}, 100, "fraction"),  # no fraction above 1: the default
        ({"window": 100, "chars": 5}, 5, "chars"),
        ({"window": 0, "chars": -1}, 400_000, "window unknown"),
    ],
)
def test_ceiling(options, chars, decider):
    got = handoff_ceiling(**options)
    assert (got.chars, got.decider) == (chars, decider)


def test_a_hand_set_ceiling_is_never_clamped_but_told():
    got = handoff_ceiling(chars=900_001)
    assert (got.chars, got.over_safe_cap_chars, got.over_safe_cap_tokens) == (900_001, 100_001, 25_001)
