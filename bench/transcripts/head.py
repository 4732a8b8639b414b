"""The beginning of a file, as far as format detection needs it."""

from __future__ import annotations

import io
from itertools import islice
from pathlib import Path
from typing import BinaryIO

from msgspec import Struct

from bench.errors import BenchError
from bench.transcripts.lines import BOM, parse_document, read_lines
from bench.transcripts.model import Unread

HEAD_RECORDS = 32
"""Records that detection looks at; some files begin with a dozen that tell nothing."""
HEAD_BYTES = 2**20
"""Of a text that is no JSON; both speakers of a conversation have spoken by then."""
NO_DOCUMENT = object()
"""Stands for: the file is no single JSON value."""
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")


class Head(Struct, frozen=True):
    """What a file begins with: JSON objects of its first lines, or the one JSON value that the whole file is."""

    records: tuple[dict[str, object], ...] = ()
    document: object = NO_DOCUMENT
    empty: bool = False
    text: str | None = None
    """How the file begins, where no line of it is a JSON object."""

    @property
    def is_document(self) -> bool:
        return self.document is not NO_DOCUMENT


def read_head(source: Path | bytes) -> Head:
    """The head of a file or of its bytes. Raises BenchError where it cannot be read as text at all."""
    if isinstance(source, bytes):
        return _head(io.BytesIO(source), None)
    if source.is_dir():
        raise BenchError("is a folder, not a session file", path=source)
    try:
        with source.open("rb") as stream:
            return _head(stream, source)
    except FileNotFoundError:
        raise BenchError("no such file", path=source) from None
    except (OSError, ValueError) as error:
        raise BenchError(f"cannot be read: {getattr(error, 'strerror', None) or error}", path=source) from None


def _head(stream: BinaryIO, path: Path | None) -> Head:
    if stream.read(2) in _UTF_16:
        raise BenchError("is UTF-16 text; save it as UTF-8", path=path)
    stream.seek(0)
    unread: list[Unread] = []
    numbered = list(islice(read_lines(stream, dict, unread), HEAD_RECORDS))
    records = tuple(record for _, record in numbered)
    in_lines = bool(records) and not any(u.line < numbered[0][0] for u in unread)
    if in_lines and (len(records) > 1 or unread):
        return Head(records)
    if in_lines:
        return Head(records, records[0])
    # the first line is no value of its own: perhaps the file is one document over many lines
    stream.seek(0)
    data = stream.read()
    try:
        return Head(records, parse_document(data))
    except ValueError:
        text = None if records else data[:HEAD_BYTES].removeprefix(BOM).decode("utf-8", "replace")
        return Head(records, empty=not data.strip(), text=text)
