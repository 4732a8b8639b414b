"""A review as a form in JupyterLab: the atom, the transcript beside it, and every action in key.yaml at once.

The form holds nothing: a kernel that dies, or a notebook that is run again, goes on at the next drafted atom.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import cast, get_args

from msgspec.structs import replace

from bench.errors import BenchError
from bench.fixtures import fixture_folder
from bench.forms import Action, Field, Form, Place, Shown
from bench.forms.form import Fields
from bench.keys import Atom, Importance, Patterns, Tag
from bench.project import find_project
from bench.reviewing.beside import beside
from bench.reviewing.review import Review
from bench.text import clip, printable

MARKS = {"drafted": "○", "reviewed": "●", None: "✕"}
NAME_CHARS = 60
"""Of an atom's text in the list that one jumps by."""


class ReviewForm:
    """The form over one fixture's key. `widget` is what a notebook shows."""

    def __init__(self, folder: Path) -> None:
        self.review = Review(folder)
        self.at = self.review.next_drafted() or 0
        self.more = 0
        self.widget = Form(self._act)
        self._show()

    @property
    def _id(self) -> str:
        return self.review.order[self.at]

    def _act(self, action: str, fields: Fields) -> str | None:
        if not self.review.order:
            raise BenchError("the key has no atoms")
        told = None
        match action:
            case "accept":
                self._save(fields)
                self.review.accept(self._id)
                told = self._on()
            case "drop":
                self.review.drop(self._id)
                told = self._on()
            case "keep":
                self._save(fields)
                told = "kept"
            case "undo":
                told = self._undo(fields)
            case "more":
                self._stay(fields)
                self.more += 3
            case "back" | "skip" | "go":
                self._stay(fields)
                to = self.at + {"back": -1, "skip": 1}.get(action, 0)
                self._go(int(fields["to"]) if action == "go" else to)
            case _:
                raise BenchError(f"there is no action '{action}'")
        self._show()
        return told

    def _on(self) -> str | None:
        """Go to the next drafted atom; what is told where there is none."""
        following = self.review.next_drafted(self.at)
        self._go(self.at if following is None else following)
        name = self.review.path.parent.name
        return f"that was the last one; now 'bench key check {name}'" if following is None else None

    def _atom(self) -> Atom:
        atom = self.review.get(self._id)
        if atom is None:
            raise BenchError(f"{self._id} was dropped; take that back first")
        return atom

    def _save(self, fields: Fields) -> None:
        """Write what differs from the key: words and patterns, tag, importance."""
        atom = self._atom()
        typed = _typed(atom, fields)
        if (typed.text, typed.accept) != (atom.text, atom.accept):
            self.review.edit(atom.id, typed.text, typed.accept)
        if typed.tag != atom.tag:
            self.review.retag(atom.id, typed.tag)
        if typed.importance != atom.importance:
            self.review.weigh(atom.id, typed.importance)

    def _changed(self, fields: Fields) -> bool:
        atom = self.review.get(self._id)
        return atom is not None and _typed(atom, fields) != atom

    def _stay(self, fields: Fields) -> None:
        """Raises BenchError where going on would lose what was typed."""
        if self._changed(fields):
            raise BenchError("what was typed is not in the key yet: keep it (k), accept it (a), or take it back (u)")

    def _undo(self, fields: Fields) -> str:
        if self._changed(fields):
            return "what was typed is taken back"
        id_ = self.review.take_back()
        if id_ is None:
            raise BenchError("there is nothing to undo since this form was opened")
        self._go(self.review.order.index(id_))
        return f"the last change of {id_} is taken back"

    def _go(self, to: int) -> None:
        self.at = min(max(to, 0), len(self.review.order) - 1)
        self.more = 0

    def _show(self) -> None:
        if not self.review.order:
            self.widget.show(Shown(title="The key has no atoms; 'bench key draft' proposes some.", status="",
                                   progress="", done=0, of=0))  # fmt: skip
            return
        counts, atom, n = self.review.counts, self.review.get(self._id), len(self.review.order)
        left = f"{counts.left} still drafted" if counts.left else "all are reviewed"
        self.widget.show(
            Shown(
                title=printable(self._id if atom is None else f"{self._id} · {atom.tag}"),
                status="dropped" if atom is None else f"{atom.status}, established by the {_BY[atom.by]}",
                progress=f"{self.at + 1} of {n} · {left}",
                done=n - counts.left,
                of=n,
                notes=() if atom is None else tuple(_notes(atom)),
                places=tuple(self._places()),
                at=str(self.at),
                fields=() if atom is None else _fields(atom),
                rows=_rows(dropped=atom is None),
                reading=() if atom is None else beside(self.review.transcript, atom, self.more),
                reading_label="the transcript beside it",
            )
        )

    def _places(self) -> Iterator[Place]:
        for i, id_ in enumerate(self.review.order):
            atom = self.review.get(id_)
            told = "dropped" if atom is None else printable(clip(atom.text, NAME_CHARS))
            yield Place(str(i), f"{MARKS[atom.status if atom else None]} {printable(id_)} {told}")


