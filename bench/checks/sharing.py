"""Whether a fixture still holds a secret: the detector of `bench import` over every file of the folder."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec

from bench.errors import Problem
from bench.fixtures import TRANSCRIPT
from bench.scrubbing import secrets_in
from bench.scrubbing.texts import Where, in_value

MEND = "take it out, or import the session again (bench import scrubs)"


def secrets_of(folder: Path) -> Iterator[Problem]:
    """A finding for each secret of the fixture's files: its file, line and kind, never the secret."""
    for kind, line in _in_transcript(folder / TRANSCRIPT):
        yield _problem(folder / TRANSCRIPT, line, kind)
    for path in sorted(p for p in folder.rglob("*") if p.is_file() and p != folder / TRANSCRIPT):
        text = path.read_bytes().decode("utf-8", "replace")
        for secret in secrets_in(text):
            yield _problem(path, text.count("\n", 0, secret.start) + 1, secret.kind)


def _problem(path: Path, line: int, kind: str) -> Problem:
    return Problem(f"holds what looks like a secret ({kind}); {MEND}", str(path), line)


def _in_transcript(path: Path) -> Iterator[tuple[str, int]]:
    """Kind and line of each secret. A line of JSON is searched value by value, as the scrubber does."""
    if not path.is_file():
        return
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            try:
                texts = [*_strings(msgspec.json.decode(line))]
            except (msgspec.DecodeError, UnicodeDecodeError):  # that it is no JSON, reading it tells
                texts = [line.decode("utf-8", "replace")]
            yield from ((kind, number) for kind in dict.fromkeys(s.kind for t in texts for s in secrets_in(t)))


def _strings(value: object) -> list[str]:
    found: list[str] = []

    def keep(_: Where, text: str) -> str:
        found.append(text)
        return text

    in_value("", value, keep)
    return found
