"""Sessions of coding agents, whatever harness wrote them, as one immutable model (`bench.transcripts.model`)."""

from __future__ import annotations

from pathlib import Path

from bench.errors import BenchError
from bench.transcripts.head import read_head
from bench.transcripts.model import Transcript
from bench.transcripts.registry import Branching, chosen_reader, reader_of

__all__ = ["detect", "holding", "read", "read_all"]


def read(path: Path | str, *, leaf: str | None = None) -> Transcript:
    """The first session of the file that holds a message, along the branch to its newest leaf.

    `leaf`: the id of a record; then the branch through it to the newest leaf below. Raises BenchError, in one line,
    where the file is missing, empty, of an unknown format, holds no message, or no such record.
    """
    if leaf is not None:
        return _read_branch(Path(path), leaf)
    sessions = read_all(path)
    transcript = next((t for t in sessions if t.messages), None)
    if transcript is None:
        raise BenchError(f"holds no message, only {holding(sessions[0])}", path=path)
    return transcript


def read_all(path: Path | str) -> list[Transcript]:
    """Every session of the file, at least one; a session may hold no message. Raises BenchError like `read`."""
    path = Path(path)
    try:
        return chosen_reader(path).read(path)
    except OSError as error:
        raise BenchError(f"cannot be read: {error.strerror}", path=path) from None


def _read_branch(path: Path, leaf: str) -> Transcript:
    reader = chosen_reader(path)
    if not isinstance(reader, Branching):
        raise BenchError(f"is of the format {reader.name}, which keeps no tree: there is no leaf to name", path=path)
    try:
        return reader.read_branch(path, leaf)
    except OSError as error:
        raise BenchError(f"cannot be read: {error.strerror}", path=path) from None


def detect(source: Path | str | bytes) -> str | None:
    """The format's name, None where no reader knows it. `source` is a path, or the bytes that a file begins with."""
    reader = reader_of(read_head(source if isinstance(source, bytes) else Path(source)))
    return reader.name if reader else None


def holding(transcript: Transcript) -> str:
    """What a session file holds, in words: its records by type, most frequent first."""
    kinds = sorted(transcript.records.items(), key=lambda kind: -kind[1])
    return ", ".join(f"{n} {kind}" for kind, n in kinds) or "nothing"
