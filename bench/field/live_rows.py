"""Rows that a live pipeline writes, one a compaction, and its window readings, one a turn: read into the bench's names.

What is not known here is kept under its own name in `more`; so is a known field whose value is of another kind than it
should be. A line that is neither is told, never dropped in silence.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TypeVar

import msgspec
from msgspec import Struct

from bench.atomic import write_bytes
from bench.errors import BenchError
from bench.transcripts.model import Unread

Path_ = tuple[str, ...]
"""Where a value stands in a row: keys, outermost first."""
More = dict[str, msgspec.Raw]
T = TypeVar("T")
BESIDE = ("subagent", "ownFork")
"""Outcomes of compactions that were let through, as they are no compaction of the session's own conversation."""
ROWS, READINGS = "rows.jsonl", "readings.jsonl"


class LiveRow(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One real compaction. Null: the row does not say."""

    time: str
    session: str
    model: str | None = None
    trigger: str | None = None
    arm: str | None = None
    """The arm that the split gave it; null where there was no split."""
    design: str | None = None
    outcome: str | None = None
    messages_in: int | None = None
    messages_out: int | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    cache_read_tokens: int | None = None
    cache_write_tokens: int | None = None
    charged_input_tokens: int | None = None
    context_tokens: int | None = None
    matches_context: bool | None = None
    summary_chars: int | None = None
    handoff_chars: int | None = None
    restored_files: int | None = None
    restored_chars: int | None = None
    usd: float | None = None
    elapsed_ms: float | None = None
    more: More = {}

    @property
    def beside(self) -> bool:
        """Whether it was another conversation's compaction: a subagent's, or that of the pipeline's own fork."""
        return self.outcome in BESIDE

    @property
    def handoff(self) -> bool:
        """Whether the session went on with a handoff of the pipeline's."""
        return self.outcome == "handoff"


class LiveReading(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The window at the end of one turn."""

    time: str
    session: str
    turn: int | None = None
    phase: str | None = None
    compaction: int | None = None
    tokens: int | None = None
    window: int | None = None
    more: More = {}


class Imported(Struct, frozen=True):
    """What a file of rows holds."""

    rows: tuple[LiveRow, ...]
    readings: tuple[LiveReading, ...]
    unread: tuple[Unread, ...]


_ROW: Mapping[str, tuple[Path_, ...]] = {
    "time": (("at",), ("time",)),
    "session": (("sessionId",), ("session",)),
    "model": (("model",),),
    "trigger": (("trigger",),),
    "arm": (("ab", "arm"), ("arm",)),
    "design": (("ab", "design"), ("design",)),
    "outcome": (("outcome",),),
    "messages_in": (("messagesIn",), ("messages_in",)),
    "messages_out": (("messagesOut",), ("messages_out",)),
    "input_tokens": (("usage", "input_tokens"), ("usage", "inputTokens"), ("input_tokens",)),
    "output_tokens": (("usage", "output_tokens"), ("usage", "outputTokens"), ("output_tokens",)),
    "cache_read_tokens": (
        ("usage", "cache_read_input_tokens"), ("usage", "cacheReadInputTokens"), ("cache_read_tokens",),
    ),
    "cache_write_tokens": (
        ("usage", "cache_creation_input_tokens"), ("usage", "cacheCreationInputTokens"), ("cache_write_tokens",),
    ),
    "charged_input_tokens": (("forkInput", "sent"), ("charged_input_tokens",)),
    "context_tokens": (("forkInput", "contextTokens"), ("context_tokens",)),
    "matches_context": (("forkInput", "matchesContext"), ("matches_context",)),
    "summary_chars": (("summaryChars",), ("summary_chars",)),
    "handoff_chars": (("handoffChars",), ("handoff_chars",)),
    "restored_files": (("restore", "restored"), ("restored_files",)),
    "restored_chars": (("restore", "chars"), ("restored_chars",)),
    "usd": (("cost", "usd"), ("costUsd",), ("usd",)),
    "elapsed_ms": (("elapsedMs",), ("elapsed_ms",)),
}  # fmt: skip
_READING: Mapping[str, tuple[Path_, ...]] = {
    "time": (("at",), ("time",)),
    "session": (("session",), ("sessionId",)),
    "turn": (("turn",),),
    "phase": (("phase",),),
    "compaction": (("compaction",),),
    "tokens": (("tokens",),),
    "window": (("window",),),
}


def import_rows(path: Path) -> Imported:
    """The rows and readings of a file of JSON lines. Raises BenchError where it cannot be read at all."""
    try:
        data = path.read_bytes()
    except OSError as e:
        raise BenchError(f"cannot be read: {e.strerror}", path=path) from None
    rows: list[LiveRow] = []
    readings: list[LiveReading] = []
    unread: list[Unread] = []
    for number, line in enumerate(data.splitlines(), 1):
        if not line.strip():
            continue
        match _told(line):
            case LiveRow() as row:
                rows.append(row)
            case LiveReading() as reading:
                readings.append(reading)
            case reason:
                unread.append(Unread(number, reason))
    return Imported(tuple(rows), tuple(readings), tuple(unread))


def read_stored(folder: Path) -> Imported:
    """The rows and readings that were imported into the folder; none where nothing was."""
    found = [import_rows(folder / name) for name in (ROWS, READINGS) if (folder / name).exists()]
    return Imported(tuple(r for f in found for r in f.rows), tuple(r for f in found for r in f.readings), ())


def store(folder: Path, imported: Imported) -> tuple[int, int]:
    """Add rows and readings that the folder does not hold yet; returns how many of each were new."""
    there = read_stored(folder)
    return _add(folder / ROWS, there.rows, imported.rows), _add(folder / READINGS, there.readings, imported.readings)


def _add(path: Path, there: Iterable[LiveRow | LiveReading], given: Iterable[LiveRow | LiveReading]) -> int:
    """A row is known by its session and time: each file is written by one session's one clock."""
    before = {(r.session, r.time): r for r in there}
    after = {**{(r.session, r.time): r for r in given}, **before}
    if len(after) > len(before):
        ordered = sorted(after.values(), key=lambda r: (r.time, r.session))
        write_bytes(path, b"".join(msgspec.json.encode(r) + b"\n" for r in ordered))
    return len(after) - len(before)


def _told(line: bytes) -> LiveRow | LiveReading | str:
    try:
        fields = msgspec.json.decode(line, type=dict[str, msgspec.Raw])
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return "is no JSON object"
    if "phase" in fields and "turn" in fields:
        return _read(fields, _READING, LiveReading)
    if {"messagesIn", "messages_in", "outcome", "trigger"} & set(fields):
        return _read(fields, _ROW, LiveRow)
    return "is neither a compaction's row (messagesIn, outcome, trigger) nor a window reading (turn, phase)"


def _read(fields: dict[str, msgspec.Raw], names: Mapping[str, tuple[Path_, ...]], type_: Callable[..., T]) -> T | str:
    hints = {f.name: f.type for f in msgspec.structs.fields(type_)}  # type: ignore[arg-type]  # both are Structs
    known: dict[str, object] = {}
    used: set[str] = set()
    for name, places in names.items():
        for place in places:
            raw = _at(fields, place)
            value = None if raw is None else _of(raw, hints[name])
            if value is not None:
                known[name] = value
                used.update(place if len(place) == 1 else ())
                break
    for name in ("time", "session"):
        if not known.get(name):
            return f"does not say its {name}"
    # rows that were stored before keep what is unknown under `more`
    earlier = _of(fields.get("more", msgspec.Raw(b"{}")), dict[str, msgspec.Raw])
    further = {**fields, **earlier} if isinstance(earlier, dict) else fields
    left = further.keys() - used - ({"more"} if isinstance(earlier, dict) else set())
    more = {key: msgspec.Raw(bytes(further[key])) for key in sorted(left) if bytes(further[key]) != b"null"}
    return type_(**known, more=more)


def _at(fields: Mapping[str, msgspec.Raw], place: Path_) -> msgspec.Raw | None:
    raw = fields.get(place[0])
    if raw is None or len(place) == 1:
        return raw
    inner = _of(raw, dict[str, msgspec.Raw])
    return _at(inner, place[1:]) if isinstance(inner, dict) else None


def _of(raw: msgspec.Raw, type_: object) -> object:
    try:
        return msgspec.json.decode(raw, type=type_)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return None


def sessions_of(rows: Iterable[LiveRow]) -> Iterator[tuple[str, list[LiveRow]]]:
    """The compactions of each session's own conversation, by time."""
    by: dict[str, list[LiveRow]] = {}
    for row in sorted(rows, key=lambda r: r.time):
        if not row.beside:
            by.setdefault(row.session, []).append(row)
    yield from by.items()
