"""What a short answer means: "option 3" and "yes" say nothing without the message that they answer."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bench.drafting.candidates import Candidate, carried
from bench.drafting.patterns import ways
from bench.drafting.turns import Turn
from bench.drafting.words import Words, plain, sentences
from bench.transcripts.model import Transcript

MOST_CHOICES = 6
"""Drafted, newest first."""
SHORT_ANSWER = 12
"""Words of an answer that is only an answer."""
FEWEST_WORDS = 3
"""Content words of a question that tells what was agreed to."""

_NUMBERED = re.compile(r"\b(?:option|approach|solution|variant|number|#)\s*#?([1-9]|[A-E]\b)", re.IGNORECASE)
_BARE = re.compile(r"^\W*([1-9])\W*$")
_YES = re.compile(
    r"^\W*(?:yes|yeah|yep|yup|sure|ok(?:ay)?|go ahead|do it|please do|sounds good|correct|exactly|right)\b",
    re.IGNORECASE,
)
_OFFER = re.compile(r"(?i)^(?:would you like|do you want|should i|shall i|want me to|shall we|should we|may i)\b")

_TURNED_DOWN = re.compile(r"(?i)\b(?:not|no|never|dislike|against|wrong|dont|doesnt|wont|cant)\b|n't\b")
"""An option named this way was not chosen."""
_GOING_ON = re.compile(r"(?i)\bor\b|\b(?:continue|proceed|go ahead|go on)\b")
"""A choice that yes does not make, and an offer to do what is being done."""


@dataclass(frozen=True)
class Option:
    """One of the ways that the assistant offered: its name, its words, and the message that they stand in."""

    name: str
    text: str
    at: int


def option_of(sentence: str, at: int, transcript: Transcript) -> Option | None:
    """The option that a sentence of message `at` names by its number, from the last thing the assistant said."""
    named = _NUMBERED.search(sentence) or _BARE.match(sentence)
    if named is None:
        return None
    offered = _spoken_before(at, transcript)
    if offered is None:
        return None
    line = re.search(
        rf"(?mi)^[\W_]*(?:(?:option|approach|solution|variant)\W*)?{named[1]}\b[\W_]+(\w.{{8,200}})",
        transcript.messages[offered].spoken,
    )
    return Option(f"option {named[1]}", plain(line[1].replace("**", "").replace("`", "")), offered) if line else None


def choices(turns: Sequence[Turn], words: Words, transcript: Transcript) -> Iterator[Candidate]:
    """What the person chose or agreed to in a few words, newest first."""
    drafted = 0
    for turn in reversed(turns):
        if drafted == MOST_CHOICES:
            return
        if len(turn.text.split()) > SHORT_ANSWER:
            continue
        if found := _chosen(turn, words, transcript) or _agreed(turn, words, transcript):
            drafted += 1
            yield found


def _chosen(turn: Turn, words: Words, transcript: Transcript) -> Candidate | None:
    option = option_of(turn.text, turn.at, transcript)
    if option is None or _TURNED_DOWN.search(turn.text):
        return None
    told = f'The user chose {option.name}: "{option.text}"'
    candidate = Candidate("decision", told, "vital", "user", (option.at, turn.at), said=option.text)
    return carried(candidate, ways(words, option.text, option.at), transcript)


def _agreed(turn: Turn, words: Words, transcript: Transcript) -> Candidate | None:
    offered = _spoken_before(turn.at, transcript) if _YES.match(turn.text) else None
    if offered is None:
        return None
    for question in reversed(list(sentences(transcript.messages[offered].spoken))):
        if not question.endswith("?") or not _OFFER.match(question) or _GOING_ON.search(question):
            continue
        if len(words.ranked(question, offered)) < FEWEST_WORDS:
            continue
        told = f'The user agreed to: "{question}"'
        candidate = Candidate("decision", told, "vital", "user", (offered, turn.at), said=question)
        return carried(candidate, ways(words, question, offered), transcript)
    return None


def _spoken_before(at: int, transcript: Transcript) -> int | None:
    """The last message before `at` in which the assistant speaks; None where a person typed in between."""
    for i in range(at - 1, -1, -1):
        message = transcript.messages[i]
        if message.author == "person":
            return None
        if message.author == "assistant" and message.spoken.strip():
            return i
    return None
