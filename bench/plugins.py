"""What other installed packages offer the bench, by entry point: one loader, one check, one clear line for a bad one.

A group is asked for only where the bench's own things do not answer, so that a bad package costs nobody else a thing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple, Protocol, cast, runtime_checkable

from bench.errors import BenchError
from bench.text import clip

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from bench.beside import Begun
    from bench.grading.model import Finding, Invention
    from bench.keys import Key
    from bench.models.protocol import Model
    from bench.transcripts.model import Transcript

REASON_CHARS = 200
"""Most of an exception's text that is told."""


class Group(NamedTuple):
    """A group of entry points: what one of its things is, and the members that it must have."""

    name: str
    what: str
    members: tuple[str, ...]


@runtime_checkable
class Models(Protocol):
    """Opens the models of one vendor. A sweep names them `<entry point>:<id>`."""

    def open(self, name: str) -> Model:
        """The model of that whole name, as `bench.models.protocol.Model` says. Raises BenchError for an unknown id."""
        ...


@runtime_checkable
class Grader(Protocol):
    """Judges one text against an answer key. A sweep names it by its entry point, as the `kind` of a grader."""

    def grade(self, text: str, key: Key) -> tuple[tuple[Finding, ...], tuple[Invention, ...]]:
        """A finding for every atom of the key, and what the text states that was never said."""
        ...


class OfferedGrader(NamedTuple):
    """A grader, and the package that offers it with its version; '' where that is not known."""

    grader: Grader
    package: str


@runtime_checkable
class ArmKind(Protocol):
    """A kind of arm that asks no model of the bench's. A file names it as `kind = "<entry point>"`."""

    def build(self, transcript: Transcript, options: Mapping[str, object]) -> str:
        """The handoff's text. `options`: the file's table of the kind's name. Called in a thread, once a fixture."""
        ...


@runtime_checkable
class Subscriber(Protocol):
    """Work that runs beside every fork. `timeout_s` is its own limit, 90 s where it names none."""

    def beside(self, begun: Begun) -> None:
        """Called once a fork, in a thread of its own, as the model is asked. Raises Denied where it will not."""
        ...


class Denied(Exception):
    """Raised by a subscriber that will not do its work for this fork; the text is kept."""


READERS = Group("handoff_bench.readers", "reader", ("name", "told", "detect", "read"))
MODELS = Group("handoff_bench.models", "opener of models", ("open",))
GRADERS = Group("handoff_bench.graders", "grader", ("grade",))
ARMS = Group("handoff_bench.arms", "kind of arm", ("build",))
SUBSCRIBERS = Group("handoff_bench.subscribers", "subscriber", ("beside",))
MODEL = ("name", "window", "max_output", "ask", "count", "__aenter__", "__aexit__")
"""What a model must have; checked when one is opened."""


def offered(group: Group) -> Iterator[tuple[str, object]]:
    """Name and thing of every entry point of the group. Raises BenchError at one that is bad, see `load`."""
    yield from ((point.name, load(point, group)) for point in _points(group))


def load(point: EntryPoint, group: Group) -> object:
    """What the entry point names; of a class, an instance. Raises BenchError where it cannot be had or is none."""
    try:
        loaded = point.load()
        thing: object = loaded() if isinstance(loaded, type) else loaded
    except Exception as error:  # anything at all may go wrong in another package's import
        why = clip(f"{type(error).__name__}: {error}", REASON_CHARS)
        mend = "mend or remove the package that offers it"
        raise BenchError(f"entry point '{point.name}' of {group.name} does not load: {why}; {mend}") from error
    if lacking := _lacking(thing, group.members):
        need = f"it needs {', '.join(group.members)}"
        raise BenchError(
            f"entry point '{point.name}' of {group.name} is no {group.what}: {need}; there is no {lacking}"
        )
    return thing


def is_model(name: str) -> bool:
    """Whether a package offers models of that name's scheme, `<entry point>:<id>`. Nothing is loaded."""
    return _model_point(name) is not None


def open_model(name: str) -> Model:
    """The model of that name from the package that offers it. Raises BenchError where none does, or it is bad."""
    point = _model_point(name)
    if point is None:
        raise BenchError(f"no installed package offers the model '{name}'")
    model = cast(Models, load(point, MODELS)).open(name)
    if lacking := _lacking(model, MODEL):
        raise BenchError(f"what '{point.name}' of {MODELS.name} opens is no model: there is no {lacking}")
    return model


def grader_kinds() -> tuple[str, ...]:
    """The kinds of grader that packages offer: the names of their entry points. Nothing is loaded."""
    return tuple(dict.fromkeys(point.name for point in _points(GRADERS)))


def open_grader(kind: str) -> OfferedGrader:
    """The grader of that kind. Raises BenchError where no package offers it, or it is bad."""
    point = next((point for point in _points(GRADERS) if point.name == kind), None)
    if point is None:
        raise BenchError(f"no installed package offers the grader '{kind}'")
    package = getattr(point, "dist", None)
    told = "" if package is None else f"{package.name} {package.version}"
    return OfferedGrader(cast(Grader, load(point, GRADERS)), told)


def is_arm_kind(name: str) -> bool:
    """Whether a package offers arms of that kind. Nothing is loaded."""
    return any(point.name == name for point in _points(ARMS))


def arm_kind(name: str) -> ArmKind:
    """The kind of arm of that name. Raises BenchError where no package offers it, or it is bad."""
    point = next((point for point in _points(ARMS) if point.name == name), None)
    if point is None:
        raise BenchError(f"no installed package offers the kind of arm '{name}'")
    return cast(ArmKind, load(point, ARMS))


def subscribers() -> dict[str, Subscriber]:
    """Whoever wants to work beside forks, by the name of their entry point. Raises BenchError at a bad one."""
    return {name: cast(Subscriber, thing) for name, thing in offered(SUBSCRIBERS)}


def version_of(group: Group, name: str) -> str | None:
    """The version of the package that offers it; None where it says none."""
    for point in _points(group):
        if point.name == name:
            dist = getattr(point, "dist", None)
            return None if dist is None else str(dist.version)
    return None


def _model_point(name: str) -> EntryPoint | None:
    scheme, colon, rest = name.partition(":")
    if not colon or not rest.strip():
        return None
    return next((point for point in _points(MODELS) if point.name == scheme), None)


def _points(group: Group) -> list[EntryPoint]:
    from importlib.metadata import entry_points

    return sorted(entry_points(group=group.name), key=lambda point: point.name)


def _lacking(thing: object, members: tuple[str, ...]) -> str:
    return ", ".join(member for member in members if not hasattr(thing, member))
