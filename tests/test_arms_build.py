"""Arms that need no model: the transcript itself, its newest end, an extract of it, a replayed text."""

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sessions import call, compacted, fixture, harness, result, says, summary, transcript, user

from bench.arms.build import build
from bench.arms.extract import extract_text
from bench.arms.model import Arm, ArmFile, ExtractSpec, ReplaySpec, TailSpec, WindowSpec
from bench.arms.newest import TAIL_NOTE, full_text, tail_text, window_text
from bench.arms.units import UNIT_CHARS, terms_of, units_of
from bench.errors import BenchError
from bench.text import estimate_tokens

SESSION = transcript(
    user("Add a rate limiter to api/server.py. Never use Redis: we run none in production."),
    says("I will read the server first."),
    call("t1", "Read", file_path="api/server.py"),
    result("t1", "\n".join(f"line {i} of the server" for i in range(200))),
    user("The limit is 120 requests a minute, not 60."),
    call("t2", "Bash", command="pytest -q tests/test_limit.py"),
    result("t2", "collected 3 items\nE   AssertionError: 61 requests passed\n1 failed, 2 passed in 0.31s"),
    says("One test fails: 61 requests passed. I will fix the off-by-one next."),
)


def arm(kind, label="mine", **table):
    return Arm(label=label, settings=ArmFile(kind=kind, **table))


def test_full_is_the_transcript_uncut(tmp_path):
    text = build(arm("full"), fixture(tmp_path, SESSION)).text
    for message in SESSION.messages:
        for line in message.text.splitlines():
            assert line in text


def test_nothing_is_empty_and_counts_as_a_handoff(tmp_path):
    built = build(arm("nothing"), fixture(tmp_path, SESSION))
    assert (built.text, built.outcome) == ("", "handoff")


def test_a_window_is_whole_newest_messages(tmp_path):
    text = build(arm("window", window=WindowSpec(80)), fixture(tmp_path, SESSION)).text
    assert text.startswith("User:\nThe limit is 120 requests a minute")
    assert "line 199" not in text
    assert text.rstrip().endswith("off-by-one next.")


def test_a_window_keeps_the_newest_message_whatever_it_takes():
    assert "off-by-one" in window_text(SESSION, WindowSpec(1))


def test_a_window_of_all_is_the_whole_transcript():
    assert window_text(SESSION, WindowSpec(100_000)) == full_text(SESSION)


COMPACTED = transcript(
    user("oldest " * 50),
    user("preserved"),
    user("dropped " * 50),
    summary("What came before, in short."),
    user("after"),
    compactions=[compacted(3, "What came before, in short.", summary_at=3, preserved=(1,))],
)


@pytest.mark.parametrize("rule", ["exact", "seed"])
def test_a_window_holds_a_compactions_summary_what_it_kept_and_all_after(rule):
    text = window_text(COMPACTED, WindowSpec(10_000, rule))
    parts = ["Summary of what came before:\nWhat came before, in short.", "User:\npreserved", "User:\nafter"]
    assert text == "\n\n".join(parts) + "\n"


def test_a_window_too_small_for_what_was_kept_has_the_summary_alone():
    # "User:\npreserved" does not fit beside the summary and what came after
    assert "preserved" not in (text := window_text(COMPACTED, WindowSpec(22)))
    assert "in short" in text
    assert "in short" not in window_text(COMPACTED, WindowSpec(5))


def test_a_summary_without_a_message_of_its_own_is_in_the_window():
    session = transcript(user("old"), user("new"), compactions=[compacted(1, "In short.")])
    assert window_text(session, WindowSpec(100)) == "Summary of what came before:\nIn short.\n\nUser:\nnew\n"


words = st.text(alphabet="ab .\n✓", max_size=60)
messages = st.lists(
    st.one_of(
        words.map(user), words.map(says), words.map(lambda t: result("t", t)), st.just(call("t", "LongToolName", a="b"))
    ),
    min_size=1,
    max_size=12,
)


@settings(max_examples=80, deadline=None)
@given(messages, st.integers(1, 60))
def test_a_window_is_within_its_budget_or_one_message(session, budget):
    text = window_text(transcript(*session), WindowSpec(budget))
    alone = window_text(transcript(session[-1]), WindowSpec(1))
    # a result alone cannot name its tool, so its line may be as much longer
    assert estimate_tokens(text) <= max(budget, estimate_tokens(alone) + 2)


@settings(max_examples=80, deadline=None)
@given(messages, st.integers(1, 60))
def test_a_tail_is_the_end_of_the_transcript_at_the_size_asked_for(session, tokens):
    whole = full_text(transcript(*session))
    text = tail_text(transcript(*session), tokens)
    assert estimate_tokens(text) <= tokens
    assert whole.endswith(text.removeprefix(TAIL_NOTE))
    if estimate_tokens(whole) <= tokens:
        assert text == whole


def test_a_tail_begins_at_a_line_and_says_that_more_came_before():
    text = tail_text(SESSION, 100)
    assert text.startswith(TAIL_NOTE)
    assert "\n" + text.removeprefix(TAIL_NOTE).split("\n")[0] + "\n" in full_text(SESSION)
    assert 70 <= estimate_tokens(text) <= 100


def test_a_tail_like_an_arm_takes_the_size_it_is_given(tmp_path):
    like = arm("tail", tail=TailSpec(like="inventory"))
    built = build(like, fixture(tmp_path, SESSION), tail_tokens=50)
    assert built.text == tail_text(SESSION, 50)
    assert build(like, fixture(tmp_path, SESSION), tail_tokens=0).text == ""  # an arm that hands up nothing


