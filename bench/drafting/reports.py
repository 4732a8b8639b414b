"""Atoms from what the assistant said: reports at the end of turns, findings between them, and a session's summaries."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from bench.drafting.candidates import Candidate, stated
from bench.drafting.cues import TURNED_DOWN
from bench.drafting.statements import LEAST, best
from bench.drafting.turns import Turn
from bench.drafting.words import Words
from bench.transcripts.model import Transcript

PER_REPORT, PER_SUMMARY = 6, 20
"""Of one report, those first that tell most; of a summary that a context begins with."""
PER_MESSAGE = 2
"""Of a message in the middle of the work."""
LEAST_FOUND = 2.5
"""Weight of a statement in the middle of the work: a finding that names something, not a step."""
PER_REPORT_LOOSE, LEAST_LOOSE, LEAST_FOUND_LOOSE = 8, 0.0, 2.0
"""The same where the session has too few of these for a key."""
LONG_MESSAGE = 700
"""Characters of a message in the middle of the work that tells as much as a report: a design, an analysis."""
ASSIGNMENTS = ("subagent-prompt", "task")
"""Origins of messages that give an agent its work: all that it knows when it begins."""

_PLANNED = re.compile(
    r"(?im)^[^\w\n]{0,20}(?:\d+\.|[\w.-]{1,60}:)?[^\w\n]{0,20}(?:add|create|remove|delete|replace|update|import|use|move|implement|refactor|write|rename|fix"
    r"|extract)\b.*$"
)
"""A line with a step of a plan: but in the last report it is done or overtaken by the end."""


def reports(turns: Sequence[Turn], words: Words, transcript: Transcript, *, loose: bool = False) -> Iterator[Candidate]:
    """The statements of the messages that end a turn, newest first, without reports that the person turned down.

    `loose`: with those that tell less.
    """
    most, least = (PER_REPORT_LOOSE, LEAST_LOOSE) if loose else (PER_REPORT, LEAST)
    ends = _ends(turns, transcript)
    newest = max((t.report for t in turns if t.report is not None), default=len(transcript.messages) - 1)
    for at in sorted(ends - _refused(turns), reverse=True):
        spoken = transcript.messages[at].spoken
        text = spoken if at >= newest else _PLANNED.sub("", spoken)
        for said in best(text, at, words, most, least=least, loose=loose):
            yield from stated(said, at, words, transcript)


def findings(
    turns: Sequence[Turn], words: Words, transcript: Transcript, *, loose: bool = False
) -> Iterator[Candidate]:
    """What the assistant says in the middle of the work that it found, newest first; `loose`: what tells less, too."""
    least = LEAST_FOUND_LOOSE if loose else LEAST_FOUND
    ends = _ends(turns, transcript)
    for at in range(len(transcript.messages) - 1, -1, -1):
        message = transcript.messages[at]
        if message.author == "assistant" and at not in ends:
            text = _PLANNED.sub("", message.spoken)
            for said in best(text, at, words, PER_MESSAGE, least=least, loose=loose):
                yield from stated(said, at, words, transcript)


def summaries(words: Words, transcript: Transcript) -> Iterator[Candidate]:
    """The statements of the summaries that a context begins with, and of the task that an agent was given."""
    for at, message in enumerate(transcript.messages):
        if message.author == "compaction" or message.origin in ASSIGNMENTS:
            text = _PLANNED.sub("", message.spoken) if message.author == "compaction" else message.spoken
            for said in best(text, at, words, PER_SUMMARY):
                yield from stated(said, at, words, transcript)


def _ends(turns: Sequence[Turn], transcript: Transcript) -> set[int]:
    """The messages that answer a turn, those as long as a report, and what the assistant said last."""
    last = len(transcript.messages) - 1
    spoken = transcript.messages[-1:] and transcript.messages[-1].author == "assistant"
    long = {i for i, m in enumerate(transcript.messages) if m.author == "assistant" and len(m.spoken) >= LONG_MESSAGE}
    return {t.report for t in turns if t.report is not None} | long | ({last} if spoken else set())


def _refused(turns: Sequence[Turn]) -> set[int]:
    return {t.report for t, after in pairwise(turns) if t.report is not None and TURNED_DOWN.search(after.text)}
