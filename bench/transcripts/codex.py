"""Codex rollout files: the reader. JSON Lines with an envelope, the flat lines of 2025, the first JSON documents."""

from __future__ import annotations

from pathlib import Path

import msgspec

from bench.transcripts.codex_items import Item, RolloutLine
from bench.transcripts.codex_rollout import META, Rollout
from bench.transcripts.conversation import messages_of
from bench.transcripts.head import Head, read_head
from bench.transcripts.lines import BUFFER_BYTES, TOO_DEEP, read_lines
from bench.transcripts.model import Counts, Side, Transcript, Unread
from bench.transcripts.values import dict_of, text_of

NAME = "codex"
ENVELOPES = {META, "response_item", "event_msg", "turn_context", "compacted"}
FLAT = {"message", "reasoning", "function_call", "function_call_output", "local_shell_call"}


class Codex:
    """The reader of Codex rollouts."""

    name = NAME
    told = "Codex rollout (JSONL)"

    def detect(self, head: Head) -> bool:
        """Whether the head holds an envelope of Codex, the flat items of its first year, or its first document."""
        if isinstance(head.document, dict) and "items" in head.document:
            return isinstance(head.document["items"], list) and "session" in head.document
        if any("payload" in r and text_of(r.get("type")) in ENVELOPES for r in head.records):
            return True
        bare = any(
            text_of(r.get("type")) in FLAT and r.keys() & {"content", "call_id", "summary"} for r in head.records
        )
        return bare and not any("payload" in r or "message" in r for r in head.records)

    def read(self, path: Path) -> list[Transcript]:
        """The one session of the file."""
        unread: list[Unread] = []
        rollout = Rollout()
        document = read_head(path).document
        if isinstance(document, dict) and isinstance(document.get("items"), list):
            rollout.meta = msgspec.convert(dict_of(document.get("session")), Item)
            for number, item in enumerate(document["items"], start=1):
                if isinstance(item, dict):
                    _take(rollout, number, msgspec.convert(item, RolloutLine), unread)
                else:
                    unread.append(Unread(number, "an item that is no object"))
        else:
            with path.open("rb", buffering=BUFFER_BYTES) as stream:
                for number, line in read_lines(stream, RolloutLine, unread):
                    _take(rollout, number, line, unread)
        rollout.finish()
        return [_transcript(rollout, unread)]


def _take(rollout: Rollout, number: int, line: RolloutLine, unread: list[Unread]) -> None:
    try:
        rollout.take(number, line)
    except RecursionError:
        unread.append(Unread(number, TOO_DEEP))


def _transcript(rollout: Rollout, unread: list[Unread]) -> Transcript:
    line = rollout.conversation.finish()
    meta = rollout.meta or Item()
    base = dict_of(meta.base_instructions)
    sides = (
        Side(kind="branch", id=turns[0].id or f"line-{turns[0].line}", messages=messages_of(turns))
        for turns in rollout.undone
    )
    return Transcript(
        format=NAME,
        messages=line.messages,
        sides=tuple(sides),
        compactions=line.compactions,
        unread=tuple(sorted(unread, key=lambda u: u.line)),
        records=dict(rollout.records),
        session_id=text_of(meta.id) or text_of(meta.session_id),
        forked_from=text_of(meta.forked_from_id) or rollout.other_meta,
        cwd=rollout.cwd,
        branch=text_of(dict_of(meta.git).get("branch")),
        harness_version=text_of(meta.cli_version),
        system=text_of(base.get("text")) or text_of(meta.instructions),
        counted=Counts(user=rollout.users, assistant=rollout.answers, tool_calls=len(rollout.calls)),
    )
