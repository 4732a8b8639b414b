"""Questions about a conversation as atoms of a key: the answer is what a handoff must still hold. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from bench.drafting.candidates import Candidate, carried
from bench.drafting.patterns import bounded, stem_pattern
from bench.drafting.words import content_words
from bench.keys import Atom, By, Patterns, Tag
from bench.text import clip
from bench.transcripts.model import Transcript

MOST_WORDS = 5
"""Words of an answer that are asked for; a longer one is a paraphrase of its evidence."""
QUESTION_WORDS = 4
_PARTS = re.compile(r"\s*(?:,|;|\band\b)\s*")


class Question(Struct, frozen=True, kw_only=True):
    """One question, its answer, and the messages that establish it; `kind` is what its bench calls it."""

    id: str
    question: str
    answer: str
    at: tuple[int, ...]
    kind: str
    tag: Tag = "state"


class Posed(Struct, frozen=True, kw_only=True):
    """A conversation with its questions, and where it comes from."""

    name: str
    title: str
    source: str
    licence: str
    transcript: Transcript
    questions: tuple[Question, ...]
    unasked: tuple[str, ...] = ()
    """Why questions of the source are none here."""


class KeyOf(Struct, frozen=True):
    """The atoms, and the questions whose answers their own evidence does not hold word for word, with the reason."""

    atoms: tuple[Atom, ...]
    left_out: tuple[str, ...]


def key_of(posed: Posed) -> KeyOf:
    """An atom a question; one an item where a listed answer is spread over several messages.

    What no pattern finds in its evidence is left out: a date worked out, a number counted, an answer in words that were
    never said. A key must be answerable from its transcript.
    """
    atoms: list[Atom] = []
    left_out = []
    for question in posed.questions:
        found = list(_atoms(question, posed.transcript))
        if not found:
            left_out.append(f"{question.id} ({question.kind}): {_lacking(question)}")
        for candidate in found:
            if all(candidate.accept != a.accept for a in atoms):
                atoms.append(_probing(candidate.atom(f"a{len(atoms) + 1:03}"), question))
    return KeyOf(tuple(atoms), tuple(left_out))


def _lacking(question: Question) -> str:
    if not question.at:
        return "it names no message of the conversation as its evidence"
    return f"its evidence does not hold “{clip(question.answer, 80)}” so that patterns could ask for it"


def _probing(atom: Atom, question: Question) -> Atom:
    return replace(atom, probe=clip(question.question, 300))


def _atoms(question: Question, transcript: Transcript) -> Iterator[Candidate]:
    if not question.at:
        return
    whole = _candidate(question, question.answer, question.at, transcript)
    if whole is not None:
        yield whole
        return
    parts = [p for p in _PARTS.split(question.answer) if p]
    if len(parts) > 1:
        found = [_candidate(question, part, (at,), transcript) for part in parts for at in question.at]
        yield from (c for c in found if c is not None)


def _candidate(question: Question, answer: str, at: Sequence[int], transcript: Transcript) -> Candidate | None:
    """The atom that the answer is, established by those of the messages that hold it."""
    authors = {transcript.messages[i].author for i in at}
    by: By = "user" if "person" in authors else "assistant"
    text = f"{question.question.rstrip()} — {answer.strip()}"
    for sources in ((i,) for i in at):
        candidate = Candidate(question.tag, text, "okay", by, sources)
        if found := carried(candidate, _ways(question.question, answer), transcript):
            return found
    return None


def _ways(question: str, answer: str) -> Iterator[Patterns]:
    """The answer's words beside one of the question's; then the answer alone, where it is telling."""
    words = list(dict.fromkeys(_telling(answer)))
    asked = [p for w in content_words(question) if (p := stem_pattern(w)) not in words][:QUESTION_WORDS]
    if not words or len(words) > MOST_WORDS:
        return
    if asked:
        yield Patterns(all=tuple(words), any=tuple(asked))
    if len(words) > 1 or len(answer.strip()) > 4:
        yield Patterns(all=tuple(words))


def _telling(answer: str) -> Iterator[str]:
    """Patterns for the words and numbers of an answer."""
    for token in re.findall(r"\$?\d[\d,.:/]*\d|\$?\d|[^\W\d_][\w'-]*", answer):
        if token[-1].isdigit():
            yield rf"\b{re.escape(token.lstrip('$'))}\b"
        elif next(content_words(token), None):
            yield stem_pattern(token) if token.islower() else bounded(token)
