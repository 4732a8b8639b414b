"""A handoff as the next window receives it: order, sizes, and parts that fail alone."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sessions import call, compacted, harness, result, says, transcript, user

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
    handoff = assemble("The port.", prompt(parts=("commitments", "summary")), SESSION)
    assert (handoff.text, handoff.parts_failed) == ("The port.", "commitments")


WORKED = transcript(
    user("Use port 8443."),
    call("t1", "Read", file_path="/app/a.py"),
    result("t1", "     1→port = 80"),
    call("t2", "Edit", file_path="/app/a.py", old_string="80", new_string="8443"),
    result("t2", "done"),
    says("Done."),
)
ASKS = "The port.\n<restore-files>\n/app/a.py | all | changed\n/app/b.py | all | x\n</restore-files>"


def test_parts_stand_in_the_arms_order_then_restored_files_then_pins():
    arm = prompt(parts=("state", "summary", "ledger"), pins=True, restore=True)
    handoff = assemble(ASKS, arm, WORKED)
    assert [name for name, _ in handoff.parts] == ["state", "summary", "ledger", "restored", "pins"]
    assert handoff.text == "\n\n".join(text for _, text in handoff.parts)
    assert handoff.summary == "The port."  # the request is none of the summary
    assert "     1\tport = 8443" in handoff.text  # as it was left, not as it was read
    sizes = handoff.sizes()
    assert (sizes["restore_source"], sizes["restored_files"]) == ("model", 1)
    assert [sizes[f"{part}_chars"] for part in ("state", "summary", "ledger", "restored", "pinned")] == [
        len(text) for _, text in handoff.parts
    ]
    assert [row.name for row in handoff.rows] == ["Read", "Edit"]
    assert [(r.path, r.why) for r in handoff.restores.refused] == [("/app/b.py", "not touched")]
    assert handoff.parts_failed is None


def test_sizes_of_what_the_arm_does_not_have_do_not_apply():
    sizes = assemble(ASKS, prompt(), WORKED).sizes()
    assert [
        sizes[k] for k in ("ledger_chars", "state_chars", "restored_chars", "restore_source", "restored_files")
    ] == [None] * 5


def test_an_arm_without_a_model_gets_the_same_parts_and_the_files_touched_last():
    arm = Arm(label="mine", settings=ArmFile(kind="tail", parts=("summary", "ledger"), restore=True))
    handoff = assemble(ASKS, arm, WORKED)
    assert handoff.summary == ASKS  # a request in it is quoted: no model was asked for one
    assert "## What the tools did" in handoff.text
    assert (handoff.restores.source, handoff.restores.count) == ("recency", 1)


def test_a_session_without_calls_has_an_empty_ledger_of_zero_characters():
    handoff = assemble("The port.", prompt(parts=("summary", "ledger"), restore=True), SESSION)
    assert (handoff.ledger_chars, handoff.restored_chars, handoff.restores.source) == (0, 0, "none")
    assert handoff.text == "The port."


def test_the_ledger_holds_the_calls_since_the_last_compaction_and_what_it_kept():
    calls = [m for n in range(3) for m in (call(f"t{n}", "Bash", command=f"make {n}"), result(f"t{n}", "ok"))]
    session = transcript(*calls, compactions=[compacted(4, "sum", preserved=(2, 3))])
    handoff = assemble("x", prompt(parts=("ledger",)), session)
    assert [row.target for row in handoff.rows] == ["make 1", "make 2"]


def test_restored_files_share_what_pins_leave_under_the_ceiling():
    session = transcript(*WORKED.messages, user("x" * 500))
    whole = assemble(ASKS, prompt(pins=True, restore=True), session)
    small = prompt(pins=True, restore=True, ceiling=Ceiling(chars=len(whole.text) - 1))
    tight = assemble(ASKS, small, session)
    assert not tight.over_ceiling
    assert tight.restores.files[0].came == "no room"
    assert tight.restored_chars == 0
    assert "x" * 500 in tight.text


def test_sizes_are_columns_of_the_row():
    sizes = assemble("The port.", prompt(pins=True), SESSION).sizes()
    assert set(sizes) <= set(OutputRow.__struct_fields__)
    assert sizes["handoff_tokens"] == -(-sizes["handoff_chars"] // 4)


@settings(max_examples=80, deadline=None)
@given(st.text(max_size=60), st.lists(st.text(max_size=80), max_size=5), st.integers(1, 900), st.booleans())
def test_a_handoff_is_within_its_ceiling_or_says_that_it_is_not(reply, turns, chars, restore):
    arm = prompt(pins=True, restore=restore, ceiling=Ceiling(chars=chars))
    handoff = assemble(reply, arm, transcript(*WORKED.messages, *map(user, turns)))
    assert handoff.over_ceiling == (len(handoff.text) > chars)
    assert handoff.summary in handoff.text
    assert handoff.parts_failed is None
    if handoff.over_ceiling:
        assert not handoff.restored_chars  # restored files are the first to stay away


NAMES = (
    "command", "cmd", "commands", "file_path", "path", "content", "old_string", "new_string", "edits", "todos",
    "status", "taskId", "subject", "offset", "input", "replace_all",
)  # fmt: skip
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 10**12) | st.text("a/.`|$(\n", max_size=12),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=3),
    max_leaves=8,
)
TOOLS = ("Bash", "Read", "Edit", "Write", "MultiEdit", "TodoWrite", "TaskCreate", "TaskUpdate", "apply_patch", "x")


@settings(max_examples=150, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(TOOLS),
            st.dictionaries(st.sampled_from(NAMES), JSON, max_size=4),
            st.none() | st.text("1\t→\n<x", max_size=20),
            st.booleans(),
        ),
        max_size=6,
    )
)
def test_no_tool_call_however_odd_costs_a_part(calls):
    messages = []
    for i, (name, arguments, output, failed) in enumerate(calls):
        messages.append(call(f"t{i}", name, **arguments))
        if output is not None:
            messages.append(result(f"t{i}", output, failed))
    arm = prompt(parts=("ledger", "state"), restore=True)
    assert assemble("x", arm, transcript(*messages)).failures == ()
