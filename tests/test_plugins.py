"""What other packages offer: found by entry point, checked when used, a bad one told in one line."""

from __future__ import annotations

import pytest

from bench import plugins
from bench.errors import BenchError
from bench.models import family, open_model, slug
from bench.models.names import ModelName, parse_name


class Point:
    """An entry point as the standard library gives them: a name, and what it loads."""

    def __init__(self, name: str, thing: object) -> None:
        self.name, self._thing = name, thing

    def load(self) -> object:
        if isinstance(self._thing, Exception):
            raise self._thing
        return self._thing


@pytest.fixture
def installed(monkeypatch):
    def install(group: plugins.Group, **things: object) -> None:
        points = [Point(name, thing) for name, thing in things.items()]
        monkeypatch.setattr("importlib.metadata.entry_points", lambda group: found.get(group, []))
        found[group.name] = points

    found: dict[str, list[Point]] = {}
    return install


class Large:
    window, max_output = 100_000, 8_000

    def __init__(self, name: str = "") -> None:
        self.name = name

    async def __aenter__(self): ...
    async def __aexit__(self, *_): ...
    async def ask(self, request, *, timeout_s, on_first): ...
    async def count(self, request): ...


class Vendor:
    def open(self, name: str):
        return Large(name)


class Demanding(Vendor):
    def __init__(self, key: str) -> None:
        self.key = key


class Half:
    def open(self, _name: str):
        return object()


class Words:
    def grade(self, _text, _key):
        return (), ()


def test_a_model_of_another_package_is_named_by_its_entry_point(installed):
    installed(plugins.MODELS, vendor=Vendor)
    assert parse_name("vendor:large-2") == ModelName("vendor:large-2", "plugin", "large-2", "vendor")
    assert family("vendor:large-2") == "server"
    assert slug("vendor:large-2").startswith("vendor-large-2-")
    assert open_model("vendor:large-2").name == "vendor:large-2"


def test_a_package_cannot_take_a_name_that_the_bench_knows(installed):
    installed(plugins.MODELS, local=Vendor, bedrock=Vendor)
    assert parse_name("local:/a.gguf").kind == "local"
    assert parse_name("bedrock:x").kind == "bedrock"


@pytest.mark.parametrize("name", ["vendor", "vendor:", "vendor: ", "other:large"])
def test_a_name_that_nobody_offers_is_refused(name, installed):
    installed(plugins.MODELS, vendor=Vendor)
    with pytest.raises(BenchError, match="none of the forms"):
        open_model(name)


@pytest.mark.parametrize(
    ("offered", "told"),
    [
        (ImportError("no module named 'x'\nat line 2"), "does not load: ImportError: no module named 'x'"),
        (object(), r"is no opener of models: it needs open; there is no open"),
        (Demanding, "does not load: TypeError"),
        (Half, "opens is no model: there is no name, window"),
    ],
)
def test_a_bad_package_is_told_in_one_line(offered, told, installed):
    installed(plugins.MODELS, vendor=offered)
    with pytest.raises(BenchError, match=told) as error:
        open_model("vendor:large")
    assert "'vendor'" in str(error.value) and "handoff_bench.models" in str(error.value)


def test_naming_a_model_loads_no_package(installed):
    installed(plugins.MODELS, vendor=RuntimeError("must not be loaded"))
    assert parse_name("vendor:large").kind == "plugin"


def test_graders_are_found_and_checked(installed):
    installed(plugins.GRADERS, words=Words)
    assert plugins.grader_kinds() == ("words",)
    assert plugins.open_grader("words").grader.grade("", None) == ((), ())
    with pytest.raises(BenchError, match="no installed package offers the grader 'other'"):
        plugins.open_grader("other")
    installed(plugins.GRADERS, words=object())
    with pytest.raises(BenchError, match="is no grader: it needs grade; there is no grade"):
        plugins.open_grader("words")
