"""A review in the terminal: one atom after the other, one key an answer, with the transcript beside it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import get_args

from bench.errors import BenchError
from bench.keys import Atom, Patterns, Tag
from bench.reviewing.review import Counts, Review
from bench.reviewing.shown import BETWEEN, accepting, around, described, heading, joined

Ask = Callable[[str], str]
"""Prompt -> the line that the person typed. Raises EOFError where there is none to come."""
Show = Callable[[str], None]

HELP = (
    "a accept   e edit text and patterns   i vital or okay   t retag   d drop   s skip   b back   u undo   "
    "m more of the transcript   a017 or 17 go there   q quit (all answers are kept)"
)
_END = -1
"""In place of a place: the review ends."""


def review(folder: Path, ask: Ask, show: Show) -> Counts:
    """Go through the drafted atoms of the fixture's key; the key is written after every answer that changes it.

    What was reviewed before is not asked again, but can be gone to. Ends at 'q', where the input ends, at once where no
    atom is drafted, and at Enter after the last one. Raises BenchError for a key or transcript that cannot be read.
    """
    return _Terminal(Review(folder), ask, show).run()


class _Terminal:
    def __init__(self, under_review: Review, ask: Ask, show: Show) -> None:
        self._review, self._ask, self._show = under_review, ask, show
        self._refused: dict[str, tuple[str, Patterns]] = {}
        """What was typed in an edit that could not be: it stands there at the next try."""

    def run(self) -> Counts:
        counts = self._review.counts
        self._show(f"{counts.left} drafted atoms of {len(self._review.order)}. {HELP}")
        at = self._review.next_drafted()
        while at is not None and at != _END:
            decided = at
            at = self._one(at)
            if at is None:
                at = self._last(decided)
        return self._review.counts

    def _last(self, at: int) -> int | None:
        """Asks where to go once no atom is drafted any more: a place, or `_END`."""
        self._show("no atom is drafted any more: Enter ends, u takes the last answer back, a number goes there")
        return self._moved(at, "", enter="q")

    def _one(self, at: int) -> int | None:
        """Asks about the atom at a place: the next place, `_END`, or None: all is done."""
        id_ = self._review.order[at]
        atom = self._review.get(id_)
        if atom is None:
            self._show(f"{id_} was dropped; u takes that back where it was the last answer")
        else:
            self._show("\n".join(described(atom, self._review.transcript, self._place(at))))
        return self._moved(at, id_)

    def _moved(self, at: int, id_: str, enter: str = "") -> int | None:
        """Asks until an answer moves on, and where to; `enter` is what Enter alone answers."""
        while True:
            try:
                answer = self._ask("> ").strip().casefold() or enter
                moved, to = self._answered(answer, at, id_)
            except EOFError:
                return _END
            except BenchError as error:
                self._show(f"{error}; nothing changed")
                continue
            if moved:
                return to
            if (atom := self._review.get(id_)) and answer in ("e", "i", "t"):
                self._show("\n".join(heading(atom, self._place(at))))

    def _place(self, at: int) -> str:
        counts = self._review.counts
        return f"{at + 1} of {len(self._review.order)} ({counts.left} left)"

    def _answered(self, answer: str, at: int, id_: str) -> tuple[bool, int | None]:
        """Whether the answer moves on, and where to."""
        match answer:
            case "s":
                return True, self._after(at)
            case "b":
                return True, max(at - 1, 0)
            case "q":
                return True, _END
            case "u":
                return self._undone(at)
            case "a" | "d" | "e" | "i" | "t" | "m" if (atom := self._review.get(id_)) is not None:
                return self._on_atom(answer, atom, at)
        if (place := self._review.place_of(answer)) is not None:
            return True, place
        if answer.removeprefix("a").isdecimal():
            self._show(f"no atom {answer}: there are 1 to {len(self._review.order)}")
            return False, None
        self._show(HELP if answer else "Enter alone answers nothing: a accepts, d drops, s skips")
        return False, None

    def _on_atom(self, answer: str, atom: Atom, at: int) -> tuple[bool, int | None]:
        match answer:
            case "a":
                self._review.accept(atom.id)
                return True, self._review.next_drafted(at)
            case "d":
                self._review.drop(atom.id)
                return True, self._review.next_drafted(at)
            case "e":
                self._edit(atom)
            case "i":
                self._review.weigh(atom.id, "okay" if atom.importance == "vital" else "vital")
            case "t":
                self._retag(atom)
            case "m":
                self._show("\n".join(around(atom, self._review.transcript)))
        return False, None

    def _after(self, at: int) -> int | None:
        """The next drafted atom further on; the end where there is none: what was skipped waits for the next time."""
        following = self._review.next_drafted(at)
        return following if following is not None and following > at else _END

    def _undone(self, at: int) -> tuple[bool, int | None]:
        id_ = self._review.take_back()
        if id_ is None:
            self._show("nothing to undo in this sitting")
            return False, None
        self._show(f"{id_} is as it was")
        return True, self._review.place_of(id_) if self._review.place_of(id_) is not None else at

    def _retag(self, atom: Atom) -> None:
        tags: dict[str, Tag] = {tag: tag for tag in get_args(Tag)}
        typed = self._ask(f"tag [{atom.tag}] ({' '.join(tags)}): ").strip()
        if not typed:
            return
        if typed not in tags:
            raise BenchError(f"no such tag: {typed}")
        self._review.retag(atom.id, tags[typed])

    def _edit(self, atom: Atom) -> None:
        """Asks for each part with what stands there; an empty line keeps it."""
        before, accept = self._refused.pop(atom.id, (atom.text, atom.accept))
        self._show(f"Enter keeps what is in brackets; '{BETWEEN}' parts patterns; a dash alone empties a list of them")
        text = self._ask(f"text [{before}]: ").strip() or before
        every = self._ask(f"all [{joined(accept.all)}]: ")
        some = self._ask(f"any [{joined(accept.any)}]: ")
        typed = accepting(every, some, accept)
        try:
            self._review.edit(atom.id, text, typed)
        except BenchError:
            self._refused[atom.id] = (text, typed)
            raise
