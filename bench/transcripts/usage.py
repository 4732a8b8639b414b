"""What a session used, answer by answer: every answer once, whatever branch or side conversation it stands in.

An answer that stands in several places (a progress copy, a resumed session's repeat) is known by its id, and the record
with the largest output count gives its usage, as a whole: earlier ones hold placeholders.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date

from msgspec import Struct

from bench.text import tokens_of_chars
from bench.transcripts.model import Message, Spent, Thinking, Transcript, Usage

CLASSES = Usage.__struct_fields__
"""The five counters of a usage."""
SAID_PER_COUNTED, SAID_BEYOND = 2, 8
"""An answer says at most this many estimated tokens for each one counted, and so many more; else the count is a
placeholder from the answer's start. The estimate is rather below the model's own count than above it."""


class Answer(Struct, frozen=True, kw_only=True):
    """One answer of a model, and what it used; None where the file does not tell."""

    model: str | None
    day: date | None
    usage: Usage | None
    placeholder: bool
    """Its output count is too small for what it says: the file holds only what was known when the answer began."""
    beside: bool
    """It stands beside the main line: a subagent's, or on a branch that was rewound."""


class Use(Struct, frozen=True, kw_only=True):
    """What one model used on one day."""

    day: date | None
    model: str | None
    answers: int
    """How many answers the counts are of; None told where a harness only tells the whole."""
    usages: tuple[Usage, ...]
    """Of each answer that tells it, in order: prices may depend on the size of one prompt."""
    untold: int = 0
    """Answers whose usage the file does not tell; `usages` leaves them out."""
    placeholders: int = 0
    """Answers whose output count is a placeholder, so that the sum is too small."""
    beside: int = 0
    """Of the answers, those beside the main line."""
    whole: bool = False
    """Told by the harness for the session as a whole, not answer by answer."""

    @property
    def usage(self) -> Usage | None:
        """The sum; None where no answer tells its usage."""
        return add(self.usages) if self.usages else None


def uses(sessions: Sequence[Transcript]) -> tuple[Use, ...]:
    """What the sessions of a file used, by day and model in that order; what is not known stands last."""
    groups: dict[tuple[date | None, str | None], list[Answer]] = {}
    for answer in answers(sessions):
        groups.setdefault((answer.day, answer.model), []).append(answer)
    told = [_use(day, model, found) for (day, model), found in groups.items()]
    if not any(u.usages for u in told):
        # the harness told the whole alone
        told += [_whole(spent) for session in sessions for spent in session.spent]
    return tuple(
        sorted(told, key=lambda u: (u.day is None, u.day or date.max, u.model is None, u.model or "", u.whole))
    )


def answers(sessions: Sequence[Transcript]) -> Iterator[Answer]:
    """Every answer of a model once; notices of the harness in the model's role are none."""
    known: dict[str, int] = {}
    found: list[tuple[Message, bool]] = []
    for message, beside in _spoken(sessions):
        at = known.get(message.id) if message.id else None
        if at is None:
            if message.id:
                known[message.id] = len(found)
            found.append((message, beside))
        elif _output(message) > _output(found[at][0]):
            found[at] = (message, found[at][1])
    for message, beside in found:
        yield Answer(
            model=message.model,
            day=day_of(message.time),
            usage=message.usage,
            placeholder=_is_placeholder(message),
            beside=beside,
        )


def add(parts: Sequence[Usage]) -> Usage:
    """The sum, class by class."""
    return Usage(**{name: sum(getattr(part, name) for part in parts) for name in CLASSES})


def day_of(time: str | None) -> date | None:
    """The day of an ISO time, as the file wrote it; None where it is none."""
    try:
        return date.fromisoformat((time or "")[:10])
    except ValueError:
        return None


def _spoken(sessions: Sequence[Transcript]) -> Iterator[tuple[Message, bool]]:
    for session in sessions:
        for message in session.messages:
            if message.role == "assistant" and message.author == "assistant":
                yield message, False
        for side in session.sides:
            for message in side.messages:
                if message.role == "assistant" and message.author == "assistant":
                    yield message, True


def _output(message: Message) -> int:
    return -1 if message.usage is None else message.usage.output


def _use(day: date | None, model: str | None, found: Sequence[Answer]) -> Use:
    return Use(
        day=day,
        model=model,
        answers=len(found),
        usages=tuple(a.usage for a in found if a.usage is not None),
        untold=sum(a.usage is None for a in found),
        placeholders=sum(a.placeholder for a in found),
        beside=sum(a.beside for a in found),
    )


def _is_placeholder(message: Message) -> bool:
    if message.usage is None:
        return False
    thought = sum(len(b.text) for b in message.blocks if isinstance(b, Thinking))
    return tokens_of_chars(message.chars + thought) > SAID_PER_COUNTED * message.usage.output + SAID_BEYOND


def _whole(spent: Spent) -> Use:
    answers = spent.requests or 0
    return Use(day=day_of(spent.time), model=spent.model, answers=answers, usages=(spent.usage,), whole=True)
