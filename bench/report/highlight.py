"""A handoff cut into pieces where evidence begins and ends, so that spans which overlap can all be marked."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import NamedTuple


class Span(NamedTuple):
    """Where an atom's evidence stands in a text, in characters."""

    start: int
    end: int
    atom: str
    verdict: str


class Piece(NamedTuple):
    """A stretch of the text and the evidence that covers it: none for most."""

    text: str
    spans: tuple[Span, ...] = ()

    @property
    def atoms(self) -> str:
        """The atoms' ids, a blank between them."""
        return " ".join(dict.fromkeys(span.atom for span in self.spans))

    @property
    def verdict(self) -> str:
        """`stale` or `wrong` where any span is, else that of the first."""
        verdicts = [span.verdict for span in self.spans]
        return next((v for v in verdicts if v in ("wrong", "stale")), verdicts[0] if verdicts else "")


def located(text: str, evidence: Iterable[tuple[str, str, str | None]]) -> list[Span]:
    """The spans of (atom, verdict, quote) in `text`: where each quote first stands; quotes that do not are left out."""
    found = []
    for atom, verdict, quote in evidence:
        at = text.find(quote) if quote else -1
        if quote and at >= 0:
            found.append(Span(at, at + len(quote), atom, verdict))
    return found


def pieces(text: str, spans: Iterable[Span]) -> list[Piece]:
    """The whole text in order, cut at every end of a span; each piece with the spans that cover it."""
    spans = sorted(spans)
    cuts = sorted({0, len(text), *(s.start for s in spans), *(s.end for s in spans)})
    return [
        Piece(text[start:end], tuple(s for s in spans if s.start <= start and s.end >= end))
        for start, end in pairwise(cuts)
    ]
