"""Words that a pattern needs: never one that a match could do without."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.grading.fold import fold
from bench.grading.hits import Hits
from bench.grading.needles import needles
from bench.grading.patterns import compile_pattern


@pytest.mark.parametrize(
    ("pattern", "words"),
    [
        ("redis", ["redis"]),
        ("Redis", ["redis"]),
        (r"\bredis\b", ["redis"]),
        ("use redis for the", ["use redis for the"]),
        ("rule[sd]? out", ["rule"]),
        ("not (use|want)", ["not "]),
        ("(use|want) it", ["use", "want"]),  # as long as ' it'; the first of equals
        ("x(chosen|added)", ["chosen", "added"]),
        ("redis|postgres", ["redis", "postgres"]),
        (r"src/limit\.ts", ["src/limit.ts"]),
        ("colou?r", ["colo"]),
        ("ab+cd", ["ab"]),
        ("ab*cd", ["cd"]),
        ("ab{2,3}cd", ["ab"]),
        ("ab{0,3}cd", ["cd"]),
        ("a{b", ["a{b"]),
        ("(redis)?", []),
        ("(redis)? out", [" out"]),
        ("(redis)+x", ["redis"]),
        ("(?:redis)", ["redis"]),
        ("(?P<store>redis)", ["redis"]),
        ("redis|", []),
        ("(redis|.)", []),
        ("[redis]+", []),
        ("[]x]redis", ["redis"]),
        ("[[:alpha:]]redis", ["redis"]),
        (r"\pLredis", ["redis"]),
        (r"\p{Greek}redis", ["redis"]),
        ("größe", ["gr"]),
        # syntax that is not read: nothing is known
        ("(?i)redis", []),
        ("(?i:redis)", []),
        (r"\Qredis\E", []),
        (r"\x41redis", []),
        (".*", []),
        ("a", []),
        ("|".join(f"word{i}" for i in range(30)), []),
    ],
)
def test_a_pattern_needs(pattern, words):
    assert needles(pattern) == tuple(w.encode() for w in words)


PIECES = st.sampled_from(
    ["redis", "out", "a", "b", " ", r"\b", r"\.", "x?", "y*", "z+", "w{2}", "v{0,1}", "[abc]", ".", "(ab|cd)", "(use)?"]
)
PATTERN = st.lists(PIECES, min_size=1, max_size=6).map("".join)
PATTERNS = st.lists(PATTERN, min_size=1, max_size=3).map("|".join)


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_no_match_is_lost_for_want_of_a_word(data):
    source = data.draw(PATTERNS)
    text = data.draw(st.text(alphabet="ab .", max_size=8) | st.from_regex(source))
    folded = fold(text).data
    if compile_pattern_or_none(source) and next(compile_pattern(source).spans(folded), None):
        assert Hits(folded).places(compile_pattern(source))


def compile_pattern_or_none(source):
    try:
        return compile_pattern(source)
    except ValueError:
        return None
