"""A form in a notebook: `shown` goes to the page, one message a press of a button or key comes back.

The page answers to keys that JupyterLab would otherwise take for its own (`a` adds a cell there, `d d` deletes one),
and sends what stands in the fields along with each action, so that nothing typed is overtaken by the press that is to
keep it. Every `Shown` has a number; an action on an older one is dropped: a key pressed twice decides once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from importlib.resources import files
from typing import Any

import anywidget
import msgspec
import traitlets

from bench.errors import BenchError
from bench.forms.shown import Shown
from bench.text import printable

Fields = Mapping[str, str]
"""Field -> what stands in it."""
Act = Callable[[str, Fields], str | None]
"""Does the action of that name; what it returns is told. Raises BenchError where it changes nothing."""


@cache
def _asset(name: str) -> str:
    return (files("bench.forms") / name).read_text(encoding="utf-8")


class Form(anywidget.AnyWidget):
    """The widget. It decides nothing: `act` does, then calls `show`."""

    _esm = _asset("form.js")
    _css = _asset("form.css")
    shown = traitlets.Dict().tag(sync=True)
    told = traitlets.Dict().tag(sync=True)

    def __init__(self, act: Act) -> None:
        super().__init__()
        self._act = act
        self._turn = 0
        self.on_msg(lambda _, message, __: self._received(message))

    def show(self, shown: Shown) -> None:
        """Put this on the page, with all fields as they are in it."""
        self._turn += 1
        self.shown = msgspec.to_builtins(shown) | {"turn": self._turn}

    def do(self, action: str, **typed: str) -> None:
        """What a press of the action does, with `typed` in the fields; the others hold what is shown."""
        fields = {field["name"]: field["value"] for field in self.shown["fields"]} | typed
        try:
            said, bad = self._act(action, fields) or "", False
        except BenchError as error:
            said, bad = f"{error}; nothing changed", True
        self.told = {"text": printable(said), "bad": bad, "n": self.told.get("n", 0) + 1}

    def _received(self, message: dict[str, Any]) -> None:
        if message.get("turn") == self._turn:
            self.do(str(message["do"]), **{str(k): str(v) for k, v in message["fields"].items()})
