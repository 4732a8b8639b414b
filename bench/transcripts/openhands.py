"""OpenHands event lists: the reader. One JSON list (or an object that holds it), an event a line, or a run a line.

The events of the first generation are actions and observations; those of the SDK name their kind. A condensation says
which events the model no longer sees, and mostly a summary of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from bench.errors import BenchError
from bench.transcripts.head import Head, read_head
from bench.transcripts.lines import BUFFER_BYTES, TOO_DEEP, read_lines
from bench.transcripts.model import Transcript, Unread
from bench.transcripts.openhands_run import Run
from bench.transcripts.openhands_sdk import KINDS, SdkRun
from bench.transcripts.values import text_of

NAME = "openhands"
HOLDERS = ("items", "events", "history")
"""Keys under which a document, or the line of a run, holds its events."""

Json = dict[str, object]


class OpenHands:
    """The reader of OpenHands' event lists."""

    name = NAME
    told = "OpenHands events (JSON or JSONL)"

    def detect(self, head: Head) -> bool:
        """Whether the events of the document, or of the first lines, are OpenHands'."""
        return any(_is_event(e) for _, events in _runs(head) for e in events if isinstance(e, dict))

    def read(self, path: Path) -> list[Transcript]:
        """The session of the file, or each of its runs."""
        head = read_head(path)
        if head.is_document and (runs := _held(head.document)) is not None:
            return [_transcript(enumerate(runs, start=1), [], None)]
        unread: list[Unread] = []
        with path.open("rb", buffering=BUFFER_BYTES) as stream:
            if not any(_held(record) is not None for record in head.records):
                return [_transcript(read_lines(stream, dict, unread), unread, None)]
            runs_ = [_run(number, record, unread) for number, record in read_lines(stream, dict, unread)]
        if not runs_:
            raise BenchError("holds no run", path=path)
        return runs_


def _runs(head: Head) -> Iterator[tuple[int, list[object]]]:
    held = _held(head.document)
    if held is not None:
        yield 1, held
        return
    for record in head.records:
        yield 1, _held(record) or [record]


def _held(value: object) -> list[object] | None:
    """The events that a value is or holds; pairs of an action and its observation are taken apart."""
    if isinstance(value, dict):
        value = next((value[k] for k in HOLDERS if isinstance(value.get(k), list)), None)
    if not isinstance(value, list):
        return None
    return [event for entry in value for event in (entry if isinstance(entry, list) else [entry])]


def _is_event(event: Json) -> bool:
    if _is_of_sdk(event):
        return True
    return "source" in event and isinstance(event.get("action", event.get("observation")), str)


def _is_of_sdk(event: Json) -> bool:
    return text_of(event.get("kind")) in KINDS


def _run(number: int, record: Json, unread: list[Unread]) -> Transcript:
    """One line's run; its events are counted as entries of it, and what cannot be read is named by line."""
    inner: list[Unread] = []
    name = next((v for k in ("instance_id", "id") if isinstance(v := record.get(k), str)), None)
    found = _transcript(enumerate(_held(record) or [], start=1), inner, name)
    unread += (Unread(number, u.reason) for u in inner)
    return found


def _transcript(events: Iterator[tuple[int, object]], unread: list[Unread], name: str | None) -> Transcript:
    old, new = Run(), SdkRun()
    for number, event in events:
        if not isinstance(event, dict):
            unread.append(Unread(number, "no event: it is no object"))
            continue
        try:
            (new if _is_of_sdk(event) else old).take(number, event)
        except RecursionError:
            unread.append(Unread(number, TOO_DEEP))
    run = new if new.conversation.turns or not old.records else old
    run.records.update((old if run is new else new).records)
    line = run.conversation.finish()
    return Transcript(
        format=NAME,
        messages=line.messages,
        compactions=line.compactions,
        unread=tuple(sorted(unread, key=lambda u: u.line)),
        records=dict(run.records),
        session_id=name,
        system=run.system,
        tools_json=run.tools_json,
    )
