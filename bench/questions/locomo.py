"""LoCoMo: ten long conversations of two people over many sessions, with questions and the turns that answer them.

Format (snap-research/locomo, `locomo10.json`): a list of samples; `conversation` holds `session_<n>`, each a list of
turns with `dia_id` "D<session>:<turn>", and `session_<n>_date_time`; `qa` holds question, answer, evidence (ids of
turns) and category. The first speaker stands for the user, the second for the assistant.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from bench.errors import BenchError
from bench.keys import Tag
from bench.questions.keyed import Posed, Question
from bench.transcripts.lines import BOM
from bench.transcripts.model import Author, Message, Role, Text, Transcript

LICENCE = "CC-BY-NC-4.0"
CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}
_SESSION = re.compile(r"session_(\d+)\Z")
_ID = re.compile(r"D\d+:\d+")


class _Turn(Struct, frozen=True):
    speaker: str
    dia_id: str
    text: str = ""
    blip_caption: str | None = None


class _Asked(Struct, frozen=True):
    question: str
    category: int = 0
    answer: str | int | float | None = None
    evidence: list[str] = []


class _Sample(Struct, frozen=True):
    sample_id: str | int
    conversation: dict[str, Any]
    qa: list[_Asked] = []


def samples_of(path: Path, only: tuple[str, ...] = ()) -> Iterator[Posed]:
    """Every conversation of the file, or those of these ids. Raises BenchError for a file that is none of LoCoMo's."""
    try:
        found = msgspec.json.decode(path.read_bytes().removeprefix(BOM), type=list[_Sample] | _Sample)
    except (msgspec.MsgspecError, RecursionError) as error:
        raise BenchError(f"is not LoCoMo's JSON: {error}", path=path) from None
    except OSError as error:
        raise BenchError(f"cannot be read: {error.strerror}", path=path) from None
    samples = {str(s.sample_id): s for s in (found if isinstance(found, list) else [found])}
    for wanted in only:
        if wanted not in samples:
            raise BenchError(f"has no sample '{wanted}'; it has {', '.join(samples)}", path=path)
    for id_, sample in samples.items():
        if not only or id_ in only:
            yield _posed(id_, sample, path)


def _posed(id_: str, sample: _Sample, path: Path) -> Posed:
    messages: list[Message] = []
    places: dict[str, int] = {}
    first = str(sample.conversation.get("speaker_a", ""))
    for when, turn in _turns(sample.conversation, path):
        places[turn.dia_id] = len(messages)
        messages.append(_message(turn, when, user=turn.speaker == first))
    if not messages:
        raise BenchError(f"sample '{id_}' holds no session", path=path)
    questions = tuple(_question(n, q, places) for n, q in enumerate(sample.qa, 1) if q.category != 5)
    adversarial = len(sample.qa) - len(questions)
    return Posed(
        name=f"locomo-{id_}",
        title=f"LoCoMo, conversation {id_}",
        source=f"LoCoMo (snap-research/locomo), {path.name}, sample {id_}",
        licence=LICENCE,
        transcript=Transcript(format="locomo", messages=tuple(messages)),
        questions=questions,
        unasked=(f"{adversarial} adversarial question(s): they have no answer in it",) if adversarial else (),
    )


def _turns(conversation: dict[str, Any], path: Path) -> Iterator[tuple[str, _Turn]]:
    """The turns of all sessions in order; the first of each with the session's number and time."""
    numbered = sorted((int(m[1]), name) for name in conversation if (m := _SESSION.match(name)))
    for number, name in numbered:
        when = f"[session {number}, {conversation.get(f'{name}_date_time', 'no date')}] "
        try:
            turns = msgspec.convert(conversation[name] or [], list[_Turn])
        except (msgspec.MsgspecError, RecursionError) as error:
            raise BenchError(f"{name} is not LoCoMo's: {error}", path=path) from None
        for i, turn in enumerate(turns):
            yield when if i == 0 else "", turn


def _message(turn: _Turn, when: str, *, user: bool) -> Message:
    role: Role = "user" if user else "assistant"
    author: Author = "person" if user else "assistant"
    image = f" [shares an image: {turn.blip_caption}]" if turn.blip_caption else ""
    return Message(role=role, author=author, blocks=(Text(f"{when}{turn.speaker}: {turn.text}{image}"),))


def _question(number: int, asked: _Asked, places: dict[str, int]) -> Question:
    at = sorted({places[id_] for text in asked.evidence for id_ in _ID.findall(text) if id_ in places})
    tag: Tag = "number" if asked.category == 2 else "state"
    return Question(
        id=f"question {number}",
        question=asked.question,
        answer=str(asked.answer if asked.answer is not None else ""),
        at=tuple(at),
        kind=CATEGORIES.get(asked.category, f"category {asked.category}"),
        tag=tag,
    )
