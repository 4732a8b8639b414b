"""Window readings: how full the window is on each turn, and what a compaction left in it."""

from msgspec.structs import replace
from sessions import call, compacted, harness, result, says, summary, transcript, user

from bench.handoff.lineage import Lineage, lineage_line
from bench.handoff.openers import Opener, openers_in, prior_handoff_in
from bench.handoff.window import reading, readings, weights
from bench.transcripts.model import Compaction, Usage

HANDOFF = lineage_line(Lineage(session="s", n=3, prev=2)) + "\nThe port is 8443."
CONTINUED = "This session is being continued from a previous conversation. The port is 8443."


def used(message, prompt, output=10):
    """The message with usage: `prompt` tokens were sent, all but one of them read from or written to the cache."""
    return replace(
        message, usage=Usage(input=1, cache_read=prompt - 3, cache_write_5m=1, cache_write_1h=1, output=output)
    )


SESSION = transcript(
    user("Start."),
    used(call("t1", "Bash", command="ls"), 1000),
    result("t1", "a"),
    used(says("One."), 1300),
    user("Go on."),
    used(says("Two."), 1500),
    summary(CONTINUED),
    used(says("Three."), 1800),
    user("And?"),
    used(says("Four."), 1900),
    compactions=[compacted(6, CONTINUED, summary_at=6)],
)


def test_openers_are_handoffs_and_the_harness_s_own_summaries():
    messages = [says(HANDOFF), user(f"I read:\n{HANDOFF}"), harness(CONTINUED), says("ok"), result("t", HANDOFF)]
    assert openers_in(messages) == (
        Opener(kind="handoff", index=0, n=3, chars=len(HANDOFF)),
        Opener(kind="stock", index=2, n=2, chars=len(CONTINUED)),
    )
    assert prior_handoff_in(messages).index == 0  # a handoff that is only quoted is none
    assert prior_handoff_in(messages[1:]) is None


def test_a_turn_is_read_at_its_end_and_counted_anew_in_each_window():
    got = readings(SESSION, 10_000)
    assert [(r.phase, r.turn, r.at, r.first_prompt, r.tokens) for r in got] == [
        ("fresh", 1, 0, 1000, 1310),  # the last answer's prompt and the answer
        ("fresh", 2, 4, 1500, 1510),
        ("stock-compact", 1, 6, 1800, 1810),  # the model went on before anyone typed
        ("stock-compact", 2, 8, 1900, 1910),
    ]
    assert [(r.percent, r.messages, r.answers) for r in got] == [(13.1, 4, 2), (15.1, 6, 1), (18.1, 2, 1), (19.1, 4, 1)]
    chars = len(CONTINUED)
    assert (got[2].handoff_chars, got[2].handoff_tokens, got[2].handoff_percent) == (chars, 20, 0.2)


def test_a_compaction_weighs_its_first_prompt_less_the_floor():
    (weight,) = weights(readings(SESSION))
    assert (weight.first_prompt, weight.floor, weight.tokens, weight.answers) == (1800, 1000, 800, 2)


def test_a_summary_beside_the_conversation_opens_a_window_too():
    session = transcript(
        user("a"), used(says("b"), 10), user("c"), used(says("d"), 20), compactions=[compacted(2, "sum")]
    )
    assert [(r.phase, r.handoff_chars) for r in readings(session)] == [("fresh", None), ("stock-compact", 3)]


def test_a_compaction_whose_summary_is_nowhere_opens_a_window_of_unknown_text():
    session = transcript(user("go"), says("done"), user("on"), says("yes"), compactions=[Compaction(at=2)])
    found = readings(session)
    assert [(r.phase, r.compaction, r.handoff_chars, r.handoff_tokens) for r in found] == [
        ("fresh", 0, None, None),
        ("stock-compact", 1, None, None),
    ]


def test_a_file_without_usage_has_turns_and_no_tokens():
    (got,) = readings(transcript(user("a"), says("b")), 1000)
    assert (got.tokens, got.percent, got.first_prompt, got.answers) == (None, None, None, None)
    assert readings(transcript(user("a"))) == ()


def test_a_session_that_nobody_answered_has_no_turn_and_weighs_nothing():
    found = readings(transcript(user("are you there?")))
    assert (found, weights(found)) == ((), ())


def test_a_share_is_rounded_half_up_and_a_harness_s_own_is_the_fallback():
    assert reading(turn=1, messages=1, opener=None, tokens=1005, window=200_000).percent == 0.5  # 0.5025
    assert reading(turn=1, messages=1, opener=None, tokens=100, window=80_000).percent == 0.1  # 0.125 %
    assert reading(turn=1, messages=1, opener=None, tokens=700, window=200_000).percent == 0.4  # 0.35 %
    assert reading(turn=1, messages=1, opener=None, tokens=1, percent=12).percent == 12
    assert reading(turn=1, messages=1, opener=None, tokens=1, window=0).percent is None
