"""Records of one conversation as messages: fragments of an answer merged, its tool results in one message after it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import cast

from bench.transcripts.claude_records import Record
from bench.transcripts.model import Block, Message, Role, ToolResult, ToolUse


@dataclass(frozen=True)
class Assembled:
    """The messages, where each record went, and where the records that are no messages stand among them."""

    messages: tuple[Message, ...]
    index_of: dict[str, int]
    """uuid of a record -> index of the message that it became part of."""
    marks: tuple[tuple[Record, int], ...]
    """Boundary records and how many messages stand before each."""


@dataclass
class _Draft:
    """A message in the making: its records, and the results that answer its calls."""

    records: list[Record]
    results: list[Record] = field(default_factory=list)


def assemble(records: Sequence[Record]) -> Assembled:
    """Messages of `records` (in reading order). Merging goes by the answer's id, also over records in between."""
    drafts: list[_Draft] = []
    answers: dict[str, _Draft] = {}
    callers: dict[str, _Draft] = {}
    marks: list[tuple[Record, int]] = []
    for record in records:
        if record.is_boundary:
            marks.append((record, len(drafts)))
        elif record.role == "assistant":
            draft = answers.get(record.answer) if record.answer else None
            if draft is None:
                draft = _Draft([record])
                drafts.append(draft)
            else:
                draft.records.append(record)
            if record.answer:
                answers[record.answer] = draft
            # a copied call is answered by the result that follows the copy
            callers.update(dict.fromkeys(record.calls, draft))
        elif record.role == "user":
            answered = next((b.tool_use_id for b in record.blocks if isinstance(b, ToolResult)), None)
            if answered in callers:
                callers[answered].results.append(record)
            elif record.blocks:
                drafts.append(_Draft([record]))
    return _finish(drafts, marks)


def _finish(drafts: list[_Draft], marks: list[tuple[Record, int]]) -> Assembled:
    messages: list[Message] = []
    index_of: dict[str, int] = {}
    starts: list[int] = []
    for draft in drafts:
        starts.append(len(messages))
        for records in (draft.records, draft.results):
            if records:
                at = len(messages)
                for record in records:
                    if record.uuid:
                        index_of[record.uuid] = at
                messages.append(_message(records))
    starts.append(len(messages))
    return Assembled(tuple(messages), index_of, tuple((record, starts[at]) for record, at in marks))


def _message(records: list[Record]) -> Message:
    """One message of its records. Usage and model come from one fragment, whole: that with the largest output count,
    since earlier ones hold placeholders (and a model may change within an answer)."""
    first = final = speaker = records[0]
    if len(records) > 1:
        counted = [r for r in records if r.usage is not None]
        final = max(counted, key=lambda r: r.usage.output if r.usage else 0) if counted else first
        # of several records of results, one that a person spoke in says who speaks
        speaker = next((r for r in records if r.author != "tool"), first)
    return Message(
        role=cast(Role, first.role),
        author=speaker.author,
        origin=speaker.origin,
        blocks=_blocks(records),
        id=first.answer or first.uuid,
        record_ids=tuple([r.uuid for r in records if r.uuid]),
        time=first.time,
        model=final.model,
        usage=final.usage,
        stop_reason=next((r.stop_reason for r in reversed(records) if r.stop_reason), None),
        line=first.line,
    )


def _blocks(records: list[Record]) -> tuple[Block, ...]:
    """The blocks of all records, each once: a copied line repeats what an earlier one held."""
    if len(records) == 1:
        return records[0].blocks
    blocks: list[Block] = []
    known: set[object] = set()
    for block in (b for r in records for b in r.blocks):
        match block:
            case ToolUse():
                name: object = ("use", block.id)
            case ToolResult():
                name = ("result", block.tool_use_id)
            case _:
                name = block
        if name not in known:
            known.add(name)
            blocks.append(block)
    return tuple(blocks)
