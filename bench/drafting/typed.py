"""Atoms from what a person typed: rules, rejections, corrections, decisions, requests. Cues are English."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice, pairwise

from bench.drafting.candidates import Candidate, carried
from bench.drafting.choices import option_of
from bench.drafting.cues import (
    ABSOLUTE,
    ASKING,
    CUES,
    DENIED_FIRST,
    FRAME,
    LAYOUT,
    PASSING,
    PASTED,
    QUESTION,
    WISH,
    WITHDRAWN,
)
from bench.drafting.patterns import ways
from bench.drafting.turns import Turn, refusals
from bench.drafting.vocabulary import WEAK
from bench.drafting.words import Words, plain, sentences
from bench.keys import Tag
from bench.text import clip
from bench.transcripts.model import Transcript

PER_MESSAGE = 2
"""Statements taken from one turn: a pasted review of forty sentences is one event of the session."""
MOST_ASKS = 10
"""Requests drafted, newest first; older ones are mostly done and buried in the rest."""
PER_LAYOUT = 6
"""Lines of a layout ("tools -> core/tools") taken from one turn."""
ASK_WORDS = 3
STATEMENT_WORDS = 2
"""Content words that a turn needs to be a request of its own ('yes', 'go on' have none), a sentence to be a rule."""
LAST = "The last request, "
OPEN = f"{LAST}open at the end:"
"""How the text of the last request begins where nothing after it answers it; `bench key check` holds it to that."""

_TOLD: dict[Tag, str] = {
    "rejected": "The user turned down or took back:",
    "correction": "The user corrected:",
    "constraint": "The user's rule:",
    "decision": "The user decided:",
}


ON_REFUSING = "On refusing a tool call, the user said:"


def statements(turns: Sequence[Turn], words: Words, transcript: Transcript) -> Iterator[Candidate]:
    """What the person ruled, turned down, corrected and decided, in typed turns and on refusing a call."""
    turn_at = {turn.at: turn for turn in turns}
    for i, message in enumerate(transcript.messages):
        for text in refusals(message):
            yield from _statements(text, i, words, transcript, refusing=True)
        if (turn := turn_at.get(i)) and not turn.said_again:
            yield from _statements(turn.text, i, words, transcript)


def asks(turns: Sequence[Turn], words: Words, transcript: Transcript) -> Iterator[Candidate]:
    """The last request first; then what was asked to be done, newest first, without what was only asked in passing."""
    if turns and (last := turns[-1]) and (found := _last(last, words, transcript)):
        yield found
    withdrawn = {turn.at for turn, after in pairwise(turns) if WITHDRAWN.search(after.text)}
    earlier = (turn for turn in reversed(turns[:-1]) if not turn.said_again and turn.at not in withdrawn)
    yield from islice((found for turn in earlier for found in _asked(turn, words, transcript)), MOST_ASKS)


def is_open(turn: Turn, transcript: Transcript) -> bool:
    """Whether nothing after the last typed turn answers it: the assistant did not speak, or went on to call tools."""
    if turn.report is None:
        return True
    return any(message.tool_uses for message in transcript.messages[turn.report :])


def _statements(
    text: str, at: int, words: Words, transcript: Transcript, *, refusing: bool = False
) -> Iterator[Candidate]:
    """`refusing`: said on refusing a call. What was turned down is then the call; the words say what to do instead."""
    found = 0
    for sentence in sentences(text):
        cued = _tag(sentence)
        tag: Tag | None = cued or ("correction" if refusing and not QUESTION.search(sentence) else None)
        laid_out = LAYOUT.match(sentence) is not None
        if (
            tag is None
            or found >= (PER_LAYOUT if laid_out else PER_MESSAGE)
            or len(_telling(words.ranked(sentence, at), tag)) < STATEMENT_WORDS
        ):
            continue
        firm = tag in ("rejected", "constraint") and bool(DENIED_FIRST.search(sentence))
        told, sources = f'{_TOLD[tag] if cued else ON_REFUSING} "{sentence}"', [at]
        patterns = ways(words, sentence, at, firm=firm)
        if option := option_of(sentence, at, transcript):
            told, sources = f'{told} ({option.name}: "{option.text}")', [option.at, at]
            patterns = ways(words, option.text, option.at)
        proposed = Candidate(tag, told, "vital", "user", tuple(sources), said=option.text if option else sentence)
        if candidate := carried(proposed, patterns, transcript):
            found += 1
            yield candidate


def _telling(ranked: list[str], tag: Tag) -> list[str]:
    """The words that count: "ok, let's go, write it" decides nothing."""
    return [w for w in ranked if w.casefold() not in WEAK] if tag == "decision" else ranked


def _tag(sentence: str) -> Tag | None:
    """What a typed sentence sets, by its cues; questions and requests set nothing, unless they lay down how."""
    if PASTED.search(sentence) or PASSING.search(sentence):
        return None
    if ASKING.search(sentence) or QUESTION.search(sentence):
        return "constraint" if re.search(r"\b(?:make sure|always|never)\b", sentence, re.IGNORECASE) else None
    if LAYOUT.match(sentence):
        return "decision"
    tag = next((tag for tag, cue in CUES if cue.search(sentence)), None)
    wished = WISH.match(sentence) and not ABSOLUTE.search(sentence)
    return None if tag in ("constraint", "decision") and wished else tag


def _asked(turn: Turn, words: Words, transcript: Transcript) -> Iterator[Candidate]:
    """The requests of a turn: its first sentences that ask for something to be done."""
    found = 0
    for sentence in sentences(turn.text):
        if found == PER_MESSAGE:
            return
        asking = bool(ASKING.search(sentence)) or (
            bool(WISH.search(sentence)) and not sentence.endswith(("?", ":")) and _tag(sentence) is None
        )
        if not asking or PASTED.search(sentence) or PASSING.search(sentence):
            continue
        if len(words.ranked(sentence, turn.at)) < ASK_WORDS:
            continue
        candidate = Candidate("ask", f'The user asked: "{sentence}"', "okay", "user", (turn.at,), said=sentence)
        if kept := carried(candidate, ways(words, sentence, turn.at), transcript):
            found += 1
            yield kept


def _last(turn: Turn, words: Words, transcript: Transcript) -> Candidate | None:
    """What was typed last, however short, and whether it is open."""
    told = OPEN if is_open(turn, transcript) else f"{LAST}answered in message {turn.report}:"
    parts = [p for p in sentences(turn.text) if not FRAME.search(p)]
    parts.sort(key=lambda p: (bool(PASTED.search(p)), not (ASKING.search(p) or WISH.search(p))))
    for sentence in [*parts, clip(plain(turn.text), 200)]:
        candidate = Candidate("ask", f'{told} "{sentence}"', "vital", "user", (turn.at,), said=sentence)
        if found := carried(candidate, ways(words, sentence, turn.at), transcript):
            return found
    return None
