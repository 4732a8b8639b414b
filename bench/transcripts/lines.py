"""JSON Lines in one pass and bounded memory: each value with its line number, each unreadable line with its reason.

What the wild holds and this reads: a byte-order mark, CR LF, U+2028 inside strings, two values on one line (two
writers raced), half characters, bytes that are not UTF-8 (they become U+FFFD and the line is named).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import BinaryIO, TypeVar

import msgspec

from bench.transcripts.model import Unread

T = TypeVar("T")

MAX_LINE_BYTES = 256 * 2**20
"""A longer line is skipped and named: the only bound that memory needs. Real lines reach some MB."""
BUFFER_BYTES = 256 * 2**10
"""Read ahead: long lines assembled from the usual 8 KB cost as much as decoding half of them."""
TOO_DEEP = "nested too deeply"
"""Why a value that is all brackets cannot be read."""
BOM = b"\xef\xbb\xbf"
REPLACEMENT = "\N{REPLACEMENT CHARACTER}"

_HALF_CHARACTER = re.compile("[\ud800-\udfff]")
_GAP = re.compile(r"[ \t\r\n]*")
_scanner = json.JSONDecoder(parse_constant=lambda _: None, strict=False)
"""Takes control characters that stand raw in a string, NUL among them."""
_KINDS = {
    list: "a list",
    str: "a string",
    int: "a number",
    float: "a number",
    bool: "true or false",
    type(None): "null",
}


def read_lines(stream: BinaryIO, type_: type[T], unread: list[Unread]) -> Iterator[tuple[int, T]]:
    """Every JSON object of the stream as `type_`, with its 1-based line; what could not be read goes to `unread`.

    `type_` must accept any object (a dict, or a struct whose fields are all optional and of any type).
    """
    decoder = msgspec.json.Decoder(type_)
    for number, line, whole in _physical(stream, unread):
        try:
            yield number, decoder.decode(line)
        except (msgspec.DecodeError, RecursionError):
            for value in _mended(number, line, whole, unread):
                yield number, msgspec.convert(value, type_)


def parse_document(data: bytes) -> object:
    """The one JSON value that `data` holds. Raises ValueError where it is no single JSON value."""
    data = data.removeprefix(BOM)
    try:
        return msgspec.json.decode(data)
    except (msgspec.DecodeError, RecursionError):
        pass
    try:
        value: object = json.loads(data.decode("utf-8", "replace"), strict=False)
        return _mend(value)
    except RecursionError:
        raise ValueError(TOO_DEEP) from None


def _physical(stream: BinaryIO, unread: list[Unread]) -> Iterator[tuple[int, bytes, bool]]:
    """(line number, bytes, ended by a newline) of each line that is not blank."""
    number = 0
    while line := stream.readline(MAX_LINE_BYTES):
        number += 1
        ended = line.endswith(b"\n")
        if not ended and len(line) == MAX_LINE_BYTES:
            unread.append(Unread(number, f"longer than {MAX_LINE_BYTES // 2**20} MB"))
            while (rest := stream.readline(MAX_LINE_BYTES)) and not rest.endswith(b"\n"):
                pass
            continue
        if number == 1:
            line = line.removeprefix(BOM)
        if line.strip():
            yield number, line, ended


def _mended(number: int, line: bytes, ended: bool, unread: list[Unread]) -> Iterator[dict[str, object]]:
    """The objects of a line that is not one plain JSON object, and why the rest of it could not be read."""
    try:
        text = line.decode()
    except UnicodeDecodeError:
        text = line.decode("utf-8", "replace")
        unread.append(Unread(number, "bytes that are not UTF-8; they stand as U+FFFD in what was read"))
    at = 0
    while (at := _past_gap(text, at)) < len(text):
        try:
            value, at = _scanner.raw_decode(text, at)
            value = _mend(value)
        except RecursionError:
            unread.append(Unread(number, TOO_DEEP))
            return
        except ValueError as error:
            unread.append(Unread(number, _why(error, text, at, ended)))
            return
        if isinstance(value, dict):
            yield value
        else:
            unread.append(Unread(number, f"{_KINDS[type(value)]}, not a JSON object"))


def _past_gap(text: str, at: int) -> int:
    found = _GAP.match(text, at)
    return found.end() if found else at


def _mend(value: T) -> T:
    """The value with half characters (lone surrogates, which no UTF-8 can hold) replaced by U+FFFD."""
    text = json.dumps(value, ensure_ascii=False)
    if not _HALF_CHARACTER.search(text):
        return value
    mended: T = json.loads(_HALF_CHARACTER.sub(REPLACEMENT, text))
    return mended


def _why(error: ValueError, text: str, at: int, ended: bool) -> str:
    if not ended and getattr(error, "pos", 0) >= len(text.rstrip()) - 1:
        return "cut off: the file ends inside a JSON value"
    if isinstance(error, json.JSONDecodeError) and "Unterminated" in error.msg and not ended:
        return "cut off: the file ends inside a JSON value"
    rest = f" from character {at + 1}" if at else ""
    return f"not JSON{rest}"
