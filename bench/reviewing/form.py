"""A review as a form in JupyterLab: the atom, the transcript beside it, and every action in key.yaml at once.

The widgets hold nothing: a kernel that dies, or a notebook that is run again, goes on at the next drafted atom.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args

import ipywidgets as w

from bench.errors import BenchError
from bench.fixtures import fixture_folder
from bench.keys import Atom, Importance, Patterns, Tag
from bench.project import find_project
from bench.reviewing.panes import escaped, messages_html, pane
from bench.reviewing.review import Review

HEIGHT = "560px"
_WIDE = {"width": "100%"}


class ReviewForm:
    """The form over one fixture's key. `widget` is what a notebook shows."""

    def __init__(self, folder: Path) -> None:
        self.review = Review(folder)
        self.at = self.review.next_drafted() or 0
        self._showing = False
        self.where = w.Dropdown(options=self._places(), layout=_layout())
        self.heading = w.HTML()
        self.text = w.Textarea(rows=4, layout=_layout())
        self.every = w.Textarea(rows=3, layout=_layout())
        self.some = w.Textarea(rows=4, layout=_layout())
        self.tag = w.Dropdown(options=get_args(Tag), layout=_layout())
        self.importance = w.ToggleButtons(options=get_args(Importance))
        self.source = w.HTML()
        self.told = w.HTML()
        self.accept = self._button("Accept", "success", self._accept)
        self.save = self._button("Keep the changes", "", self._save)
        self.drop = self._button("Drop", "danger", lambda: self.review.drop(self._id))
        self.undo = self._button("Undo", "", self._undo)
        self.back = self._button("◀", "", lambda: self._go(self.at - 1))
        self.skip = self._button("▶", "", lambda: self._go(self.at + 1))
        self.where.observe(self._chosen, names="value")
        self.widget = w.HBox([self._left(), w.Box([self.source], layout=w.Layout(width="55%"))])
        self._show()

    @property
    def _id(self) -> str:
        return self.review.order[self.at]

    def _left(self) -> Any:
        rows = [
            w.HBox([self.back, self.where, self.skip]),
            self.heading,
            _labelled("what a successor must know", self.text),
            _labelled("all of these patterns, one a line (RE2)", self.every),
            _labelled("and one of these", self.some),
            w.HBox([_labelled("kind", self.tag), _labelled("importance", self.importance)]),
            w.HBox([self.accept, self.drop, self.save, self.undo]),
            self.told,
        ]
        return w.VBox(rows, layout=w.Layout(width="45%"))

    def _button(self, name: str, style: str, act: Callable[[], None]) -> Any:
        button = w.Button(description=name, button_style=style, layout=w.Layout(width="auto"))
        button.on_click(lambda _: self._do(name, act))
        return button

    def _do(self, name: str, act: Callable[[], None]) -> None:
        """Act, then show what is there now; what cannot be done is told and leaves the typed words in the form."""
        try:
            act()
        except BenchError as error:
            self.told.value = f'<span style="color:#b00020">{escaped(str(error))}; nothing changed</span>'
            return
        if name in ("Accept", "Drop"):
            following = self.review.next_drafted(self.at)
            self.at = self.at if following is None else following
        self._show()

    def _accept(self) -> None:
        self._save()
        self.review.accept(self._id)

    def _save(self) -> None:
        """Write what differs from the key: words and patterns, tag, importance."""
        atom = self._atom()
        patterns = Patterns(_lines(self.every.value), _lines(self.some.value))
        if (self.text.value.strip(), patterns) != (atom.text, atom.accept):
            self.review.edit(atom.id, self.text.value, patterns)
        if self.tag.value != atom.tag:
            self.review.retag(atom.id, self.tag.value)
        if self.importance.value != atom.importance:
            self.review.weigh(atom.id, self.importance.value)

    def _atom(self) -> Atom:
        atom = self.review.get(self._id)
        if atom is None:
            raise BenchError(f"{self._id} was dropped; take that back first")
        return atom

    def _undo(self) -> None:
        id_ = self.review.take_back()
        if id_ is None:
            raise BenchError("there is nothing to undo since this form was opened")
        self.at = self.review.order.index(id_)

    def _go(self, to: int) -> None:
        self.at = min(max(to, 0), len(self.review.order) - 1)

    def _chosen(self, change: dict[str, Any]) -> None:
        if not self._showing and change["new"] is not None and change["new"] != self.at:
            self._do("go", lambda: self._go(change["new"]))

    def _places(self) -> list[tuple[str, int]]:
        marks = {"drafted": "○", "reviewed": "●"}
        atoms = [self.review.get(id_) for id_ in self.review.order]
        return [
            (f"{marks[a.status] if a else '✕'} {id_}", i)
            for i, (id_, a) in enumerate(zip(self.review.order, atoms, strict=True))
        ]

    def _show(self) -> None:
        if not self.review.order:
            self.heading.value = "the key has no atoms; 'bench key draft' proposes some"
            return
        counts, atom = self.review.counts, self.review.get(self._id)
        self._showing = True  # new options choose the first of themselves
        self.where.options = self._places()
        self.where.value = self.at
        self._showing = False
        status = "dropped" if atom is None else atom.status
        left = "all are reviewed" if not counts.left else f"{counts.left} still drafted"
        told = f"<b>{escaped(self._id)}</b> {status} · {self.at + 1} of {len(self.review.order)} · {left}"
        stale = "" if atom is None else "".join(f"<br>stale until {s.until}: {escaped(s.match)}" for s in atom.stale)
        self.heading.value = told + stale
        self.told.value = ""
        for button in (self.accept, self.drop, self.save):
            button.disabled = atom is None
        if atom is None:
            return
        self.text.value, self.tag.value, self.importance.value = atom.text, atom.tag, atom.importance
        self.every.value, self.some.value = "\n".join(atom.accept.all), "\n".join(atom.accept.any)
        self.source.value = pane(messages_html(self.review.transcript, atom.at), HEIGHT)


def review_key(fixture: str) -> Any:
    """The form over a fixture's key, to be shown by a notebook. `fixture`: a name in fixtures/, or a folder.

    Raises BenchError for a fixture that is not there, or cannot be read.
    """
    path = Path(fixture).expanduser()
    return ReviewForm(path if path.is_dir() else fixture_folder(fixture, find_project(), Path.cwd())).widget


def _layout() -> Any:
    return w.Layout(**_WIDE)


def _labelled(label: str, widget: Any) -> Any:
    return w.VBox([w.HTML(f"<small>{label}</small>"), widget], layout=_layout())


def _lines(text: str) -> tuple[str, ...]:
    return tuple(line.strip() for line in text.splitlines() if line.strip())
