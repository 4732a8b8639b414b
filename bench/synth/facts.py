"""The facts of a synthetic session: how each is said, and the atom that asks for it."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product
from typing import Literal, TypeVar

from bench.drafting.patterns import bounded
from bench.keys import By, Importance, Patterns, Tag
from bench.synth.scenarios.model import Scenario

T = TypeVar("T")
Slot = Literal["user", "opening", "write", "command", "output", "closing"]
"""Where in a turn something is said: the user's message, the assistant's first and last words, a file written, a
command run, a command's output."""
RULED_OUT = (r"rule[sd]? out", r"\breject", r"\bnot (?:be )?us(?:e|ed|ing)\b", r"\bavoid", r"\bnot an option")
"""How a summary may write that something was turned down."""
VALUES = range(11, 990)
"""Numbers that a setting takes: two or three digits, so that no ordinary count is taken for one."""


@dataclass(frozen=True)
class Fact:
    """One thing that is established: `said` in its slot, perhaps again as `again`, and what it took the place of."""

    kind: str
    tag: Tag
    importance: Importance
    by: By
    text: str
    slot: Slot
    said: str
    again: str
    again_slot: Slot
    accept: Patterns
    before: str | None = None
    """What the user said earlier, of a superseded fact."""
    stale: str | None = None
    part: str = ""


@dataclass(frozen=True)
class Setting:
    """A setting of a part: its name in code, and its unit."""

    part: str
    name: str
    unit: str


class Pool:
    """Deals out what a session's facts are about; nothing twice."""

    def __init__(self, scenario: Scenario, rng: random.Random) -> None:
        self.scenario, self._rng = scenario, rng
        self._settings = _shuffled(rng, [_setting(c, q) for c, q in product(scenario.components, scenario.quantities)])
        self._options = _shuffled(rng, list(scenario.options))
        self._rules = _shuffled(rng, list(product(scenario.rules, scenario.components)))
        self._tasks = _shuffled(rng, list(product(scenario.tasks, scenario.components)))
        self._files = _shuffled(rng, list(product(scenario.components, scenario.nouns)))
        self._commands = _shuffled(rng, list(scenario.components))
        self._values = _shuffled(rng, list(VALUES))

    def setting(self) -> Setting:
        return self._settings.pop()

    def near(self, part: str) -> Setting | None:
        """A setting of the same part that no fact is about; it will not be given to one."""
        near = next((s for s in self._settings if s.part == part), None)
        if near is not None:
            self._settings.remove(near)
        return near

    def value(self) -> int:
        return self._values.pop()

    def option(self) -> str:
        return self._options.pop()

    def rule(self) -> tuple[tuple[str, str, str], str]:
        return self._rules.pop()

    def task(self) -> tuple[tuple[str, str], str]:
        return self._tasks.pop()

    def file(self) -> str:
        part, noun = self._files.pop()
        return f"{self.scenario.folder}/{_snake(part)}/{noun}.{self.scenario.suffix}"

    def command(self) -> str:
        return self.scenario.test.format(component=_snake(self._commands.pop()))

    def reason(self) -> str:
        return self._rng.choice(self.scenario.reasons)

    def noun(self) -> str:
        return self._rng.choice(self.scenario.nouns)


def number(pool: Pool) -> Fact:
    """A value that the user sets once and for all."""
    s, value = pool.setting(), pool.value()
    said = f"Set {s.name} to {value} {s.unit}."
    return Fact(
        "number", "number", "okay", "user", f"{s.name} is set to {value} {s.unit}.", "user", said,
        f"{s.name} is {value} {s.unit}, as you set it.", "closing", _named(s, value), part=s.part,
    )  # fmt: skip


def superseded(pool: Pool) -> Fact:
    """A value that the user changes later: the new one stands, the old one is stale."""
    s, old, new = pool.setting(), pool.value(), pool.value()
    stale = rf"{bounded(s.name)}(?:\W+[a-z]+){{0,4}}\W+{old}\b"
    return Fact(
        "superseded", "correction", "vital", "user", f"{s.name} was changed and is {new} {s.unit}.", "user",
        f"I changed my mind: {s.name} has to be {new} {s.unit}.", f"{s.name} is {new} {s.unit} after your change.",
        "closing", _named(s, new), before=f"Let {s.name} be {old} {s.unit}.", stale=stale, part=s.part,
    )  # fmt: skip