_BY = {"user": "person", "assistant": "assistant", "tool": "tools"}


def _rows(*, dropped: bool) -> tuple[tuple[Action, ...], ...]:
    return (
        (
            Action(name="accept", label="Accept", key="a", look="main", off=dropped),
            Action(name="drop", label="Drop", key="d", look="danger", off=dropped),
            Action(name="skip", label="Skip", key="s"),
            Action(name="back", label="Back", key="b"),
            Action(name="undo", label="Undo", key="u"),
        ),
        (
            Action(name="edit", label="edit", key="e", look="quiet", focus="text", off=dropped),
            Action(name="retag", label="kind", key="t", look="quiet", focus="tag", off=dropped),
            Action(name="weigh", label="importance", key="i", look="quiet", flip="importance", off=dropped),
            Action(name="keep", label="keep the changes", key="k", look="quiet", off=dropped),
            Action(name="more", label="more transcript", key="m", look="quiet", off=dropped),
        ),
    )


def _fields(atom: Atom) -> tuple[Field, ...]:
    values = _values(atom)
    return (
        Field(name="text", label="what a successor must know", kind="text", value=values["text"]),
        Field(name="every", label="all of these patterns, one a line (RE2)", kind="lines", value=values["every"]),
        Field(name="some", label="and one of these", kind="lines", value=values["some"]),
        Field(name="tag", label="kind", kind="choice", value=atom.tag, options=get_args(Tag)),
        Field(name="importance", label="importance", kind="choice", value=atom.importance, options=_WEIGHTS),
    )


_WEIGHTS = get_args(Importance)


def _values(atom: Atom) -> dict[str, str]:
    """The atom as its fields hold it."""
    every, some = ("\n".join(patterns) for patterns in (atom.accept.all, atom.accept.any))
    return {"text": atom.text, "every": every, "some": some, "tag": atom.tag, "importance": atom.importance}


def _typed(atom: Atom, fields: Fields) -> Atom:
    """The atom as it stands in the fields. What differs by white space at the ends only was not typed."""
    text, patterns = fields["text"].strip(), Patterns(_lines(fields["every"]), _lines(fields["some"]))
    values = _values(atom)
    same = patterns == Patterns(_lines(values["every"]), _lines(values["some"]))
    return replace(
        atom,
        text=atom.text if text == atom.text.strip() else text,
        accept=atom.accept if same else patterns,
        tag=cast(Tag, fields["tag"]),
        importance=cast(Importance, fields["importance"]),
    )


def _lines(text: str) -> tuple[str, ...]:
    return tuple(line.strip() for line in text.splitlines() if line.strip())


def _notes(atom: Atom) -> Iterator[str]:
    for stale in atom.stale:
        yield f"stale until message {stale.until}: {printable(stale.match)}"


def review_key(fixture: str) -> Form:
    """The form over a fixture's key, to be shown by a notebook. `fixture`: a name in fixtures/, or a folder.

    Raises BenchError for a fixture that is not there, or cannot be read.
    """
    path = Path(fixture).expanduser()
    return ReviewForm(path if path.is_dir() else fixture_folder(fixture, find_project(), Path.cwd())).widget
