"""Atoms from questions that a tool put to the user, with the answers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from bench.drafting.calls import Call
from bench.drafting.candidates import Candidate, carried
from bench.drafting.patterns import ways
from bench.drafting.words import Words, plain
from bench.text import clip
from bench.transcripts.model import Transcript

ENOUGH_WORDS = 3
"""Content words of an answer that is found by itself, without those of its question."""
LONGEST_RESULT = 20_000
"""Characters of a result that are searched: four questions with their answers have a tenth of that."""
LONGEST_QUESTION = 110
"""Characters of the question that are told with its answer."""

_ASKS = re.compile(r"(?i)ask_?(?:user|human|followup)|request_user_input|question")
_PAIR = re.compile(r'"(?P<question>(?:[^"\\]|\\.|"(?!=)){1,800})"="(?P<answer>(?:[^"\\]|\\.|"(?![,.])){0,800})"')


def answers(calls: Sequence[Call], words: Words, transcript: Transcript) -> Iterator[Candidate]:
    """What the user answered when a tool asked, newest first."""
    for call in reversed(calls):
        if call.result is None or call.result_at is None or not _ASKS.search(call.name):
            continue
        for found in _PAIR.finditer(call.result.text[:LONGEST_RESULT]):
            question, answer = plain(found["question"]), plain(found["answer"])
            if not answer or answer.endswith("?"):
                continue
            told = f'Asked "{clip(question, LONGEST_QUESTION)}", the user answered "{answer}"'
            at = call.result_at
            candidate = Candidate("decision", told, "vital", "user", (at,), said=f"{question} {answer}")
            enough = len(words.ranked(answer, at)) >= ENOUGH_WORDS
            tried = [answer, f"{answer} {question}"] if enough else [f"{answer} {question}", question]
            patterns = (p for text in tried for p in ways(words, text, at))
            if drafted := carried(candidate, patterns, transcript):
                yield drafted
