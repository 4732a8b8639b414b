"""What a form shows at one moment, as plain values: the page makes text of all of it, never markup."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from bench.text import printable


class Place(Struct, frozen=True):
    """A line of the list by which a person jumps about: what is sent back, and what is read."""

    value: str
    name: str


class Field(Struct, frozen=True, kw_only=True):
    """Something that a person may type or choose. `lines` are patterns, one a line, in letters of one width."""

    name: str
    label: str
    kind: Literal["text", "lines", "choice"]
    value: str = ""
    options: tuple[str, ...] = ()
    """Of a choice."""


class Action(Struct, frozen=True, kw_only=True):
    """A button, and the key that does the same. `focus`, `flip` and `takes` name a field, and are done by the page:
    go there, take its next option, put the marked words of the reading there."""

    name: str
    label: str
    key: str
    """As `KeyboardEvent.key` has it; arrows do, too."""
    look: Literal["main", "plain", "danger", "quiet"] = "plain"
    off: bool = False
    chosen: bool = False
    focus: str = ""
    flip: str = ""
    takes: str = ""


class Piece(Struct, frozen=True):
    """A stretch of text, marked or not."""

    text: str
    marked: bool = False


class Part(Struct, frozen=True, kw_only=True):
    """A message, or the whole text: its head, and its pieces. The first one that is `named` is scrolled to."""

    head: str
    pieces: tuple[Piece, ...]
    named: bool = False


class Shown(Struct, frozen=True, kw_only=True):
    """All of it. `done` of `of` is the bar; `at` is the value of the place that is shown."""

    title: str
    """What is decided on."""
    status: str
    progress: str
    done: int
    of: int
    notes: tuple[str, ...] = ()
    places: tuple[Place, ...] = ()
    at: str = ""
    fields: tuple[Field, ...] = ()
    rows: tuple[tuple[Action, ...], ...] = ()
    reading: tuple[Part, ...] = ()
    reading_label: str = ""


def pieces(text: str, marked: tuple[int, int] | None = None) -> tuple[Piece, ...]:
    """The text with that stretch marked, control and direction characters as escapes."""
    start, end = marked or (len(text), len(text))
    cut = (Piece(text[:start]), Piece(text[start:end], marked=True), Piece(text[end:]))
    return tuple(Piece(printable(piece.text), piece.marked) for piece in cut if piece.text)
