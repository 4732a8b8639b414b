"""A proposed atom before it has an id, and the check that its own source carries it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from bench.drafting.cues import DENIED_FIRST
from bench.drafting.patterns import ways
from bench.drafting.prose import Statement
from bench.drafting.statements import tag_of
from bench.drafting.words import Words, content_words
from bench.errors import BenchError
from bench.grading.lexical import grade
from bench.keys import Atom, By, Importance, Key, Patterns, Stale, Tag
from bench.text import clip
from bench.transcripts.model import Transcript

LONGEST_TEXT = 240
"""Characters of an atom's text: it is read by a person beside forty others."""
VITAL: frozenset[Tag] = frozenset(("pending", "reason", "decision", "constraint"))
"""Tags of statements that a successor must not miss."""

NOTHING = Patterns()
"""No patterns yet."""


@dataclass(frozen=True)
class Candidate:
    """An atom as one of the drafters proposes it."""

    tag: Tag
    text: str
    importance: Importance
    by: By
    at: tuple[int, ...]
    accept: Patterns = NOTHING
    stale: tuple[Stale, ...] = ()
    said: str = ""
    """What of the text was said or done, without the words that introduce it; empty where that is all of it."""
    slight: bool = False
    """Whether it is worth a question only where no other atom's text holds it."""

    @cached_property
    def words_said(self) -> frozenset[str]:
        """The content words of what was said, casefolded."""
        return frozenset(w.casefold() for w in content_words(self.said or self.text))

    def atom(self, id_: str) -> Atom:
        return Atom(
            id=id_,
            tag=self.tag,
            text=clip(self.text, LONGEST_TEXT),
            importance=self.importance,
            by=self.by,
            at=self.at,
            accept=self.accept,
            stale=self.stale,
        )


def carried(candidate: Candidate, ways: Iterable[Patterns], transcript: Transcript) -> Candidate | None:
    """The candidate with the first of several pattern sets by which its own source carries it; None where none does."""
    tried = (replace(candidate, accept=patterns) for patterns in ways)
    return next((c for c in tried if is_carried(c, transcript)), None)


def is_carried(candidate: Candidate, transcript: Transcript) -> bool:
    """Whether the grader finds the atom in the messages that it names: a key must be answerable from its transcript."""
    source = "\n".join(transcript.messages[i].text for i in candidate.at)
    try:
        findings, _ = grade(source, Key(version=1, atoms=(candidate.atom("a"),)))
    except BenchError:
        # a pattern that cannot be used is no way to put it
        return False
    return bool(candidate.accept) and findings[0].verdict == "carried"


def stated(
    said: Statement,
    at: int,
    words: Words,
    transcript: Transcript,
    *,
    by: By = "assistant",
    source: str = "",
    otherwise: Tag = "state",
) -> Iterator[Candidate]:
    """The candidate of a statement of message `at`, where that carries it; `source` says whose words it is."""
    tag = tag_of(said.text, otherwise)
    importance: Importance = "vital" if tag in VITAL else "okay"
    told = f"{source}: {said.told}" if source else said.told
    candidate = Candidate(tag, told, importance, by, (at,), said=said.text)
    patterns = ways(words, said.text, at, firm=bool(DENIED_FIRST.search(said.text)))
    if found := carried(candidate, patterns, transcript):
        yield found
