"""The to-do list as it stands at the end, whichever kind of tool keeps it: one that writes it whole, or by items."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct

from bench.handoff.calls import Call

_WHOLE = re.compile(r"(?i)^(todo_?write|update_todos?|set_todos?|update_plan|todo)$")
_CREATE, _UPDATE = re.compile(r"(?i)^task_?create$"), re.compile(r"(?i)^task_?update$")
_LISTS = ("todos", "plan", "items", "tasks")
_NAMES = ("content", "step", "subject", "title", "text", "task", "description")
_CREATED = re.compile(r"#(\w+)")
"""The number that a created item got, as its result says it."""
_DONE = ("completed", "complete", "done", "deleted", "cancelled", "canceled")


class Item(Struct, frozen=True):
    """One thing to do. `status` as the tool named it."""

    name: str
    status: str = "pending"

    @property
    def open(self) -> bool:
        return self.status.casefold() not in _DONE


def todo_list(calls: Iterable[Call]) -> tuple[Item, ...]:
    """The items of the list in their order; none where no tool kept one. Calls that failed count for nothing."""
    whole: dict[str, Item] = {}
    single: dict[str, Item] = {}
    for call in calls:
        if call.outcome.bad:
            continue
        if _WHOLE.match(call.name):
            whole = {str(i): item for i, item in enumerate(_items(call.arguments))}
        elif _CREATE.match(call.name) and (name := _name(call.arguments)):
            number = _CREATED.search(call.output or "")
            single[number[1] if number else f"new {len(single)}"] = Item(name)
        elif _UPDATE.match(call.name):
            _update(single, call.arguments)
    return (*whole.values(), *single.values())


def _items(arguments: Mapping[str, object]) -> Iterator[Item]:
    given = next((arguments[key] for key in _LISTS if isinstance(arguments.get(key), list)), [])
    for entry in given if isinstance(given, list) else []:
        if isinstance(entry, dict) and (name := _name(entry)):
            status = entry.get("status")
            yield Item(name, status if isinstance(status, str) and status else "pending")


def _update(items: dict[str, Item], arguments: Mapping[str, object]) -> None:
    key = str(arguments.get("taskId", arguments.get("task_id", "")))
    status = arguments.get("status")
    before = items.get(key)
    if before is not None:
        items[key] = Item(
            _name(arguments) or before.name, status if isinstance(status, str) and status else before.status
        )


def _name(entry: Mapping[str, object]) -> str:
    named = (entry.get(key) for key in _NAMES)
    return next((" ".join(name.split()) for name in named if isinstance(name, str) and name.strip()), "")