def rejected(pool: Pool) -> Fact:
    """A product that the user rules out."""
    option, (_, part) = pool.option(), pool.task()
    said = f"We ruled out {option} for the {part}: {pool.reason()}."
    accept = Patterns(
        all=(rf"\b{option}\b",),
        any=(*RULED_OUT, rf"\bno {option}"),
    )
    return Fact(
        "rejected", "rejected", "vital", "user", f"{option} was ruled out for the {part}.", "user", said,
        f"I keep in mind that {option} was ruled out for the {part}.", "opening", accept, part=part,
    )  # fmt: skip


def decision(pool: Pool) -> Fact:
    """A product that the user chooses."""
    option, (_, part) = pool.option(), pool.task()
    accept = Patterns(all=(rf"\b{option}\b", _part(part)))
    return Fact(
        "decision", "decision", "okay", "user", f"The {part} uses {option}.", "user",
        f"For the {part} we go with {option}.", f"The {part} goes with {option}, as decided.", "opening", accept,
        part=part,
    )  # fmt: skip


def constraint(pool: Pool) -> Fact:
    """A standing rule."""
    (said, point, again), part = pool.rule()
    accept = Patterns(all=(_part(part), rf"\b{point}"))
    text = said.format(part=part)
    return Fact(
        "constraint", "constraint", "vital", "user", text, "user", text,
        f"Your rule holds: {again.format(part=part)}.", "opening", accept, part=part,
    )  # fmt: skip


def file(pool: Pool) -> Fact:
    """A file that the assistant writes."""
    path = pool.file()
    return Fact(
        "file", "file", "okay", "assistant", f"{path} was written.", "write", path, f"{path} stays as I wrote it.",
        "closing", Patterns(all=(bounded(path),)),
    )  # fmt: skip


def command(pool: Pool) -> Fact:
    """A command that checks a part."""
    line = pool.command()
    return Fact(
        "command", "command", "okay", "assistant", f"The part is checked with '{line}'.", "command", line,
        f"I check it with '{line}' again.", "closing", Patterns(all=(bounded(line),)),
    )  # fmt: skip


def identifier(pool: Pool) -> Fact:
    """A name that only a command's output tells."""
    flag = f"ff_{pool.noun()}_{pool.noun()}_{pool.value()}"
    return Fact(
        "identifier", "identifier", "okay", "tool", f"The feature flag is {flag}.", "output", f"feature flag: {flag}",
        f"The flag to switch is {flag}.", "closing", Patterns(all=(bounded(flag),)),
    )  # fmt: skip


def error(pool: Pool) -> Fact:
    """A failure that a command prints."""
    code, (_, part) = f"E{pool.value():04}", pool.task()
    return Fact(
        "error", "error", "okay", "tool", f"A run ended with {code} in the {part}.", "output",
        f"{code}: broken pipe in the {part}", f"The open failure is {code} in the {part}.", "closing",
        Patterns(all=(bounded(code), _part(part))), part=part,
    )  # fmt: skip


def promise(pool: Pool) -> Fact:
    """Something that the assistant puts off."""
    (task, word), part = pool.task()
    said = f"I will {task} in the {part} afterwards; that is still to do."
    return Fact(
        "promise", "promise", "vital", "assistant", f"Still to do: {task} in the {part}.", "closing", said,
        f"Still open on my side: {task} in the {part}.", "closing", Patterns(all=(_part(part), rf"\b{word}")),
        part=part,
    )  # fmt: skip


KINDS: tuple[Callable[[Pool], Fact], ...] = (
    superseded, rejected, number, constraint, decision, file, error, promise, identifier, number, command,
)  # fmt: skip
"""In the order in which a session gets them."""


def dealt(pool: Pool, count: int) -> Iterator[Fact]:
    """`count` facts, every kind in turn; a kind whose words are used up gives way to numbers.

    Raises IndexError where those are used up, too.
    """
    given = 0
    while given < count:
        for kind in KINDS:
            if given == count:
                return
            try:
                fact = kind(pool)
            except IndexError:
                fact = number(pool)
            given += 1
            yield fact


def _setting(part: str, quantity: tuple[str, str]) -> Setting:
    return Setting(part, f"{_snake(part)}_{_snake(quantity[0])}", quantity[1])


def _named(s: Setting, value: int) -> Patterns:
    return Patterns(all=(bounded(s.name).replace("_", "[_ ]"), rf"\b{value}\b"))


def _part(part: str) -> str:
    return rf"\b{re.escape(part)}".replace("\\ ", "[ _]")


def _snake(words: str) -> str:
    return words.replace(" ", "_")


def _shuffled(rng: random.Random, items: list[T]) -> list[T]:
    rng.shuffle(items)
    return items
