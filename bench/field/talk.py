"""What passes between the agent and the person after a compaction: questions asked again, and corrections."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Literal

from msgspec import Struct

from bench.drafting.patterns import stem_pattern
from bench.drafting.turns import refusals, typed_text
from bench.drafting.words import content_words, sentences
from bench.field.stretches import Session, Stretch
from bench.handoff.outcome import outcome_of
from bench.handoff.pins import is_pinnable
from bench.text import clip
from bench.transcripts.model import Message, ToolUse

TEXT_CHARS = 200
LEAST_SHARED = 3
"""Words that two questions must share at least: 'shall I commit this?' is asked at every turn of the work."""
LIKENESS = 0.5
"""Shared words over all words of both questions."""
ASKING_TOOLS = ("askuserquestion", "ask_user", "ask_followup_question", "request_user_input")

How = Literal["said", "refused", "interrupted"]

_NUMBER = re.compile(r"\b\d[\w.]*\b")
_CUE = re.compile(
    r"^(?:no|nope|nah|wrong|stop|wait)\b(?! problem| worries| need to worry)"
    r"|\b(?:i|we) (?:\w+ )?(?:already )?(?:said|told you|asked (?:you|for)|decided|agreed)\b|\bas i said\b"
    r"|\b(?:you|we) (?:just |had |have |were )?(?:already|forgot|misunderstood|lost|missed|ignored)\b"
    r"|\b(?:that|this|it)(?:'s| is| was) (?:not (?:what|right|correct|how|the)|wrong|incorrect)\b"
    r"|\bnot what i\b|\bi meant\b|\bi (?:do not|don'?t) want\b|\b(?:revert|undo) (?:this|that|it|your|the)\b"
    r"|\bwhy (?:did|are|do|have) you\b|\bdon'?t you remember\b|\bas before\b|\blike before\b",
    re.IGNORECASE,
)


class AskedAgain(Struct, frozen=True, kw_only=True):
    """A question to the person, and the message of an earlier one like it that they had answered."""

    at: int
    before: int
    text: str


class Correction(Struct, frozen=True, kw_only=True):
    """A turn in which the person corrected, refused or stopped the agent."""

    at: int
    how: How
    text: str


def questions_again(session: Session, stretch: Stretch) -> tuple[AskedAgain, ...]:
    """Questions after the pivot that are like one that was asked and answered before it."""
    asked = [(at, text, words) for at, text in _questions(session.messages) if (words := _words(text))]
    answered = [(at, words) for at, _, words in asked if stretch.behind(at) and _is_answered(session.messages, at)]
    found = []
    for at, text, words in asked:
        if stretch.ahead(at):
            like = [before for before, others in answered if _alike(words, others)]
            if like:
                found.append(AskedAgain(at=at, before=like[-1], text=clip(text, TEXT_CHARS)))
    return tuple(found)


def corrections(session: Session, stretch: Stretch) -> tuple[Correction, ...]:
    """Turns after the pivot that correct. A refusal, the interrupt it causes and the words after it are one."""
    found: dict[int, Correction] = {}
    answers = 0
    spoken = False
    for at, message in enumerate(session.messages):
        if message.role == "assistant":
            answers, spoken = answers + 1, False
        if stretch.ahead(at) and (correction := _correction(at, message, spoken=spoken)):
            said = found.get(answers)
            if said is None or correction.how == "said":
                found[answers] = correction
        spoken = spoken or is_pinnable(message)
    return tuple(found.values())


def _correction(at: int, message: Message, *, spoken: bool) -> Correction | None:
    if message.origin == "interrupt":
        # a person who stops the agent before its first word is about to put their own words better
        return None if spoken else Correction(at=at, how="interrupted", text="")
    for result in message.tool_results:
        kind = outcome_of(result.text, flagged=result.is_error)
        if kind.ended == "refused" and "The user" in result.text:
            said = " ".join(" ".join(refusals(message)).split())
            return Correction(at=at, how="refused", text=clip(said, TEXT_CHARS))
    sentence = next((s for s in sentences(typed_text(message)) if _CUE.search(s)), None)
    return None if sentence is None else Correction(at=at, how="said", text=clip(sentence, TEXT_CHARS))


def _questions(messages: Sequence[Message]) -> Iterator[tuple[int, str]]:
    """The questions that the agent put to the person: in words that end its turn, or through a tool."""
    for at, message in enumerate(messages):
        if message.role != "assistant":
            continue
        if not message.tool_uses:
            yield from ((at, s) for s in sentences(message.spoken) if s.endswith(("?", "？")))
        for use in message.tool_uses:
            yield from ((at, text) for text in _put_by(use))


def _put_by(use: ToolUse) -> Iterator[str]:
    if use.name.rsplit("__", 1)[-1].casefold() not in ASKING_TOOLS:
        return
    try:
        given = use.input
    except ValueError:  # what the model wrote is no JSON
        return
    if isinstance(given, dict):
        asked = given.get("questions")
        for one in asked if isinstance(asked, list) else [given]:
            if isinstance(one, dict) and isinstance(text := one.get("question"), str):
                yield " ".join(text.split())


def _is_answered(messages: Sequence[Message], at: int) -> bool:
    """Whether the person's next word, or the result of the asking tool, follows before the agent speaks again."""
    asking = {use.id for use in messages[at].tool_uses}
    for message in messages[at + 1 :]:
        if message.role == "assistant":
            return False
        results = [r for r in message.tool_results if r.tool_use_id in asking]
        if is_pinnable(message) or any(not r.is_error for r in results):
            return True
    return False


def _words(text: str) -> frozenset[str]:
    words = {stem_pattern(word) for word in content_words(text)}
    return frozenset(words | set(_NUMBER.findall(text)))


def _alike(a: frozenset[str], b: frozenset[str]) -> bool:
    shared = len(a & b)
    return shared >= LEAST_SHARED and shared >= LIKENESS * len(a | b)
