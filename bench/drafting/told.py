"""Atoms from what a person told of how things are: no rule, no request, yet nobody else knows it. Cues are English."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from bench.drafting.candidates import Candidate, carried
from bench.drafting.cues import ASKING, CUES, PASSING, PASTED, QUESTION, WISH
from bench.drafting.patterns import ways
from bench.drafting.turns import Turn
from bench.drafting.words import Words, sentences
from bench.keys import Tag
from bench.transcripts.model import Transcript

PER_TURN = 2
FEWEST_WORDS = 3
"""Content words of a sentence that tells something."""

_TELLS = re.compile(
    r"\b(?:is|are|was|were|isn'?t|aren'?t|wasn'?t|weren'?t|has|have|had|hasn'?t|haven'?t|does|doesn'?t|did|didn'?t|can'?t"
    r"|cannot|got|gets?|fails?|failed|broke|breaks?|works?|worked|runs?|ran|uses?|used|saw|found|shows?|says?"
    r"|happens?|happened|there'?s|it'?s|we'?re|i'?m|we'?ve|i'?ve|needs?|contains?|returns?|expects?|means?)\b",
    re.IGNORECASE,
)
_TALK = re.compile(
    r"(?i)^\W*(?:thanks?|thank you|good|great|nice|cool|perfect|ok(?:ay)?|yes|yeah|sure|sorry|hi|hello|lgtm|looks good"
    r"|sounds|well done|continue|go ahead"
    r"|i (?:think|guess|hope|like|am not sure|don'?t know)|i'?m not sure|not sure|hmm)\b"
    r"(?:\W|$)(?:\w+\W*){0,4}$"
)
"""A courtesy, or a doubt, without more."""
_UNCLEAR = re.compile(
    r"(?i)^(?:i mean|i'?m (?:confused|not sure)|i think (?:that|this|it)(?:'s| is)|(?:ok(?:ay)?,? )?i hope|like i said"
    r"|you (?:wrote|said)|thinking about|(?:is|are|do|does|did|can|should)(?:n'?t)?|why|what|how)\b"
    r"|^(?:this|that|they|these|those|it)(?: is| are| was|'s)\b(?! (?:not|likely|broken|failing))"
    r"|\bthe (?:latter|former)\b"
)
"""What says nothing by itself, and questions without their mark."""
_PRAISE = re.compile(r"(?i)\b(?:good|great|excellent|nice|solid|clean|robust|properly|well[- ]\w+)\b")
"""Of a pasted review what is well, which asks for nothing."""
_TYPED_LINES = 3
"""A turn of more lines is pasted in part: only its whole sentences are taken."""
_TROUBLE = re.compile(
    r"(?i)\b(?:error|fail\w*|broke\w*|breaks?|crash\w*|bug|missing|misleading|does(?:n'?t| not)|is(?:n'?t| not)"
    r"|can(?:'?t|not)|never|no longer|wrong|stale|lost)\b"
)


def told(turns: Sequence[Turn], words: Words, transcript: Transcript) -> Iterator[Candidate]:
    """What people said that is so, newest first, without what they ruled or asked for."""
    for turn in reversed(turns):
        found = 0
        pasted = len(turn.text.strip().splitlines()) > _TYPED_LINES
        for sentence in sentences(turn.text) if not turn.said_again else ():
            if found == PER_TURN:
                break
            if pasted and not _is_whole(sentence):
                continue
            if not _tells(sentence) or len(words.ranked(sentence, turn.at)) < FEWEST_WORDS:
                continue
            tag: Tag = "error" if _TROUBLE.search(sentence) else "state"
            candidate = Candidate(tag, f'The user said: "{sentence}"', "okay", "user", (turn.at,), said=sentence)
            if drafted := carried(candidate, ways(words, sentence, turn.at), transcript):
                found += 1
                yield drafted


def _is_whole(sentence: str) -> bool:
    """Whether a sentence of a paste begins and ends as one, and says more than that something is well."""
    ends = sentence[:1].isupper() and sentence.endswith((".", "!", ")")) and sentence.count("(") == sentence.count(")")
    return ends and not _PRAISE.search(sentence)


def _tells(sentence: str) -> bool:
    if (
        not _TELLS.search(sentence)
        or _UNCLEAR.search(sentence)
        or _TALK.match(sentence)
        or sentence.endswith((":", "?"))
    ):
        return False
    if any(cue.search(sentence) for cue in (QUESTION, ASKING, PASSING, PASTED)) or WISH.match(sentence):
        return False
    return not any(cue.search(sentence) for _, cue in CUES)
