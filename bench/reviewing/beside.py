"""The messages that establish an atom, with their neighbours, as a form shows them: where it stands is marked."""

from __future__ import annotations

from bench.errors import BenchError
from bench.forms import Part
from bench.forms.shown import pieces
from bench.grading.lexical import Look
from bench.grading.patterns import compile_key
from bench.keys import Atom, Key
from bench.transcripts.model import Transcript

NEIGHBOURS = 1
"""Messages shown before and after each that an atom names; asked for more, that many more."""
MOST_CHARS = 6_000
"""Characters shown of a message: those around the mark. Asked for more, that many more."""
BEFORE = 0.4
"""Share of them that stand before the mark."""


def beside(transcript: Transcript, atom: Atom, more: int = 0) -> tuple[Part, ...]:
    """The messages that the atom names, marked, and `more` neighbours above the usual; in their order."""
    last, reach = len(transcript.messages) - 1, NEIGHBOURS + more
    shown = sorted({j for i in atom.at for j in range(i - reach, i + reach + 1) if 0 <= j <= last})
    return tuple(_part(transcript, i, atom if i in atom.at else None, MOST_CHARS * (1 + more)) for i in shown)


def _part(transcript: Transcript, i: int, atom: Atom | None, chars: int) -> Part:
    message = transcript.messages[i]
    text = message.text
    mark = None if atom is None else mentioned(text, atom)
    first = max(0, min(mark[0] - int(chars * BEFORE) if mark else 0, len(text) - chars))
    cut = text[first : first + chars]
    within = (mark[0] - first, mark[1] - first) if mark else None
    part = "" if cut == text else f" ({len(cut):,} of {len(text):,} characters, from {first:,})"
    return Part(head=f"message {i}, {message.author}{part}", pieces=pieces(cut, within), named=atom is not None)


def mentioned(text: str, atom: Atom) -> tuple[int, int] | None:
    """Where the text carries the atom, else where a pattern of it matches at all; None where none does.

    A pattern that cannot be used marks nothing: the form says why when it is to be kept.
    """
    try:
        look = Look(text, compile_key(Key(version=1, atoms=(atom,))))
    except BenchError:
        return None
    span = look.mention(look.key.atoms[0])
    return None if span is None else look.words(span)
