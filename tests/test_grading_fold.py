"""Folding: what a pattern gets to read, and the way back to the words as written."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.grading.fold import fold


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("", ""),
        (" \n\t ", ""),
        ("Redis is OUT", "redis is out"),
        ("Straße", "strasse"),
        ("  two\n\n words\t here ", "two words here"),
        ("see `src/app.ts` now", "see src/app.ts now"),
        ("see `RateLimiter`", "see ratelimiter"),
        ("set to \"42\" or '4.5'", "set to 42 or 4.5"),
        ('in "src/app.ts"', "in src/app.ts"),
        ("in '.env'", "in .env"),
        ("“src/a.py”", "src/a.py"),
        # quotes stay around words, phrases and keys of JSON
        ('"strict": true', '"strict": true'),
        ('the "rate limit exceeded" error', 'the "rate limit exceeded" error'),
        ("don’t", "don't"),
        ("the users' data and admins' files", "the users' data and admins' files"),
        ("**not** use *Redis*, ***ever***", "not use redis, ever"),
        ("2 * 3 * 4", "2 * 3 * 4"),
        ("src/**/*.ts and **/*.js", "src/**/*.ts and **/*.js"),
        ("def f(*args, **kwargs)", "def f(*args, **kwargs)"),
        ("rate\u2011limit 3\u20135", "rate-limit 3-5"),
        ("zero\u200bwidth\u00ad", "zerowidth"),
        ("lone \ud800 half", "lone ? half"),
    ],
)
def test_a_pattern_reads(written, read):
    assert fold(written).data.decode() == read


def read_lines(text):
    folded = fold(text)
    return [folded.data[a:b].decode() for a, b in folded.lines]


def test_lines_are_kept_as_spans_although_breaks_read_as_spaces():
    assert read_lines("# Plan\n\n- use\n  Postgres\r\n- no Redis\n") == ["# plan", "- use", "postgres", "- no redis"]


@pytest.mark.parametrize(
    ("text", "anew"),
    [
        ("do not\nuse redis", []),  # wrapped prose
        ("do not\n\nuse redis", ["use redis"]),
        ("do not\n- use redis", ["- use redis"]),
        ("do not\n12. use redis", ["12. use redis"]),
        ("# Not done\nuse redis", ["use redis"]),
        ("| no | yes |\n| redis | pg |", ["| redis | pg |"]),
        ("-5 degrees\n-6 degrees", []),
    ],
)
def test_a_line_begins_anew(text, anew):
    folded = fold(text)
    assert [folded.data[a:b].decode() for a, b in folded.lines if a in folded.blocks] == anew


def test_evidence_is_verbatim():
    source = "They said:  **`Redis`**\nis  “src/Straße.ts”."
    folded = fold(source)
    at = folded.data.index(b"redis")
    assert folded.quote(at, at + 5) == "Redis"
    assert folded.quote(0, len(folded.data)) == source
    end = folded.data.index(b".ts") + 3
    assert folded.quote(at, end) == "Redis`**\nis  “src/Straße.ts"
    assert folded.quote(at, at) == ""


@settings(max_examples=200, deadline=None)
@given(
    st.text(alphabet=st.sampled_from(list("aB ß\n\t`'\"*-#İé漢🎉/.1\u200b\u2019\ud800\x00ﬁ")), max_size=60) | st.text()
)
def test_every_folded_byte_points_at_the_character_that_it_comes_from(text):
    folded = fold(text)
    origins = [folded.origin(i) for i in range(len(folded.data))]
    assert origins == sorted(origins), "the way back keeps the order"
    for at, origin in enumerate(origins):
        byte = folded.data[at : at + 1]
        alone = fold(text[origin]).data
        # a space stands for a run of white space, which may begin with a left-out character
        assert byte == b" " or byte in alone or not text[origin].isalnum()
    assert all(folded.quote(a, b) in text for a, b in folded.lines)
    assert b"  " not in folded.data
