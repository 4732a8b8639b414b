"""Atoms from what the assistant put off, and what it asked the user without an answer. Cues are English."""

from __future__ import annotations

import re
from collections.abc import Iterator

from bench.drafting.candidates import Candidate, carried
from bench.drafting.patterns import ways
from bench.drafting.turns import typed_text
from bench.drafting.words import Words, sentences
from bench.transcripts.model import Transcript

MOST_PROMISES = 6
MOST_QUESTIONS = 3
"""Drafted, newest first: the last ones had the least time to be kept or answered."""
FEWEST_WORDS = 2
LATE = 0.5
"""Share of a session after which a promise is drafted; an older one was most likely kept, which no structure tells."""

_PUT_OFF = re.compile(
    r"\b(?:I|we)(?:'ll| will|'m going to| am going to)\b.*"
    r"\b(?:later|afterwards?|after (?:that|this)|as a follow[- ]up)\b"
    r"|\b(?:come|get|circle) back to\b|\bleav(?:e|ing)\b.{0,60}\b(?:for later|for now|as a follow[- ]up)\b"
    r"|\bstill (?:to do|missing|open|outstanding|needs? to be)\b|\bremains? to be\b|\bnot (?:yet )?done yet\b",
    re.IGNORECASE,
)
"""How an assistant says that something is owed."""
_TO_THE_USER = re.compile(
    r"(?i)^(?:would|do|should|shall|can|could|which|what|how|where|is|are|want|may)\b.*\b(?:you|your|I|we|me|prefer)\b"
)

_COURTESY = re.compile(r"(?i)\b(?:how (?:can|may) i (?:help|assist)|anything else|let me know)\b")


def promises(words: Words, transcript: Transcript) -> Iterator[Candidate]:
    """What the assistant said it would do later, or that is not done; newest first."""
    drafted = 0
    end = len(transcript.messages)
    for at in range(end - 1, int(end * LATE) - 1, -1):
        message = transcript.messages[at]
        if message.author != "assistant":
            continue
        for sentence in sentences(message.spoken):
            if drafted == MOST_PROMISES:
                return
            if (
                not _PUT_OFF.search(sentence)
                or sentence.endswith((":", "?"))
                or len(words.ranked(sentence, at)) < FEWEST_WORDS
            ):
                continue
            candidate = Candidate(
                "promise", f'The assistant put off: "{sentence}"', "okay", "assistant", (at,), said=sentence
            )
            if found := carried(candidate, ways(words, sentence, at), transcript):
                drafted += 1
                yield found


def open_questions(words: Words, transcript: Transcript) -> Iterator[Candidate]:
    """What the assistant asked after the last thing that a person typed: nobody can have answered it."""
    messages = transcript.messages
    last_typed = max((i for i, m in enumerate(messages) if typed_text(m).strip()), default=-1)
    drafted = 0
    for at in range(len(messages) - 1, last_typed, -1):
        if messages[at].author != "assistant":
            continue
        for sentence in sentences(messages[at].spoken):
            if drafted == MOST_QUESTIONS:
                return
            if not sentence.endswith("?") or not _TO_THE_USER.search(sentence) or _COURTESY.search(sentence):
                continue
            told = f'Asked of the user, not answered: "{sentence}"'
            candidate = Candidate("pending", told, "vital", "assistant", (at,), said=sentence)
            if found := carried(candidate, ways(words, sentence, at), transcript):
                drafted += 1
                yield found