def test_a_tail_like_an_arm_without_a_handoff_is_nothing_to_fork(tmp_path):
    built = build(arm("tail", tail=TailSpec(like="inventory")), fixture(tmp_path, SESSION))
    assert built.outcome == "nothing-to-fork"
    assert built.detail == "no handoff of 'inventory' on this fixture to take the size of"


def test_a_replay_is_the_fixtures_text(tmp_path):
    (tmp_path / "replays").mkdir()
    (tmp_path / "replays" / "stock.md").write_text("As the harness had it.\n")
    stock = arm("replay", replay=ReplaySpec("stock"))
    assert build(stock, fixture(tmp_path, SESSION)).text == "As the harness had it."
    (tmp_path / "replays" / "stock.md").write_text(" \n")
    assert (
        build(stock, fixture(tmp_path, SESSION)).detail
        == f"replays/stock.md in {tmp_path.parent.name}/{tmp_path.name} is empty"
    )


def test_a_missing_replay_is_nothing_to_fork(tmp_path):
    built = build(arm("replay", replay=ReplaySpec("stock")), fixture(tmp_path, SESSION))
    assert (built.text, built.outcome) == ("", "nothing-to-fork")
    assert built.detail == f"no replays/stock.md in {tmp_path.parent.name}/{tmp_path.name}"


def test_a_prompt_cannot_be_built_without_a_model(tmp_path):
    with pytest.raises(BenchError, match="'mine' of kind 'prompt' cannot be built"):
        build(arm("prompt"), fixture(tmp_path, SESSION))


# the extract


def test_units_say_who_they_come_from():
    session = transcript(
        user("Fix the build. It broke in v2.1. Really."),
        call("t1", "Bash", command="make\n  all", description="builds"),
        result("t1", "start\nok 1\n\nok 2\nfatal: no rule\nok 3\nok 4\nmake: done now"),
        result("t2", "   12→    raise errors.Fatal  # error\n   13→ x = 1\n   14→ y = 2", is_error=False),
        harness("A task ended."),
        summary("Earlier they chose make."),
    )
    assert [(u.message, u.line) for u in units_of(session.messages)] == [
        (0, "user: Fix the build."),
        (0, "user: It broke in v2.1. Really."),  # a stop after a digit ends nothing
        (1, "ran: Bash make all"),
        (2, "output: ok 1"),  # of the result: the first two lines, the last three, and what tells of a failure
        (2, "error: fatal: no rule"),
        (2, "output: ok 3"),
        (2, "output: ok 4"),
        (2, "output: make: done now"),
        (3, "output: 12→ raise errors.Fatal # error"),  # code that handles errors is no failure
        (3, "output: 13→ x = 1"),
        (3, "output: 14→ y = 2"),
        (4, "note: A task ended."),
        (5, "summary: Earlier they chose make."),
    ]


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("Use api/server.py, not API/Server.py!", ("use", "api/server.py", "not")),
        ("port 8443: 0.31s", ("port", "8443", "0.31s")),
        ("저장소는 main 이다.", ("저장소는", "main", "이다")),
        ("--- ✓ ---", ()),
    ],
)
def test_terms_keep_paths_numbers_and_every_script(text, terms):
    assert terms_of(text) == terms


def test_a_long_sentence_is_split_and_nothing_of_it_is_lost():
    words = [f"word{i}" for i in range(500)]
    units = units_of([user(" ".join(words))])
    assert all(len(u.text) <= UNIT_CHARS for u in units)
    assert "".join(u.text.replace(" ", "") for u in units) == "".join(words)


def test_an_extract_has_the_rule_the_number_and_the_failure():
    text = extract_text(SESSION, 100)
    for words in ("Never use Redis", "120 requests a minute", "61 requests passed", "api/server.py"):
        assert words in text


def test_an_extract_keeps_the_order_of_the_transcript():
    lines = extract_text(SESSION, 100).splitlines()
    order = [u.line for u in units_of(SESSION.messages)]
    assert lines == sorted(lines, key=order.index)


def test_an_extract_with_room_for_all_takes_all():
    assert extract_text(SESSION, 10_000).splitlines() == [u.line for u in units_of(SESSION.messages)]


@settings(max_examples=80, deadline=None)
@given(messages, st.integers(1, 60))
def test_an_extract_is_never_over_its_budget_and_always_the_same(session, tokens):
    text = extract_text(transcript(*session), tokens)
    assert estimate_tokens(text) <= tokens
    assert text == extract_text(transcript(*session), tokens)


def test_an_extract_does_not_depend_on_the_hash_seed():
    code = (
        "import sys; sys.path.insert(0, 'tests'); import test_arms_build as t; "
        "print(t.extract_text(t.SESSION, 60), end='')"
    )
    root = Path(__file__).parent.parent
    runs = {
        subprocess.run(
            [sys.executable, "-c", code], cwd=root, env={"PYTHONHASHSEED": seed}, capture_output=True, check=True
        ).stdout
        for seed in ("1", "2")
    }
    assert runs == {extract_text(SESSION, 60).encode()}


def test_an_extract_arm_builds(tmp_path):
    built = build(arm("extract", extract=ExtractSpec(40)), fixture(tmp_path, SESSION))
    assert built.text == extract_text(SESSION, 40)
    assert built.outcome == "handoff"


@pytest.mark.shared
def test_every_real_session_gives_each_text_within_its_budget(shared):
    from bench import transcripts

    for path in sorted((shared / "transcripts" / "claude-code").glob("*.jsonl")):
        for session in transcripts.read_all(path):
            if session.messages:
                assert estimate_tokens(tail_text(session, 1000)) <= 1000, path.name
                assert estimate_tokens(extract_text(session, 1000)) <= 1000, path.name
                newest = estimate_tokens(window_text(session, WindowSpec(1)))
                assert estimate_tokens(window_text(session, WindowSpec(4000))) <= max(4000, newest), path.name
