"""JSON Lines as they come from the wild: what is read, and what is said of the rest."""

import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.transcripts import lines
from bench.transcripts.lines import parse_document, read_lines


def read(data: bytes) -> tuple[list[tuple[int, object]], list[tuple[int, str]]]:
    unread: list = []
    found = list(read_lines(io.BytesIO(data), dict, unread))
    return found, [(u.line, u.reason) for u in unread]


@pytest.mark.parametrize(
    ("what", "data", "found"),
    [
        ("a byte-order mark", b'\xef\xbb\xbf{"a":1}\n', [(1, {"a": 1})]),
        ("CR LF", b'{"a":1}\r\n{"b":2}\r\n', [(1, {"a": 1}), (2, {"b": 2})]),
        ("blank lines count but hold nothing", b'\n \n{"a":1}\n\n', [(3, {"a": 1})]),
        ("no newline at the end", b'{"a":1}\n{"b":2}', [(1, {"a": 1}), (2, {"b": 2})]),
        ("two values on one line", b'{"a":1}{"b":2}\n{"c":3}', [(1, {"a": 1}), (1, {"b": 2}), (2, {"c": 3})]),
        ("two values and a gap", b'{"a":1} \t{"b":2}\n', [(1, {"a": 1}), (1, {"b": 2})]),
        ("U+2028 inside a string", '{"a":"x\u2028y"}\n'.encode(), [(1, {"a": "x\u2028y"})]),
        ("U+0085 inside a string", '{"a":"x\u0085y"}\n'.encode(), [(1, {"a": "x\u0085y"})]),
        ("control characters raw in a string, NUL too", b'{"a":"x\0\x1b\ty"}\n', [(1, {"a": "x\0\x1b\ty"})]),
        ("half a character", b'{"a":"x\\ud83d"}\n', [(1, {"a": "x\ufffd"})]),
        ("a whole pair", b'{"a":"\\ud83d\\ude00"}\n', [(1, {"a": "\U0001f600"})]),
        ("a large number", b'{"a":123456789012345678901234567890}\n', [(1, {"a": 123456789012345678901234567890})]),
    ],
)
def test_is_read_whole(what, data, found):
    assert read(data) == (found, []), what


@pytest.mark.parametrize(
    ("data", "found", "unread"),
    [
        (b'{"a":1}\n[1]\n', 1, [(2, "a list, not a JSON object")]),
        (b'{"a":1}\n42\n"x"\nnull\ntrue\n', 1, [
            (2, "a number, not a JSON object"), (3, "a string, not a JSON object"),
            (4, "null, not a JSON object"), (5, "true or false, not a JSON object"),
        ]),
        (b'{"a":1}\n{"b": "tex', 1, [(2, "cut off: the file ends inside a JSON value")]),
        (b'{"a":1}\n{"b":', 1, [(2, "cut off: the file ends inside a JSON value")]),
        (b'{"a":1}\n{"b": "tex\n{"c":3}\n', 2, [(2, "not JSON")]),
        (b'{"a":1}{"b":\n', 1, [(1, "not JSON from character 8")]),
        (b"hello\n\0\0\0\n", 0, [(1, "not JSON"), (2, "not JSON")]),
        (b'{"a":"\xff"}\n', 1, [(1, "bytes that are not UTF-8; they stand as U+FFFD in what was read")]),
        (b'{"a":' + b"[" * 100_000 + b"]" * 100_000 + b"}\n", 0, [(1, "nested too deeply")]),
    ],
)  # fmt: skip
def test_is_named_where_it_cannot_be_read(data, found, unread):
    values, why = read(data)
    assert (len(values), why) == (found, unread)


def test_invalid_bytes_stand_as_replacement_characters():
    assert read(b'{"a":"x\xffy"}\n')[0] == [(1, {"a": "x\ufffdy"})]


def test_a_line_beyond_the_bound_is_skipped_and_named(monkeypatch):
    monkeypatch.setattr(lines, "MAX_LINE_BYTES", 2**20)
    data = b'{"a":"' + b"x" * 3 * 2**20 + b'"}\n{"b":2}\n'
    assert read(data) == ([(2, {"b": 2})], [(1, "longer than 1 MB")])


def test_a_line_of_many_megabytes_is_read():
    found, unread = read(b'{"a":"' + b"x" * (8 * 2**20) + b'"}\n')
    assert (len(found[0][1]["a"]), unread) == (8 * 2**20, [])


def test_a_document_is_one_value_or_a_value_error():
    assert parse_document(b'\xef\xbb\xbf{"a": [1]}\n') == {"a": [1]}
    for data in (b"", b"{", b'{"a":1} {"b":2}', b"[" * 100_000):
        with pytest.raises(ValueError):
            parse_document(data)


@given(st.binary(max_size=200))
@settings(max_examples=60, deadline=None)
def test_arbitrary_bytes_never_raise_and_lose_no_line_silently(data):
    values, unread = read(data)
    spoken_of = {line for line, _ in values} | {line for line, _ in unread}
    filled = {
        n for n, line in enumerate(data.split(b"\n"), 1) if line.removeprefix(lines.BOM if n == 1 else b"").strip()
    }
    assert spoken_of == filled
