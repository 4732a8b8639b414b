"""The lexical grader: patterns of the key over folded text, one passage at a time. Pure and deterministic.

Accept beats stale and wrong; those count only where accept matches nowhere. Where both match, `wrong` is told: the text
contradicts the transcript whatever else it holds. Patterns never give `partial`. An atom without accept patterns is
carried where the scored matcher (`matcher.py`) finds its text.
"""

from __future__ import annotations

from collections.abc import Sequence

from bench.grading.hits import Span
from bench.grading.matcher import Matcher
from bench.grading.model import Finding, Invention
from bench.grading.negation import Reading
from bench.grading.passages import Passages
from bench.grading.patterns import CompiledAtom, CompiledKey, Pattern, compile_key
from bench.keys import Key
from bench.rows import Verdict

_BETWEEN_WORDS = frozenset(range(128)) - frozenset(b"abcdefghijklmnopqrstuvwxyz0123456789_")


def grade(text: str, key: Key) -> tuple[tuple[Finding, ...], tuple[Invention, ...]]:
    """A finding per atom, in the key's order, and what the text states that was never said.

    Never raises for any text. Raises BenchError where a pattern of the key cannot be used (`bench check` says line and
    mend).
    """
    look = Look(text, compile_key(key))
    return (
        tuple(_finding(look, atom) for atom in look.key.atoms),
        tuple(
            Invention(never=n.never.id, text=n.never.text, evidence=look.quote(span))
            for n in look.key.nevers
            if (span := look.states(n.patterns))
        ),
    )


class Look:
    """One text, read once, to be asked for the atoms of one key."""

    def __init__(self, text: str, key: CompiledKey) -> None:
        self.key = key
        self._reading = Reading(text)
        self._passages = Passages(self._reading)
        self._matcher = Matcher(self._reading, key.key)

    def carries(self, atom: CompiledAtom) -> Span | None:
        """Where the text carries the atom: by its accept patterns, or without any by the scored matcher."""
        return self._passages.find(atom.groups) if atom.groups else self._matcher.find(atom.atom)

    def states(self, patterns: tuple[Pattern, ...]) -> Span | None:
        """Where the text states one of the patterns, each of which stands alone."""
        return next((span for p in patterns if (span := self._passages.find([[p]], alone=True))), None)

    def states_any(self, group: Sequence[Pattern]) -> Span | None:
        """Where the text has what any pattern of one group of an accept asks for, the others left aside."""
        return self._passages.find([group])

    def mention(self, atom: CompiledAtom) -> Span | None:
        """Where the text carries the atom, else where a pattern of its accept matches at all, denied or not."""
        hits = (span for group in atom.groups for p in group for span in p.spans(self._reading.data))
        return self.carries(atom) or next(hits, None)

    def words(self, span: Span) -> tuple[int, int]:
        """The span as indices into the text, its first and its last word whole."""
        data, (start, end) = self._reading.data, span
        while start and data[start - 1] not in _BETWEEN_WORDS:
            start -= 1
        while end < len(data) and data[end] not in _BETWEEN_WORDS:
            end += 1
        return self._reading.folded.origin(start), self._reading.folded.origin(end - 1) + 1

    def quote(self, span: Span) -> str:
        """The words of the text at that span, verbatim."""
        start, end = self.words(span)
        return self._reading.folded.source[start:end]


def _finding(look: Look, atom: CompiledAtom) -> Finding:
    verdict, span = _verdict(look, atom)
    if span is None:
        return Finding(atom=atom.atom.id, verdict=verdict)
    return Finding(atom=atom.atom.id, verdict=verdict, evidence=look.quote(span), evidence_found=True)


def _verdict(look: Look, atom: CompiledAtom) -> tuple[Verdict, Span | None]:
    if span := look.carries(atom):
        return "carried", span
    if span := look.states(atom.wrong):
        return "wrong", span
    if span := look.states(atom.stale):
        return "stale", span
    return "absent", None
