"""A pattern set must match inside one passage: a line, or 400 characters around a hit."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.grading import passages
from bench.grading.negation import Reading
from bench.grading.passages import WINDOW, Passages
from bench.grading.patterns import PatternError, compile_pattern


def evidence(text, *groups):
    """The words from the first to the last hit of the set, or None."""
    reading = Reading(text)
    span = Passages(reading).find([[compile_pattern(p) for p in (g if isinstance(g, tuple) else (g,))] for g in groups])
    return None if span is None else reading.folded.quote(*span)


FAR = "filler words stand here. " * 20  # 500 characters
BULLETS = "- **Store**\n  - considered `Redis`\n  - the user\n    ruled it out\n"
WRAPPED = "the user said that Redis was ruled\nout for the rate limiter"


@pytest.mark.parametrize(
    ("text", "groups", "found"),
    [
        ("Redis was ruled out", ["redis", "ruled out"], "Redis was ruled out"),
        ("ruled out: Redis", ["redis", ("reject", "ruled out")], "ruled out: Redis"),
        ("Redis is here", ["redis", ("reject", "ruled out")], None),
        (BULLETS, ["redis", "ruled it out"], "Redis`\n  - the user\n    ruled it out"),
        (WRAPPED, ["redis", "ruled out"], "Redis was ruled\nout"),
        # the tightest line wins over an earlier window
        (f"Redis first\nthen text\nRedis was rejected\n{FAR}", ["redis", "reject"], "Redis was reject"),
        (f"Redis\n{FAR}\nrejected", ["redis", "reject"], None),
        (f"Redis {FAR} rejected", ["redis", "reject"], f"Redis {FAR} reject"),  # one line is one passage
        # '.*' ends with the passage; '^' is its beginning, '$' its end
        (f"use it\n{FAR}\nof redis", ["use.*redis"], None),
        (f"use it\n{FAR}\nnow use the redis", ["use.*redis"], "use the redis"),
        (f"{FAR}\nredis: no", ["^redis"], "redis"),
        (f"{FAR}\nit is redis\nmore", ["redis$"], "redis"),
        ("", ["redis"], None),
        # a window is cut back to whole words: 'dis' is no word of its own
        ("", [r"\bdis"], None),
    ],
)
def test_a_set_matches_inside_one_passage(text, groups, found):
    assert evidence(text, *groups) == found


@pytest.mark.parametrize("filler", ["x", "漢"])
@pytest.mark.parametrize(("after_middle", "found"), [(150, True), (200, True), (202, False)])
def test_a_window_reaches_200_characters_to_either_side_of_a_hit(filler, after_middle, found):
    """The middle of 'redis' is before its third letter; 'reject' ends `after_middle` characters behind it.

    Around 'reject', whose middle is 3 before its end, it is 1 less: 202 - 3 + 2 = 201 to the beginning of 'redis'.
    """
    assert WINDOW == 400
    text = "redis\n" + filler * (after_middle - len("dis\n") - len("\nreject")) + "\nreject"
    assert text.index("reject") + len("reject") - 2 == after_middle
    assert (evidence(text, "redis", "reject") is not None) is found


def test_a_window_does_not_begin_inside_a_word():
    text = f"{'predis' * 40} {'y' * 150}\nreject"  # the window around 'reject' cuts the long word
    assert evidence(text, r"\bredis", "reject") is None


def test_more_mentions_far_away_lose_nothing():
    """`c` is the rarest until more of it stands elsewhere; the window around it is still tried."""
    near = f"alpha\n{'x' * 170}\ncharlie\n{'y' * 170}\nbravo"
    groups = ["alpha", "bravo", "charlie"]
    assert evidence(near, *groups)
    assert evidence(f"{near}\n\n{FAR}\ncharlie\n{FAR}\ncharlie\n", *groups)


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("(redis", "does not compile: missing )"),
        ("(?=redis)", "does not compile: invalid perl operator"),
        ("re\bdis", "control character"),
        ("x*", "matches the empty string"),
        ("redis|", "matches the empty string"),
        ("", "matches the empty string"),
    ],
)
def test_a_pattern_is_refused(source, reason):
    with pytest.raises(PatternError, match=reason.replace("(", r"\(").replace(")", r"\)")):
        compile_pattern(source)


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("Redis", "redis"),  # capitals are not silently dead
        ("`redis`", "use `Redis` now"),
        ("`?redis`?", "use Redis now"),
        ("['\"`]?fast['\"`]?", "the `fast` path"),
        ("don’t", "don't"),
        ("rate‑limit", "rate\u2011limit"),
        ("größe", "GRÖSSE"),
        ("a[b–]c", "a-c"),
    ],
)
def test_a_pattern_reads_the_folded_text(source, text):
    assert evidence(text, source)


def found_by_trying_everything(text, groups):
    """The rule itself: every line, then the window around every hit of every pattern."""
    reading = Reading(text)
    hits = [hit for group in groups for p in group for hit in p.spans(reading.data)]
    windows = [window for hit in hits for window in passages._around(reading.data, hit)]
    return any(
        passages._in_passage(reading, passage, groups, alone=False) for passage in (*reading.folded.lines, *windows)
    )


PIECES = ["ab", "cd", r"\bab", "b.*c", "(ab|ef)", "e?f", r"ef\b", "not ab", "c[de]", "^ab", "ef$", "a|cd"]
TEXT = st.lists(st.sampled_from(["ab", "cd", "ef", " ", "\n", ".", "not ", "é"]), max_size=24).map("".join)


@settings(max_examples=300, deadline=None)
@given(TEXT, st.lists(st.lists(st.sampled_from(PIECES), min_size=1, max_size=2), min_size=1, max_size=3))
def test_the_short_cuts_lose_nothing(text, sources):
    groups = [[compile_pattern(s) for s in group] for group in sources]
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(passages, "WINDOW", 12)
        patched.setattr(passages, "STEP", 6)
        patched.setattr(passages, "NEAR", 48)
        patched.setattr("bench.grading.hits.NEAR", 48)
        found = Passages(Reading(text)).find(groups) is not None
        assert found >= found_by_trying_everything(text, groups)
        edges = any(p.at_edge for group in groups for p in group)
        assert edges or found == found_by_trying_everything(text, groups)
