"""LongMemEval: one question over a history of dated chat sessions with an assistant, evidence turns marked.

Format (xiaowu0162/LongMemEval): a list of records with `question_id`, `question_type`, `question`, `answer`,
`haystack_sessions` (lists of turns, those with evidence `has_answer: true`), `haystack_dates`, `haystack_session_ids`,
`answer_session_ids`. Ids that end in `_abs` ask for something that was never said.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct

from bench.errors import BenchError
from bench.keys import Tag
from bench.questions.keyed import Posed, Question
from bench.transcripts.lines import BOM
from bench.transcripts.model import Author, Message, Text, Transcript

LICENCE = "MIT"
ABSTENTION = "_abs"


class _Turn(Struct, frozen=True):
    role: Literal["user", "assistant"]
    content: str
    has_answer: bool | None = None


class _Named(Struct, frozen=True):
    question_id: str


class _Record(Struct, frozen=True):
    question_id: str
    question: str
    answer: str | int | float
    haystack_sessions: list[list[_Turn]]
    question_type: str = "unknown"
    question_date: str = ""
    haystack_dates: list[str] = []
    haystack_session_ids: list[str] = []
    answer_session_ids: list[str] = []


def records_of(path: Path, only: tuple[str, ...] = (), first: int | None = None) -> Iterator[Posed]:
    """The records of these ids, or the first so many. Raises BenchError for a file that is none of LongMemEval's."""
    try:
        raw = msgspec.json.decode(path.read_bytes().removeprefix(BOM), type=list[msgspec.Raw])
        named = {msgspec.json.decode(r, type=_Named).question_id: r for r in raw}
    except (msgspec.MsgspecError, RecursionError) as error:
        raise BenchError(f"is not LongMemEval's JSON: {error}", path=path) from None
    except OSError as error:
        raise BenchError(f"cannot be read: {error.strerror}", path=path) from None
    for wanted in only:
        if wanted not in named:
            raise BenchError(f"has no question '{wanted}'", path=path)
    chosen = [(id_, r) for id_, r in named.items() if not only or id_ in only]
    for id_, record in islice(chosen, first):
        try:
            yield _posed(msgspec.json.decode(record, type=_Record), path)
        except (msgspec.MsgspecError, RecursionError) as error:
            raise BenchError(f"question '{id_}' is not LongMemEval's: {error}", path=path) from None


def _posed(record: _Record, path: Path) -> Posed:
    messages: list[Message] = []
    marked: list[int] = []
    evidence: list[int] = []
    for n, when, session in _in_order(record):
        ids = record.haystack_session_ids
        wanted = n < len(ids) and ids[n] in record.answer_session_ids
        for i, turn in enumerate(session):
            marked += [len(messages)] * (turn.has_answer is True)
            evidence += [len(messages)] * wanted
            messages.append(_message(turn, f"[{when}] " if i == 0 and when else ""))
    abstains = record.question_id.endswith(ABSTENTION)
    tag: Tag = "number" if record.question_type == "temporal-reasoning" else "state"
    question = Question(
        id=record.question_id,
        question=record.question,
        answer=str(record.answer),
        at=tuple(marked or evidence),
        kind=record.question_type,
        tag=tag,
    )
    return Posed(
        name=f"longmemeval-{record.question_id}",
        title=f"LongMemEval, {record.question_type}: {record.question}",
        source=f"LongMemEval (xiaowu0162/LongMemEval), {path.name}, question {record.question_id}",
        licence=LICENCE,
        transcript=Transcript(format="longmemeval", messages=tuple(messages)),
        questions=() if abstains else (question,),
        unasked=(f"{record.question_id} asks for what was never said",) if abstains else (),
    )


def _in_order(record: _Record) -> Iterator[tuple[int, str, list[_Turn]]]:
    """The sessions with their place in the file and their date, oldest first: the oracle's files are not sorted."""
    dated = [
        (record.haystack_dates[n] if n < len(record.haystack_dates) else "", n, session)
        for n, session in enumerate(record.haystack_sessions)
    ]
    # the dates are written year/month/day (weekday) hour:minute, so that they sort as text
    yield from ((n, when, session) for when, n, session in sorted(dated, key=lambda d: (d[0], d[1])))


def _message(turn: _Turn, when: str) -> Message:
    author: Author = "person" if turn.role == "user" else "assistant"
    return Message(role=turn.role, author=author, blocks=(Text(f"{when}{turn.content}"),))
