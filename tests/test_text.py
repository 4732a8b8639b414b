"""Token estimates, clipping, and text that is safe for a terminal."""

import pytest

from bench.text import clip, count, estimate_tokens, printable


@pytest.mark.parametrize(("text", "tokens"), [("", 0), ("a", 1), ("abcd", 1), ("abcde", 2), ("ä" * 8, 2)])
def test_tokens_are_characters_over_four_rounded_up(text, tokens):
    assert estimate_tokens(text) == tokens


@pytest.mark.parametrize(("text", "chars", "out"), [("abc", 3, "abc"), ("abcd", 3, "ab…"), ("abcd", 0, "…")])
def test_clip_keeps_at_most_that_many_characters(text, chars, out):
    assert clip(text, chars) == out


@pytest.mark.parametrize(
    ("text", "out"),
    [
        ("plain ü → ✓\n\t", "plain ü → ✓\n\t"),
        ("\x1b]0;title\x07", "\\x1b]0;title\\x07"),
        # bidirectional overrides can make a line read as something else
        ("a\u202eb", "a\\u202eb"),
        ("\r", "\\r"),
    ],
)
def test_control_characters_are_shown_not_sent(text, out):
    assert printable(text) == out


@pytest.mark.parametrize(
    ("n", "noun", "plural", "told"),
    [
        (1, "file", None, "1 file"),
        (0, "file", None, "0 files"),
        (1200, "time", None, "1,200 times"),
        (2, "entry", "entries", "2 entries"),
        (1, "entry", "entries", "1 entry"),
    ],
)
def test_a_count_agrees_with_its_noun(n, noun, plural, told):
    assert count(n, noun, plural) == told
