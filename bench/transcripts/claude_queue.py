"""Prompts typed while the model worked. They arrive as queue operations, attachments or user records, often twice."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from msgspec.structs import replace

from bench.transcripts.claude_records import Record
from bench.transcripts.model import Text
from bench.transcripts.origin import authored

TAKEN = ("dequeue", "remove")
"""Operations by which the harness hands the oldest queued prompt to the model."""
WITHDRAWN = "popAll"
"""The person took all queued prompts back into the input line."""


def without_repeats(records: Sequence[Record]) -> list[Record]:
    """The records, where a queued attachment that a later user record repeats is no message any more."""
    repeats = _Repeats(records)
    return [replace(r, role=None, blocks=()) if r.queued and repeats.takes(r.line, _spoken(r)) else r for r in records]


def queued_prompts(records: Sequence[Record]) -> list[Record]:
    """A user record for each prompt of which the queue operations are the only trace, at the place it was taken."""
    repeats = _Repeats(records, attachments=True)
    waiting: deque[Record] = deque()
    found: list[Record] = []
    for record in records:
        match record.queue:
            case ("enqueue", text) if text.strip():
                waiting.append(record)
            case (operation, text) if operation in TAKEN and waiting:
                taken = next((r for r in waiting if text and r.queue and r.queue[1] == text), waiting[0])
                waiting.remove(taken)
                found += _prompt(taken, record.line, repeats)
            case (operation, _) if operation == WITHDRAWN:
                waiting.clear()
    last = records[-1].line if records else 0
    for record in waiting:
        found += _prompt(record, last, repeats)
    return found


class _Repeats:
    """The texts that stand as messages of their own; each repeats one queued prompt, not two."""

    def __init__(self, records: Sequence[Record], *, attachments: bool = False) -> None:
        own = [r for r in records if r.role == "user" and not r.progress and (attachments or not r.queued)]
        self.lines: dict[str, list[int]] = {}
        for record in own:
            self.lines.setdefault(_spoken(record), []).append(record.line)

    def takes(self, line: int, text: str) -> bool:
        """Whether a message at or after `line` repeats the text; it is then spoken for."""
        lines = self.lines.get(text.strip(), [])
        later = next((at for at in lines if at >= line), None)
        if later is None:
            return False
        lines.remove(later)
        return True


def _prompt(enqueued: Record, line: int, repeats: _Repeats) -> list[Record]:
    text = enqueued.queue[1] if enqueued.queue else ""
    if repeats.takes(enqueued.line, text):
        return []
    blocks = (Text(text),)
    author, origin = authored(blocks)
    return [replace(enqueued, line=line, role="user", blocks=blocks, author=author, origin=origin, queued=True)]


def _spoken(record: Record) -> str:
    return "\n".join(b.text for b in record.blocks if isinstance(b, Text)).strip()
